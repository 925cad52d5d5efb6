/* Figures of two candidates from raw files that are written here by hand, as marks: one character
 * for each case, '+' an accepted answer, '-' another, '?' a refused request, '.' no line at all.
 * Shares are counted from the marks; intervals are those of the published study; divergences are
 * algebra on rows of two tokens. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "evidence/quality_figures.h"
#include "shared.h"

#define PASSES_MAX 3

typedef struct stage {
    pp_arena arena;
    const char *folder;
    pp_plan_model models[2];
    pp_plan_candidate candidates[2];
    pp_study_plan plan;
    const pp_json *model_documents[2];
    pp_study_documents documents;
    char suite_sha256[PP_SHA256_HEX_SIZE];
    size_t case_count;
} stage;

static const pp_json *parse(pp_arena *arena, const char *text)
{
    const pp_json *root = NULL;
    pp_error err = {0};

    assert_ok(pp_json_parse(arena, "text", text, strlen(text), &root, &err), err);
    return root;
}

static void write_file(stage *s, const char *name, const char *text)
{
    const char *path = pp_path_join(&s->arena, s->folder, name);
    const char *folder = pp_path_folder(&s->arena, path);
    pp_error err = {0};

    if (!pp_path_is_folder(folder))
        assert_ok(pp_folder_create(folder, true, &err), err);
    assert_ok(pp_file_write_new(path, text, strlen(text), &err), err);
}

/* ---- the suite: cases c1, c2, ... and, where asked for, contexts x1 and x2 ---------------------
 */

static void write_suite(stage *s, bool contexts)
{
    pp_buf text;
    pp_error err = {0};

    pp_buf_init(&text, 1 << 20);
    pp_buf_append_text(
        &text, "{\"schema_version\":\"2.0\",\"document\":\"quality-suite\",\"id\":\"s\","
               "\"title\":\"t\",\"license\":\"Apache-2.0\",\"system_prompt\":\"Be short.\","
               "\"sampling\":{\"max_tokens\":8,\"seed\":7,\"temperature\":0.0},\"cases\":[");
    for (size_t i = 1; i <= s->case_count; i++)
        pp_buf_printf(&text,
                      "%s{\"id\":\"c%zu\",\"group\":\"g\",\"prompt\":\"Question %zu?\","
                      "\"match_mode\":\"trimmed-exact\",\"accepted_answers\":[\"yes\"]}",
                      i > 1 ? "," : "", i, i);
    pp_buf_append_text(&text, "]");
    if (contexts)
        pp_buf_append_text(&text, ",\"fidelity\":{\"contexts\":[{\"id\":\"x1\",\"prompt\":\"One\"},"
                                  "{\"id\":\"x2\",\"prompt\":\"Two\"}]}");
    pp_buf_append_text(&text, "}");
    write_file(s, "experiment/evaluation-suite.json", pp_buf_text(&text));
    assert_ok(pp_sha256_of(text.data, text.size, s->suite_sha256, &err), err);
    s->plan.suite = (pp_plan_file){true, pp_text_of("suite.json"), pp_text_of(s->suite_sha256)};
    pp_buf_done(&text);
}

static void begin(stage *s, size_t case_count, int64_t passes, bool contexts)
{
    memset(s, 0, sizeof *s);
    s->folder = make_temp_folder(&s->arena);
    s->case_count = case_count;
    for (size_t i = 0; i < 2; i++) {
        s->models[i] = (pp_plan_model){.id = pp_text_of(i == 0 ? "m0" : "m1")};
        s->candidates[i] =
            (pp_plan_candidate){.id = pp_text_of(i == 0 ? "base" : "other"), .model_index = i};
        s->model_documents[i] = parse(&s->arena, "{}");
    }
    s->plan = (pp_study_plan){.baseline_id = pp_text_of("base"),
                              .models = s->models,
                              .model_count = 2,
                              .candidates = s->candidates,
                              .candidate_count = 2,
                              .passes = passes,
                              .constraints = {.quality_not_measurable = true}};
    s->documents =
        (pp_study_documents){.models = s->model_documents, .host = parse(&s->arena, "{}")};
    write_suite(s, contexts);
}

static void end(stage *s)
{
    remove_folder(s->folder);
    pp_arena_done(&s->arena);
}

/* ---- replies -----------------------------------------------------------------------------------
 */

/* Quotes and backslashes of JSON inside JSON. */
static void append_quoted(pp_buf *out, const char *text)
{
    pp_buf_append_char(out, '"');
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            pp_buf_append_char(out, '\\');
        pp_buf_append_char(out, *text);
    }
    pp_buf_append_char(out, '"');
}

static void add_line(pp_buf *lines, const char *of, const char *id, const char *request,
                     int http_status, const char *body)
{
    char sha256[PP_SHA256_HEX_SIZE];
    pp_error err = {0};

    assert_ok(pp_sha256_of(request, strlen(request), sha256, &err), err);
    pp_buf_printf(lines,
                  "{\"of\":\"%s\",\"id\":\"%s\",\"request_sha256\":\"%s\",\"started_ns\":1,"
                  "\"ended_ns\":2,\"http_status\":%d,\"content_type\":\"application/json\","
                  "\"failure\":%s,\"body_hex\":null,\"request\":",
                  of, id, sha256, http_status,
                  http_status == 200 ? "null" : "{\"class\":\"http-status\",\"text\":\"\"}");
    append_quoted(lines, request);
    pp_buf_append_text(lines, ",\"body\":");
    append_quoted(lines, body);
    pp_buf_append_text(lines, "}\n");
}

static void add_case(stage *s, pp_buf *lines, size_t number, char mark)
{
    const char *id = pp_arena_printf(&s->arena, "c%zu", number);
    const char *request = pp_arena_printf(
        &s->arena,
        "{\"messages\":[{\"role\":\"system\",\"content\":\"Be short.\"},{\"role\":\"user\","
        "\"content\":\"Question %zu?\"}],\"max_tokens\":8,\"seed\":7,\"temperature\":0}",
        number);
    const char *body =
        pp_arena_printf(&s->arena,
                        "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"%s\"},"
                        "\"finish_reason\":\"stop\"}]}",
                        mark == '+' ? "yes" : "no");

    if (mark == '?')
        add_line(lines, "case", id, request, 500, "{\"error\":{\"message\":\"no\"}}");
    else if (mark != '.')
        add_line(lines, "case", id, request, 200, body);
}

/* Token 1 with this log-probability, token 2 with the rest. */
static void add_context(stage *s, pp_buf *lines, const char *id, const char *prompt, double p)
{
    double first = p >= 0.5 ? p : 1 - p;
    int likelier = p >= 0.5 ? 1 : 2;

    add_line(lines, "context", id,
             pp_arena_printf(&s->arena, "{\"prompt\":\"%s\",\"n_predict\":1}", prompt), 200,
             pp_arena_printf(&s->arena,
                             "{\"content\":\"a\",\"completion_probabilities\":[{\"id\":1,"
                             "\"token\":\"a\",\"bytes\":[97],\"logprob\":-0.1,\"top_logprobs\":["
                             "{\"id\":%d,\"token\":\"\",\"bytes\":[%d],\"logprob\":%.17g},"
                             "{\"id\":%d,\"token\":\"\",\"bytes\":[%d],\"logprob\":%.17g}]}]}",
                             likelier, 96 + likelier, log(first), 3 - likelier, 99 - likelier,
                             log(1 - first)));
}

static void write_lines(stage *s, size_t candidate, int pass, const pp_buf *lines)
{
    write_file(s,
               pp_arena_printf(&s->arena, "experiment/candidates/%s/raw/suite-pass-%d.jsonl",
                               s->candidates[candidate].id.data, pass),
               pp_buf_text(lines));
}

/* `marks` of one pass; x1 and x2 with these probabilities of token 1 where they are above 0. */
static void answer(stage *s, size_t candidate, int pass, const char *marks, double x1, double x2)
{
    pp_buf lines;

    pp_buf_init(&lines, 1 << 20);
    for (size_t i = 0; marks[i] != '\0'; i++)
        add_case(s, &lines, i + 1, marks[i]);
    if (x1 > 0)
        add_context(s, &lines, "x1", "One", x1);
    if (x2 > 0)
        add_context(s, &lines, "x2", "Two", x2);
    write_lines(s, candidate, pass, &lines);
    pp_buf_done(&lines);
}

static pp_quality_figures load(stage *s)
{
    pp_quality_figures *f = PP_ARENA_NEW(&s->arena, pp_quality_figures, 1);
    pp_error err = {0};

    assert_ok(pp_quality_load(&s->arena, s->folder, &s->plan, &s->documents, f, &err), err);
    return *f;
}

/* ---- scores ------------------------------------------------------------------------------------
 */

static double metric(stage *s, const pp_quality_figures *f, size_t candidate, const char *name)
{
    pp_candidate c = {.metrics = PP_ARENA_NEW(&s->arena, pp_metric, PP_QUALITY_METRIC_COUNT)};

    pp_quality_add_metrics(f, candidate, &c);
    for (size_t i = 0; i < c.metric_count; i++)
        if (pp_text_is(c.metrics[i].name, name))
            return c.metrics[i].value;
    return -1;
}

static void scores_flips_and_sides_are_counted_over_all_passes(void **state)
{
    stage s;
    pp_quality_figures f;
    const pp_json *q;

    (void)state;
    begin(&s, 5, 2, false);
    answer(&s, 0, 1, "+++--", 0, 0);
    answer(&s, 0, 2, "+++--", 0, 0);
    answer(&s, 1, 1, "++-+-", 0, 0);
    answer(&s, 1, 2, "+--+-", 0, 0); /* c2 flips */
    f = load(&s);
    assert_true(metric(&s, &f, 0, "quality_score") == 3.0 / 5);
    assert_true(metric(&s, &f, 1, "quality_score") == 2.0 / 5);
    assert_true(metric(&s, &f, 1, "reference_top1_agreement") == -1);
    q = pp_quality_parameters(&s.arena, &f, &s.plan, 1);
    assert_int_equal(pp_json_find(q, "flips")->array.count, 1);
    assert_string_equal(pp_json_find(q, "flips")->array.items[0]->text.data, "c2");
    q = pp_json_find(q, "comparison");
    assert_int_equal(pp_json_find(q, "lost")->array.count, 2);
    assert_string_equal(pp_json_find(q, "lost")->array.items[0]->text.data, "c2");
    assert_string_equal(pp_json_find(q, "lost")->array.items[1]->text.data, "c3");
    assert_int_equal(pp_json_find(q, "gained")->array.count, 1);
    assert_string_equal(pp_json_find(q, "gained")->array.items[0]->text.data, "c4");
    assert_true(fabs(pp_json_find(q, "retention")->real - 2.0 / 3) < 1e-15);
    end(&s);
}

/* 21 of 24 for the reference, 20 for the one that passes, 19 for the first that fails. */
static void published_scores_come_out_of_raw_replies(void **state)
{
    static const struct {
        const char *marks;
        double passed, lower, upper;
    } rows[] = {{"+++++++++++++++++++++---", 21, .676, .973},
                {"++++++++++++++++++++----", 20, .626, .953},
                {"+++++++++++++++++++-----", 19, .578, .929}};

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        stage s;
        pp_quality_figures f;
        double retention;

        begin(&s, 24, 1, false);
        answer(&s, 0, 1, rows[0].marks, 0, 0);
        answer(&s, 1, 1, rows[i].marks, 0, 0);
        f = load(&s);
        assert_true(metric(&s, &f, 1, "quality_score") == rows[i].passed / 24);
        assert_true(fabs(f.candidates[1].score.whole.lower.value - rows[i].lower) < 0.0006);
        assert_true(fabs(f.candidates[1].score.whole.upper.value - rows[i].upper) < 0.0006);
        retention = f.candidates[1].pairing.retention.value;
        assert_true((retention >= 0.95) == (rows[i].passed >= 20));
        end(&s);
    }
}

static void a_request_without_an_answer_leaves_the_score_open(void **state)
{
    static const char *const marks[] = {"++?", "++."}; /* refused, and never asked */

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(marks); i++) {
        stage s;
        pp_quality_figures f;
        const pp_json *q;

        begin(&s, 3, 1, false);
        answer(&s, 0, 1, "+++", 0, 0);
        answer(&s, 1, 1, marks[i], 0, 0);
        f = load(&s);
        assert_true(metric(&s, &f, 1, "quality_score") == -1);
        q = pp_quality_parameters(&s.arena, &f, &s.plan, 1);
        assert_int_equal(pp_json_find(q, "score")->kind, PP_JSON_NULL);
        assert_string_equal(pp_json_find(q, "gap")->text.data, "request-failed");
        assert_int_equal(pp_json_find(q, "open")->integer, 1);
        end(&s);
    }
}

static void a_run_that_left_no_replies_is_no_answer_at_all(void **state)
{
    stage s;
    pp_quality_figures f;

    (void)state;
    begin(&s, 3, 2, false);
    answer(&s, 0, 1, "+++", 0, 0);
    answer(&s, 0, 2, "+++", 0, 0);
    answer(&s, 1, 1, "+++", 0, 0);
    f = load(&s);
    assert_int_equal(f.candidates[1].score.whole.open, 3);
    assert_int_equal(f.candidates[1].score.whole.failed_request_count, 3);
    end(&s);
}

static void random_weights_are_not_judged_on_any_cpu(void **state)
{
    static const char *const hosts[] = {"{}", "{\"platform\":{\"emulated\":true}}"};

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(hosts); i++) {
        stage s;
        pp_quality_figures f;

        begin(&s, 3, 1, false);
        s.documents.host = parse(&s.arena, hosts[i]);
        s.model_documents[1] = parse(&s.arena, "{\"weights\":\"synthetic\"}");
        assert_int_equal(pp_model_origin(s.model_documents[1], NULL), PP_ORIGIN_SYNTHETIC_WEIGHTS);
        answer(&s, 0, 1, "+++", 0, 0);
        answer(&s, 1, 1, "+++", 0, 0);
        f = load(&s);
        assert_true(metric(&s, &f, 0, "quality_score") == 1);
        assert_true(metric(&s, &f, 1, "quality_score") == -1);
        assert_int_equal(f.candidates[1].score.whole.gap, PP_SCORE_SYNTHETIC_WEIGHTS);
        end(&s);
    }
}

static void without_a_suite_the_reason_stands_there(void **state)
{
    stage s;
    pp_quality_figures f;
    const pp_json *q;

    (void)state;
    begin(&s, 1, 1, false);
    s.plan.suite.present = false;
    f = load(&s);
    q = pp_quality_parameters(&s.arena, &f, &s.plan, 0);
    assert_int_equal(pp_json_find(q, "score")->kind, PP_JSON_NULL);
    assert_string_equal(pp_json_find(q, "gap")->text.data, "no-suite");
    assert_true(metric(&s, &f, 0, "quality_score") == -1);
    end(&s);
}

/* ---- agreement ---------------------------------------------------------------------------------
 */

/* Rows {p, 1-p} and {q, 1-q}. */
static double divergence(double p, double q)
{
    return p * log(p / q) + (1 - p) * log((1 - p) / (1 - q));
}

static void the_pass_that_agrees_least_counts(void **state)
{
    stage s;
    pp_quality_figures f;

    (void)state;
    begin(&s, 1, 2, true);
    answer(&s, 0, 1, "+", 0.9, 0.8);
    answer(&s, 0, 2, "+", 0.9, 0.75); /* against pass 1: the same tokens, a little apart */
    answer(&s, 1, 1, "+", 0.9, 0.7);  /* both agree */
    answer(&s, 1, 2, "+", 0.9, 0.25); /* x2 does not */
    f = load(&s);
    assert_int_equal(f.candidates[0].agreement_pass, 2);
    assert_int_equal(f.candidates[0].reference_pass, 1);
    assert_true(metric(&s, &f, 0, "reference_top1_agreement") == 1);
    assert_true(fabs(metric(&s, &f, 0, "reference_kl_nats_mean") - divergence(0.8, 0.75) / 2) <
                1e-9);
    assert_int_equal(f.candidates[1].agreement_pass, 2);
    assert_int_equal(f.candidates[1].reference_pass, 2);
    assert_true(metric(&s, &f, 1, "reference_top1_agreement") == 0.5);
    assert_true(fabs(metric(&s, &f, 1, "reference_kl_nats_mean") - divergence(0.75, 0.25) / 2) <
                1e-9);
    end(&s);
}

static void of_passes_that_agree_alike_the_farther_one_counts(void **state)
{
    stage s;
    pp_quality_figures f;

    (void)state;
    begin(&s, 1, 2, true);
    answer(&s, 0, 1, "+", 0.9, 0.8);
    answer(&s, 0, 2, "+", 0.9, 0.8);
    answer(&s, 1, 1, "+", 0.6, 0.8);
    answer(&s, 1, 2, "+", 0.7, 0.8);
    f = load(&s);
    assert_int_equal(f.candidates[1].agreement_pass, 1);
    assert_true(fabs(metric(&s, &f, 1, "reference_kl_nats_mean") - divergence(0.9, 0.6) / 2) <
                1e-9);
    end(&s);
}

static void the_baseline_of_one_pass_agrees_with_nobody(void **state)
{
    stage s;
    pp_quality_figures f;

    (void)state;
    begin(&s, 1, 1, true);
    answer(&s, 0, 1, "+", 0.9, 0.8);
    answer(&s, 1, 1, "+", 0.9, 0.8);
    f = load(&s);
    assert_true(metric(&s, &f, 0, "reference_top1_agreement") == -1);
    assert_true(metric(&s, &f, 1, "reference_top1_agreement") == 1);
    end(&s);
}

static void a_context_without_an_answer_in_one_pass_leaves_no_figure(void **state)
{
    stage s;
    pp_quality_figures f;

    (void)state;
    begin(&s, 1, 2, true);
    answer(&s, 0, 1, "+", 0.9, 0.8);
    answer(&s, 0, 2, "+", 0.9, 0.8);
    answer(&s, 1, 1, "+", 0.1, 0.1); /* agrees nowhere, and still the gap is worse */
    answer(&s, 1, 2, "+", 0.9, 0);
    f = load(&s);
    assert_true(metric(&s, &f, 1, "quality_score") == 1);
    assert_true(metric(&s, &f, 1, "reference_top1_agreement") == -1);
    assert_int_equal(f.candidates[1].agreement.gap, PP_AGREEMENT_CANDIDATE_REFUSED);
    assert_int_equal(f.candidates[1].agreement_pass, 2);
    end(&s);
}

/* ---- what is refused ---------------------------------------------------------------------------
 */

#define ASK(system, prompt, seed)                                                                  \
    "{\"messages\":[{\"role\":\"system\",\"content\":\"" system "\"},{\"role\":\"user\","          \
    "\"content\":\"" prompt "\"}],\"max_tokens\":8,\"seed\":" seed ",\"temperature\":0}"
#define YES "{\"choices\":[{\"message\":{\"content\":\"yes\"}}]}"

static void replies_that_do_not_belong_to_the_suite_are_refused(void **state)
{
    static const struct {
        const char *of, *id, *request;
        int times;
        const char *why;
    } rows[] = {
        {"case", "c9", ASK("Be short.", "Question 9?", "7"), 1, "case 'c9' is none of the suite"},
        {"case", "c1", ASK("Be short.", "Question 1?", "7"), 2, "case 'c1' stands there twice"},
        {"case", "c1", ASK("Be short.", "Question 2?", "7"), 1, "was not asked as the suite asks"},
        {"case", "c1", ASK("Say yes.", "Question 1?", "7"), 1, "was not asked as the suite asks"},
        {"case", "c1", ASK("Be short.", "Question 1?", "8"), 1, "was not asked as the suite asks"},
        {"context", "x1", "{\"prompt\":\"Two\"}", 1, "was not asked as the suite asks"},
        {"context", "x3", "{\"prompt\":\"One\"}", 1, "context 'x3' is none of the suite"},
        {"props", "", "", 2, "props '' stands there twice"},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        stage s;
        pp_buf lines;
        pp_quality_figures f;
        pp_error err = {0};
        pp_status st;

        begin(&s, 2, 1, true);
        pp_buf_init(&lines, 1 << 20);
        for (int n = 0; n < rows[i].times; n++)
            add_line(&lines, rows[i].of, rows[i].id, rows[i].request, 200, YES);
        write_lines(&s, 0, 1, &lines);
        st = pp_quality_load(&s.arena, s.folder, &s.plan, &s.documents, &f, &err);
        assert_int_equal(st, PP_ERR_DOMAIN);
        assert_contains(err.text, rows[i].why);
        assert_contains(err.text, "suite-pass-1.jsonl line");
        pp_buf_done(&lines);
        end(&s);
    }
}

static void another_suite_than_the_plans_is_refused(void **state)
{
    stage s;
    pp_quality_figures f;
    pp_error err = {0};

    (void)state;
    begin(&s, 2, 1, false);
    s.suite_sha256[0] = s.suite_sha256[0] == 'a' ? 'b' : 'a';
    assert_int_equal(pp_quality_load(&s.arena, s.folder, &s.plan, &s.documents, &f, &err),
                     PP_ERR_DOMAIN);
    assert_contains(err.text, "evaluation-suite.json': found SHA-256 ");
    end(&s);
}

static void agreement_that_is_judged_needs_contexts(void **state)
{
    stage s;
    pp_quality_figures f;
    pp_error err = {0};

    (void)state;
    begin(&s, 2, 2, false);
    s.plan.constraints = (pp_constraints){.quality_metric = pp_text_of("reference_top1_agreement")};
    s.plan.constraints_json = parse(&s.arena, "{}");
    assert_int_equal(pp_quality_load(&s.arena, s.folder, &s.plan, &s.documents, &f, &err),
                     PP_ERR_DOMAIN);
    assert_contains(err.text, "the suite has no contexts");
    end(&s);
}

static void the_report_has_every_candidate_and_the_baseline_as_reference(void **state)
{
    stage s;
    pp_pass_figures passes[2] = {0};
    pp_quality_figures *f;
    pp_json *report = NULL;
    const pp_json *endpoints;
    pp_error err = {0};

    (void)state;
    begin(&s, 3, 1, false);
    answer(&s, 0, 1, "++-", 0, 0);
    answer(&s, 1, 1, "+-.", 0, 0);
    passes[0].server_command = parse(&s.arena, "{\"url\":\"http://127.0.0.1:7\"}");
    passes[1].requests_run = parse(&s.arena, "{\"started_unix_ms\":12}");
    f = PP_ARENA_NEW(&s.arena, pp_quality_figures, 1);
    assert_ok(pp_quality_load(&s.arena, s.folder, &s.plan, &s.documents, f, &err), err);
    assert_ok(pp_quality_report(&s.arena, f, &s.plan, passes, "1", &report, &err), err);
    endpoints = pp_json_find(report, "endpoints");
    assert_int_equal(endpoints->array.count, 2);
    assert_string_equal(pp_json_find(endpoints->array.items[1], "name")->text.data, "other");
    assert_string_equal(pp_json_find(report, "reference")->text.data, "base");
    assert_true(pp_json_find(report, "is_partial")->boolean); /* c3 of the other was never asked */
    assert_int_equal(pp_json_find(pp_json_find(report, "run"), "started_unix_ms")->integer, 12);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_flips_and_sides_are_counted_over_all_passes),
        cmocka_unit_test(published_scores_come_out_of_raw_replies),
        cmocka_unit_test(a_request_without_an_answer_leaves_the_score_open),
        cmocka_unit_test(a_run_that_left_no_replies_is_no_answer_at_all),
        cmocka_unit_test(random_weights_are_not_judged_on_any_cpu),
        cmocka_unit_test(without_a_suite_the_reason_stands_there),
        cmocka_unit_test(the_pass_that_agrees_least_counts),
        cmocka_unit_test(of_passes_that_agree_alike_the_farther_one_counts),
        cmocka_unit_test(the_baseline_of_one_pass_agrees_with_nobody),
        cmocka_unit_test(a_context_without_an_answer_in_one_pass_leaves_no_figure),
        cmocka_unit_test(replies_that_do_not_belong_to_the_suite_are_refused),
        cmocka_unit_test(another_suite_than_the_plans_is_refused),
        cmocka_unit_test(agreement_that_is_judged_needs_contexts),
        cmocka_unit_test(the_report_has_every_candidate_and_the_baseline_as_reference),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
