#include "intake/bench_record.h"

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
