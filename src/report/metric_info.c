#include "report/metric_info.h"

#include <stdio.h>
#include <string.h>

/* The first fifteen stand in the order in which every table shows them; those behind `end_of_order`
 * follow with everything else, sorted by name. */
static const pp_metric_info known[] = {
    {"generation_tokens_per_second", "Generation speed",
     "tokens generated per second, counted by the server or llama-bench"},
    {"generation_tps", "Generation speed", "tokens generated per second"},
    {"prompt_tokens_per_second", "Prompt speed", "prompt tokens processed per second (prefill)"},
    {"prompt_tps", "Prompt speed", "prompt tokens processed per second (prefill)"},
    {"generation_duration_ms", "Generation time", "time spent generating"},
    {"prompt_duration_ms", "Prompt time", "time spent processing the prompt"},
    {"e2e_latency_ms_p95", "End-to-end latency, p95",
     "from the start of a request to its last token; 95 % of the requests took no longer"},
    {"ttft_ms_p95", "Time to first token, p95",
     "from the start of a request to the first generated text (TTFT); 95 % of the requests took no "
     "longer"},
    {"ttft_ms_p50", "Time to first token, median",
     "from the start of a request to the first generated text (TTFT)"},
    {"model_identity_quality_retention", "Quality retention",
     "share of the baseline's quality that is kept"},
    {"quality_score", "Quality score", "score on the quality suite of the study"},
    {"confidence_and_practical_effect_gate", "Confidence and effect gate",
     "pass when the difference is both resolved and large enough to matter"},
    {"peak_rss_mib", "Peak memory",
     "largest resident set of the server process, touched pages of the mapped model included; "
     "1 MiB is 1,048,576 bytes"},
    {"model_size_mib", "Model size", "size of the model file; 1 MiB is 1,048,576 bytes"},
    {"requests_per_second", "Request rate", "completed requests per second"},
#define END_OF_ORDER 15
    {"e2e_latency_ms_p50", "End-to-end latency, median",
     "from the start of a request to its last token"},
    {"time_per_output_token_ms_p50", "Time per output token, median",
     "(last token - first token) / (tokens - 1) of a request (TPOT)"},
    {"reference_top1_agreement", "Agreement with the reference",
     "share of contexts after which the most probable next token is the reference's"},
    {"reference_kl_nats_mean", "Divergence from the reference",
     "mean Kullback-Leibler divergence of next-token distributions from the reference's; 0 is the "
     "same"},
};

const pp_metric_info *pp_metric_info_find(pp_text name)
{
    for (size_t i = 0; i < PP_COUNT_OF(known); i++) {
        if (pp_text_is(name, known[i].name))
            return &known[i];
    }
    return NULL;
}

const char *pp_metric_title(pp_text name)
{
    const pp_metric_info *info = pp_metric_info_find(name);

    return info != NULL ? info->title : name.data;
}

static bool ends_with(pp_text text, const char *end)
{
    size_t size = strlen(end);

    return text.size >= size && memcmp(text.data + text.size - size, end, size) == 0;
}

static bool holds(pp_text text, const char *needle)
{
    size_t size = strlen(needle);

    for (size_t at = 0; at + size <= text.size; at++) {
        if (memcmp(text.data + at, needle, size) == 0)
            return true;
    }
    return false;
}

const char *pp_report_unit(pp_text name)
{
    static const struct {
        const char *end;
        const char *unit;
    } rows[] = {
        {"_tps", " tok/s"},      {"_tokens_per_second", " tok/s"},
        {"_ms", " ms"},          {"_mib", " MiB"},
        {"_mb", " MB"},          {"requests_per_second", " req/s"},
        {"_bytes", " bytes"},    {"_percent", " %"},
        {"_nats_mean", " nats"},
    };

    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        if (ends_with(name, rows[i].end))
            return rows[i].unit;
    }
    return holds(name, "_ms_") ? " ms" : "";
}

const char *pp_metric_value_text(pp_text name, double value, char out[PP_FIGURE_TEXT_MAX])
{
    if (pp_text_is(name, "model_identity_quality_retention")) {
        snprintf(out, PP_FIGURE_TEXT_MAX, "%.2f %%", value * 100.0);
        return out;
    }
    if (pp_text_is(name, "confidence_and_practical_effect_gate") && (value == 0.0 || value == 1.0))
        return strcpy(out, value == 1.0 ? "pass" : "fail");
    pp_figure_text(value, out);
    strcat(out, pp_report_unit(name)); /* the room for a unit is part of PP_FIGURE_TEXT_MAX */
    return out;
}

/* ---- the list of all ------------------------------------------------------------------------- */

static size_t count_mentions(const pp_benchmark_set *set, const pp_constraints *c)
{
    size_t count = 2 + c->frontier_metric_count + c->max_value_count + c->min_value_count;

    for (size_t i = 0; i < set->candidate_count; i++)
        count += set->candidates[i].metric_count;
    return count;
}

static void gather(const pp_benchmark_set *set, const pp_constraints *c, pp_name_index *names)
{
    size_t at = 0;

    names->entries[at++].name = c->objective.metric;
    if (!c->quality_not_measurable)
        names->entries[at++].name = c->quality_metric;
    for (size_t i = 0; i < c->frontier_metric_count; i++)
        names->entries[at++].name = c->frontier_metrics[i].metric;
    for (size_t i = 0; i < c->max_value_count; i++)
        names->entries[at++].name = c->max_values[i].metric;
    for (size_t i = 0; i < c->min_value_count; i++)
        names->entries[at++].name = c->min_values[i].metric;
    for (size_t i = 0; i < set->candidate_count; i++) {
        for (size_t j = 0; j < set->candidates[i].metric_count; j++)
            names->entries[at++].name = set->candidates[i].metrics[j].name;
    }
    names->count = at;
}

static bool is_ordered(pp_text name)
{
    const pp_metric_info *info = pp_metric_info_find(name);

    return info != NULL && info - known < END_OF_ORDER;
}

pp_status pp_metric_list(pp_arena *arena, const pp_benchmark_set *set,
                         const pp_constraints *constraints, pp_text **ret_names, size_t *ret_count,
                         pp_error *err)
{
    pp_name_index names;
    pp_status st = pp_name_index_init(arena, count_mentions(set, constraints), &names, err);
    pp_text *list;
    size_t count = 0;

    if (st != PP_OK)
        return st;
    gather(set, constraints, &names);
    pp_name_index_sort(&names);
    list = PP_ARENA_NEW(arena, pp_text, names.count);
    st = pp_arena_check(arena, err);
    if (st != PP_OK)
        return st;
    for (size_t i = 0; i < END_OF_ORDER; i++) {
        size_t number = pp_name_index_find(&names, pp_text_of(known[i].name));

        if (number != PP_NOT_FOUND)
            list[count++] = pp_text_of(known[i].name);
    }
    for (size_t i = 0; i < names.count; i++) {
        pp_text name = names.entries[i].name;

        if (!is_ordered(name) && (i == 0 || !pp_text_equal(name, names.entries[i - 1].name)))
            list[count++] = name;
    }
    *ret_names = list;
    *ret_count = count;
    return PP_OK;
}

bool pp_metric_direction(const pp_constraints *constraints, pp_text name, pp_direction *ret)
{
    for (size_t i = 0; i < constraints->frontier_metric_count; i++) {
        if (pp_text_equal(constraints->frontier_metrics[i].metric, name)) {
            *ret = constraints->frontier_metrics[i].direction;
            return true;
        }
    }
    return false;
}
