#include "intake/bench_evidence.h"

#include <stdlib.h>
#include <string.h>

/* ---- distinct values ------------------------------------------------------------------------ */

static int compare_texts(const void *a, const void *b)
{
    return pp_text_compare(*(const pp_text *)a, *(const pp_text *)b);
}

/* Sorts and drops what repeats; returns how many remain. */
static size_t make_distinct(pp_text *texts, size_t count)
{
    size_t kept = 0;

    if (count > 1)
        qsort(texts, count, sizeof *texts, compare_texts);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || !pp_text_equal(texts[kept - 1], texts[i]))
            texts[kept++] = texts[i];
    }
    return kept;
}

typedef struct name_list {
    pp_text *items; /* distinct, sorted */
    size_t count;
} name_list;

static name_list list_names(pp_arena *arena, const pp_bench_records *records, size_t offset)
{
    name_list list = {PP_ARENA_NEW(arena, pp_text, records->count), 0};

    for (size_t i = 0; list.items != NULL && i < records->count; i++) {
        const void *member = (const unsigned char *)&records->items[i] + offset;
        pp_text name = *(const pp_text *)member;

        if (name.data != NULL)
            list.items[list.count++] = name;
    }
    if (list.items != NULL)
        list.count = make_distinct(list.items, list.count);
    return list;
}

/* Distinct texts of a setting; ret_undeclared when some row has none. */
static name_list list_settings(pp_arena *arena, const pp_bench_records *records,
                               pp_bench_setting setting, bool *ret_undeclared)
{
    name_list list = {PP_ARENA_NEW(arena, pp_text, records->count), 0};

    *ret_undeclared = false;
    for (size_t i = 0; list.items != NULL && i < records->count; i++) {
        const pp_json *value = records->items[i].settings[setting];

        if (value == NULL)
            *ret_undeclared = true;
        else
            list.items[list.count++] = pp_bench_value_text(arena, value);
    }
    if (list.items != NULL)
        list.count = make_distinct(list.items, list.count);
    return list;
}

static int compare_counts(const void *a, const void *b)
{
    size_t x = *(const size_t *)a;
    size_t y = *(const size_t *)b;

    return (x > y) - (x < y);
}

/* Distinct repetition counts, ascending; none for rows without samples. */
static size_t *list_repetitions(pp_arena *arena, const pp_bench_records *records, size_t *ret_count)
{
    size_t *counts = PP_ARENA_NEW(arena, size_t, records->count);
    size_t kept = 0;
    size_t n = 0;

    *ret_count = 0;
    for (size_t i = 0; counts != NULL && i < records->count; i++) {
        if (records->items[i].sample_count > 0)
            counts[n++] = records->items[i].sample_count;
    }
    if (n > 1)
        qsort(counts, n, sizeof *counts, compare_counts);
    for (size_t i = 0; i < n; i++) {
        if (kept == 0 || counts[kept - 1] != counts[i])
            counts[kept++] = counts[i];
    }
    *ret_count = kept;
    return counts;
}

/* ---- evidence ------------------------------------------------------------------------------- */

typedef struct judge {
    pp_arena *arena;
    const pp_bench_records *records;
    pp_bench_evidence *out;
} judge;

static void add_issue(judge *j, const char *code, const char *field, const char *text)
{
    PP_ASSERT(j->out->issue_count < PP_BENCH_MAX_ISSUES);
    j->out->issues[j->out->issue_count++] = (pp_bench_issue){code, field, text == NULL ? "" : text};
}

static const char *joined(pp_arena *arena, name_list list)
{
    pp_buf out;
    const char *text;

    pp_buf_init(&out, 512);
    for (size_t i = 0; i < list.count; i++) {
        char shown[80];

        pp_text_escape_controls(list.items[i].data, list.items[i].size, shown, sizeof shown);
        pp_buf_printf(&out, "%s%s", i == 0 ? "" : ", ", shown);
    }
    text = pp_arena_printf(arena, "%s%s", pp_buf_text(&out), out.status == PP_OK ? "" : ", ...");
    pp_buf_done(&out);
    return text;
}

static bool is_commit(pp_text got, pp_text want)
{
    size_t shorter = got.size < want.size ? got.size : want.size;

    return shorter >= 7 && memcmp(got.data, want.data, shorter) == 0;
}

static void judge_build(judge *j, const pp_bench_expectation *expected)
{
    name_list commits = list_names(j->arena, j->records, offsetof(pp_bench_record, build_commit));
    bool matches = commits.count > 0;

    if (commits.count > 1)
        add_issue(
            j, "several-commits", NULL,
            pp_arena_printf(j->arena, "builds of several commits: %s", joined(j->arena, commits)));
    for (size_t i = 0; i < commits.count; i++)
        matches = matches && is_commit(commits.items[i], pp_text_of(expected->commit));
    if (!matches)
        add_issue(
            j, "commit-mismatch", NULL,
            pp_arena_printf(j->arena, "built from %s, expected %s",
                            commits.count == 0 ? "an unnamed commit" : joined(j->arena, commits),
                            expected->commit));
}

static void judge_model(judge *j)
{
    name_list models = list_names(j->arena, j->records, offsetof(pp_bench_record, model_filename));

    if (models.count == 0)
        add_issue(j, "no-model", NULL, "no row names its model file");
    if (models.count > 1)
        add_issue(j, "several-models", NULL,
                  pp_arena_printf(j->arena, "several models: %s", joined(j->arena, models)));
}

static void judge_repetitions(judge *j)
{
    size_t count;
    const size_t *repetitions = list_repetitions(j->arena, j->records, &count);

    if (count == 0)
        add_issue(j, "no-samples", NULL,
                  pp_arena_printf(j->arena, "%s holds no samples, only means",
                                  pp_bench_format_name(j->records->format)));
    if (count > 1)
        add_issue(j, "several-repetition-counts", NULL,
                  pp_arena_printf(j->arena, "rows differ in their repetitions: %zu to %zu",
                                  repetitions[0], repetitions[count - 1]));
    if (count > 0 && repetitions[0] < PP_BENCH_EVIDENCE_MIN_REPETITIONS)
        add_issue(j, "few-repetitions", NULL,
                  pp_arena_printf(j->arena, "a row has %zu repetitions, expected at least %d",
                                  repetitions[0], PP_BENCH_EVIDENCE_MIN_REPETITIONS));
}

static void judge_tests(judge *j)
{
    bool has[PP_BENCH_PG + 1] = {false};

    for (size_t i = 0; i < j->records->count; i++)
        has[j->records->items[i].kind] = true;
    if (!has[PP_BENCH_PP] && !has[PP_BENCH_PG])
        add_issue(j, "no-prompt-test", NULL, "no row measures prompt processing");
    if (!has[PP_BENCH_TG] && !has[PP_BENCH_PG])
        add_issue(j, "no-generation-test", NULL, "no row measures generation");
}

/* want: NULL when any one value will do */
static void judge_setting(judge *j, pp_bench_setting setting, const char *want)
{
    const char *name = pp_bench_setting_name(setting);
    bool undeclared;
    bool differs = false;
    name_list values = list_settings(j->arena, j->records, setting, &undeclared);

    if (undeclared) {
        add_issue(j, "undeclared", name,
                  pp_arena_printf(j->arena, "%s: some row does not say", name));
        return;
    }
    if (values.count > 1)
        add_issue(
            j, "several-values", name,
            pp_arena_printf(j->arena, "%s: several values: %s", name, joined(j->arena, values)));
    for (size_t i = 0; want != NULL && i < values.count; i++)
        differs = differs || !pp_text_is(values.items[i], want);
    if (differs)
        add_issue(
            j, "value-mismatch", name,
            pp_arena_printf(j->arena, "%s: %s, expected %s", name, joined(j->arena, values), want));
}

static const char *number_text(pp_arena *arena, pp_maybe_int number)
{
    return number.known ? pp_arena_printf(arena, "%lld", (long long)number.value) : NULL;
}

static void judge_settings(judge *j, const pp_bench_expectation *expected)
{
    const char *const want[PP_BENCH_SETTING_COUNT] = {
        [PP_BENCH_N_THREADS] = number_text(j->arena, expected->threads),
        [PP_BENCH_N_BATCH] = number_text(j->arena, expected->batch),
        [PP_BENCH_N_UBATCH] = number_text(j->arena, expected->ubatch),
        [PP_BENCH_N_GPU_LAYERS] = "0",
        [PP_BENCH_DEVICES] = "none",
        [PP_BENCH_NO_OP_OFFLOAD] = "1",
    };

    for (int i = 0; i < PP_BENCH_SETTING_COUNT; i++)
        judge_setting(j, (pp_bench_setting)i, want[i]);
}

static bool any_synthetic(const pp_bench_records *records)
{
    for (size_t i = 0; i < records->count; i++) {
        if (records->items[i].synthetic_fixture)
            return true;
    }
    return false;
}

pp_status pp_bench_evidence_of(pp_arena *arena, const pp_bench_records *records,
                               const pp_bench_expectation *expected,
                               pp_bench_evidence *ret_evidence, pp_error *err)
{
    judge j = {arena, records, ret_evidence};

    *ret_evidence = (pp_bench_evidence){0};
    if (any_synthetic(records))
        add_issue(&j, "synthetic", NULL, "some row is a made-up fixture");
    judge_build(&j, expected);
    judge_model(&j);
    judge_repetitions(&j);
    judge_tests(&j);
    judge_settings(&j, expected);
    return pp_arena_check(arena, err);
}

/* ---- the document --------------------------------------------------------------------------- */

static pp_json *names_to_json(pp_arena *arena, name_list list)
{
    pp_json *out = pp_json_new_array(arena);

    for (size_t i = 0; i < list.count; i++)
        pp_json_add(arena, out, pp_json_new_text(arena, list.items[i]));
    return out;
}

/* Distinct values by their texts, null last. */
static pp_json *setting_to_json(pp_arena *arena, const pp_bench_records *records,
                                pp_bench_setting setting)
{
    bool undeclared;
    name_list values = list_settings(arena, records, setting, &undeclared);
    pp_json *out = pp_json_new_array(arena);

    for (size_t i = 0; i < values.count; i++) {
        size_t row = 0;

        while (records->items[row].settings[setting] == NULL ||
               !pp_text_equal(pp_bench_value_text(arena, records->items[row].settings[setting]),
                              values.items[i]))
            row++;
        pp_json_add(arena, out, records->items[row].settings[setting]);
    }
    if (undeclared)
        pp_json_add(arena, out, pp_json_new_null(arena));
    return out;
}

static pp_json *counts_to_json(pp_arena *arena, const pp_bench_records *records)
{
    pp_json *out = pp_json_new_object(arena);

    for (int kind = PP_BENCH_PP; kind <= PP_BENCH_PG; kind++) {
        int64_t count = 0;

        for (size_t i = 0; i < records->count; i++)
            count += records->items[i].kind == (pp_bench_kind)kind;
        if (count > 0)
            pp_json_set_int(arena, out, pp_bench_kind_name((pp_bench_kind)kind), count);
    }
    return out;
}

static pp_json *repetitions_to_json(pp_arena *arena, const pp_bench_records *records)
{
    size_t count;
    const size_t *counts = list_repetitions(arena, records, &count);
    pp_json *out = pp_json_new_array(arena);

    for (size_t i = 0; i < count; i++)
        pp_json_add(arena, out, pp_json_new_int(arena, (int64_t)counts[i]));
    return out;
}

pp_json *pp_bench_validation_to_json(pp_arena *arena, const pp_bench_records *records,
                                     const pp_bench_evidence *evidence, const char *input_sha256)
{
    pp_json *out = pp_json_new_object(arena);
    pp_json *issues = pp_json_new_array(arena);
    pp_json *settings = pp_json_new_object(arena);

    for (size_t i = 0; i < evidence->issue_count; i++)
        pp_json_add(arena, issues, pp_json_new_string(arena, evidence->issues[i].text));
    for (int i = 0; i < PP_BENCH_SETTING_COUNT; i++)
        pp_json_set(arena, settings, pp_bench_setting_name((pp_bench_setting)i),
                    setting_to_json(arena, records, (pp_bench_setting)i));
    pp_json_set_bool(arena, out, "valid", true);
    pp_json_set_bool(arena, out, "evidence_valid", evidence->issue_count == 0);
    pp_json_set(arena, out, "evidence_issues", issues);
    pp_json_set_int(arena, out, "record_count", (int64_t)records->count);
    pp_json_set_string(arena, out, "input_sha256", input_sha256);
    pp_json_set(
        arena, out, "build_commits",
        names_to_json(arena, list_names(arena, records, offsetof(pp_bench_record, build_commit))));
    pp_json_set(arena, out, "model_filenames",
                names_to_json(
                    arena, list_names(arena, records, offsetof(pp_bench_record, model_filename))));
    pp_json_set(arena, out, "test_counts", counts_to_json(arena, records));
    pp_json_set(arena, out, "repetition_counts", repetitions_to_json(arena, records));
    pp_json_set(arena, out, "execution_settings", settings);
    pp_json_set_bool(arena, out, "synthetic_fixture", any_synthetic(records));
    return out;
}
