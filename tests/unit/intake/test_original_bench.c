/* Every recorded run of the original's validate-, summarize- and compare-llama-bench: documents
 * byte for byte, refusals as refusals, and a table of what is decided otherwise on purpose. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "intake/bench_compare.h"
#include "intake/bench_evidence.h"
#include "intake/bench_summary.h"
#include "mask.h"
#include "shared.h"

static const struct {
    const char *id;
    bool accepted; /* by ours; the original decides the other way */
    const char *words;
    const char *reason;
} declared[] = {
    {"b0033", false, "not strict JSON", "lines end with LF, not with CR alone"},
    {"b0042", true, NULL, "a raw U+2028 inside a string does not end the line"},
    {"b0044", false, "not strict JSON", "lines end with LF, not with NEL"},
    {"b0045", false, "not strict JSON", "lines end with LF, not with form feed"},
    {"b0046", false, "not strict JSON", "lines end with LF, not with vertical tab"},
    {"b0039", false, "not strict JSON", "a number beyond the range is refused in any field"},
    {"b0083", false, "integer", "an integer beyond 64 bits is refused in any field"},
    {"b0149", false, "n_depth: '0' in p line 1, '4096' in p line 2",
     "rows at different depths are different tests"},
    {"b0140", false, "no_op_offload", "true is not 1"},
    {"b0189", false, "settings differ", "true is not 1"},
};

typedef struct replay {
    pp_arena *arena;
    const char *id;
    const pp_json *row;
    pp_error err;
    pp_json *document;
    pp_bench_evidence evidence;
} replay;

static pp_text text_of(const pp_json *object, const char *key)
{
    return pp_json_find(object, key)->text;
}

static const char *hex_of(replay *r, pp_text bytes)
{
    char *hex = pp_arena_alloc(r->arena, 1, PP_SHA256_HEX_SIZE);

    assert_ok(pp_sha256_of(bytes.data, bytes.size, hex, &r->err), r->err);
    return hex;
}

/* ---- the three kinds ------------------------------------------------------------------------ */

static void read_flags(const pp_json *flags, pp_bench_expectation *expected)
{
    expected->commit = PP_BENCH_EVIDENCE_COMMIT;
    for (size_t i = 0; i + 1 < flags->array.count; i++) {
        const char *name = flags->array.items[i]->text.data;
        const char *value = flags->array.items[i + 1]->text.data;

        if (strcmp(name, "--expected-commit") == 0)
            expected->commit = value;
        else if (strcmp(name, "--expected-threads") == 0)
            expected->threads = pp_known_int(atoi(value));
        else if (strcmp(name, "--expected-batch") == 0)
            expected->batch = pp_known_int(atoi(value));
        else if (strcmp(name, "--expected-ubatch") == 0)
            expected->ubatch = pp_known_int(atoi(value));
    }
}

static pp_status validate(replay *r)
{
    pp_bench_expectation expected = {0};
    pp_bench_records records;
    pp_text bytes;
    pp_status st;

    assert_true(case_input(r->arena, pp_json_find(r->row, "input"), &bytes));
    read_flags(pp_json_find(r->row, "flags"), &expected);
    st = pp_bench_records_read(r->arena, "rows.jsonl", bytes.data, bytes.size,
                               PP_BENCH_FORMAT_JSONL, &records, &r->err);
    if (st == PP_OK)
        st = pp_bench_evidence_of(r->arena, &records, &expected, &r->evidence, &r->err);
    if (st == PP_OK)
        r->document =
            pp_bench_validation_to_json(r->arena, &records, &r->evidence, hex_of(r, bytes));
    return st;
}

static bool labels_are_fine(replay *r, const pp_json *artifacts)
{
    if (pp_text_is_blank(text_of(r->row, "label")))
        return false;
    for (size_t i = 0; i < artifacts->array.count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (pp_text_equal(text_of(artifacts->array.items[i], "label"),
                              text_of(artifacts->array.items[j], "label")))
                return false;
        }
    }
    return true;
}

static pp_status summarize(replay *r)
{
    const pp_json *list = pp_json_find(r->row, "artifacts");
    size_t n = list->array.count;
    pp_bench_artifact *artifacts = PP_ARENA_NEW(r->arena, pp_bench_artifact, n);
    const pp_json *settings;
    pp_text bytes;
    pp_status st = PP_OK;

    assert_true(case_input(r->arena, pp_json_find(r->row, "settings"), &bytes));
    if (!labels_are_fine(r, list)) /* the command's rule; its golden cases show it */
        return pp_fail(&r->err, PP_ERR_USAGE, "labels");
    for (size_t i = 0; st == PP_OK && i < n; i++) {
        const pp_json *artifact = list->array.items[i];
        pp_text text = text_of(artifact, "text");

        artifacts[i].label = text_of(artifact, "label");
        artifacts[i].path = text_of(artifact, "path");
        strcpy(artifacts[i].sha256, hex_of(r, text));
        st = pp_bench_records_read(r->arena, artifacts[i].path.data, text.data, text.size,
                                   PP_BENCH_FORMAT_JSONL, &artifacts[i].records, &r->err);
    }
    if (st == PP_OK)
        st = pp_json_parse(r->arena, "settings.json", bytes.data, bytes.size, &settings, &r->err);
    if (st == PP_OK)
        st = pp_bench_summarize(r->arena, text_of(r->row, "label"), artifacts, n, settings,
                                hex_of(r, bytes), &r->document, &r->err);
    return st;
}

static pp_status read_variant(replay *r, const char *key, pp_bench_variant *variant,
                              const char **ret_hex)
{
    const pp_json *root;
    pp_text bytes;
    pp_status st;

    assert_true(case_input(r->arena, pp_json_find(r->row, key), &bytes));
    *ret_hex = hex_of(r, bytes);
    st = pp_json_parse(r->arena, key, bytes.data, bytes.size, &root, &r->err);
    return st == PP_OK ? pp_bench_variant_decode(root, variant, &r->err) : st;
}

static pp_status compare(replay *r)
{
    pp_bench_variant generic;
    pp_bench_variant kleidiai;
    const char *hex[2];
    pp_status st = read_variant(r, "generic", &generic, &hex[0]);

    if (st == PP_OK)
        st = read_variant(r, "kleidiai", &kleidiai, &hex[1]);
    if (st == PP_OK)
        st = pp_bench_compare(r->arena, &generic, hex[0], &kleidiai, hex[1], &r->document, &r->err);
    return st;
}

/* ---- outcomes ------------------------------------------------------------------------------- */

static const char *canonical_text(replay *r, const pp_json *document, pp_status *ret_status)
{
    const char *text;
    pp_buf out;

    pp_buf_init(&out, PP_JSON_MAX_BYTES);
    *ret_status = pp_json_write(document, PP_JSON_FILE, &out, &r->err);
    text = pp_arena_dup(r->arena, pp_buf_text(&out), out.size);
    pp_buf_done(&out);
    return text;
}

static void check_issues(const replay *r)
{
    const pp_json *issues = pp_json_find(r->row, "issues");

    if (issues->array.count != r->evidence.issue_count)
        fail_msg("%s: %zu issues, expected %zu", r->id, r->evidence.issue_count,
                 issues->array.count);
    for (size_t i = 0; i < issues->array.count; i++) {
        pp_json *const *want = issues->array.items[i]->array.items;
        const pp_bench_issue *got = &r->evidence.issues[i];
        bool same_field = want[1]->kind == PP_JSON_NULL
                              ? got->field == NULL
                              : got->field != NULL && pp_text_is(want[1]->text, got->field);

        if (!pp_text_is(want[0]->text, got->code) || !same_field)
            fail_msg("%s: issue %zu is %s of %s", r->id, i, got->code,
                     got->field == NULL ? "nothing" : got->field);
        if (got->text[0] == '\0')
            fail_msg("%s: issue %zu has no words", r->id, i);
    }
}

static pp_json *mask_issues(replay *r)
{
    pp_json *out = pp_json_new_object(r->arena);

    for (size_t i = 0; i < r->document->object.count; i++) {
        const pp_json_member *member = &r->document->object.members[i];
        const pp_json *value = member->value;

        if (pp_text_is(member->key, "evidence_issues")) {
            pp_json *masked = pp_json_new_array(r->arena);

            for (size_t j = 0; j < value->array.count; j++)
                pp_json_add(r->arena, masked, pp_json_new_string(r->arena, ""));
            value = masked;
        }
        pp_json_set_text_key(r->arena, out, member->key, value);
    }
    return out;
}

/* Runs the case; what was made is written, because a figure may be beyond the range of a number. */
static pp_status run_case(replay *r, const char **ret_text)
{
    pp_text kind = text_of(r->row, "kind");
    bool validates = pp_text_is(kind, "validate");
    pp_status st = validates                       ? validate(r)
                   : pp_text_is(kind, "summarize") ? summarize(r)
                                                   : compare(r);

    if (st == PP_OK)
        *ret_text = canonical_text(r, validates ? mask_issues(r) : r->document, &st);
    return st;
}

static void check_accepted(replay *r, const char *got)
{
    bool validates = pp_text_is(text_of(r->row, "kind"), "validate");
    pp_text want = text_of(r->row, validates ? "masked" : "document");

    if (!pp_text_is(want, got))
        fail_msg("%s differs:\n%s\nexpected:\n%s", r->id, got, want.data);
    if (validates)
        check_issues(r);
}

/* Index in `declared`, or its size. */
static size_t find_declared(const char *id)
{
    size_t i = 0;

    while (i < PP_COUNT_OF(declared) && strcmp(declared[i].id, id) != 0)
        i++;
    return i;
}

static void check_declared(const replay *r, size_t index, pp_status st)
{
    bool accepted = pp_json_find(r->row, "accepted")->boolean;

    if (accepted == declared[index].accepted)
        fail_msg("%s: declared, but the original decides alike", r->id);
    if ((st == PP_OK) != declared[index].accepted)
        fail_msg("%s: %s; declared because %s", r->id, st == PP_OK ? "accepted" : r->err.text,
                 declared[index].reason);
    if (declared[index].words != NULL)
        assert_contains(r->err.text, declared[index].words);
}

static void every_recorded_run_has_its_outcome(void **state)
{
    pp_arena names = {0};
    const char *path = shared_path_or_skip(&names, "original/cases/llama-bench.jsonl");
    FILE *lines = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    ssize_t size;
    size_t equal = 0;
    size_t refused = 0;
    size_t otherwise = 0;

    (void)state;
    assert_non_null(lines);
    while ((size = getline(&line, &room, lines)) > 0) {
        pp_arena arena = {0};
        replay r = {.arena = &arena};
        const char *text = NULL;
        size_t index;
        pp_status st;

        assert_ok(pp_json_parse(&arena, "case", line, (size_t)size, &r.row, &r.err), r.err);
        r.id = text_of(r.row, "id").data;
        index = find_declared(r.id);
        st = run_case(&r, &text);
        if (index < PP_COUNT_OF(declared)) {
            check_declared(&r, index, st);
            otherwise++;
        } else if (pp_json_find(r.row, "accepted")->boolean) {
            if (st != PP_OK)
                fail_msg("%s: refused: %s", r.id, r.err.text);
            check_accepted(&r, text);
            equal++;
        } else {
            if (st == PP_OK)
                fail_msg("%s: accepted, the original refuses", r.id);
            assert_true(r.err.text[0] != '\0');
            refused++;
        }
        pp_arena_done(&arena);
    }
    free(line);
    fclose(lines);
    print_message("# equal %zu, refused alike %zu, otherwise on purpose %zu\n", equal, refused,
                  otherwise);
    assert_int_equal(equal + refused + otherwise, 220);
    assert_int_equal(otherwise, PP_COUNT_OF(declared));
    pp_arena_done(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_recorded_run_has_its_outcome),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
