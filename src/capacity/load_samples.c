#include "capacity/load_samples.h"

#include <string.h>

/* ---- failures ---------------------------------------------------------------------------------
 */

/* What our client puts before the words of a status page. */
static pp_text behind_status(pp_text text)
{
    static const char prefix[] = "HTTP status ";
    size_t at = sizeof prefix - 1;

    if (text.size < at || memcmp(text.data, prefix, at) != 0)
        return text;
    while (at < text.size && text.data[at] >= '0' && text.data[at] <= '9')
        at++;
    if (at < text.size && text.data[at] == ':')
        at++;
    return pp_text_strip((pp_text){text.data + at, text.size - at});
}

static bool is_of_the_stream(pp_failure failure)
{
    return failure == PP_FAILURE_ENCODING || failure == PP_FAILURE_TOO_LARGE ||
           failure == PP_FAILURE_PROTOCOL || failure == PP_FAILURE_STREAM_ERROR ||
           failure == PP_FAILURE_PREMATURE_END || failure == PP_FAILURE_NOTHING_GENERATED;
}

static const char *failure_text(pp_arena *arena, const pp_sample *s)
{
    pp_text said = pp_text_strip(s->failure_text);

    if (s->failure == PP_FAILURE_HTTP_STATUS && s->http_status.known) {
        said = behind_status(said);
        return pp_arena_printf(arena, "HTTP %lld%s%.*s", (long long)s->http_status.value,
                               said.size > 0 ? ": " : "", (int)said.size,
                               said.size > 0 ? said.data : "");
    }
    return pp_arena_printf(arena, "%s: %s%s%.*s",
                           is_of_the_stream(s->failure) ? "stream error" : "network error",
                           pp_failure_name(s->failure), said.size > 0 ? ": " : "", (int)said.size,
                           said.size > 0 ? said.data : "");
}

/* Why a request that succeeded is not what the document calls completed; NULL when it is. */
static const char *shortcoming(pp_arena *arena, const pp_sample *s, int64_t output_tokens)
{
    if (!s->generated_tokens.known)
        return "the server did not say how many tokens it generated";
    if (s->token_source == PP_TOKEN_SOURCE_EVENTS)
        return "the server did not say how many tokens it generated; events are no tokens";
    if (s->generated_tokens.value != output_tokens)
        return pp_arena_printf(arena, "generated %lld tokens, asked for %lld",
                               (long long)s->generated_tokens.value, (long long)output_tokens);
    if (!s->ttft_ns.known)
        return "no text came";
    return NULL;
}

/* ---- one request ------------------------------------------------------------------------------
 */

static int64_t counted_tokens(const pp_sample *s, int64_t output_tokens)
{
    int64_t tokens = s->generated_tokens.known ? s->generated_tokens.value : 0;

    return tokens > output_tokens ? output_tokens : tokens;
}

static double ms_of_ns(int64_t ns)
{
    return (double)ns / 1e6;
}

static double seconds_of_ns(int64_t ns)
{
    return (double)ns / 1e9;
}

pp_status pp_load_sample_of(pp_arena *arena, const pp_sample *sample, int64_t output_tokens,
                            int64_t clock_start_ns, pp_load_sample *ret_sample, pp_error *err)
{
    int64_t e2e_ns = sample->stream_end_ns < 1 ? 1 : sample->stream_end_ns;
    int64_t started_ns;
    int64_t finished_ns;
    const char *error = pp_sample_is_ok(sample) ? shortcoming(arena, sample, output_tokens)
                                                : failure_text(arena, sample);
    pp_load_sample out = {
        .e2e_latency_ms = ms_of_ns(e2e_ns),
        .generated_tokens = counted_tokens(sample, output_tokens),
    };
    pp_status st = pp_arena_check(arena, err);

    if (st != PP_OK)
        return st;
    if (__builtin_add_overflow(clock_start_ns, sample->started_ns, &started_ns) ||
        __builtin_add_overflow(started_ns, e2e_ns, &finished_ns) || started_ns < 0)
        return pp_fail(err, PP_ERR_DOMAIN, "%s request %lld: its instants are on no clock",
                       pp_phase_name(sample->id.phase), (long long)sample->id.index);
    out.started_at_seconds = seconds_of_ns(started_ns);
    out.finished_at_seconds = seconds_of_ns(finished_ns);
    if (sample->ttft_ns.known)
        out.ttft_ms = pp_known_real(ms_of_ns(sample->ttft_ns.value));
    out.completed = error == NULL;
    if (!out.completed)
        out.error = pp_text_head(pp_text_of(error), PP_LOAD_MAX_ERROR_CHARACTERS);
    *ret_sample = out;
    return PP_OK;
}

/* ---- one level --------------------------------------------------------------------------------
 */

typedef struct phase_list {
    pp_load_sample *samples;
    bool *taken;
    size_t count;
} phase_list;

static pp_status start_list(pp_arena *arena, int64_t count, phase_list *list, pp_error *err)
{
    list->count = (size_t)count;
    list->samples = PP_ARENA_NEW(arena, pp_load_sample, list->count);
    list->taken = PP_ARENA_NEW(arena, bool, list->count);
    return pp_arena_check(arena, err);
}

static pp_status take(pp_arena *arena, const pp_load_method *method, const pp_sample *sample,
                      int64_t clock_start_ns, phase_list *list, pp_error *err)
{
    const char *phase = pp_phase_name(sample->id.phase);
    int64_t index = sample->id.index;

    if (sample->asked_tokens != method->output_tokens)
        return pp_fail(err, PP_ERR_DOMAIN, "%s request %lld: expected %lld tokens asked, got %lld",
                       phase, (long long)index, (long long)method->output_tokens,
                       (long long)sample->asked_tokens);
    if (index < 1 || (uint64_t)index > list->count)
        return pp_fail(err, PP_ERR_DOMAIN, "%s request %lld: expected an index of 1 to %zu", phase,
                       (long long)index, list->count);
    if (list->taken[index - 1])
        return pp_fail(err, PP_ERR_DOMAIN, "%s request %lld is there twice", phase,
                       (long long)index);
    list->taken[index - 1] = true;
    return pp_load_sample_of(arena, sample, method->output_tokens, clock_start_ns,
                             &list->samples[index - 1], err);
}

static pp_status check_complete(const char *phase, const phase_list *list, pp_error *err)
{
    for (size_t i = 0; i < list->count; i++) {
        if (!list->taken[i])
            return pp_fail(err, PP_ERR_DOMAIN, "%s request %zu of %zu is missing", phase, i + 1,
                           list->count);
    }
    return PP_OK;
}

pp_status pp_measured_level_of(pp_arena *arena, const pp_load_plan *plan, int64_t concurrency,
                               const pp_sample *samples, size_t count, int64_t clock_start_ns,
                               pp_measured_level *ret_level, pp_error *err)
{
    phase_list warmup;
    phase_list measured;
    pp_status st = start_list(arena, plan->method.warmup_count, &warmup, err);

    if (st == PP_OK)
        st = start_list(arena, plan->method.measured_count, &measured, err);
    for (size_t i = 0; st == PP_OK && i < count; i++)
        st = take(arena, &plan->method, &samples[i], clock_start_ns,
                  samples[i].id.phase == PP_PHASE_WARMUP ? &warmup : &measured, err);
    if (st == PP_OK)
        st = check_complete("warmup", &warmup, err);
    if (st == PP_OK)
        st = check_complete("measured", &measured, err);
    if (st == PP_OK)
        *ret_level = (pp_measured_level){
            .concurrency = concurrency,
            .warmup = warmup.samples,
            .warmup_count = warmup.count,
            .measured = measured.samples,
            .measured_count = measured.count,
        };
    return pp_wrap(err, st, "level %lld", (long long)concurrency);
}
