/* doctor --bandwidth: how fast memory can be read, in the table and in the document. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "cli/doctor.h"
#include "machine/cache.h"
#include "model/origin.h"
#include "study/machine_json.h"

#define WATCH_INTERVAL_NS (100 * PP_NS_PER_MS)
#define WATCH_WINDOW_NS   (500 * PP_NS_PER_MS)

/* Half of the last-level cache: the other half is for whatever shares it. */
static pp_status parse_footprint(const char *text, pp_maybe_int cache, int64_t *ret_bytes,
                                 pp_error *err)
{
    if (strcmp(text, "llc") != 0)
        return pp_parse_size(text, "--bandwidth", ret_bytes, err);
    if (!cache.known)
        return pp_fail(err, PP_ERR_UNAVAILABLE,
                       "--bandwidth llc: the kernel does not say how large the last-level cache "
                       "is; give a size such as 16MiB");
    *ret_bytes = cache.value / 2;
    return PP_OK;
}

pp_status pp_doctor_ask_bandwidth(const pp_args *args, pp_doctor_bandwidth *bandwidth,
                                  pp_error *err)
{
    const char *threads = pp_args_value(args, "threads");
    pp_bandwidth_options first;
    const char *text;
    pp_status st = PP_OK;

    if (!pp_args_has(args, "bandwidth") && threads != NULL)
        return pp_fail(err, PP_ERR_USAGE, "doctor: --threads belongs to --bandwidth");
    if (pp_args_has(args, "bandwidth") && pp_args_has(args, "root"))
        return pp_fail(err, PP_ERR_USAGE,
                       "doctor: --bandwidth needs the living machine, not --root");
    bandwidth->last_level_cache_bytes = pp_last_level_cache_bytes("/");
    pp_bandwidth_options_default(&first);
    if (threads != NULL)
        st = pp_parse_int(threads, "--threads", 1, PP_BANDWIDTH_MAX_THREADS, &first.thread_count,
                          err);
    while (st == PP_OK &&
           (text = pp_args_value_at(args, "bandwidth", bandwidth->asked_count)) != NULL) {
        if (bandwidth->asked_count == PP_DOCTOR_MAX_PROBES)
            return pp_fail(err, PP_ERR_USAGE, "--bandwidth: expected at most %d sizes",
                           PP_DOCTOR_MAX_PROBES);
        st = parse_footprint(text, bandwidth->last_level_cache_bytes, &first.footprint_bytes, err);
        bandwidth->asked[bandwidth->asked_count++] = first;
    }
    return st;
}

/* The probe is only as good as the machine is quiet, so the noise watch looks on. */
pp_status pp_doctor_measure_bandwidth(pp_doctor_bandwidth *bandwidth, pp_error *err)
{
    pp_watch_options watch_options;
    pp_watch *watch = NULL;
    pp_status st = PP_OK;

    if (bandwidth->asked_count == 0)
        return PP_OK;
    pp_watch_options_default(&watch_options);
    watch_options.interval_ns = WATCH_INTERVAL_NS;
    watch_options.window_ns = WATCH_WINDOW_NS;
    bandwidth->has_watch = pp_watch_start(&watch_options, &watch, NULL) == PP_OK;
    for (size_t i = 0; st == PP_OK && i < bandwidth->asked_count; i++)
        st = pp_bandwidth_measure(&bandwidth->asked[i], &bandwidth->probes[i], err);
    pp_watch_stop(watch, &bandwidth->watch);
    bandwidth->probe_count = st == PP_OK ? bandwidth->asked_count : 0;
    return st;
}

/* ---- the document ---------------------------------------------------------------------------- */

static const char *origin_of(const pp_doctor *doctor)
{
    bool emulated = doctor->host.emulated.known && doctor->host.emulated.value;

    return pp_origin_name(emulated ? PP_ORIGIN_EMULATED : PP_ORIGIN_MEASURED);
}

static pp_maybe_bool fits_cache(const pp_doctor_bandwidth *bandwidth, const pp_bandwidth *probe)
{
    if (!bandwidth->last_level_cache_bytes.known)
        return (pp_maybe_bool){0};
    return pp_known_bool(probe->footprint_bytes <= bandwidth->last_level_cache_bytes.value);
}

static const pp_json *repeats_to_json(pp_arena *arena, const pp_bandwidth *probe)
{
    pp_json *list = pp_json_new_array(arena);

    for (size_t i = 0; i < probe->repeat_count; i++) {
        pp_json *row = pp_json_new_object(arena);

        pp_json_set_int(arena, row, "read_bytes", probe->repeats[i].read_bytes);
        pp_json_set_int(arena, row, "duration_ns", probe->repeats[i].duration_ns);
        pp_json_add(arena, list, row);
    }
    return list;
}

static const pp_json *probe_to_json(pp_arena *arena, const pp_doctor_bandwidth *bandwidth,
                                    const pp_bandwidth *probe)
{
    pp_json *object = pp_json_new_object(arena);

    pp_json_set_int(arena, object, "footprint_bytes", probe->footprint_bytes);
    pp_json_set_maybe_bool(arena, object, "fits_last_level_cache", fits_cache(bandwidth, probe));
    pp_json_set_int(arena, object, "thread_count", probe->thread_count);
    pp_json_set_real(arena, object, "best_bytes_per_second", probe->best_bytes_per_second);
    pp_json_set_real(arena, object, "median_bytes_per_second", probe->median_bytes_per_second);
    pp_json_set_real(arena, object, "worst_bytes_per_second", probe->worst_bytes_per_second);
    pp_json_set_maybe_int(arena, object, "huge_page_bytes", probe->huge_bytes);
    pp_json_set(arena, object, "repeats", repeats_to_json(arena, probe));
    return object;
}

pp_json *pp_doctor_bandwidth_to_json(pp_arena *arena, const pp_doctor *doctor)
{
    const pp_doctor_bandwidth *bandwidth = &doctor->bandwidth;
    pp_json *object, *list;

    if (bandwidth->probe_count == 0)
        return pp_json_new_null(arena);
    object = pp_json_new_object(arena);
    list = pp_json_new_array(arena);
    pp_json_set_string(arena, object, "origin", origin_of(doctor));
    pp_json_set_maybe_int(arena, object, "last_level_cache_bytes",
                          bandwidth->last_level_cache_bytes);
    for (size_t i = 0; i < bandwidth->probe_count; i++)
        pp_json_add(arena, list, probe_to_json(arena, bandwidth, &bandwidth->probes[i]));
    pp_json_set(arena, object, "probes", list);
    pp_json_set(arena, object, "watch",
                bandwidth->has_watch ? pp_watch_result_to_json(arena, &bandwidth->watch)
                                     : pp_json_new_null(arena));
    return object;
}

/* ---- the table ------------------------------------------------------------------------------- */

static void print_probe(const pp_doctor *doctor, const pp_bandwidth *probe)
{
    pp_maybe_bool fits = fits_cache(&doctor->bandwidth, probe);

    printf("%.5g MiB read by %" PRId64
           " thread%s: best %.4g GB/s, median %.4g, worst %.4g of %zu\n",
           (double)probe->footprint_bytes / (1 << 20), probe->thread_count,
           probe->thread_count == 1 ? "" : "s", probe->best_bytes_per_second / 1e9,
           probe->median_bytes_per_second / 1e9, probe->worst_bytes_per_second / 1e9,
           probe->repeat_count);
    printf("%-*s%s", PP_DOCTOR_LABEL_COLUMN, "", origin_of(doctor));
    if (fits.known)
        printf("; %s the last-level cache of %.5g MiB", fits.value ? "fits" : "larger than",
               (double)doctor->bandwidth.last_level_cache_bytes.value / (1 << 20));
    if (probe->huge_bytes.known)
        printf("; %.5g MiB in huge pages", (double)probe->huge_bytes.value / (1 << 20));
    printf("\n");
}

void pp_doctor_print_bandwidth(const pp_doctor *doctor)
{
    const pp_doctor_bandwidth *bandwidth = &doctor->bandwidth;

    for (size_t i = 0; i < bandwidth->probe_count; i++) {
        printf("%-*s", PP_DOCTOR_LABEL_COLUMN, i == 0 ? "bandwidth" : "");
        print_probe(doctor, &bandwidth->probes[i]);
    }
    if (bandwidth->probe_count == 0 || !bandwidth->has_watch)
        return;
    printf("%-*smeanwhile: %s", PP_DOCTOR_LABEL_COLUMN, "",
           pp_watch_verdict_name(bandwidth->watch.verdict));
    for (size_t i = 0; i < bandwidth->watch.reason_count; i++) {
        const pp_watch_reason *reason = &bandwidth->watch.reasons[i];

        printf("%s %s %.4g %s, limit %.4g", i == 0 ? ":" : ";", pp_watch_cause_name(reason->cause),
               reason->measured, pp_watch_cause_unit(reason->cause), reason->limit);
    }
    printf("\n");
}
