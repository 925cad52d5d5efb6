#include "load_maker.h"

#include <string.h>

#include "shared.h"

pp_sample make_sample(pp_arena *arena, int64_t index, int64_t due_ns, int64_t late_ns,
                      int64_t ttft_ns, int64_t e2e_ns, int64_t tokens)
{
    pp_sample s = {
        .id = {.pass = 1, .level = {true, 1}, .phase = PP_PHASE_MEASURED, .index = index},
        .scheduled_ns = due_ns,
        .started_ns = due_ns + late_ns,
        .connect_ns = {true, MS},
        .ttft_ns = {true, ttft_ns},
        .first_answer_ns = {true, ttft_ns},
        .e2e_ns = {true, e2e_ns},
        .stream_end_ns = e2e_ns,
        .text_event_count = tokens,
        .event_count = tokens + 1,
        .events_per_read_max = 1,
        .kernel_arrival_count = tokens,
        .client_lag_ns_p99 = {true, MS / 10},
        .client_lag_ns_max = {true, MS / 10},
        .asked_tokens = tokens,
        .prompt_tokens = {true, 100},
        .cached_tokens = {true, 0},
        .generated_tokens = {true, tokens},
        .token_source = PP_TOKEN_SOURCE_TIMINGS,
        .finish = pp_text_of("limit"),
        .http_status = {true, 200},
        .text_bytes = 4 * tokens,
    };

    s.id.candidate = pp_text_of("");
    s.id.prompt_id = pp_text_of("p");
    memset(s.id.request_sha256, 'a', PP_SHA256_HEX_SIZE - 1);
    memset(s.text_sha256, 'b', PP_SHA256_HEX_SIZE - 1);
    s.gap_count = (size_t)(tokens - 1);
    s.gaps_ns = PP_ARENA_NEW(arena, int64_t, s.gap_count);
    assert_non_null(s.gaps_ns);
    for (size_t i = 0; i < s.gap_count; i++)
        s.gaps_ns[i] = (e2e_ns - ttft_ns) / (tokens - 1);
    return s;
}

void fail_sample(pp_sample *s, pp_failure failure, int64_t after_ns)
{
    s->failure = failure;
    s->failure_text = pp_text_of("made to fail");
    s->ttft_ns = s->first_answer_ns = s->e2e_ns = (pp_maybe_int){0};
    s->stream_end_ns = after_ns;
    s->gap_count = 0;
    s->text_event_count = s->event_count = s->events_per_read_max = 0;
    s->kernel_arrival_count = s->user_arrival_count = 0;
    s->client_lag_ns_p99 = s->client_lag_ns_max = (pp_maybe_int){0};
    s->prompt_tokens = s->cached_tokens = s->generated_tokens = (pp_maybe_int){0};
    s->token_source = PP_TOKEN_SOURCE_NONE;
    s->finish = (pp_text){0};
    s->text_bytes = 0;
    memset(s->text_sha256, 0, sizeof s->text_sha256);
}

pp_load_level make_closed(int64_t clients, int64_t requests)
{
    return (pp_load_level){.number = 1,
                           .loop = PP_LOAD_CLOSED,
                           .clients = clients,
                           .request_count = {true, requests},
                           .seed = 7};
}

pp_load_level make_open(double rate_per_second, int64_t requests)
{
    return (pp_load_level){.number = 1,
                           .loop = PP_LOAD_OPEN,
                           .rate_per_second = rate_per_second,
                           .arrivals = PP_ARRIVALS_CONSTANT,
                           .request_count = {true, requests},
                           .seed = 7};
}

pp_load_observed make_observed(const pp_load_level *level, int64_t ended_at_ns)
{
    return (pp_load_observed){
        .ended_by = PP_LOAD_END_REQUESTS,
        .started_unix_ms = 1700000000000,
        .ended_at_ns = ended_at_ns,
        .planned_count = level->request_count,
        .in_flight_max = level->loop == PP_LOAD_CLOSED ? level->clients : 1,
        .stall_ns_max = MS,
        .client_cpu_seconds = 0.01,
        .worker_count = 1,
    };
}
