/* The load sweep that the original published: twelve levels recomputed from the 96 samples that its
 * page prints, and its document rebuilt byte for byte. Read in place from
 * "published/load-sweep.json". */
#include <math.h>
#include <string.h>

#include "capacity/load_check.h"
#include "capacity/load_evaluate.h"
#include "capacity/server_argv.h"
#include "mask.h"
#include "shared.h"

#define COMBINED_SHA256 "923b3222440314644c5e87b326d7d7fb1a394b9d688262ffa636d6ef275e9dfd"
#define PLAN_SHA256     "b10f61b7093f58ad6d142deafd7d6befe600d1d54a433b59c101131dd8c2d9bb"

typedef struct sweep {
    pp_arena arena;
    const pp_json *figures;
    pp_load_plan plan;
    pp_load_evaluation evaluations[4];
    size_t count;
} sweep;

static const pp_json *find(const pp_json *object, const char *key)
{
    const pp_json *value = pp_json_find(object, key);

    if (value == NULL)
        fail_msg("load-sweep.json: '%s' is missing", key);
    return value;
}

/* ---- building -------------------------------------------------------------------------------- */

static void read_plan(sweep *s)
{
    pp_text text = find(s->figures, "load_plan_text")->text;
    char hex[PP_SHA256_HEX_SIZE];
    const pp_json *root;
    pp_error err = {0};

    assert_ok(pp_sha256_of(text.data, text.size, hex, &err), err);
    assert_string_equal(hex, PLAN_SHA256);
    assert_ok(pp_json_parse(&s->arena, "plan", text.data, text.size, &root, &err), err);
    assert_ok(pp_load_plan_decode(&s->arena, root, &s->plan, &err), err);
}

static pp_measured_level level_of(sweep *s, const pp_json *from, const pp_load_sample *warmup)
{
    const pp_json *list = find(from, "samples");
    pp_load_sample *samples = PP_ARENA_NEW(&s->arena, pp_load_sample, list->array.count);
    pp_error err = {0};

    for (size_t i = 0; i < list->array.count; i++)
        assert_ok(pp_load_sample_decode(list->array.items[i], s->plan.method.output_tokens,
                                        &samples[i], &err),
                  err);
    return (pp_measured_level){
        .concurrency = find(from, "concurrency")->integer,
        .warmup = warmup,
        .warmup_count = (size_t)s->plan.method.warmup_count,
        .measured = samples,
        .measured_count = list->array.count,
    };
}

/* The page prints no warm-up: what was sent then is in no figure. */
static const pp_load_sample *unseen_warmup(sweep *s)
{
    int64_t count = s->plan.method.warmup_count;
    pp_load_sample *samples = PP_ARENA_NEW(&s->arena, pp_load_sample, count);

    for (int64_t i = 0; i < count; i++)
        samples[i] = (pp_load_sample){
            .completed = true,
            .ttft_ms = pp_known_real(1.0),
            .e2e_latency_ms = 1000.0,
            .generated_tokens = s->plan.method.output_tokens,
            .finished_at_seconds = 1.0,
        };
    return samples;
}

static void bind(sweep *s, const pp_json *from, pp_load_evaluation *e)
{
    const char *keys[2] = {"load_server_argv", "canonical_server_argv"};
    pp_load_binding_source source = {
        .plan_sha256 = PLAN_SHA256,
        .request_base_url = find(from, "request_base_url")->text,
        .load_command_sha256 = find(from, "load_server_command_sha256")->text.data,
        .canonical_command_sha256 = find(from, "canonical_server_command_sha256")->text.data,
    };
    pp_server_argv *argv[2] = {&source.load_argv, &source.canonical_argv};
    const char *digests[2] = {source.load_command_sha256, source.canonical_command_sha256};
    pp_error err = {0};
    bool proves;

    for (size_t i = 0; i < 2; i++) {
        pp_json *command = pp_json_new_object(&s->arena);
        char hex[PP_SHA256_HEX_SIZE];

        pp_json_set_string(&s->arena, command, "schema_version", "1.0");
        pp_json_set(&s->arena, command, "argv", find(from, keys[i]));
        assert_ok(pp_server_command_decode(&s->arena, command, argv[i], &err), err);
        assert_ok(pp_server_command_sha256(argv[i], hex, &err), err);
        assert_string_equal(hex, digests[i]); /* the published one */
    }
    assert_ok(pp_load_evaluation_bind(&s->arena, &source, e, &err), err);
    assert_ok(pp_load_binding_proves_argv(&e->binding, &proves, &err), err);
    assert_true(proves);
}

static void build(sweep *s, pp_text id, const pp_json *from, pp_load_evaluation *e)
{
    const pp_json *levels = find(s->figures, "levels");
    const pp_load_sample *warmup = unseen_warmup(s);
    pp_measured_level own[PP_LOAD_MAX_LEVELS];
    size_t count = 0;
    pp_error err = {0};

    for (size_t i = 0; i < levels->array.count; i++) {
        if (!pp_text_equal(find(levels->array.items[i], "candidate_id")->text, id))
            continue;
        assert_true(count < PP_COUNT_OF(own));
        own[count++] = level_of(s, levels->array.items[i], warmup);
    }
    assert_ok(pp_load_evaluation_build(&s->arena, &s->plan, id, false, own, count, e, &err), err);
    bind(s, from, e);
}

static void build_sweep(sweep *s)
{
    const char *path = shared_path_or_skip(&s->arena, "published/load-sweep.json");
    const pp_json *candidates;
    pp_error err = {0};

    assert_ok(pp_json_read_file(&s->arena, path, NULL, &s->figures, &err), err);
    read_plan(s);
    candidates = find(s->figures, "candidates");
    assert_int_equal(candidates->object.count, PP_COUNT_OF(s->evaluations));
    for (size_t i = 0; i < candidates->object.count; i++) {
        const pp_json_member *member = &candidates->object.members[i];

        build(s, member->key, member->value, &s->evaluations[s->count++]);
    }
}

/* ---- printed figures ------------------------------------------------------------------------- */

static const pp_load_row *find_row(const sweep *s, const pp_json *level)
{
    for (size_t i = 0; i < s->count; i++) {
        const pp_load_evaluation *e = &s->evaluations[i];

        for (size_t j = 0; j < e->method.level_count; j++) {
            if (pp_text_equal(e->candidate_id, find(level, "candidate_id")->text) &&
                e->rows[j].concurrency == find(level, "concurrency")->integer)
                return &e->rows[j];
        }
    }
    fail_msg("a level is missing");
    return NULL;
}

static size_t check_printed(const pp_json *level, const pp_load_row *row)
{
    const struct {
        const char *key;
        double got;
    } figures[] = {
        {"requests_per_second", row->requests_per_second},
        {"generated_tokens_per_second", row->generated_tokens_per_second},
        {"ttft_ms_p50", row->ttft_ms_p50.value},
        {"ttft_ms_p95", row->ttft_ms_p95.value},
        {"e2e_latency_ms_p50", row->e2e_latency_ms_p50.value},
        {"e2e_latency_ms_p95", row->e2e_latency_ms_p95.value},
        {"completion_rate", row->completion_rate},
        {"error_rate", row->error_rate},
    };
    const pp_json *printed = find(level, "printed_values");

    for (size_t i = 0; i < PP_COUNT_OF(figures); i++) {
        double want;
        pp_error err = {0};

        assert_ok(pp_json_get_number(find(printed, figures[i].key), &want, &err), err);
        if (!(fabs(figures[i].got - want) <= 5e-5))
            fail_msg("%s: %.17g, printed %.17g", figures[i].key, figures[i].got, want);
    }
    assert_int_equal(row->slo_failure_count == 0,
                     pp_text_is(find(find(level, "printed"), "slo_status")->text, "Met"));
    return PP_COUNT_OF(figures);
}

static void every_printed_figure_follows_from_the_samples(void **state)
{
    sweep s = {0};
    const pp_json *levels;
    size_t figures = 0;

    (void)state;
    build_sweep(&s);
    levels = find(s.figures, "levels");
    assert_int_equal(levels->array.count, 12);
    for (size_t i = 0; i < levels->array.count; i++)
        figures += check_printed(levels->array.items[i], find_row(&s, levels->array.items[i]));
    assert_int_equal(figures, 96);
    for (size_t i = 0; i < s.count; i++)
        assert_int_equal(
            s.evaluations[i].highest_slo_concurrency.value,
            find(find(find(s.figures, "candidates"), s.evaluations[i].candidate_id.data),
                 "highest_slo_concurrency")
                ->integer);
    pp_arena_done(&s.arena);
}

static void the_published_document_is_rebuilt(void **state)
{
    sweep s = {0};
    pp_combined_load_evaluation combined;
    pp_json *document;
    pp_buf text;
    const pp_json *root;
    pp_error err = {0};

    (void)state;
    build_sweep(&s);
    assert_ok(pp_load_evaluations_combine(&s.arena, s.evaluations, s.count, &combined, &err), err);
    document = pp_combined_load_evaluation_to_json(&s.arena, &combined);
    assert_int_equal(canonical_size(document), 60978);
    assert_string_equal(canonical_sha256(&s.arena, document), COMBINED_SHA256);

    pp_buf_init(&text, PP_JSON_MAX_BYTES);
    assert_ok(pp_json_write(document, PP_JSON_FILE, &text, &err), err);
    assert_ok(pp_json_parse(&s.arena, "doc", pp_buf_text(&text), text.size, &root, &err), err);
    pp_buf_done(&text);
    assert_ok(pp_combined_load_evaluation_read(&s.arena, root, &combined, &err), err);
    assert_string_equal(
        canonical_sha256(&s.arena, pp_combined_load_evaluation_to_json(&s.arena, &combined)),
        COMBINED_SHA256);
    pp_arena_done(&s.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_printed_figure_follows_from_the_samples),
        cmocka_unit_test(the_published_document_is_rebuilt),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
