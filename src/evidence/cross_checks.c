#include "evidence/cross_checks.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void PP_PRINTF(3, 4)
    note(pp_cross_checks *checks, bool contradicted, const char *format, ...)
{
    va_list args;

    checks->checked++;
    if (!contradicted)
        return;
    checks->contradicted++;
    if (checks->first[0] != '\0')
        return;
    va_start(args, format);
    (void)vsnprintf(checks->first, sizeof checks->first, format, args);
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
    compare_tokens(checks, sample);
}

void pp_cross_checks_append(pp_cross_checks *to, const pp_cross_checks *from)
{
    to->checked += from->checked;
    to->contradicted += from->contradicted;
    if (to->first[0] == '\0')
        memcpy(to->first, from->first, sizeof to->first);
}
