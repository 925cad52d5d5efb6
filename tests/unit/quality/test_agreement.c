/* Divergences of small distributions, by algebra; the interval of 21 of 24 is the published one. */
#include "quality/agreement.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/fields.h"
#include "model/tables.h"
#include "shared.h"

/* A distribution: probabilities of tokens that are named by one letter; descending. */
typedef struct told {
    const char *letters; /* id and bytes of each */
    double p[26];        /* below 0: told as impossible */
} told;

static pp_next_token token_of(pp_arena *arena, const told *t, bool ids)
{
    size_t n = strlen(t->letters);
    pp_next_token out = {.told = {PP_ARENA_NEW(arena, pp_token_chance, n), n, 1}};

    for (size_t i = 0; i < n; i++) {
        pp_token_chance *c = &out.told.tokens[i];

        c->bytes = (pp_text){t->letters + i, 1};
        c->logprob = t->p[i] < 0 ? -9999 : log(t->p[i]);
        if (ids)
            c->id = pp_known_int(t->letters[i]);
        out.told.rest -= t->p[i] < 0 ? 0 : t->p[i];
    }
    if (out.told.rest < 0)
        out.told.rest = 0;
    return out;
}

static pp_agreement_side side_of(const char *name, const pp_next_token *answers)
{
    return (pp_agreement_side){
        .name = pp_text_of(name), .origin = PP_ORIGIN_MEASURED, .answers = answers};
}

static pp_suite_context *contexts_of(pp_arena *arena, size_t n)
{
    pp_suite_context *contexts = PP_ARENA_NEW(arena, pp_suite_context, n);

    for (size_t i = 0; i < n; i++)
        contexts[i].id = pp_text_of(pp_arena_printf(arena, "c%zu", i + 1));
    return contexts;
}

static pp_agreement compare(pp_arena *arena, const pp_next_token *p, const pp_next_token *q,
                            size_t n)
{
    pp_agreement_side reference = side_of("f16", p);
    pp_agreement_side candidate = side_of("q4", q);
    pp_agreement a;
    pp_error err = {0};

    assert_ok(pp_agreement_of(arena, contexts_of(arena, n), n, &reference, &candidate, &a, &err),
              err);
    return a;
}

/* ---- one context ----------------------------------------------------------------------------- */

#define LN_2 0.69314718055994530942
#define LN_3 1.09861228866810969140

static const struct {
    const char *name;
    told p, q;
    bool agrees, is_tied;
    double kl; /* below 0: infinite */
    size_t coarsened;
} rows[] = {
    {"the same", {"ab", {.75, .25}}, {"ab", {.75, .25}}, true, false, 0, 0},
    /* 3/4 ln 3 - 1/4 ln 3 */
    {"exchanged", {"ab", {.75, .25}}, {"ba", {.75, .25}}, false, false, 0.5 * LN_3, 0},
    /* 3/4 ln (3/2) + 1/4 ln (1/2) = 3/4 ln 3 - ln 2; either token may be the candidate's first */
    {"a tie agrees", {"ab", {.75, .25}}, {"ba", {.5, .5}}, true, true, 0.75 * LN_3 - LN_2, 0},
    {"a tie of others does not",
     {"abc", {.5, .25, .25}},
     {"cba", {.375, .375, .25}},
     false,
     true,
     /* 1/2 ln 2 + 1/2 ln (2/3) = ln 2 - 1/2 ln 3 */
     LN_2 - 0.5 * LN_3,
     0},
    /* b and c join the rest: 1/2 against 1/2, 1/2 against 1/2 */
    {"coarser, and equal then", {"abc", {.5, .25, .125}}, {"ax", {.5, .25}}, true, false, 0, 2},
    /* b joins: 1/2 ln 2 + 1/2 ln (2/3) */
    {"coarser, and different",
     {"ab", {.5, .25}},
     {"xa", {.5, .25}},
     false,
     false,
     LN_2 - 0.5 * LN_3,
     1},
    {"impossible", {"ab", {.75, .25}}, {"ab", {1, -1}}, true, false, -1, 0},
    {"impossible, and nearly so for the reference, too",
     {"ab", {1, 1e-7}},
     {"ab", {1, -1}},
     true,
     false,
     0,
     1},
    {"impossible for both", {"ab", {1, -1}}, {"ab", {1, -1}}, true, false, 0, 0},
    {"impossible for the reference: ln 2", {"ab", {1, -1}}, {"ab", {.5, .5}}, true, true, LN_2, 0},
    /* 22 tokens of 1/22: the last two are the rest, 2/22 against 2/22 */
    {"only twenty have a bin",
     {"abcdefghijklmnopqrstuv",
      {1 / 22., 1 / 22., 1 / 22., 1 / 22., 1 / 22., 1 / 22., 1 / 22., 1 / 22.,
       1 / 22., 1 / 22., 1 / 22., 1 / 22., 1 / 22., 1 / 22., 1 / 22., 1 / 22.,
       1 / 22., 1 / 22., 1 / 22., 1 / 22., 1 / 22., 1 / 22.}},
     {"uvabcdefghijklmnopqrst",
      {1 / 22., 1 / 22., 1 / 22., 1 / 22., 1 / 22., 1 / 22., 1 / 22., 1 / 22.,
       1 / 22., 1 / 22., 1 / 22., 1 / 22., 1 / 22., 1 / 22., 1 / 22., 1 / 22.,
       1 / 22., 1 / 22., 1 / 22., 1 / 22., 1 / 22., 1 / 22.}},
     true,
     true,
     0,
     0},
};

static void check_row(size_t i, bool p_ids, bool q_ids)
{
    pp_arena arena = {0};
    pp_next_token p = token_of(&arena, &rows[i].p, p_ids);
    pp_next_token q = token_of(&arena, &rows[i].q, q_ids);
    pp_agreement a = compare(&arena, &p, &q, 1);
    const pp_context_agreement *c = &a.contexts[0];

    if (a.gap != PP_AGREEMENT_THERE || !c->is_compared || c->agrees != rows[i].agrees ||
        c->is_tied != rows[i].is_tied || c->is_infinite != (rows[i].kl < 0) ||
        c->coarsened_count != rows[i].coarsened)
        fail_msg("%s: gap %d, agrees %d, tied %d, infinite %d, coarsened %zu", rows[i].name, a.gap,
                 c->agrees, c->is_tied, c->is_infinite, c->coarsened_count);
    assert_int_equal(c->kl_nats.known, rows[i].kl >= 0);
    if (rows[i].kl >= 0 && !(fabs(c->kl_nats.value - rows[i].kl) < 1e-6))
        fail_msg("%s: expected %.15g nats, got %.15g", rows[i].name, rows[i].kl, c->kl_nats.value);
    pp_arena_done(&arena);
}

static void one_context_is_as_algebra_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        check_row(i, true, true);
        check_row(i, true, false); /* told apart by bytes */
        check_row(i, false, false);
    }
}

/* Where nothing is near the resolution, only the last bits of log are lost. */
static void exact_cases_are_exact(void **state)
{
    static const told p = {"ab", {.5, .25}};
    static const told q = {"ab", {.25, .5}};
    pp_arena arena = {0};
    pp_next_token tp = token_of(&arena, &p, true);
    pp_next_token tq = token_of(&arena, &q, true);
    pp_agreement a = compare(&arena, &tp, &tq, 1);

    (void)state;
    assert_true(fabs(a.contexts[0].kl_nats.value - 0.25 * LN_2) < 1e-15);
    pp_arena_done(&arena);
}

/* A byte token and a piece with the same byte are one text: 1/4 + 1/4 against 1/2. */
static void by_bytes_the_same_text_is_one_token(void **state)
{
    static const told q = {"ba", {.5, .5}};
    pp_arena arena = {0};
    pp_token_chance three[] = {{.id = {true, 1}, .bytes = {"b", 1}, .logprob = -LN_2},
                               {.id = {true, 2}, .bytes = {"a", 1}, .logprob = -2 * LN_2},
                               {.id = {true, 3}, .bytes = {"a", 1}, .logprob = -2 * LN_2}};
    pp_next_token p = {.told = {three, 3, 0}};
    pp_next_token tq = token_of(&arena, &q, false);
    pp_agreement a = compare(&arena, &p, &tq, 1);

    (void)state;
    assert_int_equal(a.contexts[0].bin_count, 2);
    assert_true(a.contexts[0].kl_nats.known);
    assert_true(fabs(a.contexts[0].kl_nats.value) < 1e-12);
    pp_arena_done(&arena);
}

/* ---- all contexts ---------------------------------------------------------------------------- */

/* 24 contexts of which the first 21 agree. Divergence 0 where they do, 1/2 ln 3 where not. */
static pp_agreement published(pp_arena *arena)
{
    static const told same = {"ab", {.75, .25}};
    static const told other = {"ba", {.75, .25}};
    pp_next_token *p = PP_ARENA_NEW(arena, pp_next_token, 24);
    pp_next_token *q = PP_ARENA_NEW(arena, pp_next_token, 24);

    for (size_t i = 0; i < 24; i++) {
        p[i] = token_of(arena, &same, true);
        q[i] = token_of(arena, i < 21 ? &same : &other, true);
    }
    return compare(arena, p, q, 24);
}

static void a_summary_has_share_interval_mean_and_maximum(void **state)
{
    pp_arena arena = {0};
    pp_agreement a = published(&arena);

    (void)state;
    assert_int_equal(a.compared_count, 24);
    assert_int_equal(a.agree_count, 21);
    assert_true(a.top1_agreement.value == 21.0 / 24);
    assert_true(fabs(a.top1_lower.value - .676) < .0006);
    assert_true(fabs(a.top1_upper.value - .973) < .0006);
    assert_true(fabs(a.kl_nats_mean.value - 3 * 0.5 * LN_3 / 24) < 1e-6);
    assert_true(fabs(a.kl_nats_max.value - 0.5 * LN_3) < 1e-6);
    assert_int_equal(a.kl_max_context.value, 21);
    pp_arena_done(&arena);
}

static void an_infinite_one_leaves_no_mean(void **state)
{
    static const told p = {"ab", {.75, .25}};
    static const told q = {"ab", {1, -1}};
    pp_arena arena = {0};
    pp_next_token tp[2] = {token_of(&arena, &p, true), token_of(&arena, &p, true)};
    pp_next_token tq[2] = {tp[0], token_of(&arena, &q, true)};
    pp_agreement a = compare(&arena, tp, tq, 2);

    (void)state;
    assert_int_equal(a.gap, PP_AGREEMENT_THERE);
    assert_int_equal(a.infinite_count, 1);
    assert_false(a.kl_nats_mean.known);
    assert_false(a.kl_nats_max.known);
    assert_int_equal(a.kl_max_context.value, 1);
    assert_true(a.top1_agreement.value == 1);
    pp_arena_done(&arena);
}

/* ---- what is refused ------------------------------------------------------------------------- */

typedef struct refusal_case {
    const char *name;
    pp_origin reference_origin, candidate_origin;
    pp_maybe_bool reference_speculation, candidate_speculation;
    pp_token_refusal reference_refusal, candidate_refusal; /* of the second of two contexts */
    pp_agreement_gap gap;
    pp_token_refusal refusal;
    bool names_context;
    size_t compared;
} refusal_case;

static const refusal_case refusals[] = {
    {.name = "constructed weights are allowed",
     .candidate_origin = PP_ORIGIN_CONSTRUCTED_WEIGHTS,
     .compared = 2},
    {.name = "random weights of the candidate",
     .candidate_origin = PP_ORIGIN_SYNTHETIC_WEIGHTS,
     .gap = PP_AGREEMENT_SYNTHETIC_WEIGHTS},
    {.name = "random weights of the reference",
     .reference_origin = PP_ORIGIN_SYNTHETIC_WEIGHTS,
     .gap = PP_AGREEMENT_SYNTHETIC_WEIGHTS},
    {.name = "a server that says it does not speculate",
     .candidate_speculation = {true, false},
     .compared = 2},
    {.name = "a server that says it speculates",
     .candidate_speculation = {true, true},
     .gap = PP_AGREEMENT_CANDIDATE_REFUSED,
     .refusal = PP_TOKENS_SPECULATION},
    {.name = "a reference that speculates",
     .reference_speculation = {true, true},
     .candidate_speculation = {true, true},
     .gap = PP_AGREEMENT_REFERENCE_REFUSED,
     .refusal = PP_TOKENS_SPECULATION},
    {.name = "zeros of the candidate",
     .candidate_refusal = PP_TOKENS_ALL_ZERO,
     .gap = PP_AGREEMENT_CANDIDATE_REFUSED,
     .refusal = PP_TOKENS_ALL_ZERO,
     .names_context = true,
     .compared = 1},
    {.name = "the reference comes first",
     .reference_refusal = PP_TOKENS_TOO_FEW,
     .candidate_refusal = PP_TOKENS_ALL_ZERO,
     .gap = PP_AGREEMENT_REFERENCE_REFUSED,
     .refusal = PP_TOKENS_TOO_FEW,
     .names_context = true,
     .compared = 1},
    {.name = "a failed request",
     .candidate_refusal = PP_TOKENS_REQUEST_FAILED,
     .gap = PP_AGREEMENT_CANDIDATE_REFUSED,
     .refusal = PP_TOKENS_REQUEST_FAILED,
     .names_context = true,
     .compared = 1},
};

static pp_next_token maybe_refused(pp_next_token token, pp_token_refusal refusal)
{
    if (refusal == PP_TOKENS_TOLD)
        return token;
    return (pp_next_token){.refusal = refusal, .why = pp_text_of("because")};
}

static pp_agreement compare_case(pp_arena *arena, const refusal_case *r)
{
    static const told p = {"ab", {.75, .25}};
    pp_next_token good = token_of(arena, &p, true);
    pp_next_token *answers = PP_ARENA_NEW(arena, pp_next_token, 4);
    pp_agreement_side reference = side_of("f16", answers);
    pp_agreement_side candidate = side_of("q4", answers + 2);
    pp_agreement a;
    pp_error err = {0};

    answers[0] = answers[2] = good;
    answers[1] = maybe_refused(good, r->reference_refusal);
    answers[3] = maybe_refused(good, r->candidate_refusal);
    reference.origin = r->reference_origin;
    reference.speculation = r->reference_speculation;
    candidate.origin = r->candidate_origin;
    candidate.speculation = r->candidate_speculation;
    assert_ok(pp_agreement_of(arena, contexts_of(arena, 2), 2, &reference, &candidate, &a, &err),
              err);
    return a;
}

static void assert_case(const refusal_case *r, const pp_agreement *a)
{
    bool there = r->gap == PP_AGREEMENT_THERE;

    if (a->gap != r->gap || a->refusal != r->refusal || a->gap_context.known != r->names_context ||
        a->compared_count != r->compared)
        fail_msg("%s: gap %d, refusal %d, context %d, compared %zu", r->name, a->gap, a->refusal,
                 a->gap_context.known, a->compared_count);
    if (r->names_context)
        assert_int_equal(a->gap_context.value, 1);
    assert_int_equal(a->top1_agreement.known, there);
    assert_int_equal(a->top1_lower.known, there);
    assert_int_equal(a->kl_nats_mean.known, there);
}

static void what_means_nothing_is_no_figure(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(refusals); i++) {
        pp_arena arena = {0};
        pp_agreement a = compare_case(&arena, &refusals[i]);

        assert_case(&refusals[i], &a);
        pp_arena_done(&arena);
    }
}

static void no_contexts_are_a_gap(void **state)
{
    pp_arena arena = {0};
    pp_agreement a = compare(&arena, NULL, NULL, 0);

    (void)state;
    assert_int_equal(a.gap, PP_AGREEMENT_NO_CONTEXTS);
    assert_false(a.top1_agreement.known);
    pp_arena_done(&arena);
}

static void another_vocabulary_is_not_compared(void **state)
{
    static const told p = {"ab", {.75, .25}};
    pp_arena arena = {0};
    pp_next_token tp = token_of(&arena, &p, true);
    pp_next_token tq = token_of(&arena, &p, true);
    pp_agreement a;

    (void)state;
    tq.told.tokens[1].bytes = pp_text_of("x");
    a = compare(&arena, &tp, &tq, 1);
    assert_int_equal(a.gap, PP_AGREEMENT_CANDIDATE_REFUSED);
    assert_int_equal(a.refusal, PP_TOKENS_OTHER_VOCABULARY);
    assert_false(a.contexts[0].is_compared);
    pp_arena_done(&arena);
}

/* ---- the document ---------------------------------------------------------------------------- */

static const pp_json *written(pp_arena *arena, const pp_agreement *a, const char *from,
                              const char *to)
{
    const pp_json *root = NULL;
    pp_error err = {0};
    const char *at;
    pp_buf text, changed;

    pp_buf_init(&text, 1 << 20);
    pp_buf_init(&changed, 1 << 20);
    assert_ok(pp_json_write(pp_agreement_to_json(arena, a), PP_JSON_COMPACT, &text, &err), err);
    at = from == NULL ? NULL : strstr(pp_buf_text(&text), from);
    if (from != NULL && at == NULL)
        fail_msg("no '%s' in %s", from, pp_buf_text(&text));
    if (at != NULL) {
        pp_buf_append(&changed, text.data, (size_t)(at - text.data));
        pp_buf_append_text(&changed, to);
        pp_buf_append_text(&changed, at + strlen(from));
    } else {
        pp_buf_append(&changed, text.data, text.size);
    }
    assert_ok(pp_json_parse(arena, "part", pp_buf_text(&changed), changed.size, &root, &err), err);
    pp_buf_done(&text);
    pp_buf_done(&changed);
    return root;
}

static void a_part_follows_from_what_it_records(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(refusals); i++) {
        pp_agreement a = compare_case(&arena, &refusals[i]);
        pp_text *differences = NULL;
        size_t count = 1;

        assert_ok(
            pp_agreement_again(&arena, written(&arena, &a, NULL, NULL), &differences, &count, &err),
            err);
        assert_int_equal(count, 0);
    }
    pp_arena_done(&arena);
}

static const struct {
    const char *name, *from, *to, *difference;
} edits[] = {
    {"a better share", "\"reference_top1_agreement\":0.875", "\"reference_top1_agreement\":0.9",
     "$.summary.reference_top1_agreement: expected 0.875, which follows"},
    {"a count", "\"agree_count\":21", "\"agree_count\":22",
     "$.summary.agree_count: expected 21, which follows"},
    {"a context that agrees", "\"agrees\":false", "\"agrees\":true",
     "$.contexts[21].comparison.agrees: expected false, which follows"},
    {"no maximum", "\"reference_kl_max_context\":\"c22\"", "\"reference_kl_max_context\":null",
     "$.summary.reference_kl_max_context: expected \"c22\""},
    {"a better origin", "\"origin\":\"measured\"", "\"origin\":\"imported\"",
     "$.origin: expected \"measured\""},
};

static void what_does_not_follow_is_found(void **state)
{
    pp_error err = {0};

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(edits); i++) {
        pp_arena arena = {0};
        pp_agreement a = published(&arena);
        const pp_json *root = written(&arena, &a, edits[i].from, edits[i].to);
        pp_text *differences = NULL;
        size_t count = 0;

        assert_ok(pp_agreement_again(&arena, root, &differences, &count, &err), err);
        if (count != 1)
            fail_msg("%s: %zu differences", edits[i].name, count);
        assert_contains(differences[0].data, edits[i].difference);
        pp_arena_done(&arena);
    }
}

static const struct {
    const char *name, *from, *to, *error;
} broken[] = {
    {"probabilities that do not add up", "\"reference_rest\":0.0", "\"reference_rest\":0.5",
     "$.contexts[0].comparison: expected probabilities that add up to 1"},
    {"a rest above 1", "\"reference_rest\":0.0", "\"reference_rest\":1.5", "reference_rest"},
    {"no hexadecimal digits", "\"bytes_hex\":\"61\"", "\"bytes_hex\":\"6x\"", "hexadecimal"},
    {"half a byte", "\"bytes_hex\":\"61\"", "\"bytes_hex\":\"616\"", "even number"},
    {"a comparison beside a refusal", "\"candidate_refusal\":null",
     "\"candidate_refusal\":\"all-zero\"", "expected null beside a refusal"},
    {"figures in spite of random weights", "\"candidate_origin\":\"measured\"",
     "\"candidate_origin\":\"synthetic-weights\"", "nothing can be compared"},
    {"an unknown member", "\"summary\":{", "\"summary\":{\"more\":1,", "more"},
};

static void a_broken_part_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(broken); i++) {
        pp_arena arena = {0};
        pp_agreement a = published(&arena);
        pp_agreement back;
        pp_error err = {0};
        pp_status st = pp_agreement_decode(
            &arena, written(&arena, &a, broken[i].from, broken[i].to), &back, &err);

        if (st != PP_ERR_SCHEMA)
            fail_msg("%s: status %s", broken[i].name, pp_status_name(st));
        assert_contains(err.text, broken[i].error);
        pp_arena_done(&arena);
    }
}

/* The words that a table accepts are those of the enum, no more and no fewer. */
static size_t count_words(const pp_fields *fields, const char *member, const char *key)
{
    size_t n = 0;

    for (size_t i = 0; i < fields->row_count; i++) {
        const pp_field_type *type = &fields->rows[i].type;

        if (strcmp(fields->rows[i].key, member) == 0)
            return count_words(type->kind == PP_FIELD_LIST ? type->item->fields : type->fields, "",
                               key);
        if (strcmp(fields->rows[i].key, key) == 0 && type->kind == PP_FIELD_WORD)
            for (; type->words[n] != NULL; n++) {
                pp_token_refusal refusal;
                bool is_gap = strcmp(key, "gap") == 0;

                assert_true(is_gap ? strcmp(type->words[n],
                                            pp_agreement_gap_name((pp_agreement_gap)(n + 1))) == 0
                                   : pp_token_refusal_find(pp_text_of(type->words[n]), &refusal) &&
                                         refusal == (pp_token_refusal)(n + 1));
            }
    }
    return n;
}

static void words_of_tables_are_those_of_enums(void **state)
{
    (void)state;
    assert_int_equal(count_words(&pp_fidelity_fields, "contexts", "candidate_refusal"),
                     PP_TOKEN_REFUSAL_COUNT - 1);
    assert_int_equal(count_words(&pp_fidelity_fields, "summary", "gap"),
                     PP_AGREEMENT_GAP_COUNT - 1);
}

static pp_status compare_with_little_memory(const void *context, pp_error *err)
{
    const pp_next_token *tokens = context;
    pp_suite_context one = {.id = pp_text_of("c1")};
    pp_agreement_side reference = side_of("f16", tokens);
    pp_agreement_side candidate = side_of("q4", tokens + 1);
    pp_arena arena = {0};
    pp_text *differences = NULL;
    const pp_json *root;
    pp_agreement a;
    size_t count;
    pp_status st = pp_agreement_of(&arena, &one, 1, &reference, &candidate, &a, err);

    if (st == PP_OK) {
        root = pp_agreement_to_json(&arena, &a);
        st = pp_arena_check(&arena, err);
        if (st == PP_OK)
            st = pp_agreement_again(&arena, root, &differences, &count, err);
    }
    pp_arena_done(&arena);
    return st;
}

static void missing_memory_is_said(void **state)
{
    static const told p = {"ab", {.75, .25}};
    static const told q = {"ba", {.75, .25}};
    pp_arena arena = {0};
    pp_next_token tokens[2] = {token_of(&arena, &p, true), token_of(&arena, &q, true)};

    (void)state;
    assert_true(check_missing_memory(compare_with_little_memory, tokens) > 0);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_context_is_as_algebra_says),
        cmocka_unit_test(exact_cases_are_exact),
        cmocka_unit_test(by_bytes_the_same_text_is_one_token),
        cmocka_unit_test(a_summary_has_share_interval_mean_and_maximum),
        cmocka_unit_test(an_infinite_one_leaves_no_mean),
        cmocka_unit_test(what_means_nothing_is_no_figure),
        cmocka_unit_test(no_contexts_are_a_gap),
        cmocka_unit_test(another_vocabulary_is_not_compared),
        cmocka_unit_test(a_part_follows_from_what_it_records),
        cmocka_unit_test(what_does_not_follow_is_found),
        cmocka_unit_test(a_broken_part_is_refused),
        cmocka_unit_test(words_of_tables_are_those_of_enums),
        cmocka_unit_test(missing_memory_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
