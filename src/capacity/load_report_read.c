/* What a report says was asked and observed; nothing that follows from samples is taken over. */
#include <string.h>

#include "capacity/load_report.h"
#include "model/document_kinds.h"

static pp_maybe_int maybe_int(const pp_json *object, const char *key)
{
    const pp_json *value = pp_json_find(object, key);

    return value->kind == PP_JSON_NULL ? (pp_maybe_int){0} : pp_known_int(value->integer);
}

static pp_maybe_bool maybe_bool(const pp_json *object, const char *key)
{
    const pp_json *value = pp_json_find(object, key);

    return value->kind == PP_JSON_NULL ? (pp_maybe_bool){0} : pp_known_bool(value->boolean);
}

static pp_maybe_real maybe_real(const pp_json *object, const char *key)
{
    const pp_json *value = pp_json_find(object, key);

    return value->kind == PP_JSON_NULL ? (pp_maybe_real){0} : pp_known_real(pp_checked_real(value));
}

static pp_text text_or_empty(const pp_json *object, const char *key)
{
    const pp_json *value = pp_json_find(object, key);

    return value == NULL || value->kind == PP_JSON_NULL ? (pp_text){0} : value->text;
}

/* ---- a level -------------------------------------------------------------------------------- */

static pp_load_loop loop_of(pp_text word)
{
    int i = 0;

    while (!pp_text_is(word, pp_load_loop_name((pp_load_loop)i)))
        i++; /* the table has checked the word */
    return (pp_load_loop)i;
}

static pp_load_end end_of(pp_text word)
{
    int i = 0;

    while (!pp_text_is(word, pp_load_end_name((pp_load_end)i)))
        i++;
    return (pp_load_end)i;
}

static pp_arrivals arrivals_of(pp_text word)
{
    size_t i = 0;

    while (word.size > 0 && !pp_text_is(word, pp_arrivals_name(i)))
        i++;
    return (pp_arrivals)i;
}

static pp_load_level asked_of(const pp_json *level)
{
    const pp_json *asked = pp_checked_object(level, "asked");

    return (pp_load_level){
        .number = pp_checked_int(level, "number"),
        .loop = loop_of(pp_checked_text(asked, "loop")),
        .clients = maybe_int(asked, "clients").value,
        .rate_per_second = maybe_real(asked, "rate_per_second").value,
        .arrivals = arrivals_of(text_or_empty(asked, "arrivals")),
        .gamma_shape = maybe_real(asked, "gamma_shape").value,
        .request_count = maybe_int(asked, "request_count"),
        .duration_ns = maybe_int(asked, "duration_ns"),
        .warmup_count = pp_checked_int(asked, "warmup_count"),
        .ramp_ns = pp_checked_int(asked, "ramp_ns"),
        .think_ns = pp_checked_int(asked, "think_ns"),
        .seed = (uint64_t)pp_checked_int(asked, "seed"),
    };
}

/* Each loop has its own members and no others. */
static pp_status check_asked(const pp_json *level, pp_error *err)
{
    const pp_json *asked = pp_checked_object(level, "asked");
    pp_load_loop loop = loop_of(pp_checked_text(asked, "loop"));
    bool is_gamma = pp_text_is(text_or_empty(asked, "arrivals"), "gamma");
    const struct {
        const char *key;
        bool wanted;
    } rows[] = {
        {"clients", loop == PP_LOAD_CLOSED},
        {"rate_per_second", loop == PP_LOAD_OPEN},
        {"arrivals", loop == PP_LOAD_OPEN},
        {"gamma_shape", is_gamma},
    };

    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        const pp_json *value = pp_json_find(asked, rows[i].key);

        if ((value->kind != PP_JSON_NULL) != rows[i].wanted)
            return pp_json_fail(value, err,
                                rows[i].wanted ? "expected a value in %s loop, got null"
                                               : "expected null in %s loop",
                                pp_load_loop_name(loop));
    }
    return PP_OK;
}

static pp_status read_observed(const pp_json *level, pp_load_observed *ret_observed, pp_error *err)
{
    const pp_json *o = pp_checked_object(level, "observed");
    const pp_json *server = pp_checked_object(o, "server");

    pp_text address = text_or_empty(o, "server_address");

    if (address.size >= sizeof ret_observed->server_address ||
        (address.size > 0 && memchr(address.data, '\0', address.size) != NULL))
        return pp_json_fail(pp_json_find(o, "server_address"), err, "expected an address");
    *ret_observed = (pp_load_observed){
        .ended_by = end_of(pp_checked_text(o, "ended_by")),
        .server_was_idle = maybe_bool(o, "server_was_idle"),
        .idle_wait_ns = pp_checked_int(o, "idle_wait_ns"),
        .started_unix_ms = pp_checked_int(o, "started_unix_ms"),
        .measured_at_ns = pp_checked_int(o, "measured_at_ns"),
        .ended_at_ns = pp_checked_int(o, "ended_at_ns"),
        .planned_count = maybe_int(o, "planned_count"),
        .in_flight_max = pp_checked_int(o, "in_flight_max"),
        .stall_ns_max = pp_checked_int(o, "stall_ns_max"),
        .client_cpu_seconds = pp_checked_number(o, "client_cpu_seconds"),
        .worker_count = pp_checked_int(o, "worker_count"),
        .clock_drift_ns = pp_checked_int(o, "clock_drift_ns"),
        .clock_was_set = pp_checked_bool(o, "clock_was_set"),
        .server = {maybe_int(server, "rss_start_bytes"), maybe_int(server, "rss_end_bytes"),
                   maybe_int(server, "rss_peak_bytes"), maybe_int(server, "pss_end_bytes"),
                   maybe_real(server, "cpu_seconds")},
        .connections_opened_count = pp_checked_int(o, "connections_opened_count"),
        .connections_reused_count = pp_checked_int(o, "connections_reused_count"),
        .connections_died_count = pp_checked_int(o, "connections_died_count"),
        .record_count_max = pp_checked_int(o, "record_count_max"),
        .decoded_in_loop_count = pp_checked_int(o, "decoded_in_loop_count"),
    };
    if (address.size > 0)
        memcpy(ret_observed->server_address, address.data, address.size);
    return PP_OK;
}

/* issued = ok + failed + cut, and the classes of failure say the same. */
static pp_status check_counts(const pp_json *level, pp_error *err)
{
    const pp_json *counts = pp_checked_object(level, "counts");
    const pp_json *failures = pp_checked_object(counts, "failures");
    int64_t sum = pp_checked_int(counts, "ok");
    int64_t issued = pp_checked_int(counts, "issued");
    int64_t cut = pp_checked_int(counts, "cut");
    bool fits = true;

    for (size_t i = 0; i < failures->object.count; i++) {
        const pp_json_member *member = &failures->object.members[i];
        pp_failure failure;

        if (!pp_failure_find(member->key, &failure) || failure == PP_FAILURE_NONE)
            return pp_json_fail(member->value, err, "expected a class of failure");
        if (failure == PP_FAILURE_CUT && member->value->integer != cut)
            return pp_json_fail(member->value, err, "expected %lld, as $.counts.cut says",
                                (long long)cut);
        fits = fits && !__builtin_add_overflow(sum, member->value->integer, &sum);
    }
    if (!fits || sum != issued)
        return pp_json_fail(pp_json_find(counts, "issued"), err,
                            "expected the sum of ok and all failures, got %lld", (long long)issued);
    if (__builtin_add_overflow(pp_checked_int(counts, "ok"), pp_checked_int(counts, "failed"),
                               &sum) ||
        __builtin_add_overflow(sum, cut, &sum) || sum != issued)
        return pp_json_fail(pp_json_find(counts, "issued"), err,
                            "expected ok + failed + cut, got %lld", (long long)issued);
    return PP_OK;
}

static pp_status read_level(const pp_json *value, int64_t after, pp_load_report_level *ret_level,
                            pp_error *err)
{
    pp_status st = check_asked(value, err);

    if (st == PP_OK)
        st = check_counts(value, err);
    if (st == PP_OK)
        st = read_observed(value, &ret_level->observed, err);
    if (st != PP_OK)
        return st;
    ret_level->asked = asked_of(value);
    if (ret_level->asked.number <= after)
        return pp_json_fail(pp_json_find(value, "number"), err, "expected above %lld, got %lld",
                            (long long)after, (long long)ret_level->asked.number);
    return PP_OK;
}

static pp_status read_levels(pp_arena *arena, const pp_json *root, pp_load_report *report,
                             pp_error *err)
{
    const pp_json *levels = pp_checked_list(root, "levels");
    int64_t after = 0;
    pp_status st;

    report->level_count = levels->array.count;
    report->levels = PP_ARENA_NEW(arena, pp_load_report_level, report->level_count);
    st = pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < report->level_count; i++) {
        st = read_level(levels->array.items[i], after, &report->levels[i], err);
        after = report->levels[i].asked.number;
    }
    return st;
}

/* ---- rules ---------------------------------------------------------------------------------- */

static bool says_its_text(const pp_json *value, const pp_slo *slo)
{
    bool of_time = slo->kind == PP_SLO_PERCENTILE || slo->kind == PP_SLO_EACH;
    pp_maybe_real percent = maybe_real(value, "percentile");
    pp_maybe_int ns = maybe_int(value, "limit_ns");
    pp_maybe_real share = maybe_real(value, "limit_percent");

    return pp_text_is(pp_checked_text(value, "kind"), pp_slo_kind_name(slo->kind)) &&
           pp_text_is(text_or_empty(value, "metric"),
                      of_time ? pp_load_metric_name(slo->metric) : "") &&
           percent.known == (slo->kind == PP_SLO_PERCENTILE) && percent.value == slo->percent &&
           ns.known == of_time && ns.value == slo->limit_ns && share.known == !of_time &&
           share.value == slo->limit_percent;
}

static pp_status read_slos(pp_arena *arena, const pp_json *rules, pp_load_rules *out, pp_error *err)
{
    const pp_json *list = pp_checked_list(rules, "slos");
    pp_slo *slos = PP_ARENA_NEW(arena, pp_slo, PP_SLO_MAX);
    pp_status st = pp_arena_check(arena, err);

    for (size_t i = 0; st == PP_OK && i < list->array.count; i++) {
        const pp_json *value = list->array.items[i];
        pp_error why = {0};
        pp_slo slo = {0};

        if (pp_slo_parse(arena, pp_checked_text(value, "text"), &slo, &why) != PP_OK ||
            pp_slo_add(slos, &out->slo_count, &slo, &why) != PP_OK)
            return pp_json_fail(pp_json_find(value, "text"), err, "%s", why.text);
        if (out->slo_count != i + 1)
            return pp_json_fail(value, err, "stands there twice");
        if (!says_its_text(value, &slo))
            return pp_json_fail(value, err, "does not say what its text says");
    }
    out->slos = slos;
    return st;
}

static pp_status read_percents(const pp_json *rules, pp_percents *percents, pp_error *err)
{
    const pp_json *list = pp_checked_list(rules, "percentiles");
    double before = 0;

    for (size_t i = 0; i < list->array.count; i++) {
        double percent = pp_checked_real(list->array.items[i]);

        if (percent <= before || !pp_percents_add(percents, percent))
            return pp_json_fail(list->array.items[i], err,
                                "expected ascending percentiles, at most %d", PP_PERCENTS_MAX);
        before = percent;
    }
    return PP_OK;
}

static pp_status read_rules(pp_arena *arena, const pp_json *root, pp_load_rules *out, pp_error *err)
{
    const pp_json *rules = pp_checked_object(root, "rules");
    pp_status st;

    out->confidence = pp_checked_number(rules, "confidence");
    out->stop_early =
        pp_json_find(rules, "stop_early") != NULL && pp_checked_bool(rules, "stop_early");
    out->cold = pp_checked_bool(rules, "cold");
    out->lateness_ms_p99_max = pp_checked_number(rules, "lateness_ms_p99_max");
    out->stall_ms_max = pp_checked_number(rules, "stall_ms_max");
    out->client_lag_ms_p99_max = pp_checked_number(rules, "client_lag_ms_p99_max");
    out->client_cpu_share_max = pp_checked_number(rules, "client_cpu_share_max");
    out->delivered_share_min = pp_checked_number(rules, "delivered_share_min");
    out->steady_deviation_percent_max = pp_checked_number(rules, "steady_deviation_percent_max");
    out->gathered_percent_max = pp_checked_number(rules, "gathered_percent_max");
    if (out->confidence >= 1)
        return pp_json_fail(pp_json_find(rules, "confidence"), err, "expected below 1, got %g",
                            out->confidence);
    st = read_slos(arena, rules, out, err);
    return st == PP_OK ? read_percents(rules, &out->percents, err) : st;
}

/* ---- run and search ------------------------------------------------------------------------- */

static pp_load_report_run run_of(const pp_json *root)
{
    const pp_json *run = pp_checked_object(root, "run");
    const pp_json *limits = pp_checked_object(run, "limits");
    pp_load_report_run out = {
        .tool_version = pp_checked_text(run, "tool_version"),
        .endpoint = pp_checked_text(run, "endpoint"),
        .dialect = pp_checked_text(run, "dialect"),
        .model = text_or_empty(run, "model"),
        .profile = text_or_empty(run, "profile"),
        .seed = (uint64_t)pp_checked_int(run, "seed"),
        .started_unix_ms = pp_checked_int(run, "started_unix_ms"),
        .keep_alive = pp_checked_bool(run, "keep_alive"),
        .server_was_sleeping = pp_json_find(run, "server_was_sleeping") != NULL &&
                               pp_checked_bool(run, "server_was_sleeping"),
        .server_recognised_by = text_or_empty(run, "server_recognised_by"),
        .limits = {maybe_int(limits, "connect_ns"), maybe_int(limits, "first_token_ns"),
                   maybe_int(limits, "idle_ns"), maybe_int(limits, "total_ns"),
                   maybe_int(limits, "body_max_bytes"), maybe_int(limits, "drain_ns"),
                   maybe_int(limits, "idle_wait_ns")},
    };

    PP_ASSERT(pp_origin_find(pp_checked_text(run, "origin"), &out.origin));
    return out;
}

static pp_status read_find(pp_arena *arena, const pp_json *root, pp_load_report *report,
                           pp_error *err)
{
    const pp_json *find = pp_json_find(root, "find");
    pp_find_options *o = PP_ARENA_NEW(arena, pp_find_options, 1);
    const pp_json *options;
    pp_error why = {0};

    if (find->kind == PP_JSON_NULL || o == NULL)
        return pp_arena_check(arena, err);
    options = pp_checked_object(find, "options");
    *o = (pp_find_options){
        .first = pp_checked_number(options, "first"),
        .min = pp_checked_number(options, "min"),
        .max = pp_checked_number(options, "max"),
        .factor = pp_checked_number(options, "factor"),
        .resolution_ratio = pp_checked_number(options, "resolution_ratio"),
        .probe_count_max = pp_checked_int(options, "probe_count_max"),
        .whole = pp_text_is(pp_checked_text(options, "of"), "clients"),
    };
    if (pp_find_options_check(o, &why) != PP_OK)
        return pp_json_fail(options, err, "%s", why.text);
    for (size_t i = 0; i < report->level_count; i++)
        if (report->levels[i].asked.loop != (o->whole ? PP_LOAD_CLOSED : PP_LOAD_OPEN))
            return pp_json_fail(pp_json_find(options, "of"), err,
                                "level %lld is no probe of such a search",
                                (long long)report->levels[i].asked.number);
    report->find = o;
    return PP_OK;
}

pp_status pp_load_report_decode(pp_arena *arena, const pp_json *root, pp_load_report *ret_report,
                                pp_error *err)
{
    pp_load_report report = {0};
    pp_status st = pp_document_check(pp_document_kind_find("load-report"), root, err);

    if (st == PP_OK)
        st = read_rules(arena, root, &report.rules, err);
    if (st == PP_OK)
        st = read_levels(arena, root, &report, err);
    if (st == PP_OK)
        st = read_find(arena, root, &report, err);
    if (st != PP_OK)
        return st;
    report.run = run_of(root);
    report.is_partial = pp_checked_bool(root, "is_partial");
    *ret_report = report;
    return PP_OK;
}

pp_status pp_load_report_again(pp_arena *arena, const pp_json *root, const pp_sample *samples,
                               size_t n, pp_json **ret_again, pp_error *err)
{
    pp_load_report report;
    pp_status st = pp_load_report_decode(arena, root, &report, err);

    for (size_t i = 0; st == PP_OK && i < report.level_count; i++) {
        pp_load_report_level *level = &report.levels[i];

        st = pp_load_summarise(arena, &level->asked, &level->observed, samples, n, &report.rules,
                               &level->summary, err);
    }
    if (st != PP_OK)
        return st;
    pp_load_report_compare(&report);
    return pp_load_report_make(arena, &report, ret_again, err);
}
