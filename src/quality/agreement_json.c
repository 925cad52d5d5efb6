#include "quality/agreement.h"

#include <math.h>
#include <stdio.h>

#include "model/fields.h"
#include "model/tables.h"
#include "stats/portable.h"
#include "json/hex.h"

/* ---- writing --------------------------------------------------------------------------------- */

/* The text is for people and absent where the bytes are none; the bytes are what counts. */
static pp_json *token_json(pp_arena *arena, const pp_token_chance *token, const char *logprob_key)
{
    pp_json *object = pp_json_new_object(arena);

    pp_json_set_maybe_int(arena, object, "id", token->id);
    if (pp_utf8_is_valid(token->bytes.data, token->bytes.size))
        pp_json_set_text(arena, object, "text", token->bytes);
    else
        pp_json_set_null(arena, object, "text");
    pp_json_set(arena, object, "bytes_hex",
                pp_json_new_hex(arena, (pp_bytes){(const unsigned char *)token->bytes.data,
                                                  token->bytes.size}));
    pp_json_set_real(arena, object, logprob_key, token->logprob);
    return object;
}

static void set_tokens(pp_arena *arena, pp_json *object, const char *key,
                       const pp_token_chance *tokens, size_t n)
{
    pp_json *list = pp_json_new_array(arena);

    for (size_t i = 0; i < n; i++)
        pp_json_add(arena, list, token_json(arena, &tokens[i], "logprob"));
    pp_json_set(arena, object, key, list);
}

static void set_bins(pp_arena *arena, pp_json *object, const pp_context_agreement *c)
{
    pp_json *list = pp_json_new_array(arena);

    for (size_t i = 0; i < c->bin_count; i++) {
        pp_json *bin = token_json(arena, &c->bins[i].token, "reference_logprob");

        pp_json_set_real(arena, bin, "candidate_logprob", c->bins[i].candidate_logprob);
        pp_json_add(arena, list, bin);
    }
    pp_json_set(arena, object, "tokens", list);
}

static pp_json *comparison_json(pp_arena *arena, const pp_context_agreement *c)
{
    pp_json *object = pp_json_new_object(arena);

    set_tokens(arena, object, "reference_top", c->reference_top, c->reference_top_count);
    set_tokens(arena, object, "candidate_top", c->candidate_top, c->candidate_top_count);
    set_bins(arena, object, c);
    pp_json_set_real(arena, object, "reference_rest", c->reference_rest);
    pp_json_set_real(arena, object, "candidate_rest", c->candidate_rest);
    pp_json_set_int(arena, object, "coarsened_count", (int64_t)c->coarsened_count);
    pp_json_set_bool(arena, object, "agrees", c->agrees);
    pp_json_set_bool(arena, object, "is_tied", c->is_tied);
    pp_json_set_bool(arena, object, "is_infinite", c->is_infinite);
    pp_json_set_maybe_real(arena, object, "kl_nats", c->kl_nats);
    return object;
}

static pp_json *context_json(pp_arena *arena, const pp_context_agreement *c)
{
    pp_json *object = pp_json_new_object(arena);

    pp_json_set_text(arena, object, "id", c->id);
    pp_json_set_string(arena, object, "reference_refusal",
                       pp_token_refusal_name(c->reference_refusal));
    pp_json_set_maybe_text(arena, object, "reference_why", c->reference_why);
    pp_json_set_string(arena, object, "candidate_refusal",
                       pp_token_refusal_name(c->candidate_refusal));
    pp_json_set_maybe_text(arena, object, "candidate_why", c->candidate_why);
    if (c->is_compared)
        pp_json_set(arena, object, "comparison", comparison_json(arena, c));
    else
        pp_json_set_null(arena, object, "comparison");
    return object;
}

static void set_context_id(pp_arena *arena, pp_json *object, const char *key, const pp_agreement *a,
                           pp_maybe_int context)
{
    if (context.known)
        pp_json_set_text(arena, object, key, a->contexts[context.value].id);
    else
        pp_json_set_null(arena, object, key);
}

static pp_json *summary_json(pp_arena *arena, const pp_agreement *a)
{
    pp_json *s = pp_json_new_object(arena);

    pp_json_set_int(arena, s, "context_count", (int64_t)a->context_count);
    pp_json_set_int(arena, s, "compared_count", (int64_t)a->compared_count);
    pp_json_set_string(arena, s, "gap", pp_agreement_gap_name(a->gap));
    pp_json_set_string(arena, s, "gap_refusal", pp_token_refusal_name(a->refusal));
    set_context_id(arena, s, "gap_context", a, a->gap_context);
    pp_json_set_int(arena, s, "agree_count", (int64_t)a->agree_count);
    pp_json_set_int(arena, s, "tied_count", (int64_t)a->tied_count);
    pp_json_set_int(arena, s, "coarsened_count", (int64_t)a->coarsened_count);
    pp_json_set_int(arena, s, "infinite_count", (int64_t)a->infinite_count);
    pp_json_set_maybe_real(arena, s, "reference_top1_agreement", a->top1_agreement);
    pp_json_set_maybe_real(arena, s, "reference_top1_agreement_lower", a->top1_lower);
    pp_json_set_maybe_real(arena, s, "reference_top1_agreement_upper", a->top1_upper);
    pp_json_set_maybe_real(arena, s, "reference_kl_nats_mean", a->kl_nats_mean);
    pp_json_set_maybe_real(arena, s, "reference_kl_nats_max", a->kl_nats_max);
    set_context_id(arena, s, "reference_kl_max_context", a, a->kl_max_context);
    return s;
}

pp_json *pp_agreement_to_json(pp_arena *arena, const pp_agreement *a)
{
    pp_json *root = pp_json_new_object(arena);
    pp_json *contexts = pp_json_new_array(arena);
    pp_origin worst = pp_origin_worst(a->reference_origin, a->candidate_origin);

    pp_json_set_text(arena, root, "reference", a->reference_name);
    pp_json_set_string(arena, root, "reference_origin", pp_origin_name(a->reference_origin));
    pp_json_set_string(arena, root, "candidate_origin", pp_origin_name(a->candidate_origin));
    pp_json_set_string(arena, root, "origin", pp_origin_name(worst));
    pp_json_set_maybe_bool(arena, root, "reference_speculation", a->reference_speculation);
    pp_json_set_maybe_bool(arena, root, "candidate_speculation", a->candidate_speculation);
    for (size_t i = 0; i < a->context_count; i++)
        pp_json_add(arena, contexts, context_json(arena, &a->contexts[i]));
    pp_json_set(arena, root, "contexts", contexts);
    pp_json_set(arena, root, "summary", summary_json(arena, a));
    return root;
}

/* ---- reading --------------------------------------------------------------------------------- */

static const pp_json *given(const pp_json *object, const char *key)
{
    const pp_json *value = pp_json_find(object, key);

    return value != NULL && value->kind != PP_JSON_NULL ? value : NULL;
}

static pp_maybe_bool maybe_bool(const pp_json *object, const char *key)
{
    const pp_json *value = given(object, key);

    return value != NULL ? pp_known_bool(value->boolean) : (pp_maybe_bool){0};
}

static pp_status read_token(pp_arena *arena, const pp_json *object, const char *logprob_key,
                            pp_token_chance *out, pp_error *err)
{
    const pp_json *id = given(object, "id");
    pp_bytes bytes = {0};
    pp_status st;

    out->id = id != NULL ? pp_known_int(id->integer) : (pp_maybe_int){0};
    out->logprob = pp_checked_number(object, logprob_key);
    st = pp_json_get_hex(arena, pp_json_find(object, "bytes_hex"), &bytes, err);
    if (st == PP_OK)
        out->bytes = (pp_text){(const char *)bytes.data, bytes.size};
    return st;
}

static pp_status read_tokens(pp_arena *arena, const pp_json *list, const pp_token_chance **ret,
                             size_t *ret_count, pp_error *err)
{
    pp_token_chance *tokens = PP_ARENA_NEW(arena, pp_token_chance, list->array.count);
    pp_status st = pp_arena_check(arena, err);

    for (size_t i = 0; i < list->array.count && st == PP_OK; i++) {
        st = read_token(arena, list->array.items[i], "logprob", &tokens[i], err);
        if (st == PP_OK && tokens[i].logprob != tokens[0].logprob)
            st = pp_json_fail(list->array.items[i], err,
                              "expected the log-probability of the first one: these are the most "
                              "probable tokens");
    }
    *ret = tokens;
    *ret_count = list->array.count;
    return st;
}

static pp_status read_bins(pp_arena *arena, const pp_json *list, pp_context_agreement *c,
                           pp_error *err)
{
    pp_status st;

    c->bins = PP_ARENA_NEW(arena, pp_agreement_bin, list->array.count);
    c->bin_count = list->array.count;
    st = pp_arena_check(arena, err);
    for (size_t i = 0; i < c->bin_count && st == PP_OK; i++) {
        const pp_json *item = list->array.items[i];

        st = read_token(arena, item, "reference_logprob", &c->bins[i].token, err);
        c->bins[i].candidate_logprob = pp_checked_number(item, "candidate_logprob");
    }
    return st;
}

static pp_status check_sums(const pp_json *at, const pp_context_agreement *c, pp_error *err)
{
    double reference = c->reference_rest;
    double candidate = c->candidate_rest;

    for (size_t i = 0; i < c->bin_count; i++) {
        reference += pp_portable_exp(c->bins[i].token.logprob);
        candidate += pp_portable_exp(c->bins[i].candidate_logprob);
    }
    if (fabs(reference - 1) > 2 * PP_PROBABILITY_ROUNDING ||
        fabs(candidate - 1) > 2 * PP_PROBABILITY_ROUNDING)
        return pp_json_fail(at, err,
                            "expected probabilities that add up to 1 with the rest, got %.9g for "
                            "the reference and %.9g for the candidate",
                            reference, candidate);
    return PP_OK;
}

static pp_status read_comparison(pp_arena *arena, const pp_json *at, pp_context_agreement *c,
                                 pp_error *err)
{
    pp_status st;

    c->is_compared = true;
    c->reference_rest = pp_checked_number(at, "reference_rest");
    c->candidate_rest = pp_checked_number(at, "candidate_rest");
    c->coarsened_count = (size_t)pp_checked_int(at, "coarsened_count");
    st = read_tokens(arena, pp_checked_list(at, "reference_top"), &c->reference_top,
                     &c->reference_top_count, err);
    if (st == PP_OK)
        st = read_tokens(arena, pp_checked_list(at, "candidate_top"), &c->candidate_top,
                         &c->candidate_top_count, err);
    if (st == PP_OK)
        st = read_bins(arena, pp_checked_list(at, "tokens"), c, err);
    return st == PP_OK ? check_sums(at, c, err) : st;
}

static void read_refusal(const pp_json *object, const char *key, const char *why_key,
                         pp_token_refusal *ret_refusal, pp_text *ret_why)
{
    const pp_json *word = given(object, key);
    const pp_json *why = given(object, why_key);

    if (word != NULL)
        PP_ASSERT(pp_token_refusal_find(word->text, ret_refusal)); /* the table has checked it */
    if (why != NULL)
        *ret_why = why->text;
}

static pp_status read_context(pp_arena *arena, const pp_json *at, pp_context_agreement *c,
                              pp_error *err)
{
    const pp_json *comparison = given(at, "comparison");

    c->id = pp_checked_text(at, "id");
    read_refusal(at, "reference_refusal", "reference_why", &c->reference_refusal,
                 &c->reference_why);
    read_refusal(at, "candidate_refusal", "candidate_why", &c->candidate_refusal,
                 &c->candidate_why);
    if (comparison == NULL)
        return PP_OK;
    if (c->reference_refusal != PP_TOKENS_TOLD || c->candidate_refusal != PP_TOKENS_TOLD)
        return pp_json_fail(comparison, err, "expected null beside a refusal");
    return read_comparison(arena, comparison, c, err);
}

/* A context without a comparison needs a reason, its own or one of the whole server. */
static pp_status check_gaps(const pp_json *contexts, const pp_agreement *a, pp_error *err)
{
    bool general = a->gap != PP_AGREEMENT_THERE && !a->gap_context.known;

    for (size_t i = 0; i < a->context_count; i++) {
        const pp_context_agreement *c = &a->contexts[i];
        bool may = !general && c->reference_refusal == PP_TOKENS_TOLD &&
                   c->candidate_refusal == PP_TOKENS_TOLD;

        if (may != c->is_compared)
            return pp_json_fail(pp_json_find(contexts->array.items[i], "comparison"), err,
                                may ? "expected a comparison, as nothing was refused"
                                    : "expected null: nothing can be compared with this server");
    }
    return PP_OK;
}

pp_status pp_agreement_decode(pp_arena *arena, const pp_json *root, pp_agreement *ret_agreement,
                              pp_error *err)
{
    pp_agreement a = {0};
    const pp_json *contexts;
    pp_status st = pp_fields_check(root, &pp_fidelity_fields, err);

    if (st != PP_OK)
        return st;
    contexts = pp_checked_list(root, "contexts");
    a.reference_name = pp_checked_text(root, "reference");
    a.reference_speculation = maybe_bool(root, "reference_speculation");
    a.candidate_speculation = maybe_bool(root, "candidate_speculation");
    a.context_count = contexts->array.count;
    a.contexts = PP_ARENA_NEW(arena, pp_context_agreement, a.context_count);
    st = pp_arena_check(arena, err);
    if (st == PP_OK)
        st = pp_origin_parse(pp_checked_text(root, "reference_origin"), &a.reference_origin, err);
    if (st == PP_OK)
        st = pp_origin_parse(pp_checked_text(root, "candidate_origin"), &a.candidate_origin, err);
    for (size_t i = 0; i < a.context_count && st == PP_OK; i++)
        st = read_context(arena, contexts->array.items[i], &a.contexts[i], err);
    if (st != PP_OK)
        return st;
    pp_agreement_derive(&a);
    *ret_agreement = a;
    return check_gaps(contexts, &a, err);
}

/* ---- made again ------------------------------------------------------------------------------ */

typedef struct differences {
    pp_arena *arena;
    pp_text *texts;
    size_t count, capacity;
} differences;

static void show(const pp_json *value, char *out, size_t size)
{
    pp_buf text;

    pp_buf_init(&text, 1 << 20);
    if (pp_json_write(value, PP_JSON_COMPACT, &text, NULL) == PP_OK)
        pp_text_escape_controls(pp_buf_text(&text), text.size, out, size);
    else
        (void)snprintf(out, size, "%s", pp_json_kind_name(value));
    pp_buf_done(&text);
}

static void add_difference(differences *d, const pp_json *got, const pp_json *want)
{
    char path[PP_JSON_PATH_MAX];
    char expected[120], found[120];
    char *text;

    if (d->count == d->capacity) {
        size_t capacity = d->capacity == 0 ? 8 : 2 * d->capacity;
        pp_text *more = PP_ARENA_NEW(d->arena, pp_text, capacity);

        if (more == NULL)
            return;
        for (size_t i = 0; i < d->count; i++)
            more[i] = d->texts[i];
        d->texts = more;
        d->capacity = capacity;
    }
    show(want, expected, sizeof expected);
    show(got, found, sizeof found);
    text = pp_arena_printf(d->arena,
                           "%s: expected %s, which follows from the recorded probabilities, got %s",
                           pp_json_path(got, path), expected, found);
    if (text != NULL)
        d->texts[d->count++] = pp_text_of(text);
}

/* Both have passed the same table: objects have the same members. */
static void find_differences(differences *d, const pp_json *got, const pp_json *want)
{
    if (got->kind == PP_JSON_OBJECT && want->kind == PP_JSON_OBJECT) {
        for (size_t i = 0; i < want->object.count; i++)
            find_differences(d, pp_json_find_text(got, want->object.members[i].key),
                             want->object.members[i].value);
    } else if (got->kind == PP_JSON_ARRAY && want->kind == PP_JSON_ARRAY &&
               got->array.count == want->array.count) {
        for (size_t i = 0; i < want->array.count; i++)
            find_differences(d, got->array.items[i], want->array.items[i]);
    } else if (got->kind == PP_JSON_INTEGER && want->kind == PP_JSON_REAL) {
        if ((double)got->integer != want->real)
            add_difference(d, got, want);
    } else if (!pp_json_equal(got, want)) {
        add_difference(d, got, want);
    }
}

pp_status pp_agreement_again(pp_arena *arena, const pp_json *root, pp_text **ret_differences,
                             size_t *ret_count, pp_error *err)
{
    differences d = {.arena = arena};
    pp_agreement a;
    pp_status st = pp_agreement_decode(arena, root, &a, err);
    const pp_json *again;

    if (st != PP_OK)
        return st;
    again = pp_agreement_to_json(arena, &a);
    if (pp_arena_check(arena, err) != PP_OK)
        return PP_ERR_MEMORY;
    find_differences(&d, root, again);
    *ret_differences = d.texts;
    *ret_count = d.count;
    return pp_arena_check(arena, err);
}
