#include "evidence/cross_checks.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void PP_PRINTF(3, 4)
    note(pp_cross_checks *checks, bool contradicted, const char *format, ...)
{
    va_list args;
    int used = 0;

    checks->checked++;
    if (!contradicted)
        return;
    checks->contradicted++;
    if (checks->first[0] != '\0')
        return;
    if (checks->where != NULL)
        used = snprintf(checks->first, sizeof checks->first, "%s, ", checks->where);
    if (used < 0 || (size_t)used >= sizeof checks->first)
        return;
    va_start(args, format);
    (void)vsnprintf(checks->first + used, sizeof checks->first - (size_t)used, format, args);
    va_end(args);
}

/* A server cannot have worked longer than the client waited for what it made. */
static void compare_times(pp_cross_checks *checks, const pp_sample *sample, const char *work,
                          pp_maybe_real server_ms, const char *wait, pp_maybe_int client_ns)
{
    if (!server_ms.known || !client_ns.known)
        return;
    note(checks, server_ms.value > (double)client_ns.value / 1e6 + PP_CROSS_CHECK_TOLERANCE_MS,
         "measured request %lld: the server says %.1f ms for the %s, the client saw %s after %.1f "
         "ms",
         (long long)sample->id.index, server_ms.value, work, wait, (double)client_ns.value / 1e6);
}

/* Prompt and answer are worked on one after the other. */
static void compare_sum(pp_cross_checks *checks, const pp_sample *sample)
{
    const double client_ms = (double)sample->stream_end_ns / 1e6;

    if (!sample->server_prompt_ms.known || !sample->server_predicted_ms.known)
        return;
    note(checks,
         sample->server_prompt_ms.value + sample->server_predicted_ms.value >
             client_ms + PP_CROSS_CHECK_TOLERANCE_MS,
         "measured request %lld: the server says %.1f ms for the prompt and then %.1f ms for the "
         "answer, the client saw the end of the reply after %.1f ms",
         (long long)sample->id.index, sample->server_prompt_ms.value,
         sample->server_predicted_ms.value, client_ms);
}

static bool is_count_of_server(pp_token_source source)
{
    return source == PP_TOKEN_SOURCE_TIMINGS || source == PP_TOKEN_SOURCE_USAGE ||
           source == PP_TOKEN_SOURCE_PREDICTED;
}

/* An event may hold several tokens, or a character that took several; none has text without a
 * token. */
static void compare_tokens(pp_cross_checks *checks, const pp_sample *sample)
{
    if (!sample->generated_tokens.known || !is_count_of_server(sample->token_source))
        return;
    note(checks, sample->text_event_count > sample->generated_tokens.value,
         "measured request %lld: the server counts %lld tokens, the client saw %lld events with "
         "text",
         (long long)sample->id.index, (long long)sample->generated_tokens.value,
         (long long)sample->text_event_count);
}

void pp_cross_checks_add_sample(pp_cross_checks *checks, const pp_sample *sample)
{
    if (!pp_sample_is_ok(sample))
        return;
    compare_times(checks, sample, "prompt", sample->server_prompt_ms, "the first token",
                  sample->ttft_ns);
    /* tokens without text, such as the end of the answer, may follow the last text */
    compare_times(checks, sample, "answer", sample->server_predicted_ms, "the end of the reply",
                  pp_known_int(sample->stream_end_ns));
    compare_sum(checks, sample);
    compare_tokens(checks, sample);
}

/* ---- many requests at once ---------------------------------------------------------------------
 */

/* What a level's measured requests cost the server, by its own word, and how long they took. */
typedef struct level_work {
    int64_t from_ns, to_ns; /* first start and last end, on the level's clock */
    int64_t count;
    double server_ms;
    bool lacks_times;
} level_work;

static void add_work(level_work *work, const pp_sample *sample)
{
    const int64_t end_ns = sample->started_ns + sample->stream_end_ns;

    if (work->count == 0 || sample->started_ns < work->from_ns)
        work->from_ns = sample->started_ns;
    if (work->count == 0 || end_ns > work->to_ns)
        work->to_ns = end_ns;
    work->count++;
    if (!pp_sample_is_ok(sample))
        return; /* what it cost is not known, and can only be more */
    work->lacks_times =
        work->lacks_times || !sample->server_prompt_ms.known || !sample->server_predicted_ms.known;
    work->server_ms += sample->server_prompt_ms.value + sample->server_predicted_ms.value;
}

/* Little's law: as many requests are in work on average as the time that they take together goes
 * into the time that passed; and no slot works on two. */
static void compare_slots(pp_cross_checks *checks, const level_work *work, pp_maybe_int slots)
{
    const double passed_ms = (double)(work->to_ns - work->from_ns) / 1e6;
    const double most_ms =
        (double)slots.value * passed_ms + (double)work->count * PP_CROSS_CHECK_TOLERANCE_MS;

    if (!slots.known || work->lacks_times || work->server_ms <= 0 || passed_ms <= 0)
        return;
    note(checks, work->server_ms > most_ms,
         "Little's law: the server says that it worked %.1f ms on %lld requests, which took %.1f "
         "ms, so %.2f at once, and that it has %lld slots",
         work->server_ms, (long long)work->count, passed_ms, work->server_ms / passed_ms,
         (long long)slots.value);
}

void pp_cross_checks_add_level(pp_cross_checks *checks, const char *where, const pp_sample *samples,
                               size_t count, pp_maybe_int slots)
{
    level_work work = {0};

    checks->where = where;
    for (size_t i = 0; i < count; i++) {
        if (samples[i].id.phase != PP_PHASE_MEASURED)
            continue;
        pp_cross_checks_add_sample(checks, &samples[i]);
        add_work(&work, &samples[i]);
    }
    compare_slots(checks, &work, slots);
    checks->where = NULL;
}

void pp_cross_checks_append(pp_cross_checks *to, const pp_cross_checks *from)
{
    to->checked += from->checked;
    to->contradicted += from->contradicted;
    if (to->first[0] == '\0')
        memcpy(to->first, from->first, sizeof to->first);
}
