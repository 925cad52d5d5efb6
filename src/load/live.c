#include "load/live.h"

#include <stdlib.h>

#include "base/clock.h"

static int64_t count_ended(const pp_shared *shared, pp_phase phase, pp_load_live *live)
{
    size_t row = phase == PP_PHASE_MEASURED;

    live->ok_count = atomic_load(&shared->board->ok_count[row]);
    for (size_t i = 0; i < PP_FAILURE_COUNT; i++) {
        live->failed_by_class[i] = atomic_load(&shared->board->failed[row][i]);
        live->failed_count += live->failed_by_class[i];
    }
    return live->ok_count + live->failed_count;
}

void pp_live_begin(pp_live_teller *teller, const pp_shared *shared, pp_phase phase, int64_t at_ns)
{
    pp_load_live now = {0};

    *teller = (pp_live_teller){
        .phase = phase,
        .phase_ns = at_ns,
        .told_ns = at_ns,
        .ended_count = count_ended(shared, phase, &now),
        .token_count = atomic_load(&shared->board->token_count),
    };
}

static int compare_times(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left;
    int64_t b = *(const int64_t *)right;

    return (a > b) - (a < b);
}

/* Nearest rank, as everywhere; of the newest ones when a second brought more than the ring holds.
 */
static pp_maybe_int ttft_of_last_second(pp_load_board *board, int64_t now_ns)
{
    static const size_t size = PP_COUNT_OF(board->ring);
    int64_t times[PP_COUNT_OF(board->ring)];
    size_t held, count = 0;

    pthread_mutex_lock(&board->lock);
    held = board->ring_count < size ? board->ring_count : size;
    for (size_t i = 0; i < held; i++)
        if (board->ring[i].ended_ns > now_ns - PP_NS_PER_S)
            times[count++] = board->ring[i].ttft_ns;
    pthread_mutex_unlock(&board->lock);
    if (count == 0)
        return (pp_maybe_int){0};
    qsort(times, count, sizeof *times, compare_times);
    return pp_known_int(times[(count + 1) / 2 - 1]);
}

void pp_live_look(pp_live_teller *teller, const pp_shared *shared, const pp_worker *workers,
                  pp_load_live *ret_live)
{
    int64_t now_ns = pp_clock_now_ns();
    double seconds = (double)(now_ns - teller->told_ns) / 1e9;
    pp_load_live live = {
        .phase = teller->phase,
        .elapsed_ns = now_ns > teller->phase_ns ? now_ns - teller->phase_ns : 0,
        .planned_count = pp_shared_planned(shared, teller->phase),
        .issued_count = atomic_load(&shared->issued[teller->phase == PP_PHASE_MEASURED]),
        .ttft_ns_p50 = ttft_of_last_second(shared->board, now_ns),
    };
    int64_t ended = count_ended(shared, teller->phase, &live);
    int64_t tokens = atomic_load(&shared->board->token_count);

    for (int64_t i = 0; i < shared->worker_count; i++)
        live.in_flight_count += atomic_load(&workers[i].in_flight_seen);
    if (seconds > 0) {
        live.ended_per_second = (double)(ended - teller->ended_count) / seconds;
        live.tokens_per_second = (double)(tokens - teller->token_count) / seconds;
    }
    teller->told_ns = now_ns;
    teller->ended_count = ended;
    teller->token_count = tokens;
    *ret_live = live;
}
