#include "intake/token_probs.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/event_stream.h"
#include "intake/loose_json.h"
#include "intake/reply_fields.h"
#include "stats/portable.h"

/* A probability of 1 comes as 1 + 2^-23 from single precision. */
#define LOGPROB_ROUNDING 1e-6

typedef struct reader {
    pp_arena *arena;
    const pp_json *position; /* of the first token: an object with its alternatives */
    bool lifted;             /* texts of `position` must be put back (loose_json.h) */
    bool speculates;
    bool is_error;
    pp_text error;
} reader;

static const pp_json *first_of(const pp_json *list)
{
    return list != NULL && list->kind == PP_JSON_ARRAY && list->array.count > 0
               ? list->array.items[0]
               : NULL;
}

static bool is_positive(const pp_json *value)
{
    return value != NULL && value->kind == PP_JSON_INTEGER && value->integer > 0;
}

/* ---- what the reply says of itself ----------------------------------------------------------- */

/* A list such as "none,draft-simple"; a server that was given `--spec-type none` says "none,none"
 * in its replies. */
static bool names_a_type(pp_text list)
{
    size_t begin = 0;

    for (size_t i = 0; i <= list.size; i++) {
        if (i < list.size && list.data[i] != ',')
            continue;
        if (i > begin && !pp_text_is((pp_text){list.data + begin, i - begin}, "none"))
            return true;
        begin = i + 1;
    }
    return false;
}

static pp_maybe_bool types_speculate(const pp_json *settings)
{
    const pp_json *types = pp_reply_find(settings, "speculative.types");

    if (types == NULL || types->kind != PP_JSON_STRING)
        return (pp_maybe_bool){0};
    return pp_known_bool(names_a_type(types->text));
}

static void take_object(reader *r, const pp_json *root, bool lifted)
{
    const pp_json *error = pp_reply_find(root, "error");
    const pp_json *timings = pp_reply_find(root, "timings");
    pp_maybe_bool told = types_speculate(pp_reply_find(root, "generation_settings"));
    const pp_json *position = first_of(pp_reply_find(root, "completion_probabilities"));

    if (error != NULL && !r->is_error) {
        r->is_error = true;
        r->error = pp_reply_error_message(error);
    }
    if (position == NULL)
        position = first_of(pp_reply_find(
            pp_reply_find(first_of(pp_reply_find(root, "choices")), "logprobs"), "content"));
    if (r->position == NULL && position != NULL) {
        r->position = position;
        r->lifted = lifted;
    }
    if ((told.known && told.value) || is_positive(pp_reply_find(timings, "draft_n")))
        r->speculates = true;
}

static pp_status take_bytes(reader *r, pp_bytes bytes, pp_error *err)
{
    const pp_json *root = NULL;
    bool lifted = false;
    pp_status st = pp_loose_json_parse(r->arena, "the reply", bytes, &root, &lifted, err);

    if (st == PP_OK)
        take_object(r, root, lifted);
    return st;
}

static pp_status take_event(void *user, const pp_event *event, pp_error *err)
{
    static const char done[] = "[DONE]";

    if (event->data.size == sizeof done - 1 && memcmp(event->data.data, done, sizeof done - 1) == 0)
        return PP_OK;
    return take_bytes(user, event->data, err);
}

static pp_status take_stream(reader *r, pp_bytes body, pp_error *err)
{
    pp_event_stream events;
    pp_status st;

    pp_event_stream_init(&events, NULL, PP_EVENT_MAX_BYTES);
    st = pp_event_stream_feed(&events, body.data, body.size, take_event, r, err);
    if (st == PP_OK)
        st = pp_event_stream_finish(&events, take_event, r, err);
    pp_event_stream_done(&events);
    return st;
}

/* An event stream begins with a field or a comment, never with a bracket. */
static bool is_stream(pp_bytes body)
{
    static const char *const begins[] = {"data:", "event:", "id:", "retry:", ":"};

    for (size_t i = 0; i < PP_COUNT_OF(begins); i++) {
        size_t n = strlen(begins[i]);

        if (body.size >= n && memcmp(body.data, begins[i], n) == 0)
            return true;
    }
    return false;
}

/* ---- one token ------------------------------------------------------------------------------- */

static pp_status read_byte_list(const reader *r, const pp_json *list, pp_text *ret_bytes,
                                pp_error *err)
{
    char *bytes = pp_arena_alloc(r->arena, list->array.count + 1, 1);
    pp_status st = pp_arena_check(r->arena, err);

    for (size_t i = 0; i < list->array.count && st == PP_OK; i++) {
        int64_t value = 0;

        st = pp_json_get_int(list->array.items[i], 0, 255, &value, err);
        bytes[i] = (char)(unsigned char)value;
    }
    if (st == PP_OK)
        *ret_bytes = (pp_text){bytes, list->array.count};
    return st;
}

static pp_status put_back(const reader *r, pp_text text, pp_text *ret_bytes, pp_error *err)
{
    pp_buf buf;
    pp_status st;

    pp_buf_init(&buf, 4 * text.size + 16);
    pp_loose_append(&buf, text);
    *ret_bytes = pp_text_dup(r->arena, (pp_text){pp_buf_text(&buf), buf.size});
    st = pp_buf_check(&buf, "text of a token", err);
    pp_buf_done(&buf);
    return st == PP_OK ? pp_arena_check(r->arena, err) : st;
}

/* "bytes" where they are told; the text may have lost halves of characters. */
static pp_status read_token_bytes(const reader *r, const pp_json *token, pp_text *ret_bytes,
                                  pp_error *err)
{
    const pp_json *bytes = pp_reply_find(token, "bytes");
    const pp_json *text = NULL;
    pp_status st;

    if (bytes != NULL) {
        st = pp_json_expect(bytes, PP_JSON_ARRAY, err);
        return st == PP_OK ? read_byte_list(r, bytes, ret_bytes, err) : st;
    }
    st = pp_json_member_of(token, "token", PP_JSON_STRING, &text, err);
    if (st == PP_OK && r->lifted)
        return put_back(r, text->text, ret_bytes, err);
    if (st == PP_OK)
        *ret_bytes = text->text;
    return st;
}

static pp_status read_logprob(const pp_json *token, double *ret_logprob, pp_error *err)
{
    const pp_json *value = NULL;
    pp_status st = pp_json_require(token, "logprob", &value, err);

    if (st == PP_OK)
        st = pp_json_get_number(value, ret_logprob, err);
    if (st != PP_OK)
        return st;
    if (!(*ret_logprob <= LOGPROB_ROUNDING) || *ret_logprob < -DBL_MAX)
        return pp_json_fail(value, err, "expected a log-probability, which is at most 0, got %g",
                            *ret_logprob);
    if (*ret_logprob > 0)
        *ret_logprob = 0;
    return PP_OK;
}

static pp_status read_token(const reader *r, const pp_json *token, pp_token_chance *out,
                            pp_error *err)
{
    const pp_json *id;
    pp_status st = pp_json_expect(token, PP_JSON_OBJECT, err);

    if (st != PP_OK)
        return st;
    id = pp_reply_find(token, "id");
    if (id != NULL) {
        out->id.known = true;
        st = pp_json_get_int(id, 0, INT32_MAX, &out->id.value, err);
    }
    if (st == PP_OK)
        st = read_token_bytes(r, token, &out->bytes, err);
    if (st == PP_OK)
        st = read_logprob(token, &out->logprob, err);
    return st;
}

/* ---- the list -------------------------------------------------------------------------------- */

/* Without ids the bytes are all that tells tokens apart. */
static bool is_same(const pp_token_chance *a, const pp_token_chance *b)
{
    return a->id.known ? a->id.value == b->id.value : pp_text_equal(a->bytes, b->bytes);
}

static pp_status check_against_earlier(const pp_json *item, const pp_token_chance *tokens, size_t i,
                                       pp_error *err)
{
    if (i > 0 && tokens[i].id.known != tokens[0].id.known)
        return pp_json_fail(item, err, "some tokens have an id and some have none");
    if (i > 0 && tokens[i].logprob > tokens[i - 1].logprob)
        return pp_json_fail(item, err, "expected descending log-probabilities, got %.9g after %.9g",
                            tokens[i].logprob, tokens[i - 1].logprob);
    for (size_t k = 0; k < i; k++) {
        if (is_same(&tokens[k], &tokens[i]))
            return pp_json_fail(item, err, "the same token stands at %zu, too", k);
    }
    return PP_OK;
}

static pp_status read_list(const reader *r, const pp_json *list, pp_token_distribution *out,
                           pp_error *err)
{
    pp_status st;

    if (list->array.count > PP_TOKENS_TOLD_MAX)
        return pp_json_fail(list, err, "expected at most %d tokens, got %zu", PP_TOKENS_TOLD_MAX,
                            list->array.count);
    out->count = list->array.count;
    out->tokens = PP_ARENA_NEW(r->arena, pp_token_chance, out->count);
    st = pp_arena_check(r->arena, err);
    for (size_t i = 0; i < out->count && st == PP_OK; i++) {
        const pp_json *item = list->array.items[i];

        st = read_token(r, item, &out->tokens[i], err);
        if (st == PP_OK)
            st = check_against_earlier(item, out->tokens, i, err);
    }
    return st;
}

static bool all_zero(const pp_token_distribution *d)
{
    for (size_t i = 0; i < d->count; i++) {
        if (d->tokens[i].logprob != 0)
            return false;
    }
    return true;
}

static pp_status read_rest(const pp_json *list, pp_token_distribution *out, pp_error *err)
{
    double sum = 0;

    for (size_t i = out->count; i > 0; i--) /* the small ones first */
        sum += pp_portable_exp(out->tokens[i - 1].logprob);
    if (sum > 1 + PP_PROBABILITY_ROUNDING)
        return pp_json_fail(list, err, "the probabilities add up to %.9g, which is above 1", sum);
    out->rest = sum < 1 ? 1 - sum : 0;
    return PP_OK;
}

static void refuse(pp_arena *arena, pp_token_refusal refusal, const char *why, pp_next_token *out)
{
    *out = (pp_next_token){.refusal = refusal, .why = pp_text_dup(arena, pp_text_of(why))};
}

static pp_status read_position(const reader *r, pp_next_token *out, pp_error *err)
{
    const pp_json *list = NULL;
    pp_status st;

    if (pp_reply_find(r->position, "top_probs") != NULL)
        return pp_json_fail(r->position, err,
                            "expected log-probabilities of the model, got probabilities after "
                            "sampling");
    st = pp_json_member_of(r->position, "top_logprobs", PP_JSON_ARRAY, &list, err);
    if (st == PP_OK)
        st = read_list(r, list, &out->told, err);
    if (st != PP_OK)
        return st;
    if (out->told.count < 2)
        refuse(r->arena, PP_TOKENS_TOO_FEW, "fewer than two tokens were told", out);
    else if (all_zero(&out->told))
        refuse(r->arena, PP_TOKENS_ALL_ZERO, "each log-probability is 0", out);
    else
        st = read_rest(list, &out->told, err);
    return st;
}

/* ---- the reply ------------------------------------------------------------------------------- */

static pp_status read_reply(reader *r, pp_bytes body, pp_next_token *out, pp_error *err)
{
    pp_status st;

    if (body.size == 0)
        return pp_fail(err, PP_ERR_SYNTAX, "the reply is empty");
    st = is_stream(body) ? take_stream(r, body, err) : take_bytes(r, body, err);
    if (st != PP_OK)
        return st;
    if (r->is_error) {
        char shown[300];

        pp_text_escape_controls(r->error.data, r->error.size, shown, sizeof shown);
        refuse(r->arena, PP_TOKENS_REQUEST_FAILED, shown, out);
        return PP_OK;
    }
    if (r->speculates) {
        refuse(r->arena, PP_TOKENS_SPECULATION,
               "the server speculates, and its probabilities are then not to be relied on", out);
        return PP_OK;
    }
    if (r->position == NULL) {
        refuse(r->arena, PP_TOKENS_TOO_FEW, "the reply tells no probabilities", out);
        return PP_OK;
    }
    return read_position(r, out, err);
}

pp_status pp_token_probs_read(pp_arena *arena, pp_bytes body, pp_next_token *ret_token,
                              pp_error *err)
{
    reader r = {.arena = arena};
    pp_next_token out = {0};
    pp_error why = {0};
    pp_status st = read_reply(&r, body, &out, &why);

    if (st == PP_ERR_MEMORY || arena->failed)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory while reading probabilities");
    if (st != PP_OK)
        refuse(arena, PP_TOKENS_MALFORMED, why.text, &out);
    *ret_token = out;
    return pp_arena_check(arena, err);
}

static void refuse_failed(pp_arena *arena, const pp_exchange *x, pp_next_token *out)
{
    char shown[300];
    const char *why;

    if (x->failure == PP_FAILURE_NONE) {
        refuse(arena, PP_TOKENS_REQUEST_FAILED, "it was not asked", out);
        return;
    }
    pp_text_escape_controls(x->failure_text.data, x->failure_text.size, shown, sizeof shown);
    why = pp_arena_printf(arena, shown[0] != '\0' ? "%s: %s" : "%s%s", pp_failure_name(x->failure),
                          shown);
    refuse(arena, PP_TOKENS_REQUEST_FAILED, why == NULL ? "" : why, out);
}

pp_status pp_token_probs_of_exchange(pp_arena *arena, const pp_exchange *exchange,
                                     pp_next_token *ret_token, pp_error *err)
{
    if (exchange->failure == PP_FAILURE_NONE && exchange->http_status.known)
        return pp_token_probs_read(arena, exchange->body, ret_token, err);
    refuse_failed(arena, exchange, ret_token);
    return pp_arena_check(arena, err);
}

pp_maybe_bool pp_props_speculation(pp_arena *arena, pp_bytes body)
{
    const pp_json *root = NULL;
    const pp_json *settings;
    pp_maybe_bool told;

    if (pp_json_parse(arena, "/props", (const char *)body.data, body.size, &root, NULL) != PP_OK)
        return (pp_maybe_bool){0};
    settings = pp_reply_find(root, "default_generation_settings");
    told = types_speculate(pp_reply_find(settings, "params"));
    if (!told.known) { /* servers before the list of types */
        const pp_json *flag = pp_reply_find(settings, "speculative");

        if (flag != NULL && flag->kind == PP_JSON_BOOL)
            told = pp_known_bool(flag->boolean);
    }
    return told;
}
