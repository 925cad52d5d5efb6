#include "evidence/figures.h"

#include <math.h>
#include <string.h>

#include "base/files.h"
#include "evidence/layout.h"
#include "intake/llama_bench.h"
#include "model/sample.h"
#include "stats/percentile.h"

#define SAMPLES_MAX_BYTES ((size_t)256 << 20)

/* ---- series
 * -------------------------------------------------------------------------------------- */

static void append_value(pp_arena *arena, pp_series *series, double value)
{
    if (series->count == series->capacity) {
        size_t capacity = series->capacity == 0 ? 32 : series->capacity * 2;
        double *values = PP_ARENA_NEW(arena, double, capacity);

        if (values == NULL)
            return; /* the arena remembers */
        if (series->count > 0)
            memcpy(values, series->values, series->count * sizeof *values);
        series->values = values;
        series->capacity = capacity;
    }
    series->values[series->count++] = value;
}

void pp_series_append(pp_arena *arena, pp_series *to, const pp_series *from)
{
    for (size_t i = 0; i < from->count; i++)
        append_value(arena, to, from->values[i]);
}

void pp_figures_append(pp_arena *arena, pp_figures *to, const pp_figures *from)
{
    pp_series_append(arena, &to->prompt_tokens_per_second, &from->prompt_tokens_per_second);
    pp_series_append(arena, &to->generation_tokens_per_second, &from->generation_tokens_per_second);
    pp_series_append(arena, &to->ttft_ms, &from->ttft_ms);
    pp_series_append(arena, &to->e2e_latency_ms, &from->e2e_latency_ms);
    pp_series_append(arena, &to->time_per_output_token_ms, &from->time_per_output_token_ms);
    pp_series_append(arena, &to->peak_rss_mib, &from->peak_rss_mib);
}

bool pp_series_percentile(pp_arena *arena, const pp_series *series, double pct, double *ret_value)
{
    double *sorted = PP_ARENA_NEW(arena, double, series->count);

    if (series->count == 0 || sorted == NULL)
        return false;
    memcpy(sorted, series->values, series->count * sizeof *sorted);
    pp_samples_sort(sorted, series->count);
    return pp_percentile(sorted, series->count, pct, ret_value, NULL) == PP_OK &&
           isfinite(*ret_value);
}

/* ---- files
 * --------------------------------------------------------------------------------------- */

pp_status pp_bundle_read_json(pp_arena *arena, const char *path, const pp_json **ret_root,
                              pp_error *err)
{
    *ret_root = NULL;
    if (path == NULL)
        return pp_arena_check(arena, err);
    return pp_path_exists(path) ? pp_json_read_file(arena, path, NULL, ret_root, err) : PP_OK;
}

static bool is_complete(const pp_json *run)
{
    const pp_json *outcome = pp_json_find(run, "outcome");

    return outcome != NULL && outcome->kind == PP_JSON_STRING &&
           pp_text_is(outcome->text, "complete");
}

pp_status pp_bundle_read_bench(pp_arena *arena, const char *path, pp_bench_rows *ret_rows,
                               pp_error *err)
{
    pp_buf bytes;
    pp_status st = path == NULL ? pp_arena_check(arena, err) : PP_OK;

    pp_buf_init(&bytes, PP_BENCH_MAX_BYTES);
    if (st == PP_OK)
        st = pp_file_read(path, &bytes, err);
    if (st == PP_OK)
        st = pp_bench_parse(arena, path, pp_buf_text(&bytes), bytes.size, ret_rows, err);
    if (st == PP_OK && (ret_rows->count == 0 || ret_rows->truncated))
        st = pp_fail(err, PP_ERR_SCHEMA, "'%s': expected whole rows of llama-bench, got %s", path,
                     ret_rows->truncated ? "a cut last line" : "none");
    pp_buf_done(&bytes);
    return st;
}

void pp_figures_add_bench(pp_arena *arena, pp_figures *figures, const pp_bench_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        const pp_bench_row *row = &rows->items[i];
        pp_series *series = row->kind == PP_BENCH_PP   ? &figures->prompt_tokens_per_second
                            : row->kind == PP_BENCH_TG ? &figures->generation_tokens_per_second
                                                       : NULL;

        for (size_t j = 0; series != NULL && j < row->sample_count; j++)
            append_value(arena, series, pp_bench_rate(row, j));
    }
}

static pp_status load_bench(pp_arena *arena, const char *path, pp_figures *figures, pp_error *err)
{
    pp_bench_rows rows = {0};
    pp_status st = pp_bundle_read_bench(arena, path, &rows, err);

    if (st == PP_OK)
        pp_figures_add_bench(arena, figures, &rows);
    return st;
}

void pp_pass_figures_add_sample(pp_arena *arena, pp_pass_figures *pass, const pp_sample *sample)
{
    pp_figures *figures = &pass->figures;
    pp_maybe_real per_token = pp_sample_time_per_token_ns(sample);
    bool ok = pp_sample_is_ok(sample);

    pass->request_count++;
    pp_cross_checks_add_sample(&pass->cross_checks, sample);
    pass->generated_tokens += sample->generated_tokens.known ? sample->generated_tokens.value : 0;
    pass->lacks_tokens = pass->lacks_tokens || !ok || !sample->generated_tokens.known;
    if (!ok) {
        pass->failed_request_count++;
        pass->failures[sample->failure]++;
    }
    append_value(arena, &figures->ttft_ms,
                 ok && sample->ttft_ns.known ? (double)sample->ttft_ns.value / 1e6 : INFINITY);
    append_value(arena, &figures->e2e_latency_ms,
                 ok && sample->e2e_ns.known ? (double)sample->e2e_ns.value / 1e6 : INFINITY);
    if (!ok)
        append_value(arena, &figures->time_per_output_token_ms, INFINITY);
    else if (per_token.known)
        append_value(arena, &figures->time_per_output_token_ms, per_token.value / 1e6);
}

bool pp_core_seconds_per_token(const pp_pass_figures *passes, int64_t count, double *ret_seconds)
{
    int64_t cpu_ns = 0;
    int64_t tokens = 0;

    for (int64_t i = 0; i < count; i++) {
        if (!passes[i].cpu_ns.known || passes[i].lacks_tokens)
            return false;
        cpu_ns += passes[i].cpu_ns.value;
        tokens += passes[i].generated_tokens;
    }
    if (tokens == 0)
        return false;
    *ret_seconds = (double)cpu_ns / 1e9 / (double)tokens;
    return true;
}

/* Empty: they are known. */
static pp_text joules_absent_because(const pp_pass_figures *pass)
{
    if (pass->endpoint != NULL && pass->server_command == NULL)
        return pp_text_of("the study did not start this server");
    if (pass->resources == NULL)
        return pp_text_of("a pass has no record of resources");
    if (!pass->joules.known)
        return pass->joules_absent_because.size > 0 ? pass->joules_absent_because
                                                    : pp_text_of("not recorded");
    return pass->lacks_tokens ? pp_text_of("a request failed, or its tokens are not known")
                              : (pp_text){0};
}

bool pp_joules_per_token(const pp_pass_figures *passes, int64_t count, double *ret_joules,
                         pp_text *ret_why)
{
    double joules = 0;
    int64_t tokens = 0;

    for (int64_t i = 0; i < count; i++) {
        *ret_why = joules_absent_because(&passes[i]);
        if (ret_why->size > 0)
            return false;
        joules += passes[i].joules.value;
        tokens += passes[i].generated_tokens;
    }
    *ret_why = pp_text_of("no tokens were generated");
    if (tokens == 0)
        return false;
    *ret_joules = joules / (double)tokens;
    return true;
}

static pp_status load_samples(pp_arena *arena, const char *path, pp_pass_figures *pass,
                              pp_error *err)
{
    pp_buf bytes;
    pp_sample *samples = NULL;
    size_t count = 0;
    pp_status st;

    pp_buf_init(&bytes, SAMPLES_MAX_BYTES);
    st = pp_file_read(path, &bytes, err);
    if (st == PP_OK)
        st = pp_samples_parse(arena, path,
                              (pp_bytes){(const unsigned char *)pp_buf_text(&bytes), bytes.size},
                              &samples, &count, err);
    for (size_t i = 0; st == PP_OK && i < count; i++) {
        if (samples[i].id.phase == PP_PHASE_MEASURED)
            pp_pass_figures_add_sample(arena, pass, &samples[i]);
    }
    pp_buf_done(&bytes);
    return st;
}

static void read_energy(pp_pass_figures *pass)
{
    const pp_json *energy = pp_json_find(pass->resources, "energy"); /* absent in older bundles */
    const pp_json *joules = pp_json_find(energy, "joules");
    const pp_json *why = pp_json_find(energy, "absent_because");
    double value;

    if (joules != NULL && joules->kind != PP_JSON_NULL &&
        pp_json_get_number(joules, &value, NULL) == PP_OK && value >= 0)
        pass->joules = pp_known_real(value);
    if (why != NULL && why->kind == PP_JSON_STRING)
        pass->joules_absent_because = why->text;
}

static pp_status load_resources(pp_arena *arena, pp_pass_figures *pass, const char *path,
                                pp_error *err)
{
    int64_t peak_bytes = 0;
    const pp_json *cpu;
    const pp_json *peak;
    pp_status st = pp_bundle_read_json(arena, path, &pass->resources, err);

    if (st != PP_OK || pass->resources == NULL)
        return st;
    read_energy(pass);
    cpu = pp_json_find(pass->resources, "cpu_ns"); /* absent in older bundles */
    if (cpu != NULL && cpu->kind == PP_JSON_INTEGER)
        pass->cpu_ns = pp_known_int(cpu->integer);
    peak = pp_json_find(pass->resources, "peak_rss_bytes");
    if (peak == NULL || peak->kind == PP_JSON_NULL)
        return PP_OK;
    st = pp_json_get_int(peak, 1, INT64_MAX, &peak_bytes, err);
    if (st == PP_OK)
        append_value(arena, &pass->figures.peak_rss_mib, (double)peak_bytes / 1048576.0);
    return pp_wrap(err, st, "'%s'", path);
}

pp_status pp_pass_figures_load(pp_arena *arena, const char *folder,
                               const pp_plan_candidate *candidate, int64_t pass_number,
                               bool has_samples, pp_pass_figures *ret_figures, pp_error *err)
{
    const char *id = candidate->id.data;
    const int number = (int)pass_number;
    pp_pass_figures pass = {0};
    pp_status st =
        pp_bundle_read_json(arena, pp_bundle_path(arena, folder, PP_BUNDLE_BENCH_RUN, id, number),
                            &pass.bench_run, err);

    if (st == PP_OK)
        st = pp_bundle_read_json(arena,
                                 pp_bundle_path(arena, folder, PP_BUNDLE_SERVER_RUN, id, number),
                                 &pass.requests_run, err);
    if (st == PP_OK)
        st = pp_bundle_read_json(
            arena, pp_bundle_path(arena, folder, PP_BUNDLE_SERVER_COMMAND, id, number),
            &pass.server_command, err);
    if (st == PP_OK)
        st = pp_bundle_read_json(arena,
                                 pp_bundle_path(arena, folder, PP_BUNDLE_ENDPOINT, id, number),
                                 &pass.endpoint, err);
    if (st == PP_OK && is_complete(pass.bench_run))
        st = load_bench(arena, pp_bundle_path(arena, folder, PP_BUNDLE_BENCH_ROWS, id, number),
                        &pass.figures, err);
    if (st == PP_OK && has_samples && is_complete(pass.requests_run))
        st = load_samples(arena, pp_bundle_path(arena, folder, PP_BUNDLE_SAMPLES, id, number),
                          &pass, err);
    if (st == PP_OK && is_complete(pass.requests_run))
        st = load_resources(arena, &pass,
                            pp_bundle_path(arena, folder, PP_BUNDLE_RESOURCES, id, number), err);
    if (st == PP_OK)
        st = pp_arena_check(arena, err);
    if (st == PP_OK)
        *ret_figures = pass;
    return st;
}
