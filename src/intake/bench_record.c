#include "intake/bench_record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/close.h"
#include "stats/summary.h"

static const char *const setting_names[PP_BENCH_SETTING_COUNT] = {
    [PP_BENCH_N_THREADS] = "n_threads", [PP_BENCH_N_BATCH] = "n_batch",
    [PP_BENCH_N_UBATCH] = "n_ubatch",   [PP_BENCH_N_GPU_LAYERS] = "n_gpu_layers",
    [PP_BENCH_DEVICES] = "devices",     [PP_BENCH_NO_OP_OFFLOAD] = "no_op_offload",
};

const char *pp_bench_setting_name(pp_bench_setting setting)
{
    return setting_names[setting];
}

/* ---- one row ------------------------------------------------------------------------------- */

static pp_status decode_shape(const pp_json *fields, pp_bench_record *record, pp_error *err)
{
    pp_status st = pp_json_member_int(fields, "n_prompt", 0, INT64_MAX, &record->n_prompt, err);

    if (st == PP_OK)
        st = pp_json_member_int(fields, "n_gen", 0, INT64_MAX, &record->n_gen, err);
    if (st == PP_OK && record->n_prompt == 0 && record->n_gen == 0)
        return pp_json_fail(fields, err, "n_prompt and n_gen are both 0, expected tokens");
    record->kind = record->n_gen == 0      ? PP_BENCH_PP
                   : record->n_prompt == 0 ? PP_BENCH_TG
                                           : PP_BENCH_PG;
    return st;
}

static pp_status positive_number(const pp_json *value, double *ret_value, pp_error *err)
{
    pp_status st = pp_json_get_number(value, ret_value, err);

    if (st == PP_OK && !(*ret_value > 0))
        return pp_json_fail(value, err, "expected a number above 0, got %g", *ret_value);
    return st;
}

static pp_status decode_list(pp_arena *arena, const pp_json *fields, const char *key,
                             double **ret_values, size_t *ret_count, pp_error *err)
{
    const pp_json *list;
    pp_status st = pp_json_member_of(fields, key, PP_JSON_ARRAY, &list, err);

    if (st != PP_OK)
        return st;
    if (list->array.count == 0 || list->array.count > PP_BENCH_MAX_SAMPLES)
        return pp_json_fail(list, err, "expected 1 to %d samples, got %zu", PP_BENCH_MAX_SAMPLES,
                            list->array.count);
    *ret_count = list->array.count;
    *ret_values = PP_ARENA_NEW(arena, double, list->array.count);
    st = pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < list->array.count; i++)
        st = positive_number(list->array.items[i], &(*ret_values)[i], err);
    return st;
}

/* llama-bench prints both; they must tell the same story. */
static pp_status check_average(const pp_json *fields, const char *key, const double *samples,
                               size_t count, double abs, pp_error *err)
{
    const pp_json *value;
    double printed;
    double sum;
    pp_status st = pp_json_require(fields, key, &value, err);

    if (st == PP_OK)
        st = positive_number(value, &printed, err);
    if (st == PP_OK)
        st = pp_wrap(err, pp_exact_sum(samples, count, &sum, err), "samples of %s", key);
    if (st == PP_OK && !pp_close(printed, sum / (double)count, 1e-3, abs))
        return pp_json_fail(value, err, "%.10g, but the mean of the %zu samples is %.10g", printed,
                            count, sum / (double)count);
    return st;
}

static pp_status decode_samples(pp_arena *arena, const pp_json *fields, pp_bench_record *record,
                                pp_error *err)
{
    size_t rate_count = 0;
    pp_status st =
        decode_list(arena, fields, "samples_ns", &record->samples_ns, &record->sample_count, err);

    if (st == PP_OK)
        st = decode_list(arena, fields, "samples_ts", &record->samples_ts, &rate_count, err);
    if (st == PP_OK && rate_count != record->sample_count)
        return pp_json_fail(fields, err, "samples_ns has %zu samples, samples_ts %zu",
                            record->sample_count, rate_count);
    if (st == PP_OK)
        st = check_average(fields, "avg_ns", record->samples_ns, record->sample_count, 0.5, err);
    if (st == PP_OK)
        st = check_average(fields, "avg_ts", record->samples_ts, record->sample_count, 1e-12, err);
    return st;
}

static pp_status decode_synthetic(const pp_json *fields, pp_bench_record *record, pp_error *err)
{
    const pp_json *value = pp_json_find(fields, "synthetic_fixture");

    return value == NULL ? PP_OK : pp_json_get_bool(value, &record->synthetic_fixture, err);
}

static pp_status decode_text(const pp_json *fields, const char *key, bool required,
                             pp_text *ret_text, pp_error *err)
{
    const pp_json *value = pp_json_find(fields, key);

    if (value == NULL && !required)
        return PP_OK;
    return pp_json_member_filled_text(fields, key, ret_text, err);
}

static pp_status check_setting(const pp_json *value, pp_bench_setting setting, pp_error *err)
{
    int64_t number;
    pp_text text;

    switch (setting) {
    case PP_BENCH_DEVICES:
        return pp_json_get_filled_text(value, &text, err);
    case PP_BENCH_NO_OP_OFFLOAD:
        return pp_json_get_int(value, 0, 1, &number, err);
    case PP_BENCH_N_GPU_LAYERS:
        return pp_json_get_int(value, INT64_MIN, INT64_MAX, &number, err);
    default:
        return pp_json_get_int(value, 1, INT64_MAX, &number, err);
    }
}

static pp_status decode_settings(const pp_json *fields, pp_bench_record *record, pp_error *err)
{
    pp_status st = PP_OK;

    for (int i = 0; st == PP_OK && i < PP_BENCH_SETTING_COUNT; i++) {
        record->settings[i] = pp_json_find(fields, setting_names[i]);
        if (record->settings[i] != NULL)
            st = check_setting(record->settings[i], (pp_bench_setting)i, err);
    }
    return st;
}

static pp_status check_rate(const pp_json *fields, pp_error *err)
{
    const pp_json *value;
    double rate;
    pp_status st = pp_json_require(fields, "avg_ts", &value, err);

    return st == PP_OK ? positive_number(value, &rate, err) : st;
}

static pp_status decode_record(pp_arena *arena, pp_bench_format format, pp_bench_record *record,
                               pp_error *err)
{
    const pp_json *fields = record->fields;
    bool whole = format == PP_BENCH_FORMAT_JSONL || format == PP_BENCH_FORMAT_JSON;
    bool names = format != PP_BENCH_FORMAT_MARKDOWN;
    pp_status st = decode_shape(fields, record, err);

    if (st == PP_OK)
        st = whole ? decode_samples(arena, fields, record, err) : check_rate(fields, err);
    if (st == PP_OK)
        st = decode_synthetic(fields, record, err);
    if (st == PP_OK)
        st = decode_text(fields, "build_commit", names, &record->build_commit, err);
    if (st == PP_OK)
        st = decode_text(fields, "model_filename", names, &record->model_filename, err);
    return st == PP_OK ? decode_settings(fields, record, err) : st;
}

pp_status pp_bench_records_read(pp_arena *arena, const char *source, const char *bytes, size_t size,
                                pp_bench_format format, pp_bench_records *ret_records,
                                pp_error *err)
{
    pp_bench_text text;
    pp_bench_record *items;
    pp_status st =
        pp_bench_text_read(arena, source, bytes, size, format, PP_BENCH_STRICT, &text, err);

    if (st != PP_OK)
        return st;
    if (text.count == 0)
        return pp_fail(err, PP_ERR_SCHEMA, "%s: no row of llama-bench", source);
    items = PP_ARENA_NEW(arena, pp_bench_record, text.count);
    st = pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < text.count; i++) {
        items[i].line = text.items[i].line;
        items[i].fields = text.items[i].fields;
        st = pp_wrap(err, decode_record(arena, text.format, &items[i], err), "%s:%zu", source,
                     text.items[i].line);
    }
    *ret_records = (pp_bench_records){text.format, items, text.count};
    return st;
}

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
    const char *name = setting_names[setting];
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
        pp_json_set(arena, settings, setting_names[i],
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
