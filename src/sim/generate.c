/* One answer: queue, prefill, step after step at its instant, end. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "sim/parts.h"
#include "sim/random.h"

/* Steps that are overdue are done at once; other requests get their turn in between. */
#define STEPS_PER_TURN 64

/* In UTF-8: U+1F600 in two halves, and an encoded half of a surrogate pair. */
#define EMOJI_FIRST  "\xf0\x9f"
#define EMOJI_SECOND "\x98\x80"
#define SURROGATE    "\xed\xa0\xbd"

static void on_due(void *user, int64_t now_ns);

static pp_sim_call *call_of(pp_sim_job *job)
{
    return (pp_sim_call *)(void *)job;
}

/* ---- slots ------------------------------------------------------------------------------------
 */

static void begin(pp_sim_call *call);

/* The slot is free from this instant; whoever waited has it from then on. */
static void leave_slot(pp_sim_call *call, int64_t at_ns)
{
    pp_sim *sim = call->sim;
    int64_t slot = call->job.slot;
    bool had_slot = call->job.place == PP_SIM_PLACE_SLOT;
    pp_sim_job *next;

    if (sim->stopping)
        return;
    next = pp_sim_slots_leave(&sim->slots, &call->job, at_ns);
    if (had_slot) {
        sim->slot_states[slot].is_processing = false;
        sim->slot_states[slot].left = 0;
    }
    if (next != NULL)
        begin(call_of(next));
}

static void show_slot(const pp_sim_call *call)
{
    pp_sim_slot_state *state = &call->sim->slot_states[call->job.slot];

    state->is_processing = true;
    state->request = call->serial;
    state->prompt_tokens = call->ask.prompt_tokens;
    state->decoded = call->reply.tokens;
    state->left = call->limit - call->reply.tokens;
}

static int64_t done_at(const pp_sim_call *call, int64_t from_ns, int64_t work_ns)
{
    return pp_sim_done_at_ns(&call->sim->options.service, call->sim->first_answer_ns, from_ns,
                             work_ns);
}

static void set_timer(pp_sim_call *call, int64_t at_ns)
{
    call->timer.fire = on_due;
    call->timer.user = call;
    pp_http_timer_set(call->sim->http, &call->timer, at_ns);
}

/* ---- progress ---------------------------------------------------------------------------------
 */

/* Progress events share the prefill evenly. */
static int64_t progress_at(const pp_sim_call *call)
{
    int64_t all = call->quirks.progress > 0 ? call->quirks.progress : 4;
    double share = (double)(all - call->progress_left + 1) / (double)(all + 1);

    return call->job.start_ns + (int64_t)((double)(call->due_ns - call->job.start_ns) * share);
}

static void say_progress(pp_sim_call *call)
{
    int64_t all = call->quirks.progress > 0 ? call->quirks.progress : 4;
    int64_t done = all - --call->progress_left;

    pp_buf_clear(&call->sim->out);
    pp_sim_say_progress(&call->reply, call->ask.prompt_tokens * done / (all + 1), &call->sim->out);
    pp_sim_emit(call);
}

static void set_next_timer(pp_sim_call *call)
{
    set_timer(call, call->progress_left > 0 ? progress_at(call) : call->due_ns);
}

/* ---- the beginning ----------------------------------------------------------------------------
 */

static int64_t extra_delay_ns(const pp_sim_call *call)
{
    bool is_cold = call->request != NULL && call->request->request_serial == 1;

    return call->quirks.slow_ns + (is_cold ? call->quirks.cold_ns : 0);
}

/* `error-after` counts one more than its tokens; without it one token comes first. */
static bool error_is_due(const pp_sim_call *call)
{
    int64_t after = call->quirks.error_after > 0 ? call->quirks.error_after - 1 : 1;

    return call->quirks.error != 0 && call->reply.tokens >= after;
}

static void say_role(pp_sim_call *call)
{
    if (call->role_said || call->ask.dialect != PP_SIM_DIALECT_CHAT || !call->ask.stream ||
        error_is_due(call) || call->quirks.comments_only)
        return;
    call->role_said = true;
    pp_buf_clear(&call->sim->out);
    pp_sim_say_role(&call->reply, &call->sim->out);
    pp_sim_emit(call);
}

/* A server that needs more memory with each request. */
static void grow(pp_sim_call *call)
{
    size_t size = (size_t)call->quirks.grow_bytes;
    void *memory = size > 0 ? pp_arena_alloc(&call->sim->grown, size, 1) : NULL;

    if (memory != NULL)
        memset(memory, 1, size); /* touched, so that it counts */
}

/* It has its slot since job.start_ns. */
static void begin(pp_sim_call *call)
{
    pp_sim *sim = call->sim;
    int64_t prompt_n = call->ask.prompt_tokens - call->reply.cached_n;
    pp_sim_record record = pp_sim_record_start(call->job.start_ns, call->serial, call->job.slot);

    pp_sim_truth_add(sim->truth, &record);
    call->reply.slot = call->job.slot;
    call->reply.prompt_ns = pp_sim_prefill_ns(&sim->options.service, prompt_n);
    call->step = 1;
    call->due_ns = done_at(call, call->job.start_ns, call->reply.prompt_ns + extra_delay_ns(call));
    if (call->ask.stream && !call->quirks.nothing)
        call->progress_left = call->quirks.progress > 0   ? call->quirks.progress
                              : call->ask.return_progress ? 4
                                                          : 0;
    grow(call);
    show_slot(call);
    if (call->quirks.early_role)
        say_role(call);
    set_next_timer(call);
}

/* ---- text -------------------------------------------------------------------------------------
 */

/* Text of the token that comes next; empty at the end of an answer from a file. */
static pp_text next_token(pp_sim_call *call, char word[PP_SIM_TOKEN_MAX_BYTES])
{
    const pp_sim_quirks *q = &call->quirks;
    int64_t n = call->reply.tokens;
    pp_text token = {call->source.data, 0};

    if (q->split_emoji && n < 2)
        return pp_text_of(n == 0 ? EMOJI_FIRST : EMOJI_SECOND);
    if (q->lone_surrogate && n == 0)
        return pp_text_of(SURROGATE);
    if (call->has_source) {
        token.size = pp_sim_token_size(call->source);
        call->source.data += token.size;
        call->source.size -= token.size;
        if (token.size > 0 || !call->ask.ignore_eos)
            return token;
    }
    pp_sim_word(call->sim->options.service.seed, call->ask.prompt_hash, n, word);
    return (pp_text){word, PP_SIM_TOKEN_MAX_BYTES};
}

/* One token more; false at the end of the answer. */
static bool add_token(pp_sim_call *call)
{
    char word[PP_SIM_TOKEN_MAX_BYTES];
    pp_text token;

    if (call->reply.tokens >= call->limit) {
        call->reply.eos = call->ends_itself;
        return false;
    }
    token = next_token(call, word);
    if (token.size == 0) {
        call->reply.eos = true;
        return false;
    }
    pp_buf_append(&call->reply.text, token.data, token.size);
    call->reply.tokens++;
    call->pending_tokens++;
    call->sim->state.predicted_tokens++;
    if (call->reply.tokens < call->quirks.reasoning) /* reasoning counts one more than asked */
        call->reply.reasoning_bytes = call->reply.text.size;
    return true;
}

static bool has_more(const pp_sim_call *call)
{
    return call->reply.tokens < call->limit &&
           (!call->has_source || call->source.size > 0 || call->ask.ignore_eos);
}

/* The text so far ends in a character that is not whole: as llama-server, wait for its rest. */
static bool is_inside_character(const pp_sim_call *call)
{
    const pp_buf *text = &call->reply.text;
    size_t back = 1;
    unsigned char c = 0;

    if (call->quirks.split_emoji)
        return false;
    while (back <= 3 && back <= text->size) {
        c = (unsigned char)text->data[text->size - back];
        if ((c & 0xc0) != 0x80)
            break;
        back++;
    }
    return (c >= 0xf0 && back < 4) || (c >= 0xe0 && c < 0xf0 && back < 3) ||
           (c >= 0xc2 && c < 0xe0 && back < 2);
}

static void say_pending(pp_sim_call *call)
{
    int64_t first = call->reply.tokens - call->pending_tokens + 1;

    if (call->pending_tokens == 0)
        return;
    if (call->quirks.nulls && call->ask.dialect != PP_SIM_DIALECT_LLAMA) {
        pp_buf_clear(&call->sim->out);
        pp_sim_say_null(&call->reply, &call->sim->out);
        pp_sim_emit(call);
    }
    pp_buf_clear(&call->sim->out);
    pp_sim_say_piece(&call->reply, call->pending_from, first, !has_more(call), &call->sim->out);
    call->pending_from = call->reply.text.size;
    call->pending_tokens = 0;
    pp_sim_emit(call);
}

/* ---- errors on purpose ------------------------------------------------------------------------
 */

static void put_error(pp_sim_call *call)
{
    pp_buf *out = &call->sim->out;

    pp_buf_clear(out);
    if (call->quirks.error == PP_SIM_ERROR_TEXT)
        pp_buf_append_text(out, "{\"error\":\"simulated failure\",\"error_type\":\"generation\"}");
    else if (call->quirks.error == PP_SIM_ERROR_FIELD)
        pp_buf_append_text(out, "{\"code\":500,\"message\":\"simulated failure\","
                                "\"type\":\"server_error\"}");
    else
        pp_sim_say_error(500, "server_error", "simulated failure", out);
}

static void end_with_error(pp_sim_call *call)
{
    const char *type = "application/json; charset=utf-8";

    put_error(call);
    if (!call->ask.stream) {
        pp_sim_reply_whole(
            call, 200, type, NULL,
            (pp_bytes){(const unsigned char *)pp_buf_text(&call->sim->out), call->sim->out.size});
        return;
    }
    if (call->quirks.error == PP_SIM_ERROR_FIELD || call->quirks.error == PP_SIM_ERROR_EVENT)
        pp_sim_emit_named(call, "error", call->quirks.error == PP_SIM_ERROR_EVENT);
    else
        pp_sim_emit(call);
    if (call->quirks.error == PP_SIM_ERROR_DONE)
        pp_sim_emit_done(call);
    pp_sim_stream_end(call);
}

/* ---- the end ----------------------------------------------------------------------------------
 */

static void end_whole(pp_sim_call *call)
{
    pp_buf *out = &call->sim->out;

    pp_buf_clear(out);
    pp_sim_say_whole(&call->reply, out);
    pp_sim_reply_whole(call, 200, "application/json; charset=utf-8", NULL,
                       (pp_bytes){(const unsigned char *)pp_buf_text(out), out->size});
}

static void end_cut(pp_sim_call *call)
{
    static const unsigned char half[] = "data: {\"content\":\"" EMOJI_FIRST;

    pp_sim_stream_open(call);
    pp_sim_stream_flush(call);
    if (!call->is_over && call->http != NULL)
        pp_sim_call_broken(call,
                           pp_sim_wire_write(&call->wire, (pp_bytes){half, sizeof half - 1}, 0));
    pp_sim_call_close(call);
}

/* What stands behind the finish reason. */
static void end_stream(pp_sim_call *call)
{
    pp_buf *out = &call->sim->out;

    pp_buf_clear(out);
    if (pp_sim_say_usage(&call->reply, out))
        pp_sim_emit(call);
    if (call->quirks.usage == PP_SIM_USAGE_NOT_LAST) {
        pp_buf_clear(out);
        pp_sim_say_null(&call->reply, out);
        pp_sim_emit(call);
    }
    if (call->ask.dialect != PP_SIM_DIALECT_LLAMA)
        pp_sim_emit_done(call);
    pp_sim_stream_end(call);
}

static void end_comments(pp_sim_call *call)
{
    pp_sim_stream_open(call);
    for (int i = 0; i < 10 && !call->is_over; i++)
        pp_sim_call_broken(
            call,
            pp_sim_wire_write(&call->wire, (pp_bytes){(const unsigned char *)": ping\n\n", 8}, 0));
    pp_sim_stream_end(call);
}

static void end_answer(pp_sim_call *call)
{
    if (!call->ask.stream) {
        end_whole(call);
        return;
    }
    if (call->quirks.cut_character) {
        end_cut(call);
        return;
    }
    pp_buf_clear(&call->sim->out);
    pp_sim_say_finish(&call->reply, &call->sim->out);
    pp_sim_emit(call);
    if (call->quirks.usage_pause_ns > 0) {
        pp_sim_stream_flush(call);
        call->finishing = true;
        set_timer(call, call->due_ns + call->quirks.usage_pause_ns);
        return;
    }
    end_stream(call);
}

/* The last token was at due_ns: the slot is free from then on, whatever is still said. */
static void finish(pp_sim_call *call)
{
    pp_sim_state *state = &call->sim->state;
    int64_t length = call->ask.prompt_tokens + call->reply.tokens;

    if (length > state->longest)
        state->longest = length;
    if (call->http == NULL) {
        leave_slot(call, call->due_ns);
        pp_sim_call_free(call);
        return;
    }
    if (error_is_due(call))
        end_with_error(call);
    else
        end_answer(call);
    leave_slot(call, call->due_ns);
}

/* ---- steps ------------------------------------------------------------------------------------
 */

static int64_t tokens_of_step(pp_sim_call *call)
{
    pp_sim *sim = call->sim;
    const pp_sim_service *service = &sim->options.service;
    double acceptance = service->acceptance;
    int64_t accepted;

    if (service->draft_tokens == 0 || call->step == 1)
        return 1;
    if (call->quirks.acceptance_falls)
        acceptance /= (double)pp_sim_slots_busy(&sim->slots);
    accepted = pp_sim_accepted(service, acceptance, (uint64_t)call->serial, call->step);
    call->reply.draft_n += service->draft_tokens;
    call->reply.draft_accepted_n += accepted;
    sim->state.draft_count++;
    sim->state.draft_tokens += service->draft_tokens;
    sim->state.draft_accepted += accepted;
    return 1 + accepted;
}

static void count_first_step(pp_sim_call *call)
{
    pp_sim_state *state = &call->sim->state;

    call->first_token_ns = call->due_ns;
    state->prompt_tokens += call->ask.prompt_tokens - call->reply.cached_n;
    state->cached_tokens += call->reply.cached_n;
    state->prompt_ns += call->reply.prompt_ns;
    if (call->sim->options.cache == PP_SIM_CACHE_REPEAT)
        call->sim->seen[call->ask.prompt_hash % PP_SIM_SEEN_COUNT] = call->ask.prompt_hash;
}

/* The step that is due; false when it was the last. */
static bool do_step(pp_sim_call *call)
{
    pp_sim *sim = call->sim;
    int64_t share = call->quirks.tokens_per_event > 0 ? call->quirks.tokens_per_event : 1;
    bool goes_on = true;

    if (call->step == 1)
        count_first_step(call);
    sim->state.decode_count++;
    sim->state.busy_slots_sum += pp_sim_slots_busy(&sim->slots);
    sim->state.predicted_ns += call->due_ns - call->first_token_ns - call->reply.predicted_ns;
    call->reply.predicted_ns = call->due_ns - call->first_token_ns;
    for (int64_t n = tokens_of_step(call); n > 0 && goes_on; n--)
        goes_on = add_token(call);
    goes_on = goes_on && has_more(call) && !error_is_due(call);
    if (!goes_on && call->reply.tokens >= call->limit)
        call->reply.eos = call->ends_itself;
    else if (!goes_on && !error_is_due(call))
        call->reply.eos = true;
    if (call->ask.stream &&
        ((call->pending_tokens >= share && !is_inside_character(call)) || !goes_on))
        say_pending(call);
    return goes_on;
}

/* Nothing to generate: the prompt was all, or the quirks say so. */
static bool is_empty(const pp_sim_call *call)
{
    return call->limit == 0 || call->quirks.nothing || (call->step == 1 && error_is_due(call)) ||
           call->quirks.comments_only;
}

static void do_empty(pp_sim_call *call)
{
    count_first_step(call);
    if (call->quirks.comments_only && call->ask.stream && call->http != NULL) {
        end_comments(call);
        leave_slot(call, call->due_ns);
    } else {
        finish(call);
    }
}

/* Closed or reset by a quirk: that ends the work, too. */
static void stop_work(pp_sim_call *call, int64_t now_ns)
{
    leave_slot(call, now_ns);
    if (call->http == NULL)
        pp_sim_call_free(call);
}

static void do_steps(pp_sim_call *call, int64_t now_ns)
{
    for (int left = STEPS_PER_TURN; left > 0 && call->due_ns <= now_ns; left--) {
        if (call->step == 1)
            say_role(call);
        if (call->is_over) /* broken off by the first event */
            break;
        if (call->step == 1 && is_empty(call)) {
            do_empty(call);
            return;
        }
        if (!do_step(call)) {
            finish(call);
            return;
        }
        call->step++;
        call->due_ns = done_at(
            call, call->due_ns,
            pp_sim_step_ns(&call->sim->options.service, (uint64_t)call->serial, call->step));
        if (call->is_over)
            break;
    }
    if (call->is_over) {
        stop_work(call, now_ns);
        return;
    }
    if (call->job.place == PP_SIM_PLACE_SLOT)
        show_slot(call);
    set_timer(call, call->due_ns);
}

static void on_due(void *user, int64_t now_ns)
{
    pp_sim_call *call = user;

    if (call->finishing) {
        end_stream(call);
    } else if (call->progress_left > 0) {
        say_progress(call);
        if (call->is_over)
            stop_work(call, now_ns);
        else
            set_next_timer(call);
    } else {
        do_steps(call, now_ns);
    }
}

/* ---- asking -----------------------------------------------------------------------------------
 */

static void refuse_length(pp_sim_call *call)
{
    char text[160];

    (void)snprintf(text, sizeof text,
                   "the prompt of %lld tokens does not fit into the context of %lld",
                   (long long)call->ask.prompt_tokens, (long long)call->sim->options.n_ctx);
    pp_sim_reply_error(call, 400, "exceed_context_size_error", text);
}

static void set_limit(pp_sim_call *call)
{
    const pp_sim_options *o = &call->sim->options;
    const pp_sim_quirks *q = &call->quirks;
    int64_t room = o->n_ctx - call->ask.prompt_tokens;

    call->limit = call->ask.token_max;
    if (call->limit < 0) {
        call->limit = call->has_source || call->ask.ignore_eos ? room : o->answer_tokens;
        call->ends_itself = !call->has_source && !call->ask.ignore_eos;
    }
    if (q->short_answer > 0 && q->short_answer < call->limit) {
        call->limit = q->short_answer;
        call->ends_itself = true;
    }
    call->limit += q->extra_tokens;
    if (call->limit > room)
        call->limit = room;
}

static int64_t cached_tokens(const pp_sim_call *call)
{
    const pp_sim *sim = call->sim;
    int64_t most = call->ask.prompt_tokens > 0 ? call->ask.prompt_tokens - 1 : 0;
    int64_t n = sim->options.cached_tokens;
    uint64_t hash = call->ask.prompt_hash;

    if (sim->options.cache == PP_SIM_CACHE_REPEAT)
        n = sim->seen[hash % PP_SIM_SEEN_COUNT] == hash ? most : 0;
    if (!call->ask.cache_prompt)
        n = 0;
    if (call->quirks.cached > 0) /* a server that caches although it was told not to */
        n = call->quirks.cached;
    return n < most ? n : most;
}

static void choose_answer(pp_sim_call *call)
{
    const pp_sim_answer *found =
        call->sim->options.answers == NULL
            ? NULL
            : pp_sim_answers_find(call->sim->options.answers, call->ask.prompt);

    call->has_source = found != NULL;
    if (found != NULL)
        call->source = found->answer;
}

static void prepare_reply(pp_sim_call *call)
{
    const pp_sim_options *o = &call->sim->options;

    call->reply = (pp_sim_reply){
        .ask = &call->ask,
        .quirks = &call->quirks,
        .model = o->model,
        .profile = o->profile,
        .seed = o->service.seed,
        .serial = call->serial,
        .created_s = call->sim->started_s,
        .n_ctx = o->n_ctx,
        .has_draft = o->service.draft_tokens > 0,
    };
    pp_buf_init(&call->reply.text, PP_SIM_TEXT_MAX_BYTES);
    pp_buf_init(&call->held, PP_SIM_EVENT_MAX_BYTES);
    call->reply.cached_n = cached_tokens(call);
}

static void refuse_full(pp_sim_call *call)
{
    pp_sim_reply_error(call, call->sim->options.queue_full_status, "unavailable_error",
                       "all slots and places in the queue are taken");
}

void pp_sim_answer_begin(pp_sim_call *call, pp_sim_dialect dialect)
{
    pp_error err = {0};
    pp_status st = pp_sim_ask_read(&call->arena, dialect, call->request->body, call->quirks.strict,
                                   &call->ask, &err);

    if (st != PP_OK)
        call->ask.prompt_tokens = PP_SIM_NOT_KNOWN;
    pp_sim_log_arrival(call);
    if (st != PP_OK) {
        pp_sim_reply_error(call, 400, "invalid_request_error", err.text);
        return;
    }
    if (call->ask.prompt_tokens >= call->sim->options.n_ctx) {
        refuse_length(call);
        return;
    }
    if (call->quirks.not_streamed)
        call->ask.stream = false;
    choose_answer(call);
    set_limit(call);
    prepare_reply(call);
    pp_sim_ping_start(call);
    if (call->quirks.early_head && call->ask.stream)
        pp_sim_stream_open(call);
    switch (pp_sim_slots_enter(&call->sim->slots, &call->job, call->request->arrived_ns)) {
    case PP_SIM_PLACE_SLOT:
        begin(call);
        break;
    case PP_SIM_PLACE_NONE:
        refuse_full(call);
        break;
    case PP_SIM_PLACE_QUEUE:
        break;
    }
}

/* ---- leaving ----------------------------------------------------------------------------------
 */

static void on_busy_over(void *user, int64_t now_ns)
{
    pp_sim_call *call = user;

    leave_slot(call, now_ns);
    pp_sim_call_free(call);
}

bool pp_sim_answer_cancel(pp_sim_call *call)
{
    int64_t now_ns = pp_clock_now_ns();

    pp_http_timer_cancel(call->sim->http, &call->ping);
    if (call->job.place == PP_SIM_PLACE_SLOT && !call->sim->stopping) {
        if (call->quirks.ignore_cancel) /* its timer runs on */
            return true;
        if (call->quirks.busy_after_ns > 0) {
            call->timer.fire = on_busy_over;
            call->timer.user = call;
            pp_http_timer_set(call->sim->http, &call->timer, now_ns + call->quirks.busy_after_ns);
            return true;
        }
    }
    pp_http_timer_cancel(call->sim->http, &call->timer);
    leave_slot(call, now_ns);
    return false;
}
