#include "quality/agreement.h"

#include "stats/certify.h"
#include "stats/portable.h"

static const char *const gap_names[] = {NULL, "no-contexts", "synthetic-weights",
                                        "reference-refused", "candidate-refused"};
_Static_assert(PP_COUNT_OF(gap_names) == PP_AGREEMENT_GAP_COUNT, "a name for each gap");

const char *pp_agreement_gap_name(pp_agreement_gap gap)
{
    return gap < PP_AGREEMENT_GAP_COUNT ? gap_names[gap] : NULL;
}

/* ---- tokens of two lists --------------------------------------------------------------------- */

static bool tells_ids(const pp_token_distribution *d)
{
    return d->count > 0 && d->tokens[0].id.known;
}

static bool is_same(const pp_token_chance *a, const pp_token_chance *b)
{
    return a->id.known && b->id.known ? a->id.value == b->id.value
                                      : pp_text_equal(a->bytes, b->bytes);
}

static double probability(double logprob)
{
    return pp_portable_exp(logprob);
}

/* Probability of all tokens of the list that are this one for the other side; several where bytes
 * tell tokens apart: a byte token and a piece may have the same. */
static bool find_mass(const pp_token_distribution *d, const pp_token_chance *token,
                      double *ret_logprob)
{
    size_t count = 0;
    double sum = 0;

    for (size_t i = 0; i < d->count; i++) {
        if (!is_same(&d->tokens[i], token))
            continue;
        if (count++ == 0)
            *ret_logprob = d->tokens[i].logprob;
        sum += probability(d->tokens[i].logprob);
    }
    if (count > 1 && sum > 0)
        *ret_logprob = sum < 1 ? pp_portable_log(sum) : 0;
    return count > 0;
}

/* The same ids with other texts: two vocabularies, whose ids say nothing about each other. */
static bool same_vocabulary(const pp_token_distribution *a, const pp_token_distribution *b)
{
    if (!tells_ids(a) || !tells_ids(b))
        return true;
    for (size_t i = 0; i < a->count; i++) {
        for (size_t k = 0; k < b->count; k++) {
            if (a->tokens[i].id.value == b->tokens[k].id.value &&
                !pp_text_equal(a->tokens[i].bytes, b->tokens[k].bytes))
                return false;
        }
    }
    return true;
}

static size_t top_count(const pp_token_distribution *d)
{
    size_t n = 1;

    while (n < d->count && d->tokens[n].logprob == d->tokens[0].logprob)
        n++;
    return n;
}

/* ---- bins ------------------------------------------------------------------------------------ */

static bool has_earlier(const pp_context_agreement *c, const pp_token_chance *token)
{
    for (size_t i = 0; i < c->bin_count; i++) {
        if (is_same(&c->bins[i].token, token))
            return true;
    }
    return false;
}

static void fill_bins(pp_context_agreement *c, const pp_token_distribution *p,
                      const pp_token_distribution *q)
{
    bool by_bytes = !tells_ids(p) || !tells_ids(q);

    for (size_t i = 0; i < p->count && i < PP_AGREEMENT_TOKENS_MAX; i++) {
        pp_agreement_bin bin = {.token = p->tokens[i]};

        if (by_bytes)
            bin.token.id = (pp_maybe_int){0};
        if (probability(bin.token.logprob) == 0)
            break; /* and all behind it */
        if (has_earlier(c, &bin.token))
            continue; /* its probability is in the earlier bin */
        (void)find_mass(p, &bin.token, &bin.token.logprob);
        if (!find_mass(q, &bin.token, &bin.candidate_logprob) ||
            (probability(bin.candidate_logprob) == 0 &&
             probability(bin.token.logprob) <= PP_AGREEMENT_RESOLUTION))
            c->coarsened_count++;
        else
            c->bins[c->bin_count++] = bin;
    }
}

/* What the bins leave of 1, but not less than what the list holds outside them: a difference of
 * nearly equal numbers is no probability of 1e-12. */
static double rest_of(const pp_context_agreement *c, const pp_token_distribution *d, bool reference)
{
    double inside = 0;
    double outside = 0;

    for (size_t i = c->bin_count; i > 0; i--)
        inside += probability(reference ? c->bins[i - 1].token.logprob
                                        : c->bins[i - 1].candidate_logprob);
    for (size_t i = d->count; i > 0; i--) {
        if (!has_earlier(c, &d->tokens[i - 1]))
            outside += probability(d->tokens[i - 1].logprob);
    }
    if (outside > 1)
        outside = 1;
    return 1 - inside > outside ? 1 - inside : outside;
}

static pp_status compare(pp_arena *arena, const pp_token_distribution *p,
                         const pp_token_distribution *q, pp_context_agreement *c, pp_error *err)
{
    c->bins = PP_ARENA_NEW(arena, pp_agreement_bin, PP_AGREEMENT_TOKENS_MAX);
    if (c->bins == NULL)
        return pp_arena_check(arena, err);
    c->is_compared = true;
    c->reference_top = p->tokens;
    c->reference_top_count = top_count(p);
    c->candidate_top = q->tokens;
    c->candidate_top_count = top_count(q);
    fill_bins(c, p, q);
    c->reference_rest = rest_of(c, p, true);
    c->candidate_rest = rest_of(c, q, false);
    return PP_OK;
}

static void record_refusals(pp_context_agreement *c, const pp_next_token *reference,
                            const pp_next_token *candidate)
{
    c->reference_refusal = reference->refusal;
    c->reference_why = reference->why;
    c->candidate_refusal = candidate->refusal;
    c->candidate_why = candidate->why;
    if (reference->refusal == PP_TOKENS_TOLD && candidate->refusal == PP_TOKENS_TOLD &&
        !same_vocabulary(&reference->told, &candidate->told)) {
        c->candidate_refusal = PP_TOKENS_OTHER_VOCABULARY;
        c->candidate_why = pp_text_of("a token id means another text than in the reference");
    }
}

/* ---- what follows ---------------------------------------------------------------------------- */

static bool is_true(pp_maybe_bool value)
{
    return value.known && value.value;
}

/* Something that makes every context worthless. */
static bool take_general_gap(pp_agreement *a)
{
    if (a->context_count == 0)
        a->gap = PP_AGREEMENT_NO_CONTEXTS;
    else if (a->reference_origin == PP_ORIGIN_SYNTHETIC_WEIGHTS ||
             a->candidate_origin == PP_ORIGIN_SYNTHETIC_WEIGHTS)
        a->gap = PP_AGREEMENT_SYNTHETIC_WEIGHTS;
    else if (is_true(a->reference_speculation))
        a->gap = PP_AGREEMENT_REFERENCE_REFUSED;
    else if (is_true(a->candidate_speculation))
        a->gap = PP_AGREEMENT_CANDIDATE_REFUSED;
    if (a->gap == PP_AGREEMENT_REFERENCE_REFUSED || a->gap == PP_AGREEMENT_CANDIDATE_REFUSED)
        a->refusal = PP_TOKENS_SPECULATION;
    return a->gap != PP_AGREEMENT_THERE;
}

static bool take_refusal(pp_agreement *a, pp_agreement_gap gap)
{
    for (size_t i = 0; i < a->context_count && a->gap == PP_AGREEMENT_THERE; i++) {
        pp_token_refusal refusal = gap == PP_AGREEMENT_REFERENCE_REFUSED
                                       ? a->contexts[i].reference_refusal
                                       : a->contexts[i].candidate_refusal;

        if (refusal == PP_TOKENS_TOLD)
            continue;
        a->gap = gap;
        a->refusal = refusal;
        a->gap_context = pp_known_int((int64_t)i);
    }
    return a->gap != PP_AGREEMENT_THERE;
}

static bool tops_meet(const pp_context_agreement *c)
{
    for (size_t i = 0; i < c->reference_top_count; i++) {
        for (size_t k = 0; k < c->candidate_top_count; k++) {
            if (is_same(&c->reference_top[i], &c->candidate_top[k]))
                return true;
        }
    }
    return false;
}

/* Nobody has said that what is not listed is impossible, and what single precision leaves of 1 is
 * no probability: the candidate's rest counts as at least that much. */
static double rest_term(double p, double q)
{
    if (q < PP_AGREEMENT_RESOLUTION)
        q = PP_AGREEMENT_RESOLUTION;
    return p > 0 ? p * (pp_portable_log(p) - pp_portable_log(q)) : 0;
}

static void derive_kl(pp_context_agreement *c)
{
    double sum = rest_term(c->reference_rest, c->candidate_rest);

    for (size_t i = c->bin_count; i > 0; i--) {
        const pp_agreement_bin *bin = &c->bins[i - 1];

        if (probability(bin->candidate_logprob) == 0)
            c->is_infinite = true;
        else
            sum += probability(bin->token.logprob) * (bin->token.logprob - bin->candidate_logprob);
    }
    if (!c->is_infinite)
        c->kl_nats = pp_known_real(sum > 0 ? sum : 0); /* below 0 is rounding */
}

static void derive_context(pp_context_agreement *c)
{
    c->agrees = tops_meet(c);
    c->is_tied = c->reference_top_count > 1 || c->candidate_top_count > 1;
    derive_kl(c);
}

static void count_context(pp_agreement *a, const pp_context_agreement *c)
{
    a->compared_count++;
    a->agree_count += c->agrees;
    a->tied_count += c->is_tied;
    a->coarsened_count += c->coarsened_count;
    a->infinite_count += c->is_infinite;
}

static void take_top1(pp_agreement *a)
{
    int64_t n = (int64_t)a->compared_count;
    int64_t k = (int64_t)a->agree_count;
    pp_share_interval interval = pp_share_interval_of(k, n, PP_AGREEMENT_CONFIDENCE);

    a->top1_agreement = pp_known_real((double)k / (double)n);
    a->top1_lower = pp_known_real(interval.lower);
    a->top1_upper = pp_known_real(interval.upper);
}

static void take_kl(pp_agreement *a)
{
    double sum = 0;

    for (size_t i = 0; i < a->context_count; i++) {
        const pp_context_agreement *c = &a->contexts[i];

        if (a->infinite_count > 0) {
            if (c->is_infinite && !a->kl_max_context.known)
                a->kl_max_context = pp_known_int((int64_t)i);
            continue;
        }
        sum += c->kl_nats.value;
        if (!a->kl_nats_max.known || c->kl_nats.value > a->kl_nats_max.value) {
            a->kl_nats_max = c->kl_nats;
            a->kl_max_context = pp_known_int((int64_t)i);
        }
    }
    if (a->infinite_count == 0)
        a->kl_nats_mean = pp_known_real(sum / (double)a->context_count);
}

void pp_agreement_derive(pp_agreement *a)
{
    bool worthless = take_general_gap(a);

    if (worthless)
        return;
    for (size_t i = 0; i < a->context_count; i++) {
        if (!a->contexts[i].is_compared)
            continue;
        derive_context(&a->contexts[i]);
        count_context(a, &a->contexts[i]);
    }
    if (take_refusal(a, PP_AGREEMENT_REFERENCE_REFUSED) ||
        take_refusal(a, PP_AGREEMENT_CANDIDATE_REFUSED))
        return;
    take_top1(a);
    take_kl(a);
}

pp_status pp_agreement_of(pp_arena *arena, const pp_suite_context *contexts, size_t context_count,
                          const pp_agreement_side *reference, const pp_agreement_side *candidate,
                          pp_agreement *ret_agreement, pp_error *err)
{
    pp_agreement a = {
        .reference_name = reference->name,
        .reference_origin = reference->origin,
        .candidate_origin = candidate->origin,
        .reference_speculation = reference->speculation,
        .candidate_speculation = candidate->speculation,
        .contexts = PP_ARENA_NEW(arena, pp_context_agreement, context_count),
        .context_count = context_count,
    };
    pp_agreement look = a;
    bool worthless = take_general_gap(&look);
    pp_status st = pp_arena_check(arena, err);

    for (size_t i = 0; i < context_count && st == PP_OK; i++) {
        pp_context_agreement *c = &a.contexts[i];

        c->id = contexts[i].id;
        record_refusals(c, &reference->answers[i], &candidate->answers[i]);
        if (!worthless && c->reference_refusal == PP_TOKENS_TOLD &&
            c->candidate_refusal == PP_TOKENS_TOLD)
            st = compare(arena, &reference->answers[i].told, &candidate->answers[i].told, c, err);
    }
    if (st != PP_OK)
        return st;
    pp_agreement_derive(&a);
    *ret_agreement = a;
    return PP_OK;
}
