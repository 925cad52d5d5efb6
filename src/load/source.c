#include "load/source.h"

#include <string.h>

#include "load/schedule.h"
#include "load/source_parts.h"
#include "stats/random.h"

static const char *const reuse_names[] = {"cold", "warm", "unsaid"};

const char *pp_load_reuse_name(size_t reuse)
{
    return reuse < PP_COUNT_OF(reuse_names) ? reuse_names[reuse] : NULL;
}

void pp_load_source_options_default(pp_load_source_options *ret_options)
{
    *ret_options = (pp_load_source_options){
        .dialect = {.endpoint = PP_ENDPOINT_CHAT, .kind = PP_SERVER_LLAMA_SERVER, .seed = 1},
        .reuse = PP_LOAD_COLD,
        .seed = 1,
        .output = pp_lengths_fixed(128),
    };
}

void pp_load_source_get_facts(const pp_load_source *source, pp_load_source_facts *ret_facts)
{
    *ret_facts = source->facts;
}

const char *pp_load_source_path(const pp_load_source *source)
{
    return pp_endpoint_path(source->dialect.endpoint);
}

/* ---- what is generated ----------------------------------------------------------------------- */

uint64_t pp_source_set(int64_t level, pp_phase phase)
{
    return ((uint64_t)level << 1 | (phase == PP_PHASE_MEASURED)) & 0x7FFFFFFF;
}

/* Warm: one prompt for all, that of the set 0, which no level has. */
pp_lexicon_prompt pp_source_generated(const pp_load_source *source, uint64_t set, int64_t index,
                                      int64_t tokens)
{
    bool one = source->options.reuse == PP_LOAD_WARM;

    return (pp_lexicon_prompt){
        .seed = source->options.seed,
        .set = one ? 0 : set,
        .index = one ? 0 : (uint64_t)index - 1,
        .tokens = tokens,
        .shared_tokens = source->options.shared_prefix_tokens,
    };
}

pp_maybe_int pp_source_generated_tokens(const pp_load_source *source, size_t i)
{
    if (source->options.trace != NULL)
        return source->options.trace->entries[i % source->options.trace->count].prompt_tokens;
    if (source->options.prompt_tokens > 0)
        return pp_known_int(source->options.prompt_tokens);
    return (pp_maybe_int){0};
}

size_t pp_source_item_count(const pp_load_source *source)
{
    if (source->options.trace != NULL)
        return source->options.trace->count;
    return source->options.prompts != NULL ? source->options.prompts->count : 1;
}

/* ---- asked tokens ---------------------------------------------------------------------------- */

pp_maybe_int pp_source_own_output(const pp_load_source *source, size_t i)
{
    if (source->options.trace != NULL)
        return source->options.trace->entries[i].output_tokens;
    if (source->options.prompts != NULL)
        return source->options.prompts->items[i].output_tokens;
    return (pp_maybe_int){0};
}

/* ---- making one request ---------------------------------------------------------------------- */

static pp_status check_number(const pp_load_source *source, int64_t level, pp_phase phase,
                              int64_t index, pp_error *err)
{
    const pp_trace *trace = source->options.trace;

    if (level < 1 || index < 1 || index > UINT32_MAX)
        return pp_fail(err, PP_ERR_RANGE,
                       "expected a level and a request from 1, got %lld and %lld", (long long)level,
                       (long long)index);
    if (trace != NULL && phase == PP_PHASE_MEASURED && (uint64_t)index > trace->count)
        return pp_fail(err, PP_ERR_RANGE, "request %lld of a trace of %zu", (long long)index,
                       trace->count);
    return PP_OK;
}

static int64_t asked_output(const pp_load_source *source, uint64_t set, int64_t index, size_t item)
{
    pp_maybe_int own = pp_source_own_output(source, item);
    uint64_t stream;

    if (own.known)
        return own.value;
    stream = pp_random_stream(pp_random_stream(source->options.seed, "output tokens", set),
                              "request", (uint64_t)index);
    return pp_lengths_draw(&source->options.output, stream);
}

/* Behind the body, so that it lives as long and costs nothing. */
static void append_id(const pp_load_source *source, int64_t level, pp_phase phase, int64_t index,
                      size_t item, pp_buf *body)
{
    const pp_prompts *prompts = source->options.prompts;

    if (prompts != NULL)
        pp_buf_append(body, prompts->items[item].id.data, prompts->items[item].id.size);
    else if (source->options.trace != NULL)
        pp_buf_printf(body, "trace-%05zu", item + 1);
    else if (source->options.reuse == PP_LOAD_WARM)
        pp_buf_append_text(body, "warm");
    else
        pp_buf_printf(body, "level-%lld-%s-%05lld", (long long)level, pp_phase_name(phase),
                      (long long)index);
}

/* ---- requests that are there already --------------------------------------------------------- */

pp_status pp_load_source_of_workload(pp_arena *arena, const pp_workload *workload,
                                     pp_load_source **ret_source, pp_error *err)
{
    pp_load_source *source = PP_ARENA_NEW(arena, pp_load_source, 1);
    pp_status st = pp_arena_check(arena, err);

    if (st != PP_OK)
        return st;
    source->dialect.endpoint = workload->of_words ? workload->endpoint : PP_ENDPOINT_COMPLETION;
    source->workload = workload;
    *ret_source = source;
    return PP_OK;
}

static pp_status take_request(const pp_workload *workload, pp_phase phase, int64_t index,
                              pp_buf *body, pp_load_item *ret_item, pp_error *err)
{
    bool warmup = phase == PP_PHASE_WARMUP;
    int64_t count = warmup ? workload->options.warmup_count : workload->options.measured_count;
    const pp_workload_request *request;
    pp_status st;

    if (index > count)
        return pp_fail(err, PP_ERR_RANGE, "%s request %lld of a workload of %lld",
                       pp_phase_name(phase), (long long)index, (long long)count);
    request = &workload->requests[index - 1 + (warmup ? 0 : workload->options.warmup_count)];
    pp_buf_clear(body);
    pp_buf_append(body, (const char *)request->body.data, request->body.size);
    st = pp_buf_check(body, "request body", err);
    if (st == PP_OK)
        *ret_item = (pp_load_item){
            .prompt_id = request->prompt_id,
            .output_tokens = workload->options.output_tokens,
            .body = {(const unsigned char *)body->data, body->size},
        };
    return st;
}

/* ---- any request ----------------------------------------------------------------------------- */

pp_status pp_load_source_make(const pp_load_source *source, int64_t level, pp_phase phase,
                              int64_t index, pp_buf *body, pp_load_item *ret_item, pp_error *err)
{
    pp_status st = check_number(source, level, phase, index, err);
    uint64_t set = pp_source_set(level, phase);
    size_t item, size;
    pp_maybe_int tokens;
    int64_t output;

    if (st != PP_OK)
        return st;
    if (source->workload != NULL)
        return take_request(source->workload, phase, index, body, ret_item, err);
    item = (size_t)(index - 1) % pp_source_item_count(source);
    output = asked_output(source, set, index, item);
    tokens = pp_source_generated_tokens(source, item);
    pp_buf_clear(body);
    pp_dialect_begin(&source->dialect, output, body);
    if (tokens.known) {
        pp_lexicon_prompt prompt = pp_source_generated(source, set, index, tokens.value);

        pp_lexicon_write(&source->lexicon, &prompt, body);
    } else {
        pp_buf_append(body, source->fragments[item].data, source->fragments[item].size);
    }
    pp_dialect_end(&source->dialect, output, body);
    size = body->size;
    append_id(source, level, phase, index, item, body);
    st = pp_buf_check(body, "request body", err);
    if (st == PP_OK)
        *ret_item = (pp_load_item){
            .prompt_id = {body->data + size, body->size - size},
            .output_tokens = output,
            .body = {(const unsigned char *)body->data, size},
        };
    return st;
}

/* ---- when ------------------------------------------------------------------------------------ */

static pp_status trace_schedule(const pp_trace *trace, pp_arena *arena, const pp_load_level *level,
                                int64_t **ret_due_ns, size_t *ret_count, pp_error *err)
{
    int64_t *due_ns = PP_ARENA_NEW(arena, int64_t, trace->count);
    size_t count = 0;
    pp_status st = pp_arena_check(arena, err);

    if (st != PP_OK)
        return st;
    while (
        count < trace->count &&
        !(level->request_count.known && (int64_t)count >= level->request_count.value) &&
        !(level->duration_ns.known && trace->entries[count].due_ns >= level->duration_ns.value)) {
        due_ns[count] = trace->entries[count].due_ns;
        count++;
    }
    *ret_due_ns = due_ns;
    *ret_count = count;
    return PP_OK;
}

pp_status pp_load_source_schedule(const pp_load_source *source, pp_arena *arena,
                                  const pp_load_level *level, int64_t **ret_due_ns,
                                  size_t *ret_count, pp_error *err)
{
    if (level->loop != PP_LOAD_TRACE)
        return pp_schedule_draw(arena, level, ret_due_ns, ret_count, err);
    if (source->options.trace == NULL)
        return pp_fail(err, PP_ERR_RANGE, "a level that follows a trace, and there is no trace");
    return trace_schedule(source->options.trace, arena, level, ret_due_ns, ret_count, err);
}
