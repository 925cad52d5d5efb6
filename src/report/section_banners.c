#include "report/view.h"

static void put_origin(const pp_view *v)
{
    if (v->set->origin == PP_ORIGIN_MEASURED)
        return;
    pp_put(v, "<div class=\"banner warn\" role=\"note\"><strong>Synthetic figures, ");
    pp_put(v, pp_origin_name(v->set->origin));
    pp_put(v, ":</strong> ");
    pp_put(v, pp_origin_meaning(v->set->origin));
    pp_put(v, ".</div>\n");
}

static void put_quality(const pp_view *v)
{
    if (!v->constraints->quality_not_measurable)
        return;
    pp_put(v, "<div class=\"banner warn\" role=\"note\"><strong>Quality not judged.</strong> The "
              "constraints say that quality could not be measured: whether the answers are any "
              "good played no part in this decision.</div>\n");
}

/* The largest of the runs' shares, with its limit. */
static void put_worst_share(const pp_view *v, const char *member, const char *limit_name,
                            const char *what)
{
    const pp_json *runs = pp_lookup_array(v->study, "runs");
    double worst = -1.0;
    double limit;

    for (size_t i = 0; i < pp_lookup_count(runs); i++) {
        double share;

        if (pp_lookup_number(runs->array.items[i], member, &share) && share > worst)
            worst = share;
    }
    if (worst < 0.0)
        return;
    pp_put(v, " ");
    pp_put(v, what);
    pp_put(v, " reached ");
    pp_put_number(v, worst);
    pp_put(v, "&nbsp;%");
    if (pp_lookup_number(pp_lookup_object(v->study, "noise_limits"), limit_name, &limit)) {
        pp_put(v, " (limit ");
        pp_put_number(v, limit);
        pp_put(v, "&nbsp;%)");
    }
    pp_put(v, ".");
}

static void put_run_count(const pp_view *v, const char *member, const char *what)
{
    size_t runs = pp_lookup_count(pp_lookup_array(v->study, "runs"));
    double count;

    if (!pp_lookup_number(v->study, member, &count) || count <= 0.0)
        return;
    pp_put_number(v, count);
    if (runs > 0) {
        pp_put(v, " of ");
        pp_put_count(v, runs);
    }
    pp_put(v, runs == 1 ? " run " : " runs ");
    pp_put(v, what);
}

static void put_noise(const pp_view *v)
{
    double count;

    if (!pp_lookup_number(v->study, "disturbed_run_count", &count) || count <= 0.0)
        return;
    pp_put(v, "<div class=\"banner warn\" role=\"note\"><strong>");
    put_run_count(v, "disturbed_run_count",
                  "disturbed.</strong> Something else used the machine "
                  "while it was measured; figures may be too slow.");
    put_worst_share(v, "foreign_percent_peak", "foreign_cpu_percent",
                    "Other processes' share of one core");
    put_worst_share(v, "steal_percent", "steal_percent", "Steal");
    pp_put(v, "</div>\n");
}

/* Blocks that were measured again: the figures are those of the last time. */
static void put_repeats(const pp_view *v)
{
    double count;

    if (!pp_lookup_number(v->study, "repeated_block_count", &count) || count <= 0.0)
        return;
    pp_put(v, "<div class=\"banner\" role=\"note\"><strong>");
    pp_put_number(v, count);
    pp_put(v, count == 1.0 ? " block" : " blocks");
    pp_put(v, " measured again.</strong> Something else used the machine during a run, so all "
              "candidates of that phase and pass were measured once more; earlier attempts are "
              "kept in the bundle, below attempts/.</div>\n");
}

static void put_failures(const pp_view *v)
{
    double count;

    if (!pp_lookup_number(v->study, "failed_run_count", &count) || count <= 0.0)
        return;
    pp_put(v, "<div class=\"banner warn\" role=\"note\"><strong>");
    put_run_count(v, "failed_run_count",
                  "failed.</strong> What they would have measured is "
                  "absent; the table of runs says why.");
    pp_put(v, "</div>\n");
}

static void put_classification(const pp_view *v)
{
    pp_text word;

    if (!pp_lookup_text(v->metadata, "classification", &word) || !pp_text_is(word, "exploratory"))
        return;
    pp_put(v, "<div class=\"banner\" role=\"note\"><strong>Exploratory.</strong> These figures "
              "guide a choice on this machine; they are no published benchmark.</div>\n");
}

void pp_section_banners(const pp_view *v)
{
    put_origin(v);
    put_quality(v);
    put_noise(v);
    put_repeats(v);
    put_failures(v);
    put_classification(v);
}
