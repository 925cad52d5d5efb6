/* The document: written, found valid, made again from samples; and its tables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "capacity/load_csv.h"
#include "capacity/load_report.h"
#include "load_maker.h"
#include "model/document_kinds.h"
#include "shared.h"

#define LEVELS  4
#define SAMPLES 600

typedef struct fixture {
    pp_arena arena;
    pp_load_report report;
    pp_load_report_level levels[LEVELS];
    pp_slo slos[3];
    pp_sample *samples;
    size_t n;
} fixture;

/* Clients 1, 2, 4, 8 in step; a request takes 1 s, 1.1 s, 1.4 s, 2 s. */
static void make_level(fixture *f, size_t i)
{
    static const int64_t clients[LEVELS] = {1, 2, 4, 8};
    static const int64_t took[LEVELS] = {1000 * MS, 1100 * MS, 1400 * MS, 2000 * MS};
    pp_load_report_level *level = &f->levels[i];
    int64_t requests = 40 * clients[i] < 120 ? 40 * clients[i] : 120;

    level->asked = make_closed(clients[i], requests);
    level->asked.number = (int64_t)i + 1;
    for (int64_t k = 0; k < requests; k++) {
        pp_sample *s = &f->samples[f->n++];
        int64_t jitter = (k * 7919) % 31 * MS;

        *s = make_sample(&f->arena, k + 1, k / clients[i] * took[i], k % 3 * MS, 200 * MS + jitter,
                         took[i] - 50 * MS + jitter / 2 * 2, 11);
        s->id.level.value = (int64_t)i + 1;
    }
    level->observed = make_observed(&level->asked, requests / clients[i] * took[i]);
}

static void make_fixture(fixture *f)
{
    static const char *const texts[] = {"ttft.p95<=2s", "e2e<=1500ms", "error-rate<=3%"};
    pp_error err = {0};

    memset(f, 0, sizeof *f);
    f->samples = PP_ARENA_NEW(&f->arena, pp_sample, SAMPLES);
    assert_non_null(f->samples);
    f->report.rules = pp_load_rules_default();
    for (size_t i = 0; i < 3; i++)
        assert_ok(pp_slo_parse(&f->arena, pp_text_of(texts[i]), &f->slos[i], &err), err);
    f->report.rules.slos = f->slos;
    f->report.rules.slo_count = 3;
    f->report.levels = f->levels;
    f->report.level_count = LEVELS;
    f->report.run = (pp_load_report_run){
        .tool_version = pp_text_of("2.0.0"),
        .endpoint = pp_text_of("http://me:hidden@127.0.0.1:8080/v1?key=hidden#hidden"),
        .dialect = pp_text_of("openai-chat"),
        .origin = PP_ORIGIN_SIMULATED,
        .seed = 7,
        .started_unix_ms = 1700000000000,
        .limits = {.total_ns = {true, 60 * S}},
    };
    for (size_t i = 0; i < LEVELS; i++)
        make_level(f, i);
    fail_sample(&f->samples[3], PP_FAILURE_RESET, S);
    fail_sample(&f->samples[f->n - 1], PP_FAILURE_CUT, 100 * MS);
    f->samples[5].failure_text = pp_text_of("");
}

static void summarise(fixture *f)
{
    pp_error err = {0};

    for (size_t i = 0; i < f->report.level_count; i++)
        assert_ok(pp_load_summarise(&f->arena, &f->levels[i].asked, &f->levels[i].observed,
                                    f->samples, f->n, &f->report.rules, &f->levels[i].summary,
                                    &err),
                  err);
}

/* Through bytes, as a file goes. */
static const pp_json *written(fixture *f, pp_buf *bytes)
{
    pp_json *document = NULL;
    const pp_json *read = NULL;
    pp_error err = {0};

    assert_ok(pp_load_report_make(&f->arena, &f->report, &document, &err), err);
    pp_buf_init(bytes, 64 << 20);
    assert_ok(pp_json_write(document, PP_JSON_FILE, bytes, &err), err);
    assert_ok(pp_json_parse(&f->arena, "report", bytes->data, bytes->size, &read, &err), err);
    return read;
}

static pp_load_report_level with_acceptance(int64_t number, double low, double high)
{
    pp_load_report_level level = {.asked = {.number = number}};

    level.summary.speculation.low_ratio = (pp_maybe_real){high > 0, low};
    level.summary.speculation.high_ratio = (pp_maybe_real){high > 0, high};
    return level;
}

/* The whole interval is below that of the first level that has one; ends that touch are not. */
static void g39_only_clearly_lower_acceptance_is_noted(void **state)
{
    pp_load_report_level levels[] = {
        with_acceptance(1, 0, 0),     with_acceptance(2, 0.6, 0.8),  with_acceptance(3, 0.4, 0.59),
        with_acceptance(4, 0.4, 0.6), with_acceptance(5, 0.9, 0.95), with_acceptance(6, 0, 0),
        with_acceptance(7, 0, 0.1),
    };
    const bool fell[] = {false, false, true, false, false, false, true};
    pp_load_report report = {.levels = levels, .level_count = PP_COUNT_OF(levels)};

    (void)state;
    assert_ptr_equal(pp_load_report_first_drafting(&report), &levels[1]);
    pp_load_report_compare(&report);
    for (size_t i = 0; i < PP_COUNT_OF(levels); i++) {
        assert_int_equal(levels[i].summary.notes, fell[i] ? PP_NOTE_DRAFT_ACCEPTANCE_FELL : 0);
        assert_int_equal(levels[i].summary.doubts, 0);
    }
    report.level_count = 1;
    assert_null(pp_load_report_first_drafting(&report));
}

/* All drafts of the answers of each level but the last, and none of its: 0.025^(1/n) to 1, and 0 to
 * 1 - 0.025^(1/n), which are apart from 6 answers on. Made again it is the same. */
static void g39_a_fall_follows_from_samples(void **state)
{
    fixture f;
    pp_buf bytes;
    const pp_json *root, *last;
    pp_json *made = NULL;
    pp_error err = {0};

    (void)state;
    make_fixture(&f);
    for (size_t i = 0; i < f.n; i++) {
        f.samples[i].draft_tokens = pp_known_int(8);
        f.samples[i].draft_accepted_tokens =
            pp_known_int(f.samples[i].id.level.value == f.levels[LEVELS - 1].asked.number ? 0 : 8);
    }
    summarise(&f);
    pp_load_report_compare(&f.report);
    root = written(&f, &bytes);
    assert_ok(pp_document_check(pp_document_kind_find("load-report"), root, &err), err);
    last = pp_json_find(root, "levels")->array.items[LEVELS - 1];
    assert_int_equal(pp_json_find(pp_json_find(last, "speculation"), "accepted_tokens")->integer,
                     0);
    for (size_t i = 0; i < LEVELS; i++)
        assert_int_equal((f.levels[i].summary.notes & PP_NOTE_DRAFT_ACCEPTANCE_FELL) != 0,
                         i == LEVELS - 1);
    assert_ok(pp_load_report_again(&f.arena, root, f.samples, f.n, &made, &err), err);
    assert_true(pp_json_equal(root, made));
    pp_buf_done(&bytes);
    pp_arena_done(&f.arena);
}

static void a_report_follows_from_its_samples(void **state)
{
    fixture f;
    pp_buf bytes, lines;
    pp_sample *again;
    size_t n;
    const pp_json *root;
    pp_json *made = NULL;
    pp_error err = {0};

    (void)state;
    make_fixture(&f);
    summarise(&f);
    root = written(&f, &bytes);
    assert_ok(pp_document_check(pp_document_kind_find("load-report"), root, &err), err);
    assert_ptr_equal(pp_document_kind_of(root), pp_document_kind_find("load-report"));
    assert_null(strstr(bytes.data, "hidden"));
    pp_buf_init(&lines, 64 << 20);
    for (size_t i = 0; i < f.n; i++)
        assert_ok(pp_sample_write(&f.samples[i], &lines, &err), err);
    assert_ok(pp_samples_parse(&f.arena, "samples",
                               (pp_bytes){(const unsigned char *)lines.data, lines.size}, &again,
                               &n, &err),
              err);
    assert_ok(pp_load_report_again(&f.arena, root, again, n, &made, &err), err);
    assert_true(pp_json_equal(root, made));
    again[10].ttft_ns.value += 1; /* one nanosecond */
    again[10].gaps_ns[0] -= 1;
    assert_ok(pp_load_report_again(&f.arena, root, again, n, &made, &err), err);
    assert_false(pp_json_equal(root, made));
    pp_buf_done(&bytes);
    pp_buf_done(&lines);
    pp_arena_done(&f.arena);
}

static void the_sweep_is_read_by_three_rules(void **state)
{
    fixture f;
    pp_report_saturation s;
    pp_error err = {0};

    (void)state;
    make_fixture(&f);
    summarise(&f);
    assert_ok(pp_load_report_saturation(&f.arena, &f.report, &s, &err), err);
    assert_true(s.known && s.of_tokens && s.of_steady);
    assert_int_equal(s.point_count, 4);
    assert_int_equal(s.result.peak_level, 3); /* 8 / 2 s against 4 / 1.4 s */
    assert_false(s.result.gain_level.known);
    f.levels[3].summary.doubts = PP_DOUBT_STALLED; /* not valid: left out */
    assert_ok(pp_load_report_saturation(&f.arena, &f.report, &s, &err), err);
    assert_int_equal(s.point_count, 3);
    f.report.level_count = 1;
    assert_ok(pp_load_report_saturation(&f.arena, &f.report, &s, &err), err);
    assert_false(s.known);
    pp_arena_done(&f.arena);
}

static void a_search_is_part_of_the_report(void **state)
{
    fixture f;
    pp_find_options options = pp_find_options_default(true);
    pp_buf bytes;
    const pp_json *root, *find;
    pp_json *made = NULL;
    pp_error err = {0};

    (void)state;
    make_fixture(&f);
    f.report.find = &options;
    for (size_t i = 0; i < 60; i++) /* half of the requests of 8 clients */
        fail_sample(&f.samples[f.n - 1 - i], PP_FAILURE_RESET, S);
    summarise(&f);
    root = written(&f, &bytes);
    find = pp_json_find(root, "find");
    assert_true(pp_json_find(find, "highest_pass")->real == 4);
    assert_true(pp_json_find(find, "lowest_fail")->real == 8);
    assert_true(pp_json_find(find, "undecided")->array.items[0]->real == 1); /* 1 of 40 failed */
    assert_true(pp_text_is(pp_json_find(find, "end")->text, "goes-on"));
    assert_ok(pp_load_report_again(&f.arena, root, f.samples, f.n, &made, &err), err);
    assert_true(pp_json_equal(root, made));
    pp_buf_done(&bytes);
    pp_arena_done(&f.arena);
}

static const struct {
    const char *endpoint, *want;
} endpoints[] = {
    {"http://127.0.0.1:8080", "http://127.0.0.1:8080"},
    {"http://u:p@h:1/v1", "http://h:1/v1"},
    {"http://u:p@x@h/v1@2?k=1", "http://h/v1@2"},
    {"https://h/v1#frag", "https://h/v1"},
    {"http://[::1]:80/", "http://[::1]:80/"},
    {"u:p@h", "h"},
    {"", ""},
    {"http://u:p@h?x=/", "http://h"},
};

static void addresses_lose_their_secrets(void **state)
{
    pp_arena arena = {0};

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(endpoints); i++) {
        pp_text got = pp_endpoint_without_secrets(&arena, pp_text_of(endpoints[i].endpoint));

        if (!pp_text_is(got, endpoints[i].want))
            fail_msg("'%s': got '%s'", endpoints[i].endpoint, got.data);
    }
    pp_arena_done(&arena);
}

/* ---- kept reports --------------------------------------------------------------------------- */

static void read_samples(pp_arena *arena, const char *relative, pp_sample **ret_samples,
                         size_t *ret_count)
{
    pp_buf bytes;
    pp_bytes copy;
    pp_error err = {0};

    pp_buf_init(&bytes, 1 << 20);
    assert_ok(pp_file_read(fixture_path(arena, relative), &bytes, &err), err);
    copy.data = (const unsigned char *)pp_arena_dup(arena, bytes.data, bytes.size);
    copy.size = bytes.size;
    assert_ok(pp_samples_parse(arena, relative, copy, ret_samples, ret_count, &err), err);
    pp_buf_done(&bytes);
}

/* Of version 1.0: what they say must follow from their samples for ever. */
static void check_kept(const char *report, const char *its_samples)
{
    pp_arena arena = {0};
    pp_sample *samples;
    size_t n;
    const pp_json *root;
    pp_json *made = NULL;
    pp_error err = {0};

    read_samples(&arena, its_samples, &samples, &n);
    assert_ok(pp_json_read_file(&arena, fixture_path(&arena, report), NULL, &root, &err), err);
    assert_ok(pp_load_report_again(&arena, root, samples, n, &made, &err), err);
    assert_true(pp_json_equal(root, made));
    pp_arena_done(&arena);
}

static void the_kept_reports_follow_from_their_samples(void **state)
{
    (void)state;
    check_kept("documents/load-report.json", "load/samples.jsonl");
    check_kept("load/load-report-find.json", "load/samples-find.jsonl");
}

/* ---- broken reports ------------------------------------------------------------------------- */

static const struct {
    const char *from, *to, *want;
} edits[] = {
    {"\"issued\": 40", "\"issued\": 41", "$.levels[0].counts.issued: expected"},
    {"\"reset\": 1", "\"resett\": 1", "$.levels[0].counts.failures.resett: expected a class"},
    {"\"limit_ns\": 2000000000", "\"limit_ns\": 3000000000",
     "$.rules.slos[0]: does not say what its text says"},
    {"\"text\": \"ttft.p95<=2s\"", "\"text\": \"ttft.p95<=2\"", "$.rules.slos[0].text: SLO"},
    {"\"text\": \"e2e<=1500ms\"", "\"text\": \"ttft.p95<=2s\"", "$.rules.slos[1]: stands there"},
    {"\"confidence\": 0.95", "\"confidence\": 1.0", "$.rules.confidence: expected below 1"},
    {"\"loop\": \"closed\"", "\"loop\": \"open\"", "expected null in open loop"},
    {"\"clients\": 1,", "\"clients\": null,", "expected a value in closed loop"},
    {"\"number\": 2", "\"number\": 1", "$.levels[1].number: expected above 1"},
    {"      90.0,", "      50.0,", "expected ascending percentiles"},
    {"\"verdict\": \"pass\"", "\"verdict\": \"passed\"", "verdict"},
    {"\"loop\": \"closed\"", "\"loop\": \"closed\",\n\"loops\": 1", "loops"},
};

static void an_edited_report_is_found(void **state)
{
    fixture f;
    pp_buf bytes;

    (void)state;
    make_fixture(&f);
    summarise(&f);
    (void)written(&f, &bytes);
    for (size_t i = 0; i < PP_COUNT_OF(edits); i++) {
        char *at = strstr(bytes.data, edits[i].from);
        char *text;
        pp_load_report report;
        const pp_json *root;
        pp_error err = {0};

        if (at == NULL) {
            fail_msg("'%s' is not in the report", edits[i].from);
            return;
        }
        text = pp_arena_printf(&f.arena, "%.*s%s%s", (int)(at - bytes.data), bytes.data,
                               edits[i].to, at + strlen(edits[i].from));
        assert_ok(pp_json_parse(&f.arena, "report", text, strlen(text), &root, &err), err);
        assert_int_equal(pp_load_report_decode(&f.arena, root, &report, &err), PP_ERR_SCHEMA);
        assert_contains(err.text, edits[i].want);
    }
    pp_buf_done(&bytes);
    pp_arena_done(&f.arena);
}

/* ---- tables for spreadsheets ---------------------------------------------------------------- */

static void save(pp_arena *arena, const char *folder, const char *name, const pp_buf *bytes)
{
    FILE *file = fopen(pp_arena_printf(arena, "%s/%s", folder, name), "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes->data, 1, bytes->size, file), bytes->size);
    assert_int_equal(fclose(file), 0);
}

/* Python's reader: as many fields in every row, texts come back, absent is empty. */
static const char *const reader =
    "import csv, sys\n"
    "levels = list(csv.reader(open(sys.argv[1] + '/levels.csv', newline=''), strict=True))\n"
    "requests = list(csv.reader(open(sys.argv[1] + '/requests.csv', newline=''), strict=True))\n"
    "for table in levels, requests:\n"
    "    assert len({len(row) for row in table}) == 1, [len(row) for row in table]\n"
    "    assert len(set(table[0])) == len(table[0]), table[0]\n"
    "rows = [dict(zip(requests[0], row)) for row in requests[1:]]\n"
    "assert rows[0]['prompt_id'] == \"'=1+2\", rows[0]\n"
    "assert rows[1]['prompt_id'] == 'a,\"b\"\\r\\nc', rows[1]\n"
    "assert rows[3]['ttft_ms'] == '' and rows[3]['status'] == 'failed', rows[3]\n"
    "assert rows[3]['failure_text'] == \"'-made\", rows[3]\n"
    "assert rows[-1]['status'] == 'cut', rows[-1]\n"
    "assert rows[0]['ttft_ms'] == '200' and rows[1]['lateness_ms'] == '1', rows[:2]\n"
    "rows = [dict(zip(levels[0], row)) for row in levels[1:]]\n"
    "assert [row['clients'] for row in rows] == ['1', '2', '4', '8'], rows\n"
    "assert rows[0]['failed'] == '1' and rows[1]['failed'] == '0', rows\n"
    "assert rows[0]['ttft_with_failures_ms_max'] == '' != rows[0]['ttft_ok_ms_max'], rows[0]\n"
    "assert rows[0]['rate_per_second'] == rows[0]['delivered_per_second'] == '', rows[0]\n";

static void spreadsheets_get_whole_rows(void **state)
{
    fixture f;
    pp_buf levels, requests, script;
    const char *folder;
    pp_error err = {0};

    (void)state;
    make_fixture(&f);
    folder = make_temp_folder(&f.arena);
    f.samples[0].id.prompt_id = pp_text_of("=1+2");
    f.samples[1].id.prompt_id = pp_text_of("a,\"b\"\r\nc");
    f.samples[3].failure_text = pp_text_of("-made");
    summarise(&f);
    pp_buf_init(&levels, 1 << 20);
    pp_buf_init(&requests, 1 << 20);
    pp_buf_init(&script, 1 << 20);
    assert_ok(pp_load_levels_csv(&f.report, &levels, &err), err);
    assert_ok(pp_load_requests_csv(f.samples, f.n, &requests, &err), err);
    pp_buf_append_text(&script, reader);
    save(&f.arena, folder, "levels.csv", &levels);
    save(&f.arena, folder, "requests.csv", &requests);
    save(&f.arena, folder, "check.py", &script);
    assert_int_equal(
        system(pp_arena_printf(&f.arena, "python3 '%s/check.py' '%s'", folder, folder)), 0);
    pp_buf_done(&levels);
    pp_buf_done(&requests);
    pp_buf_done(&script);
    remove_folder(folder);
    pp_arena_done(&f.arena);
}

/* ---- memory --------------------------------------------------------------------------------- */

static pp_status make_it_all(const void *context, pp_error *err)
{
    const fixture *f = context;
    pp_arena arena = {0};
    pp_load_report_level level = f->levels[0];
    pp_load_report report = f->report;
    pp_json *document;
    pp_status st = pp_load_summarise(&arena, &level.asked, &level.observed, f->samples, 40,
                                     &report.rules, &level.summary, err);

    report.levels = &level;
    report.level_count = 1;
    if (st == PP_OK)
        st = pp_load_report_make(&arena, &report, &document, err);
    pp_arena_done(&arena);
    return st;
}

static void missing_memory_is_said(void **state)
{
    fixture f;

    (void)state;
    make_fixture(&f);
    assert_true(check_missing_memory(make_it_all, &f) > 3);
    pp_arena_done(&f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(g39_only_clearly_lower_acceptance_is_noted),
        cmocka_unit_test(g39_a_fall_follows_from_samples),
        cmocka_unit_test(a_report_follows_from_its_samples),
        cmocka_unit_test(the_sweep_is_read_by_three_rules),
        cmocka_unit_test(a_search_is_part_of_the_report),
        cmocka_unit_test(addresses_lose_their_secrets),
        cmocka_unit_test(the_kept_reports_follow_from_their_samples),
        cmocka_unit_test(an_edited_report_is_found),
        cmocka_unit_test(spreadsheets_get_whole_rows),
        cmocka_unit_test(missing_memory_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
