/* Several passes as one evaluation. */
#include <string.h>

#include "quality/evaluation.h"

/* ---- alike ------------------------------------------------------------------------------------
 */

static bool same_accepted(const pp_evaluation_case *a, const pp_evaluation_case *b)
{
    if (a->accepted_count != b->accepted_count)
        return false;
    for (size_t i = 0; i < a->accepted_count; i++) {
        if (!pp_text_equal(a->accepted[i], b->accepted[i]))
            return false;
    }
    return true;
}

static const char *case_difference(const pp_evaluation_case *a, const pp_evaluation_case *b)
{
    if (!pp_text_equal(a->id, b->id))
        return "id";
    if (!pp_text_equal(a->prompt, b->prompt))
        return "prompt";
    if (a->match_mode != b->match_mode)
        return "match_mode";
    return same_accepted(a, b) ? NULL : "accepted_answers";
}

static const char *difference(const pp_server_evaluation *a, const pp_server_evaluation *b)
{
    if (!pp_text_equal(a->candidate_id, b->candidate_id))
        return "candidate_id";
    if (a->synthetic != b->synthetic)
        return "synthetic";
    if (!pp_text_equal(a->suite_id, b->suite_id))
        return "suite.id";
    if (!pp_text_equal(a->suite_license, b->suite_license))
        return "suite.license";
    if (strcmp(a->suite_sha256, b->suite_sha256) != 0)
        return "suite.sha256";
    if (a->repetitions != b->repetitions)
        return "suite.performance_repetitions";
    if (a->warmups != b->warmups)
        return "suite.performance_warmups";
    if (a->generation_tokens != b->generation_tokens)
        return "suite.generation_tokens";
    return a->case_count == b->case_count ? NULL : "suite.quality_case_count";
}

static pp_status check_alike(const pp_server_evaluation *evaluations, const char *const *names,
                             size_t at, pp_error *err)
{
    const pp_server_evaluation *first = &evaluations[0];
    const pp_server_evaluation *other = &evaluations[at];
    const char *what = difference(first, other);

    if (what != NULL)
        return pp_fail(err, PP_ERR_DOMAIN, "'%s' and '%s' differ in $.%s", names[0], names[at],
                       what);
    for (size_t i = 0; i < first->case_count; i++) {
        what = case_difference(&first->cases[i], &other->cases[i]);
        if (what != NULL)
            return pp_fail(err, PP_ERR_DOMAIN, "'%s' and '%s' differ in $.quality.cases[%zu].%s",
                           names[0], names[at], i, what);
    }
    return PP_OK;
}

/* ---- flips ------------------------------------------------------------------------------------
 */

static bool has_flipped(const pp_server_evaluation *evaluations, size_t count, size_t at)
{
    const pp_evaluation_case *first = &evaluations[0].cases[at];

    for (size_t pass = 1; pass < count; pass++) {
        const pp_evaluation_case *c = &evaluations[pass].cases[at];

        if (c->matched != first->matched ||
            (c->matched && !pp_text_equal(c->matched_answer, first->matched_answer)))
            return true;
    }
    return false;
}

static const char *shown(pp_arena *arena, pp_text text)
{
    char out[64];

    pp_text_escape_controls(text.data, text.size, out, sizeof out);
    return pp_arena_dup(arena, out, strlen(out));
}

/* "a.json: matched "YES", b.json: no match in "NO"" */
static const char *what_each_gave(pp_arena *arena, const pp_server_evaluation *evaluations,
                                  const char *const *names, size_t count, size_t at)
{
    const char *text = "";

    for (size_t pass = 0; text != NULL && pass < count; pass++) {
        const pp_evaluation_case *c = &evaluations[pass].cases[at];

        text = pp_arena_printf(arena, "%s%s%s: %s \"%s\"", text, pass == 0 ? "" : ", ", names[pass],
                               c->matched ? "matched" : "no match in",
                               shown(arena, c->matched ? c->matched_answer : c->response));
    }
    return text;
}

pp_status pp_evaluation_find_flips(pp_arena *arena, const pp_server_evaluation *evaluations,
                                   const char *const *names, size_t count,
                                   pp_evaluation_flip **ret_flips, size_t *ret_flip_count,
                                   pp_error *err)
{
    size_t case_count = evaluations[0].case_count;
    pp_evaluation_flip *flips = PP_ARENA_NEW(arena, pp_evaluation_flip, case_count);
    size_t n = 0;

    for (size_t i = 0; flips != NULL && i < case_count; i++) {
        if (has_flipped(evaluations, count, i))
            flips[n++] = (pp_evaluation_flip){evaluations[0].cases[i].id,
                                              what_each_gave(arena, evaluations, names, count, i)};
    }
    *ret_flips = flips;
    *ret_flip_count = n;
    return pp_arena_check(arena, err);
}

static pp_status refuse_flips(pp_arena *arena, const pp_server_evaluation *evaluations,
                              const char *const *names, size_t count, pp_error *err)
{
    pp_evaluation_flip *flips;
    size_t n;
    const char *text = "";
    pp_status st = pp_evaluation_find_flips(arena, evaluations, names, count, &flips, &n, err);

    if (st != PP_OK || n == 0)
        return st;
    for (size_t i = 0; text != NULL && i < n; i++)
        text = pp_arena_printf(arena, "%s%s\"%s\" (%s)", text, i == 0 ? "" : "; ",
                               shown(arena, flips[i].case_id), flips[i].gave);
    st = pp_arena_check(arena, err);
    if (st != PP_OK)
        return st;
    return pp_fail(err, PP_ERR_DOMAIN, "%zu case%s not come out alike in every pass: %s", n,
                   n == 1 ? " does" : "s do", text);
}

/* ---- pooling ----------------------------------------------------------------------------------
 */

static pp_status take_samples(pp_arena *arena, const pp_server_evaluation *evaluations,
                              size_t count, pp_server_evaluation *pooled, pp_error *err)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        n += evaluations[i].sample_count;
    pooled->samples = PP_ARENA_NEW(arena, pp_evaluation_sample, n);
    pooled->sample_count = 0;
    for (size_t i = 0; pooled->samples != NULL && i < count; i++) {
        memcpy(&pooled->samples[pooled->sample_count], evaluations[i].samples,
               evaluations[i].sample_count * sizeof *pooled->samples);
        pooled->sample_count += evaluations[i].sample_count;
    }
    return pp_arena_check(arena, err);
}

static pp_status check_total(const char *what, int64_t each, size_t count, int64_t most,
                             pp_error *err)
{
    if (each * (int64_t)count > most * PP_EVALUATION_MAX_POOLED)
        return pp_fail(err, PP_ERR_DOMAIN,
                       "expected at most %lld %s in all, got %zu times %lld; is one of them pooled "
                       "already?",
                       (long long)most * PP_EVALUATION_MAX_POOLED, what, count, (long long)each);
    return PP_OK;
}

static pp_status check_size(const pp_server_evaluation *evaluations, size_t count, pp_error *err)
{
    pp_status st;

    if (count < PP_EVALUATION_MIN_POOLED || count > PP_EVALUATION_MAX_POOLED)
        return pp_fail(err, PP_ERR_DOMAIN, "expected %d to %d evaluations, got %zu",
                       PP_EVALUATION_MIN_POOLED, PP_EVALUATION_MAX_POOLED, count);
    st = check_total("measured requests", evaluations[0].repetitions, count,
                     PP_EVALUATION_MAX_REPETITIONS, err);
    return st == PP_OK ? check_total("warm-up requests", evaluations[0].warmups, count,
                                     PP_EVALUATION_MAX_WARMUPS, err)
                       : st;
}

pp_status pp_evaluation_pool(pp_arena *arena, const pp_server_evaluation *evaluations,
                             const char *const *names, size_t count,
                             pp_server_evaluation *ret_pooled, pp_error *err)
{
    pp_server_evaluation pooled;
    pp_status st = check_size(evaluations, count, err);

    for (size_t i = 1; st == PP_OK && i < count; i++)
        st = check_alike(evaluations, names, i, err);
    if (st == PP_OK)
        st = refuse_flips(arena, evaluations, names, count, err);
    if (st == PP_OK) {
        pooled = evaluations[0];
        pooled.repetitions *= (int64_t)count;
        pooled.warmups *= (int64_t)count;
        st = take_samples(arena, evaluations, count, &pooled, err);
    }
    if (st == PP_OK)
        st = pp_evaluation_derive_latency(arena, &pooled, err);
    if (st == PP_OK)
        *ret_pooled = pooled;
    return pp_wrap(err, st, "pooling evaluations");
}
