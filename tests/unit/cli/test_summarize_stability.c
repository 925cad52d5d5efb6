/* Every recorded run of the original's command, replayed from its command line to the bytes of its
 * file; refusals as refusals that name the same thing. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "cli/command.h"
#include "decide/stability.h"
#include "shared.h"

enum { MAX_WORDS = 128 };

/* What each kind of refusal must speak of. */
static const struct {
    const char *error, *words;
} refusals[] = {
    {"baseline-differs", "has the baseline"},
    {"synthetic-differs", "synthetic"},
    {"ids-differ", "candidate"},
    {"configuration-differs", "label or parameters of"},
    {"metric-missing", "has no metric"},
    {"not-unique", "same label|given twice"},
    {"option-form", "expected LABEL=PATH|expected NAME=min|expected min or max"},
    {"usage", "--metric"},
    {"pass-count", "2 to 8 passes|at most 8 passes"},
    {"text-too-long", "expected at most 128 characters"},
    {"metric-count", "at most 32 metrics"},
    {"json", "not strict JSON"},
    {"schema-version", "schema_version"},
};

/* Where the original dies. Its sum of values of 1e308 overflows although mean and spread exist; a
 * lone surrogate is refused on reading: docs/formats/json.md. */
static const struct {
    const char *id, *reason;
    bool accepted;
    const char *words; /* in the document of ours, or in its refusal */
} exceptions[] = {
    /* (-1e308 - 1e308) / 1e308; the mean of the two is 0, so the spread has no base */
    {"s0080", "sum beyond the range", true, "\"relative_delta_percent\": -200.0|"},
    /* eight equal values: no spread; (1.5 - 1) / 1 */
    {"s0082", "sum beyond the range", true, "\"relative_spread_percent\": 0.0|"},
    {"s0122", "lone surrogate", false, "Unicode"},
};

typedef struct replay {
    pp_arena *arena;
    const pp_json *row;
    const char *id;
    const char *output;
    char *words[MAX_WORDS];
    int n_words;
    pp_error err;
} replay;

/* One of the texts between the bars stands in `text`. */
static bool speaks_of(pp_arena *arena, const char *text, const char *words)
{
    char *copy = pp_arena_dup(arena, words, strlen(words));

    for (char *word = strtok(copy, "|"); word != NULL; word = strtok(NULL, "|")) {
        if (strstr(text, word) != NULL)
            return true;
    }
    return false;
}

static void add_word(replay *r, const char *word)
{
    assert_true(r->n_words < MAX_WORDS);
    r->words[r->n_words++] = pp_arena_dup(r->arena, word, strlen(word));
}

static void write_passes(replay *r, const char *folder)
{
    const pp_json *passes = pp_json_find(r->row, "passes");

    for (size_t i = 0; i < passes->array.count; i++) {
        const char *path = pp_arena_printf(r->arena, "%s/%s-%zu.json", folder, r->id, i);
        pp_text text = pp_json_find(passes->array.items[i], "text")->text;
        FILE *file = fopen(path, "wb");

        assert_non_null(file);
        assert_int_equal(fwrite(text.data, 1, text.size, file), text.size);
        assert_int_equal(fclose(file), 0);
        add_word(r, "--input");
        add_word(r,
                 pp_arena_printf(r->arena, "%s=%s",
                                 pp_json_find(passes->array.items[i], "label")->text.data, path));
    }
}

/* The command prints its table, which is not what is tested here. */
static pp_status run_quietly(const pp_args *args, pp_error *err)
{
    pp_exit code = PP_EXIT_YES;
    pp_status st;
    int kept, nowhere;

    fflush(stdout);
    kept = dup(STDOUT_FILENO);
    nowhere = open("/dev/null", O_WRONLY);
    assert_true(kept >= 0 && nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0);
    st = pp_command_summarize_stability.run(args, &code, err);
    fflush(stdout);
    assert_true(dup2(kept, STDOUT_FILENO) >= 0);
    (void)close(nowhere);
    (void)close(kept);
    return st;
}

static pp_status run_case(replay *r, const char *folder)
{
    static pp_args args;
    const pp_json *metrics = pp_json_find(r->row, "metrics");
    pp_status st;

    write_passes(r, folder);
    for (size_t i = 0; i < metrics->array.count; i++) {
        add_word(r, "--metric");
        add_word(r, metrics->array.items[i]->text.data);
    }
    r->output = pp_arena_printf(r->arena, "%s/%s.out", folder, r->id);
    add_word(r, "--output");
    add_word(r, r->output);
    memset(&args, 0, sizeof args);
    st = pp_args_parse(&pp_command_summarize_stability, r->n_words, r->words, &args, &r->err);
    return st == PP_OK ? run_quietly(&args, &r->err) : st;
}

static pp_text read_output(replay *r)
{
    pp_buf bytes;
    pp_text text;

    pp_buf_init(&bytes, PP_JSON_MAX_BYTES);
    assert_ok(pp_file_read(r->output, &bytes, &r->err), r->err);
    text = pp_text_dup(r->arena, (pp_text){bytes.data, bytes.size});
    pp_buf_done(&bytes);
    return text;
}

/* Also where labels do not stand in sorted order, which the original's own reader refuses. */
static void check_reading(replay *r, pp_text document)
{
    const pp_json *root;
    pp_stability read;

    assert_ok(pp_json_parse(r->arena, "document", document.data, document.size, &root, &r->err),
              r->err);
    if (pp_stability_decode(r->arena, root, &read, &r->err) != PP_OK)
        fail_msg("%s: not read again: %s", r->id, r->err.text);
    assert_true(pp_json_equal(root, pp_stability_to_json(r->arena, &read)));
}

static void check_document(replay *r, pp_status st)
{
    pp_text want = pp_json_find(r->row, "document")->text;
    pp_text got;

    if (st != PP_OK)
        fail_msg("%s: refused: %s", r->id, r->err.text);
    got = read_output(r);
    if (!pp_text_equal(got, want))
        fail_msg("%s: the document differs:\n%s", r->id, got.data);
    check_reading(r, want);
}

static void check_refusal(replay *r, pp_status st)
{
    pp_text error = pp_json_find(r->row, "error")->text;

    if (st == PP_OK)
        fail_msg("%s: accepted, expected %s", r->id, error.data);
    assert_int_equal(pp_exit_of(st), PP_EXIT_INVALID);
    assert_false(pp_path_exists(r->output));
    for (size_t i = 0; i < PP_COUNT_OF(refusals); i++) {
        if (!pp_text_is(error, refusals[i].error))
            continue;
        if (!speaks_of(r->arena, r->err.text, refusals[i].words))
            fail_msg("%s: %s, but: %s", r->id, error.data, r->err.text);
        return;
    }
    fail_msg("%s: unknown refusal %s", r->id, error.data);
}

static bool check_exception(replay *r, pp_status st)
{
    for (size_t i = 0; i < PP_COUNT_OF(exceptions); i++) {
        const char *text = r->err.text;

        if (strcmp(exceptions[i].id, r->id) != 0)
            continue;
        if ((st == PP_OK) != exceptions[i].accepted)
            fail_msg("%s (%s): %s", r->id, exceptions[i].reason, r->err.text);
        if (st == PP_OK) {
            pp_text got = read_output(r);

            check_reading(r, got);
            text = got.data;
        }
        if (!speaks_of(r->arena, text, exceptions[i].words))
            fail_msg("%s (%s): %s", r->id, exceptions[i].reason, text);
        return true;
    }
    return false;
}

static void summaries_equal_the_recorded_ones(void **state)
{
    pp_arena names = {0};
    const char *path = shared_path_or_skip(&names, "original/cases/stability.jsonl");
    const char *folder = make_temp_folder(&names);
    FILE *lines = fopen(path, "r");
    size_t equal = 0, refused = 0, declared = 0;
    char *line = NULL;
    size_t room = 0;
    ssize_t size;

    (void)state;
    assert_non_null(lines);
    while ((size = getline(&line, &room, lines)) > 0) {
        pp_arena arena = {0};
        replay r = {.arena = &arena};
        pp_status st;

        assert_ok(pp_json_parse(&arena, "case", line, (size_t)size, &r.row, &r.err), r.err);
        r.id = pp_json_find(r.row, "id")->text.data;
        st = run_case(&r, folder);
        if (check_exception(&r, st)) {
            declared++;
        } else if (pp_json_find(r.row, "accepted")->boolean) {
            check_document(&r, st);
            equal++;
        } else {
            check_refusal(&r, st);
            refused++;
        }
        pp_arena_done(&arena);
    }
    free(line);
    (void)fclose(lines);
    remove_folder(folder);
    pp_arena_done(&names);
    print_message("# equal %zu, refused alike %zu, declared %zu\n", equal, refused, declared);
    assert_int_equal(equal, 94);
    assert_int_equal(refused, 25);
    assert_int_equal(declared, PP_COUNT_OF(exceptions));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(summaries_equal_the_recorded_ones),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
