/* The fixture is the journal of a real study that was disturbed, killed in the middle of a line,
 * resumed and disturbed again; what is expected of it was read off its lines by hand. */
#include <string.h>

#include "base/files.h"
#include "evidence/step_log.h"
#include "shared.h"

typedef struct study {
    pp_arena arena;
    pp_study_plan plan;
    pp_study_steps steps;
    pp_buf journal;
} study;

static study load(void)
{
    study s = {0};
    const pp_json *root = NULL;
    pp_error err = {0};

    assert_ok(pp_json_read_file(&s.arena, fixture_path(&s.arena, "study/steps-plan.json"), NULL,
                                &root, &err),
              err);
    assert_ok(pp_study_plan_decode(&s.arena, root, &s.plan, &err), err);
    assert_ok(pp_study_steps_list(&s.arena, &s.plan, &s.steps, &err), err);
    pp_buf_init(&s.journal, 1 << 20);
    assert_ok(
        pp_file_read(fixture_path(&s.arena, "documents/journal-steps.jsonl"), &s.journal, &err),
        err);
    return s;
}

static void unload(study *s)
{
    pp_buf_done(&s->journal);
    pp_arena_done(&s->arena);
}

static void the_last_attempt_at_each_step_is_known(void **state)
{
    static const struct {
        const char *step;
        int64_t attempts, round;
        bool disturbed;
        size_t file_count;
    } want[] = {
        {"verify", 1, 1, false,
         10}, /* 4 of the machine and llama.cpp, 2 of the plan, 2 models, 2 settings */
        {"preflight/q8", 1, 1, false, 4},
        {"preflight/q4", 1, 1, false, 4},
        {"throughput/q8/pass-1", 2, 2, true, 3},
        {"throughput/q4/pass-1", 2, 2, true, 3},
        {"requests/q8/pass-1", 2, 2, false, 8},
        {"requests/q4/pass-1", 3, 2, false, 8},
        {"assemble", 1, 1, false, 4},
    };
    study s = load();
    pp_step_log log;
    pp_error err = {0};

    (void)state;
    assert_ok(
        pp_step_log_read(&s.arena, pp_buf_text(&s.journal), s.journal.size, &s.steps, &log, &err),
        err);
    assert_int_equal(s.steps.count, PP_COUNT_OF(want));
    for (size_t i = 0; i < PP_COUNT_OF(want); i++) {
        const pp_step_state *step = &log.states[i];

        assert_string_equal(s.steps.items[i].id, want[i].step);
        assert_true(pp_step_is_done(&s.steps, &log, i));
        assert_int_equal(step->attempt_count, want[i].attempts);
        assert_int_equal(step->round, want[i].round);
        assert_int_equal(step->disturbed, want[i].disturbed);
        assert_int_equal(step->files->array.count, want[i].file_count);
    }
    assert_true(log.has_steps);
    assert_int_equal(log.session_count, 2);
    assert_int_equal(pp_step_log_repeated_count(&s.steps, &log), 2);
    assert_int_equal(pp_step_log_done_count(&s.steps, &log), 8);
    assert_int_equal(pp_step_log_remaining_ns(&s.steps, &log), 0);
    assert_int_equal(log.chain.ending, PP_JOURNAL_ENDED);
    assert_string_equal(log.model_folder.data, "models");
    unload(&s);
}

/* Number of steps done after each of the lines. A repeated block counts as not done again. */
static void each_line_does_what_it_says(void **state)
{
    static const size_t done[] = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 3, 3, 4, 4, 5,
                                  5, 6, 6, 6, 6, 6, 7, 5, 5, 6, 6, 7, 7, 8, 8};
    study s = load();
    const char *bytes = pp_buf_text(&s.journal);
    size_t size = 0;

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(done); i++) {
        pp_step_log log;
        pp_error err = {0};

        size =
            (size_t)((const char *)memchr(bytes + size, '\n', s.journal.size - size) - bytes) + 1;
        assert_ok(pp_step_log_read(&s.arena, bytes, size, &s.steps, &log, &err), err);
        if (pp_step_log_done_count(&s.steps, &log) != done[i])
            fail_msg("line %zu: expected %zu steps done, got %zu", i + 1, done[i],
                     pp_step_log_done_count(&s.steps, &log));
    }
    assert_int_equal(size, s.journal.size);
    unload(&s);
}

/* Line 19 begins an attempt; 20 is the torn line of the next session, 21 its begin. at_ns of lines
 * 19 and 31 are the lengths of the two sessions. */
static void elapsed_time_is_that_of_all_sessions(void **state)
{
    study s = load();
    const char *at = pp_buf_text(&s.journal);
    int64_t want_ns = 0;
    pp_step_log log;
    pp_error err = {0};

    (void)state;
    for (size_t line = 1; line <= 31; line++) {
        size_t size = strcspn(at, "\n") + 1;
        const pp_json *root;

        assert_ok(pp_json_parse(&s.arena, "line", at, size, &root, &err), err);
        if (line == 19 || line == 31)
            want_ns += pp_json_find(root, "at_ns")->integer;
        at += size;
    }
    assert_ok(
        pp_step_log_read(&s.arena, pp_buf_text(&s.journal), s.journal.size, &s.steps, &log, &err),
        err);
    assert_int_equal(log.elapsed_ns, want_ns);
    unload(&s);
}

/* Three steps of one phase and one candidate: what is left is guessed from what was. */
static void what_is_left_takes_the_mean_of_what_ended(void **state)
{
    study s = load();
    pp_step_log log;
    pp_error err = {0};

    (void)state;
    assert_ok(pp_step_log_init(&s.arena, &s.steps, &log, &err), err);
    assert_int_equal(pp_step_log_remaining_ns(&s.steps, &log), -1);
    for (size_t i = 0; i < 6; i++) { /* all but requests/q4/pass-1 and assemble */
        pp_step_log_begin(&log, i, 1, 0);
        pp_step_log_end(&s.steps, &log, i, PP_STEP_COMPLETE, false, 1000 + (int64_t)i, NULL);
    }
    assert_int_equal(pp_step_log_remaining_ns(&s.steps, &log), 1005);
    pp_step_log_begin(&log, 5, 1, 0); /* again: 1005 and 3005 have ended, and two are left */
    assert_int_equal(pp_step_log_remaining_ns(&s.steps, &log), 2 * 1005);
    pp_step_log_end(&s.steps, &log, 5, PP_STEP_FAILED, false, 3005, NULL);
    assert_int_equal(pp_step_log_remaining_ns(&s.steps, &log), 2005);
    pp_step_log_begin(&log, 6, 1, 0);
    pp_step_log_end(&s.steps, &log, 6, PP_STEP_INTERRUPTED, false, 9, NULL);
    assert_false(pp_step_is_done(&s.steps, &log, 6));
    assert_int_equal(pp_step_log_remaining_ns(&s.steps, &log), 2005);
    unload(&s);
}

/* ---- journals that say what cannot have been ---------------------------------------------------
 */

#define HASH  "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER "1123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define BEGIN                                                                                      \
    "\"event\":\"begin\",\"study_id\":\"s\",\"plan_sha256\":\"" HASH                               \
    "\",\"constraints_sha256\":\"" HASH "\",\"paretopilot_version\":\"1\""
#define STARTS(step, attempt, round)                                                               \
    "\"event\":\"step-begin\",\"step\":\"" step "\",\"attempt\":" #attempt ",\"round\":" #round    \
    ",\"because\":\"planned\""
#define ENDS(step, attempt, files)                                                                 \
    "\"event\":\"step-end\",\"step\":\"" step "\",\"attempt\":" #attempt                           \
    ",\"outcome\":\"complete\",\"failure\":null,\"duration_ns\":1,\"verdict\":null,"               \
    "\"exit\":null,\"files\":[" files "]"
#define FILE_AT(path) "{\"path\":\"" path "\",\"sha256\":\"" HASH "\",\"size_bytes\":1}"
#define REPEATS(block, round)                                                                      \
    "\"event\":\"block-repeat\",\"block\":\"" block "\",\"round\":" #round ",\"disturbed\":["      \
    "\"x\"]"
#define RESUMES(hash)                                                                              \
    "\"event\":\"resume\",\"plan_sha256\":\"" hash "\",\"paretopilot_version\":\"1\""

static const struct {
    const char *name;
    const char *lines[5];
    const char *want; /* NULL: accepted */
} rows[] = {
    {"a begin alone", {BEGIN}, NULL},
    {"a step that begins and ends", {BEGIN, STARTS("verify", 1, 1), ENDS("verify", 1, "")}, NULL},
    {"a step made again", {BEGIN, STARTS("verify", 1, 1), STARTS("verify", 2, 1)}, NULL},
    {"a second session", {BEGIN, RESUMES(HASH)}, NULL},
    {"a block made again",
     {BEGIN, REPEATS("requests/pass-1", 2), STARTS("requests/q4/pass-1", 1, 2)},
     NULL},
    {"no begin", {STARTS("verify", 1, 1)}, "line 1: $.event: expected 'begin', got 'step-begin'"},
    {"two begins", {BEGIN, BEGIN}, "line 2: $.event: a study begins once"},
    {"an attempt is left out",
     {BEGIN, STARTS("verify", 2, 1)},
     "line 2: $.attempt: expected 1, got 2"},
    {"an attempt comes twice",
     {BEGIN, STARTS("verify", 1, 1), STARTS("verify", 1, 1)},
     "line 3: $.attempt: expected 2, got 1"},
    {"a step of another plan",
     {BEGIN, STARTS("requests/q5/pass-1", 1, 1)},
     "line 2: $.step: expected the id of a step of the plan, got 'requests/q5/pass-1'"},
    {"an end without a begin",
     {BEGIN, ENDS("verify", 1, "")},
     "line 2: $.attempt: expected 0, got 1"},
    {"two ends",
     {BEGIN, STARTS("verify", 1, 1), ENDS("verify", 1, ""), ENDS("verify", 1, "")},
     "line 4: $.attempt: this attempt has ended before"},
    {"another round than its block's",
     {BEGIN, STARTS("verify", 1, 2)},
     "line 2: $.round: expected 1, got 2"},
    {"a round is left out",
     {BEGIN, REPEATS("requests/pass-1", 3)},
     "line 2: $.round: expected 2, got 3"},
    {"a block of another plan",
     {BEGIN, REPEATS("requests/pass-9", 2)},
     "line 2: $.block: expected the id of a block of the plan, got 'requests/pass-9'"},
    {"another plan",
     {BEGIN, RESUMES(OTHER)},
     "line 2: $.plan_sha256: expected " HASH " as in line 1"},
    {"a file outside",
     {BEGIN, STARTS("verify", 1, 1), ENDS("verify", 1, FILE_AT("/etc/passwd"))},
     "line 3: $.files[0].path: expected a path in the bundle, got '/etc/passwd'"},
    {"a file above",
     {BEGIN, STARTS("verify", 1, 1), ENDS("verify", 1, FILE_AT("a/../../b"))},
     "line 3: $.files[0].path: expected a path in the bundle, got 'a/../../b'"},
    {"a file by a second name",
     {BEGIN, STARTS("verify", 1, 1), ENDS("verify", 1, FILE_AT("a/./b"))},
     "line 3: $.files[0].path: expected a path in the bundle, got 'a/./b'"},
    {"a file behind an empty folder",
     {BEGIN, STARTS("verify", 1, 1), ENDS("verify", 1, FILE_AT("a//b"))},
     "line 3: $.files[0].path: expected a path in the bundle, got 'a//b'"},
    {"a file with a backslash",
     {BEGIN, STARTS("verify", 1, 1), ENDS("verify", 1, FILE_AT("a\\\\b"))},
     "line 3: $.files[0].path: expected a path in the bundle, got 'a\\b'"},
    {"a file that only looks so",
     {BEGIN, STARTS("verify", 1, 1), ENDS("verify", 1, FILE_AT("a/..b/c.."))},
     NULL},
};

/* A chain that holds, of these members. */
static void write_lines(const char *const *lines, pp_buf *out)
{
    char previous[PP_SHA256_HEX_SIZE + 2] = "null";
    pp_error err = {0};

    for (size_t i = 0; i < PP_COUNT_OF(rows[0].lines) && lines[i] != NULL; i++) {
        size_t begin = out->size;
        char hex[PP_SHA256_HEX_SIZE];

        pp_buf_printf(out, "{\"seq\":%zu,\"at_ns\":1,\"unix_ms\":1,\"previous_sha256\":%s,%s}\n", i,
                      previous, lines[i]);
        assert_ok(pp_sha256_of(out->data + begin, out->size - begin, hex, &err), err);
        (void)snprintf(previous, sizeof previous, "\"%s\"", hex);
    }
}

static void what_cannot_have_been_is_refused(void **state)
{
    study s = load();

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_step_log log;
        pp_error err = {0};
        pp_buf bytes;
        pp_status st;

        pp_buf_init(&bytes, 65536);
        write_lines(rows[i].lines, &bytes);
        st = pp_step_log_read(&s.arena, bytes.data, bytes.size, &s.steps, &log, &err);
        if (st != (rows[i].want == NULL ? PP_OK : PP_ERR_SCHEMA))
            fail_msg("%s: got %s: %s", rows[i].name, pp_status_name(st), err.text);
        if (rows[i].want != NULL)
            assert_contains(err.text, rows[i].want);
        pp_buf_done(&bytes);
    }
    unload(&s);
}

static pp_status read_all(const void *context, pp_error *err)
{
    const study *s = context;
    pp_arena arena = {0};
    pp_step_log log;
    pp_status st = pp_step_log_read(&arena, s->journal.data, s->journal.size, &s->steps, &log, err);

    pp_arena_done(&arena);
    return st;
}

static void missing_memory_is_an_error(void **state)
{
    study s = load();

    (void)state;
    assert_true(check_missing_memory(read_all, &s) > 0);
    unload(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_attempt_at_each_step_is_known),
        cmocka_unit_test(each_line_does_what_it_says),
        cmocka_unit_test(elapsed_time_is_that_of_all_sessions),
        cmocka_unit_test(what_is_left_takes_the_mean_of_what_ended),
        cmocka_unit_test(what_cannot_have_been_is_refused),
        cmocka_unit_test(missing_memory_is_an_error),
    };

    return cmocka_run_group_tests_name("evidence/step_log", tests, NULL, NULL);
}
