/* How many of the drafted tokens were accepted in a level (G39). */
#include "capacity/level_parts.h"
#include "stats/share_of_groups.h"

/* One that says more was accepted than drafted says nothing. */
static bool tells(const pp_sample *s)
{
    return pp_sample_is_ok(s) && s->draft_tokens.known && s->draft_accepted_tokens.known &&
           s->draft_accepted_tokens.value >= 0 &&
           s->draft_accepted_tokens.value <= s->draft_tokens.value;
}

static void add_up(const pp_level_view *view, pp_load_speculation *out)
{
    for (size_t i = 0; i < view->judged_count; i++) {
        const pp_sample *s = view->judged[i];

        if (!tells(s))
            continue;
        out->request_count++;
        out->drafting_request_count += s->draft_tokens.value > 0;
        out->drafted_tokens += s->draft_tokens.value;
        out->accepted_tokens += s->draft_accepted_tokens.value;
    }
}

static double square_sum(const pp_level_view *view, double ratio)
{
    double sum = 0;

    for (size_t i = 0; i < view->judged_count; i++) {
        const pp_sample *s = view->judged[i];
        double off;

        if (!tells(s))
            continue;
        off = (double)s->draft_accepted_tokens.value - ratio * (double)s->draft_tokens.value;
        sum += off * off;
    }
    return sum;
}

void pp_level_put_speculation(const pp_level_view *view, pp_level_summary *summary)
{
    pp_load_speculation *out = &summary->speculation;
    pp_grouped_count count;
    pp_share_interval interval;
    double ratio;

    add_up(view, out);
    if (out->drafted_tokens == 0)
        return;
    ratio = (double)out->accepted_tokens / (double)out->drafted_tokens;
    count = (pp_grouped_count){out->drafting_request_count, out->drafted_tokens,
                               out->accepted_tokens, square_sum(view, ratio)};
    interval = pp_share_of_groups(&count, view->rules->confidence);
    out->acceptance_ratio = pp_known_real(ratio);
    out->low_ratio = (pp_maybe_real){interval.known, interval.low};
    out->high_ratio = (pp_maybe_real){interval.known, interval.high};
}
