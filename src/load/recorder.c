#include "load/recorder.h"

#include <stdlib.h>
#include <string.h>

#define SAMPLES_PER_CHUNK 128

struct pp_sample_chunk {
    pp_sample_chunk *older;
    size_t count;
    pp_sample samples[SAMPLES_PER_CHUNK];
};

void pp_recorder_init(pp_recorder *recorder, const pp_load_setup *setup, const pp_load_level *level,
                      pp_load_board *board, bool may_lock)
{
    *recorder = (pp_recorder){.setup = setup, .level = level, .board = board, .may_lock = may_lock};
}

void pp_recorder_done(pp_recorder *recorder)
{
    pp_arena_done(&recorder->arena);
    free(recorder->arrivals);
    recorder->arrivals = NULL;
}

static pp_sample *next_place(pp_recorder *r)
{
    pp_sample_chunk *chunk = r->chunks;

    if (chunk == NULL || chunk->count == SAMPLES_PER_CHUNK) {
        chunk = PP_ARENA_NEW(&r->arena, pp_sample_chunk, 1);
        if (chunk == NULL)
            return NULL;
        chunk->older = r->chunks;
        r->chunks = chunk;
    }
    return &chunk->samples[chunk->count];
}

static pp_status convert_arrivals(pp_recorder *r, const pp_http_record *record, pp_error *err)
{
    if (record->arrival_count > r->arrival_capacity) {
        size_t capacity = record->arrival_count * 2;
        pp_arrival *grown = realloc(r->arrivals, capacity * sizeof *grown);

        if (grown == NULL)
            return pp_fail(err, PP_ERR_MEMORY, "out of memory for %zu arrivals", capacity);
        r->arrivals = grown;
        r->arrival_capacity = capacity;
    }
    for (size_t i = 0; i < record->arrival_count; i++) {
        const pp_http_arrival *from = &record->arrivals[i];

        r->arrivals[i] = (pp_arrival){.offset = from->offset,
                                      .size = from->size,
                                      .at_ns = from->at_ns - r->base_ns,
                                      .lag_ns = from->woke_ns - from->at_ns,
                                      .from_kernel = from->from_kernel};
    }
    return PP_OK;
}

/* The failure of documents for what the transport says. */
static pp_failure failure_of(pp_http_result result)
{
    switch (result) {
    case PP_HTTP_COMPLETE:
        return PP_FAILURE_NONE;
    case PP_HTTP_UNRESOLVED:
        return PP_FAILURE_UNRESOLVED;
    case PP_HTTP_REFUSED:
        return PP_FAILURE_REFUSED;
    case PP_HTTP_CONNECT_TIMEOUT:
        return PP_FAILURE_CONNECT_TIMEOUT;
    case PP_HTTP_FIRST_BYTE_TIMEOUT:
        return PP_FAILURE_FIRST_BYTE_TIMEOUT;
    case PP_HTTP_IDLE_TIMEOUT:
        return PP_FAILURE_IDLE_TIMEOUT;
    case PP_HTTP_TOTAL_TIMEOUT:
        return PP_FAILURE_TOTAL_TIMEOUT;
    case PP_HTTP_RESET:
        return PP_FAILURE_RESET;
    case PP_HTTP_PREMATURE_END:
        return PP_FAILURE_PREMATURE_END;
    case PP_HTTP_STATUS:
        return PP_FAILURE_HTTP_STATUS;
    case PP_HTTP_ENCODING:
        return PP_FAILURE_ENCODING;
    case PP_HTTP_TOO_LARGE:
        return PP_FAILURE_TOO_LARGE;
    case PP_HTTP_PROTOCOL:
        return PP_FAILURE_PROTOCOL;
    case PP_HTTP_CANCELLED:
        return PP_FAILURE_CANCELLED;
    }
    return PP_FAILURE_PROTOCOL;
}

static pp_text failure_text(pp_recorder *r, const pp_flight *f)
{
    if (f->cut != NULL)
        return pp_text_of(f->cut); /* a literal */
    if (f->record.text[0] == '\0')
        return (pp_text){0};
    return pp_text_dup(&r->arena, pp_text_of(f->record.text));
}

void pp_exchange_take_record(pp_exchange *exchange, const pp_http_record *record, int64_t base_ns)
{
    exchange->started_ns = record->started_ns - base_ns;
    exchange->ended_ns = record->ended_ns - base_ns;
    if (record->connected_ns != 0)
        exchange->connected_ns = pp_known_int(record->connected_ns - base_ns);
    exchange->failure = failure_of(record->result);
    if (record->status != 0)
        exchange->http_status = pp_known_int(record->status);
    exchange->connection_reused = record->connection_reused;
    exchange->clock_was_set = record->clock_was_set;
    exchange->body =
        (pp_bytes){(const unsigned char *)pp_buf_text(&record->body), record->body.size};
}

/* Texts that the sample goes on borrowing are copied, since the flight will be used again. */
static pp_status make_exchange(pp_recorder *r, const pp_flight *f, pp_exchange *out, pp_error *err)
{
    const pp_http_record *record = &f->record;

    *out = (pp_exchange){
        .id = {.candidate = r->setup->candidate,
               .pass = r->setup->pass,
               .level = pp_known_int(r->level->number),
               .phase = f->phase,
               .index = f->index,
               .prompt_id = pp_text_dup(&r->arena, f->item.prompt_id)},
        .asked_tokens = f->item.output_tokens,
        .scheduled_ns = f->scheduled_ns - r->base_ns,
        .failure_text = failure_text(r, f),
        .content_type = pp_text_of(record->content_type),
        .arrivals = r->arrivals,
        .arrival_count = record->arrival_count,
    };
    pp_exchange_take_record(out, record, r->base_ns);
    if (f->cut != NULL)
        out->failure = PP_FAILURE_CUT;
    return pp_sha256_of(f->item.body.data, f->item.body.size, out->id.request_sha256, err);
}

static void note_connection(pp_recorder *r, const pp_http_record *record)
{
    if (record->connected_ns != 0 && !record->connection_reused)
        r->opened_count++;
    if (record->connection_reused)
        r->reused_count++;
    if (record->kept_connection_died)
        r->died_count++;
    if (r->address[0] == '\0')
        memcpy(r->address, record->address, sizeof r->address);
    r->clock_was_set = r->clock_was_set || record->clock_was_set;
}

static void note_ttft(pp_load_board *board, int64_t ended_ns, int64_t ttft_ns)
{
    pthread_mutex_lock(&board->lock);
    board->ring[board->ring_count % PP_COUNT_OF(board->ring)].ended_ns = ended_ns;
    board->ring[board->ring_count % PP_COUNT_OF(board->ring)].ttft_ns = ttft_ns;
    board->ring_count++;
    pthread_mutex_unlock(&board->lock);
}

static void post(pp_recorder *r, const pp_sample *sample, int64_t ended_ns)
{
    size_t phase = sample->id.phase == PP_PHASE_MEASURED;

    if (pp_sample_is_ok(sample))
        atomic_fetch_add_explicit(&r->board->ok_count[phase], 1, memory_order_relaxed);
    else
        atomic_fetch_add_explicit(&r->board->failed[phase][sample->failure], 1,
                                  memory_order_relaxed);
    if (sample->generated_tokens.known)
        atomic_fetch_add_explicit(&r->board->token_count, sample->generated_tokens.value,
                                  memory_order_relaxed);
    if (r->may_lock && sample->ttft_ns.known)
        note_ttft(r->board, ended_ns, sample->ttft_ns.value);
}

pp_status pp_recorder_add(pp_recorder *recorder, const pp_flight *flight, pp_error *err)
{
    pp_exchange exchange;
    pp_sample *place = next_place(recorder);
    pp_status st = pp_arena_check(&recorder->arena, err);

    if (st == PP_OK)
        st = convert_arrivals(recorder, &flight->record, err);
    if (st == PP_OK)
        st = make_exchange(recorder, flight, &exchange, err);
    if (st == PP_OK)
        st = recorder->setup->sample_of(&recorder->arena, &exchange, place, err);
    if (st == PP_OK && recorder->setup->keep != NULL)
        recorder->setup->keep(recorder->setup->user, &recorder->arena, &exchange);
    if (st == PP_OK)
        st = pp_arena_check(&recorder->arena, err);
    if (st != PP_OK)
        return pp_wrap(err, st, "decoding a reply");
    recorder->chunks->count++;
    recorder->count++;
    note_connection(recorder, &flight->record);
    post(recorder, place, flight->record.ended_ns);
    return PP_OK;
}

const pp_sample *pp_recorder_latest(const pp_recorder *recorder)
{
    return &recorder->chunks->samples[recorder->chunks->count - 1];
}

void pp_recorder_copy(const pp_recorder *recorder, pp_sample *samples)
{
    for (const pp_sample_chunk *c = recorder->chunks; c != NULL; c = c->older) {
        memcpy(samples, c->samples, c->count * sizeof *samples);
        samples += c->count;
    }
}
