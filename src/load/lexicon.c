#include "load/lexicon.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/random.h"

/* Everyday words, most of them one token in the vocabularies of today; and short syllables, which
 * small vocabularies hold. What they say does not matter. None needs an escape in JSON. */
static const char *const candidates[] = {
    "river",  "stone",  "window", "market", "garden",  "letter", "summer", "winter", "paper",
    "bridge", "forest", "ocean",  "silver", "copper",  "table",  "corner", "music",  "number",
    "signal", "engine", "yellow", "purple", "little",  "narrow", "early",  "heavy",  "quiet",
    "simple", "open",   "under",  "across", "between", "house",  "water",  "light",  "world",
    "story",  "north",  "south",  "street", "road",    "field",  "green",  "black",  "white",
    "time",   "year",   "day",    "hand",   "part",    "place",  "work",   "week",   "case",
    "point",  "group",  "fact",   "room",   "city",    "land",   "line",   "name",   "book",
    "air",    "al",     "an",     "as",     "at",      "be",     "by",     "co",     "de",
    "do",     "en",     "ex",     "for",    "go",      "he",     "in",     "is",     "it",
    "la",     "le",     "ma",     "me",     "mo",      "no",     "of",     "on",     "or",
    "pa",     "re",     "se",     "so",     "st",      "the",    "to",     "un",     "up",
    "we",     "wh",     "wi",     "you",    "that",    "this",   "with",   "a",      "b",
    "c",      "d",      "e",      "f",      "g",       "h",      "i",      "j",      "k",
};

#define CANDIDATE_COUNT PP_COUNT_OF(candidates)
#define REFERENCE       "stone"
/* With so many words of one token each there is no need for longer ones. */
#define ENOUGH_WORDS    16
#define TAIL_PROBES     8
#define PROOF_COUNT     4
#define PROOF_WORDS     100

/* ---- asking ---------------------------------------------------------------------------------- */

pp_status pp_server_cut_messages(pp_server_tokens *server, pp_arena *arena, pp_text messages_json,
                                 pp_token_list *ret_list, pp_error *err)
{
    pp_text rendered = {0};
    pp_status st = pp_server_render(server, arena, messages_json, &rendered, err);

    return st == PP_OK ? pp_server_tokenize(server, arena, rendered, true, ret_list, err) : st;
}

pp_status pp_server_cut_text(pp_server_tokens *server, pp_arena *arena, pp_endpoint endpoint,
                             pp_text text, pp_token_list *ret_list, pp_error *err)
{
    pp_dialect dialect = {.endpoint = endpoint};
    pp_buf messages;
    pp_status st;

    if (endpoint != PP_ENDPOINT_CHAT)
        return pp_server_tokenize(server, arena, text, true, ret_list, err);
    pp_buf_init(&messages, PP_HTTP_CONTROL_MAX_BYTES);
    st = pp_dialect_write_text(&dialect, text, &messages, err);
    if (st == PP_OK)
        st = pp_server_cut_messages(server, arena, (pp_text){pp_buf_text(&messages), messages.size},
                                    ret_list, err);
    pp_buf_done(&messages);
    return st;
}

static pp_status count_tokens(pp_server_tokens *server, pp_endpoint endpoint, const char *text,
                              int64_t *ret_tokens, pp_error *err)
{
    pp_arena scratch = {0};
    pp_token_list list = {0};
    pp_status st = pp_server_cut_text(server, &scratch, endpoint, pp_text_of(text), &list, err);

    *ret_tokens = (int64_t)list.count;
    pp_arena_done(&scratch);
    return st;
}

/* ---- learning words -------------------------------------------------------------------------- */

/* What each word adds between two others; `reference` is what the reference word adds. */
static pp_status learn_costs(pp_server_tokens *server, pp_endpoint endpoint,
                             int64_t costs[CANDIDATE_COUNT], int64_t *reference, pp_error *err)
{
    int64_t two = 0, three = 0;
    pp_status st = count_tokens(server, endpoint, REFERENCE " " REFERENCE, &two, err);

    if (st == PP_OK)
        st = count_tokens(server, endpoint, REFERENCE " " REFERENCE " " REFERENCE, &three, err);
    *reference = three - two;
    for (size_t i = 0; i < CANDIDATE_COUNT && st == PP_OK; i++) {
        char question[64];
        int64_t between = 0;

        snprintf(question, sizeof question, REFERENCE " %s " REFERENCE, candidates[i]);
        st = count_tokens(server, endpoint, question, &between, err);
        costs[i] = between - two;
    }
    return st;
}

/* Words of one token where there are enough of them: with them any length can be made. */
static void choose_words(pp_lexicon *lexicon, const int64_t costs[CANDIDATE_COUNT])
{
    size_t single = 0;

    for (size_t i = 0; i < CANDIDATE_COUNT; i++)
        single += costs[i] == 1 ? 1 : 0;
    for (size_t i = 0; i < CANDIDATE_COUNT && lexicon->count < PP_LEXICON_MAX_WORDS; i++) {
        if (costs[i] == 1 || (costs[i] > 1 && single < ENOUGH_WORDS)) {
            pp_lexicon_word *word = &lexicon->words[lexicon->count++];

            snprintf(word->text, sizeof word->text, "%s", candidates[i]);
            word->tokens = costs[i];
        }
    }
}

/* What a prompt takes that begins with the word. */
static pp_status learn_first(pp_server_tokens *server, pp_lexicon *lexicon, int64_t reference,
                             pp_error *err)
{
    pp_status st = PP_OK;

    for (size_t i = 0; i < lexicon->count && st == PP_OK; i++) {
        pp_lexicon_word *word = &lexicon->words[i];
        char question[64];
        int64_t tokens = 0;

        snprintf(question, sizeof question, "%s " REFERENCE, word->text);
        st = count_tokens(server, lexicon->endpoint, question, &tokens, err);
        word->first_tokens = tokens - reference;
        if (st == PP_OK && word->first_tokens < 1)
            st = pp_fail(err, PP_ERR_PEER, "the server cuts '%s' into %lld tokens", question,
                         (long long)tokens);
    }
    return st;
}

/* The end that prompts with different last words have in common is the template's. Two words may
 * end in the same token, so several are compared. */
static pp_status learn_tail(pp_server_tokens *server, pp_lexicon *lexicon, pp_error *err)
{
    pp_arena scratch = {0};
    pp_token_list one = {0}, other = {0};
    pp_status st = PP_OK;

    for (size_t i = 0; i < lexicon->count && i < TAIL_PROBES && st == PP_OK; i++) {
        char text[64];
        size_t n = 0;

        snprintf(text, sizeof text, REFERENCE " %s", lexicon->words[i].text);
        other = one;
        st = pp_server_cut_text(server, &scratch, lexicon->endpoint, pp_text_of(text), &one, err);
        while (n < one.count && n < other.count &&
               one.ids[one.count - 1 - n] == other.ids[other.count - 1 - n])
            n++;
        if (i == 1 || (i > 1 && (int64_t)n < lexicon->tail_tokens))
            lexicon->tail_tokens = (int64_t)n;
    }
    pp_arena_done(&scratch);
    return st;
}

static pp_status learn_words(pp_server_tokens *server, pp_lexicon *lexicon, pp_error *err)
{
    int64_t costs[CANDIDATE_COUNT], reference = 0;
    pp_status st = learn_costs(server, lexicon->endpoint, costs, &reference, err);

    if (st != PP_OK)
        return st;
    choose_words(lexicon, costs);
    st = learn_first(server, lexicon, reference, err);
    return st == PP_OK ? learn_tail(server, lexicon, err) : st;
}

/* ---- learning ids ---------------------------------------------------------------------------- */

static bool is_known_id(const pp_lexicon *lexicon, const char *digits)
{
    for (size_t i = 0; i < lexicon->count; i++) {
        if (strcmp(lexicon->words[i].text, digits) == 0)
            return true;
    }
    return false;
}

/* All ids that the candidates are cut into. */
static pp_status learn_ids(pp_server_tokens *server, pp_lexicon *lexicon, pp_error *err)
{
    pp_arena scratch = {0};
    pp_token_list empty = {0}, list = {0};
    pp_status st = pp_server_tokenize(server, &scratch, pp_text_of(""), false, &empty, err);

    if (st == PP_OK && empty.count > PP_COUNT_OF(lexicon->head))
        st =
            pp_fail(err, PP_ERR_PEER, "the server puts %zu tokens in front of a text", empty.count);
    for (size_t i = 0; i < empty.count && st == PP_OK; i++)
        lexicon->head[lexicon->head_count++] = empty.ids[i];
    for (size_t i = 0; i < CANDIDATE_COUNT && st == PP_OK; i++) {
        char digits[16] = "";

        st = pp_server_tokenize(server, &scratch, pp_text_of(candidates[i]), false, &list, err);
        if (st == PP_OK && list.count > empty.count)
            snprintf(digits, sizeof digits, "%lld", (long long)list.ids[empty.count]);
        if (digits[0] != '\0' && !is_known_id(lexicon, digits) &&
            lexicon->count < PP_LEXICON_MAX_WORDS) {
            pp_lexicon_word *word = &lexicon->words[lexicon->count++];

            memcpy(word->text, digits, sizeof digits);
            word->tokens = 1;
            word->first_tokens = 1 + (int64_t)empty.count;
        }
    }
    pp_arena_done(&scratch);
    return st;
}

/* ---- lengths --------------------------------------------------------------------------------- */

/* Another seed pairs other words with the digits of an index. */
static void shuffle(pp_lexicon *lexicon, uint64_t seed)
{
    uint64_t random = pp_random_stream(seed, "lexicon", 0);

    for (size_t i = lexicon->count; i > 1; i--) {
        size_t other = (size_t)pp_random_below(&random, i);
        pp_lexicon_word word = lexicon->words[other];

        lexicon->words[other] = lexicon->words[i - 1];
        lexicon->words[i - 1] = word;
    }
}

static pp_status find_reachable(pp_arena *arena, pp_lexicon *lexicon, int64_t max_tokens,
                                pp_error *err)
{
    bool *reachable = PP_ARENA_NEW(arena, bool, (size_t)max_tokens + 1);
    pp_status st = pp_arena_check(arena, err);

    if (st != PP_OK)
        return st;
    reachable[0] = true;
    for (int64_t n = 1; n <= max_tokens; n++) {
        for (size_t i = 0; i < lexicon->count && !reachable[n]; i++)
            reachable[n] = lexicon->words[i].tokens <= n && reachable[n - lexicon->words[i].tokens];
    }
    lexicon->reachable = reachable;
    lexicon->max_tokens = max_tokens;
    return PP_OK;
}

/* Whether the word may stand here with `left` tokens to go. */
static bool fits(const pp_lexicon *lexicon, const pp_lexicon_word *word, bool is_first,
                 int64_t left)
{
    int64_t tokens = is_first ? word->first_tokens : word->tokens;

    return tokens <= left && lexicon->reachable[left - tokens];
}

static bool can_begin(const pp_lexicon *lexicon, int64_t tokens)
{
    for (size_t i = 0; i < lexicon->count; i++) {
        if (tokens <= lexicon->max_tokens && fits(lexicon, &lexicon->words[i], true, tokens))
            return true;
    }
    return false;
}

static pp_status no_such_length(const pp_lexicon *lexicon, int64_t tokens, pp_error *err)
{
    int64_t shorter = tokens, longer = tokens;

    while (shorter > 0 && !can_begin(lexicon, shorter))
        shorter--;
    while (longer <= lexicon->max_tokens && !can_begin(lexicon, longer))
        longer++;
    if (shorter > 0)
        return pp_fail(
            err, PP_ERR_RANGE,
            "a prompt of %lld tokens cannot be made of this server's tokens; one of %lld can",
            (long long)tokens, (long long)shorter);
    if (longer <= lexicon->max_tokens)
        return pp_fail(err, PP_ERR_RANGE,
                       "a prompt of %lld tokens cannot be made: with what the server puts around "
                       "it, it has %lld or more",
                       (long long)tokens, (long long)longer);
    return pp_fail(
        err, PP_ERR_RANGE,
        "a prompt of %lld tokens cannot be made: what the server puts around it is longer",
        (long long)tokens);
}

pp_status pp_lexicon_check(const pp_lexicon *lexicon, int64_t tokens, int64_t shared_tokens,
                           pp_error *err)
{
    if (tokens > lexicon->max_tokens)
        return pp_fail(err, PP_ERR_RANGE, "expected at most %lld prompt tokens, got %lld",
                       (long long)lexicon->max_tokens, (long long)tokens);
    if (shared_tokens == 0)
        return can_begin(lexicon, tokens) ? PP_OK : no_such_length(lexicon, tokens, err);
    if (shared_tokens + lexicon->tail_tokens >= tokens)
        return pp_fail(err, PP_ERR_RANGE,
                       "expected a shared beginning of fewer than %lld of the %lld tokens of a "
                       "prompt, got %lld",
                       (long long)(tokens - lexicon->tail_tokens), (long long)tokens,
                       (long long)shared_tokens);
    if (!can_begin(lexicon, shared_tokens + lexicon->tail_tokens))
        return pp_fail(
            err, PP_ERR_RANGE,
            "a shared beginning of %lld tokens cannot be made: with what the server puts "
            "in front, it is shorter than a word, or falls into one",
            (long long)shared_tokens);
    if (!lexicon->reachable[tokens - shared_tokens - lexicon->tail_tokens])
        return pp_fail(err, PP_ERR_RANGE,
                       "%lld tokens behind a shared beginning cannot be made of this server's "
                       "tokens",
                       (long long)(tokens - shared_tokens - lexicon->tail_tokens));
    return PP_OK;
}

/* ---- writing --------------------------------------------------------------------------------- */

typedef struct writer {
    const pp_lexicon *lexicon;
    pp_buf *body;
    bool is_first;
} writer;

/* The wanted word, or the next one that leaves a length which can be made. */
static void put_word(writer *w, size_t wanted, int64_t *left)
{
    const pp_lexicon *lexicon = w->lexicon;
    const pp_lexicon_word *word = &lexicon->words[wanted];

    while (!fits(lexicon, word, w->is_first, *left))
        word = &lexicon->words[(size_t)(word + 1 - lexicon->words) % lexicon->count];
    if (!w->is_first || lexicon->head_count > 0)
        pp_buf_append_char(w->body, lexicon->of_ids ? ',' : ' ');
    pp_buf_append_text(w->body, word->text);
    *left -= w->is_first ? word->first_tokens : word->tokens;
    w->is_first = false;
}

static void put_random(writer *w, uint64_t *random, int64_t tokens)
{
    while (tokens > 0)
        put_word(w, (size_t)pp_random_below(random, w->lexicon->count), &tokens);
}

/* The index digit by digit, its lowest first, so that neighbours differ at once; it counts from
 * another number in each set, so that sets differ at once, too. Then the set itself, which makes
 * the difference certain. What follows is drawn. */
static void put_own(writer *w, const pp_lexicon_prompt *prompt, int64_t tokens)
{
    uint64_t random = pp_random_stream(prompt->seed, "prompt", prompt->set << 32 ^ prompt->index);
    uint64_t base = w->lexicon->count;
    uint32_t number =
        (uint32_t)(prompt->index + pp_random_stream(prompt->seed, "set", prompt->set));

    for (uint64_t rest = number, top = UINT32_MAX; top > 0 && tokens > 0; top /= base) {
        put_word(w, (size_t)(rest % base), &tokens);
        rest /= base;
    }
    for (uint64_t rest = prompt->set; rest > 0 && tokens > 0; rest /= base)
        put_word(w, (size_t)(rest % base), &tokens);
    put_random(w, &random, tokens);
}

static void put_content(const pp_lexicon *lexicon, const pp_lexicon_prompt *prompt, pp_buf *body)
{
    writer w = {lexicon, body, true};
    uint64_t random = pp_random_stream(prompt->seed, "shared prefix", 0);
    int64_t shared = prompt->shared_tokens;

    for (size_t i = 0; i < lexicon->head_count; i++)
        pp_buf_printf(body, i == 0 ? "%lld" : ",%lld", (long long)lexicon->head[i]);
    if (shared > 0)
        shared += lexicon->tail_tokens; /* which the first word was counted with */
    put_random(&w, &random, shared);
    put_own(&w, prompt, prompt->tokens - shared);
}

void pp_lexicon_write(const pp_lexicon *lexicon, const pp_lexicon_prompt *prompt, pp_buf *body)
{
    bool chat = lexicon->endpoint == PP_ENDPOINT_CHAT;

    pp_buf_append_text(body, lexicon->of_ids ? "[" : chat ? "[{\"content\":\"" : "\"");
    put_content(lexicon, prompt, body);
    pp_buf_append_text(body, lexicon->of_ids ? "]" : chat ? "\",\"role\":\"user\"}]" : "\"");
}

pp_status pp_lexicon_cut(const pp_lexicon *lexicon, pp_server_tokens *server, pp_arena *arena,
                         const pp_lexicon_prompt *prompt, pp_token_list *ret_list, pp_error *err)
{
    pp_buf content;
    pp_status st;

    pp_buf_init(&content, PP_HTTP_CONTROL_MAX_BYTES);
    put_content(lexicon, prompt, &content);
    st = pp_buf_check(&content, "prompt", err);
    if (st == PP_OK)
        st = pp_server_cut_text(server, arena, lexicon->endpoint,
                                (pp_text){pp_buf_text(&content), content.size}, ret_list, err);
    pp_buf_done(&content);
    return st;
}

/* ---- proof ----------------------------------------------------------------------------------- */

static pp_status prove_one(const pp_lexicon *lexicon, pp_server_tokens *server, uint64_t random,
                           pp_error *err)
{
    pp_buf text;
    int64_t expected = 0, got = 0;
    pp_status st;

    pp_buf_init(&text, (size_t)1 << 16);
    for (int i = 0; i < PROOF_WORDS; i++) {
        const pp_lexicon_word *word = &lexicon->words[pp_random_below(&random, lexicon->count)];

        pp_buf_append_text(&text, i == 0 ? "" : " ");
        pp_buf_append_text(&text, word->text);
        expected += i == 0 ? word->first_tokens : word->tokens;
    }
    st = pp_buf_check(&text, "prompt", err);
    if (st == PP_OK)
        st = count_tokens(server, lexicon->endpoint, pp_buf_text(&text), &got, err);
    if (st == PP_OK && got != expected)
        st = pp_fail(
            err, PP_ERR_PEER,
            "the server's tokenizer joins words: %d words are %lld tokens and one by one "
            "%lld, so no prompt of an exact length can be made; use a prompts file (--prompts)",
            PROOF_WORDS, (long long)got, (long long)expected);
    pp_buf_done(&text);
    return st;
}

static pp_status prove(const pp_lexicon *lexicon, pp_server_tokens *server, uint64_t seed,
                       pp_error *err)
{
    pp_status st = PP_OK;

    if (lexicon->count < 2)
        return pp_fail(
            err, PP_ERR_PEER,
            "the server cuts %zu words into tokens of their own, expected 2 or more; use "
            "a prompts file",
            lexicon->count);
    for (uint64_t i = 0; i < PROOF_COUNT && !lexicon->of_ids && st == PP_OK; i++)
        st = prove_one(lexicon, server, pp_random_stream(seed, "lexicon proof", i), err);
    return st;
}

pp_status pp_lexicon_learn(pp_arena *arena, pp_server_tokens *server, pp_endpoint endpoint,
                           uint64_t seed, int64_t max_tokens, pp_lexicon *ret_lexicon,
                           pp_error *err)
{
    pp_lexicon lexicon = {.endpoint = endpoint, .of_ids = endpoint == PP_ENDPOINT_COMPLETION};
    pp_status st =
        lexicon.of_ids ? learn_ids(server, &lexicon, err) : learn_words(server, &lexicon, err);

    shuffle(&lexicon, seed);
    if (st == PP_OK)
        st = prove(&lexicon, server, seed, err);
    if (st == PP_OK)
        st = find_reachable(arena, &lexicon, max_tokens, err);
    if (st == PP_OK)
        *ret_lexicon = lexicon;
    return pp_wrap(
        err, st,
        "learning how the server cuts words into tokens (a prompts file, --prompts, does without)");
}
