#include "cli/load_live.h"

#include "base/clock.h"

void pp_load_level_title(const pp_load_level *level, char *out, size_t size)
{
    if (level->loop == PP_LOAD_CLOSED)
        (void)snprintf(out, size, "%lld client%s", (long long)level->clients,
                       level->clients == 1 ? "" : "s");
    else if (level->loop == PP_LOAD_TRACE)
        (void)snprintf(out, size, "trace");
    else if (level->arrivals == PP_ARRIVALS_GAMMA)
        (void)snprintf(out, size, "%.4g/s gamma:%.4g", level->rate_per_second, level->gamma_shape);
    else
        (void)snprintf(out, size, "%.4g/s %s", level->rate_per_second,
                       pp_arrivals_name(level->arrivals));
}

void pp_load_live_tick(void *user, const pp_load_live *now)
{
    pp_load_live_view *live = user;
    FILE *out = live->view.out;
    char title[48];
    char elapsed[24];

    if (live->view.quiet || !live->view.terminal)
        return;
    pp_load_level_title(live->level, title, sizeof title);
    fprintf(out, "\r\x1b[K%s%s %s  %lld in flight, %lld ok, %lld failed, %.4g/s", title,
            now->phase == PP_PHASE_WARMUP ? ", warm-up" : "",
            pp_progress_time(now->elapsed_ns, elapsed), (long long)now->in_flight_count,
            (long long)now->ok_count, (long long)now->failed_count, now->ended_per_second);
    if (now->ttft_ns_p50.known)
        fprintf(out, ", TTFT %.4g ms", (double)now->ttft_ns_p50.value / (double)PP_NS_PER_MS);
    fprintf(out, ", %.4g tok/s", now->tokens_per_second);
    (void)fflush(out);
    live->view.open_line = true;
}
