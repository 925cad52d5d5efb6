/* What is checked, asked and learnt before the first request. */
#include "load/source_parts.h"

/* Generated prompts that the server counts before the start. */
#define VERIFY_COUNT      8
/* A token stands for a byte at least, except in vocabularies that spell text anew; a text half as
 * long as the room needs no counting. */
#define TOKENS_PER_BYTE   2
#define TOKENS_AROUND     64
/* Longer ones are known, too, so that a message can name the shortest that the template allows. */
#define LENGTHS_BEYOND    4096
#define PROMPT_TOKENS_MAX ((int64_t)1 << 20)

/* ---- options --------------------------------------------------------------------------------- */

static pp_status check_where_from(const pp_load_source_options *o, pp_error *err)
{
    int given = (o->prompts != NULL) + (o->trace != NULL) + (o->prompt_tokens != 0);

    if (given != 1)
        return pp_fail(err, PP_ERR_USAGE,
                       "expected one of a prompts file, a trace and a length of generated prompts, "
                       "got %d",
                       given);
    if (o->prompt_tokens < 0 || o->prompt_tokens > PROMPT_TOKENS_MAX)
        return pp_fail(err, PP_ERR_RANGE, "expected 1 to %lld prompt tokens, got %lld",
                       (long long)PROMPT_TOKENS_MAX, (long long)o->prompt_tokens);
    return PP_OK;
}

static pp_status check_options(const pp_load_source_options *o, pp_error *err)
{
    pp_status st = check_where_from(o, err);

    if (st == PP_OK)
        st = pp_dialect_check(&o->dialect, err);
    if (st != PP_OK)
        return st;
    if (o->shared_prefix_tokens < 0)
        return pp_fail(err, PP_ERR_RANGE, "expected 0 or more shared tokens, got %lld",
                       (long long)o->shared_prefix_tokens);
    if (o->shared_prefix_tokens > 0 && o->prompts != NULL)
        return pp_fail(err, PP_ERR_USAGE,
                       "a shared beginning belongs to generated prompts, and these come from a "
                       "file");
    if (o->shared_prefix_tokens > 0 && o->reuse != PP_LOAD_UNSAID)
        return pp_fail(err, PP_ERR_USAGE,
                       "prompts with a shared beginning are neither cold nor warm");
    return PP_OK;
}

static pp_prompt_cache cache_of(pp_load_reuse reuse)
{
    switch (reuse) {
    case PP_LOAD_COLD:
        return PP_PROMPT_CACHE_OFF;
    case PP_LOAD_WARM:
        return PP_PROMPT_CACHE_ON;
    case PP_LOAD_UNSAID:
        break;
    }
    return PP_PROMPT_CACHE_UNSAID;
}

/* ---- lengths -----------------------------------------------------------------------------------
 */

static int64_t longest_generated(const pp_load_source *source)
{
    int64_t longest = 0;

    for (size_t i = 0; i < pp_source_item_count(source); i++) {
        pp_maybe_int tokens = pp_source_generated_tokens(source, i);

        if (tokens.known && tokens.value > longest)
            longest = tokens.value;
    }
    return longest;
}

static int64_t output_max(const pp_load_source *source, size_t i)
{
    pp_maybe_int own = pp_source_own_output(source, i);

    return own.known ? own.value : pp_lengths_max(&source->options.output);
}

/* ---- preparing ------------------------------------------------------------------------------- */

static pp_status fragment_of(const pp_load_source *source, size_t i, pp_buf *json, pp_error *err)
{
    const pp_prompts *prompts = source->options.prompts;

    if (prompts == NULL)
        return pp_dialect_write_text(&source->dialect, source->options.trace->entries[i].prompt,
                                     json, err);
    if (prompts->items[i].messages.data == NULL)
        return pp_dialect_write_text(&source->dialect, prompts->items[i].text, json, err);
    if (source->dialect.endpoint != PP_ENDPOINT_CHAT)
        return pp_fail(err, PP_ERR_DOMAIN, "it has messages, and %s takes text",
                       pp_load_source_path(source));
    pp_buf_append(json, prompts->items[i].messages.data, prompts->items[i].messages.size);
    return pp_buf_check(json, "messages", err);
}

static pp_status name_item(const pp_load_source *source, size_t i, pp_status st, pp_error *err)
{
    if (source->options.prompts != NULL)
        return pp_wrap(err, st, "prompt '%s'", source->options.prompts->items[i].id.data);
    return pp_wrap(err, st, "request %zu of the trace", i + 1);
}

static pp_status make_fragments(pp_arena *arena, pp_load_source *source, pp_error *err)
{
    size_t count = pp_source_item_count(source);
    pp_text *fragments = PP_ARENA_NEW(arena, pp_text, count);
    pp_status st = pp_arena_check(arena, err);
    pp_buf json;

    pp_buf_init(&json, PP_LOAD_BODY_MAX_BYTES);
    for (size_t i = 0; i < count && st == PP_OK; i++) {
        if (pp_source_generated_tokens(source, i).known)
            continue;
        pp_buf_clear(&json);
        st = name_item(source, i, fragment_of(source, i, &json, err), err);
        if (st == PP_OK)
            fragments[i] = pp_text_dup(arena, (pp_text){pp_buf_text(&json), json.size});
        if (st == PP_OK)
            st = pp_arena_check(arena, err);
    }
    pp_buf_done(&json);
    source->fragments = fragments;
    return st;
}

/* ---- do they fit? ---------------------------------------------------------------------------- */

static pp_status count_given(const pp_load_source *source, pp_server_tokens *server, size_t i,
                             int64_t *ret_tokens, pp_error *err)
{
    const pp_prompts *prompts = source->options.prompts;
    pp_text text =
        prompts != NULL ? prompts->items[i].text : source->options.trace->entries[i].prompt;
    pp_arena scratch = {0};
    pp_token_list list = {0};
    pp_status st;

    if (prompts != NULL && prompts->items[i].messages.data != NULL)
        st = pp_server_cut_messages(server, &scratch, prompts->items[i].messages, &list, err);
    else
        st = pp_server_cut_text(server, &scratch, source->dialect.endpoint, text, &list, err);
    *ret_tokens = (int64_t)list.count;
    pp_arena_done(&scratch);
    return st == PP_OK ? PP_OK : name_item(source, i, st, err);
}

/* Tokens of item `i`, or fewer than `room` where it is certain that they fit. */
static pp_status prompt_tokens(const pp_load_source *source, pp_server_tokens *server, size_t i,
                               int64_t room, int64_t *ret_tokens, pp_error *err)
{
    pp_maybe_int tokens = pp_source_generated_tokens(source, i);

    if (tokens.known) {
        *ret_tokens = tokens.value;
        return PP_OK;
    }
    *ret_tokens = 0;
    if (source->dialect.endpoint != PP_ENDPOINT_CHAT &&
        (int64_t)source->fragments[i].size * TOKENS_PER_BYTE + TOKENS_AROUND <= room)
        return PP_OK;
    return count_given(source, server, i, ret_tokens, err);
}

static pp_status check_context(pp_load_source *source, pp_server_tokens *server, pp_error *err)
{
    int64_t context = source->facts.context_tokens.value;
    size_t too_long = 0, first = 0;
    int64_t first_tokens = 0;

    for (size_t i = 0; i < pp_source_item_count(source); i++) {
        int64_t room = context - output_max(source, i);
        int64_t tokens = 0;
        pp_status st = prompt_tokens(source, server, i, room, &tokens, err);

        if (st != PP_OK)
            return st;
        if (tokens <= room)
            continue;
        if (too_long++ == 0) {
            first = i;
            first_tokens = tokens;
        }
    }
    if (too_long == 0)
        return PP_OK;
    if (source->options.prompt_tokens > 0)
        return pp_fail(
            err, PP_ERR_DOMAIN,
            "%lld prompt and up to %lld output tokens do not fit the server's context of "
            "%lld tokens per slot",
            (long long)first_tokens, (long long)output_max(source, 0), (long long)context);
    return name_item(source, first,
                     pp_fail(err, PP_ERR_DOMAIN,
                             "%lld prompt and up to %lld output tokens do not fit the server's "
                             "context of %lld tokens per slot; %zu of %zu do not",
                             (long long)first_tokens, (long long)output_max(source, first),
                             (long long)context, too_long, pp_source_item_count(source)),
                     err);
}

/* ---- generated prompts, before the start ----------------------------------------------------- */

static pp_status check_lengths(const pp_load_source *source, pp_error *err)
{
    pp_status st = PP_OK;

    for (size_t i = 0; i < pp_source_item_count(source) && st == PP_OK; i++) {
        pp_maybe_int tokens = pp_source_generated_tokens(source, i);

        if (tokens.known)
            st = pp_lexicon_check(&source->lexicon, tokens.value,
                                  source->options.shared_prefix_tokens, err);
        if (st != PP_OK && source->options.trace != NULL)
            st = name_item(source, i, st, err);
    }
    return st;
}

static int64_t shared_beginning(const pp_token_list *a, const pp_token_list *b)
{
    size_t n = 0;

    while (n < a->count && n < b->count && a->ids[n] == b->ids[n])
        n++;
    return (int64_t)n;
}

static pp_status wrong_length(int64_t asked, size_t got, pp_error *err)
{
    return pp_fail(
        err, PP_ERR_PEER,
        "the server cuts a prompt made for %lld tokens into %zu; use a prompts file (--prompts)",
        (long long)asked, got);
}

/* The first requests of the first level as the server will cut them: each has the asked length
 * exactly, and neighbours part where they should. */
static pp_status verify(pp_load_source *source, pp_server_tokens *server, pp_error *err)
{
    pp_arena scratch = {0};
    pp_token_list before = {0}, list = {0};
    pp_status st = PP_OK;

    for (int64_t i = 1; i <= VERIFY_COUNT && st == PP_OK; i++) {
        pp_maybe_int tokens = pp_source_generated_tokens(source, (size_t)i - 1);
        pp_lexicon_prompt prompt =
            pp_source_generated(source, pp_source_set(1, PP_PHASE_MEASURED), i, tokens.value);

        if (!tokens.known)
            continue;
        st = pp_lexicon_cut(&source->lexicon, server, &scratch, &prompt, &list, err);
        if (st == PP_OK && (int64_t)list.count != tokens.value)
            st = wrong_length(tokens.value, list.count, err);
        if (st == PP_OK && before.count > 0) {
            int64_t shared = shared_beginning(&before, &list);

            if (shared > source->facts.shared_prefix_tokens)
                source->facts.shared_prefix_tokens = shared;
        }
        before = list;
        source->facts.verified_count++;
    }
    pp_arena_done(&scratch);
    return st;
}

static pp_status check_shared(const pp_load_source *source, pp_error *err)
{
    int64_t asked = source->options.shared_prefix_tokens;

    if (asked > 0 && source->facts.verified_count > 1 &&
        source->facts.shared_prefix_tokens != asked)
        return pp_fail(err, PP_ERR_PEER,
                       "the server's tokens make prompts share %lld tokens, expected %lld exactly; "
                       "use /completion, which takes token ids, or a prompts file",
                       (long long)source->facts.shared_prefix_tokens, (long long)asked);
    return PP_OK;
}

static pp_status prepare_generated(pp_arena *arena, pp_load_source *source,
                                   pp_server_tokens *server, pp_error *err)
{
    int64_t longest = longest_generated(source);
    pp_status st;

    if (longest == 0)
        return PP_OK;
    st = pp_lexicon_learn(arena, server, source->dialect.endpoint, source->options.seed,
                          longest + LENGTHS_BEYOND, &source->lexicon, err);
    if (st == PP_OK)
        st = check_lengths(source, err);
    if (st == PP_OK && !source->lexicon.of_ids)
        st = verify(source, server, err);
    if (st == PP_OK && source->options.reuse != PP_LOAD_WARM)
        st = check_shared(source, err);
    return st;
}

static pp_status need_tokenizer(const pp_load_source *source, const pp_http_loop *loop,
                                pp_error *err)
{
    if (longest_generated(source) == 0)
        return PP_OK;
    if (source->dialect.kind != PP_SERVER_LLAMA_SERVER || loop == NULL)
        return pp_fail(err, PP_ERR_USAGE,
                       "generated prompts need the tokenizer of a llama-server to have the length "
                       "asked, and the server is of the kind %s; use a prompts file (--prompts)",
                       pp_server_kind_name(source->dialect.kind));
    return PP_OK;
}

static pp_status ask_server(pp_arena *arena, pp_load_source *source, pp_http_loop *loop,
                            pp_error *err)
{
    const pp_load_source_options *o = &source->options;
    pp_server_tokens server = {0};
    const char *root = NULL;
    pp_status st = pp_server_root(arena, o->base_url, &root, err);

    if (st == PP_OK)
        st = pp_server_tokens_init(&server, loop, root, o->headers, o->header_count, err);
    if (st == PP_OK)
        st = pp_server_context(&server, &source->facts.context_tokens, err);
    if (st == PP_OK && source->facts.context_tokens.known)
        st = check_context(source, &server, err);
    if (st == PP_OK)
        st = prepare_generated(arena, source, &server, err);
    pp_server_tokens_done(&server);
    return st;
}

pp_status pp_load_source_prepare(pp_arena *arena, pp_http_loop *loop,
                                 const pp_load_source_options *options, pp_load_source **ret_source,
                                 pp_error *err)
{
    pp_load_source *source = PP_ARENA_NEW(arena, pp_load_source, 1);
    pp_status st = pp_arena_check(arena, err);

    if (st == PP_OK)
        st = check_options(options, err);
    if (st == PP_OK) {
        source->options = *options;
        source->dialect = options->dialect;
        source->dialect.cache = cache_of(options->reuse);
        source->facts.prompt_count = options->prompt_tokens > 0 ? 0 : pp_source_item_count(source);
        source->facts.duplicate_count =
            options->prompts != NULL ? options->prompts->duplicate_count : 0;
        st = need_tokenizer(source, loop, err);
    }
    if (st == PP_OK && options->prompt_tokens == 0)
        st = make_fragments(arena, source, err);
    if (st == PP_OK && loop != NULL && options->dialect.kind == PP_SERVER_LLAMA_SERVER)
        st = ask_server(arena, source, loop, err);
    if (st == PP_OK)
        *ret_source = source;
    return pp_wrap(err, st, "preparing the requests");
}
