#include "net/http_client_transfer.h"

static void consider(pp_http_limit *best, int64_t from_ns, int64_t limit_ns, pp_http_result result)
{
    if (limit_ns > 0 && (best->at_ns == 0 || from_ns + limit_ns < best->at_ns))
        *best = (pp_http_limit){from_ns + limit_ns, result};
}

pp_http_limit pp_http_next_limit(const pp_http_transfer *t)
{
    pp_http_limit best = {0, PP_HTTP_COMPLETE};
    int64_t started_ns = t->record->started_ns;

    if (t->record->connected_ns == 0)
        consider(&best, started_ns, t->limits.connect_ns, PP_HTTP_CONNECT_TIMEOUT);
    if (t->is_paused)
        ; /* the silence is ours */
    else if (t->data_ns == 0)
        consider(&best, started_ns + t->paused_ns, t->limits.first_byte_ns,
                 PP_HTTP_FIRST_BYTE_TIMEOUT);
    else
        consider(&best, t->data_ns, t->limits.idle_ns, PP_HTTP_IDLE_TIMEOUT);
    consider(&best, started_ns, t->limits.total_ns, PP_HTTP_TOTAL_TIMEOUT);
    return best;
}

/* What stands in the heap is the next deadline or an earlier instant: later data only move the
 * deadline away, so they cost nothing here. */
void pp_http_arm_limit(pp_http_transfer *t)
{
    pp_http_limit next = pp_http_next_limit(t);

    if (next.at_ns == 0)
        pp_deadline_remove(&t->loop->deadlines, &t->deadline);
    else
        pp_deadline_set(&t->loop->deadlines, &t->deadline, next.at_ns);
}

/* The idle limit can be shorter than what was armed, so the first data arm anew. */
void pp_http_note_data(pp_http_transfer *t)
{
    bool is_first = t->data_ns == 0;

    t->data_ns = t->loop->stamp.at_ns;
    if (is_first)
        pp_http_arm_limit(t);
}

const char *pp_http_limit_text(pp_http_result result)
{
    switch (result) {
    case PP_HTTP_CONNECT_TIMEOUT:
        return "no connection within the limit";
    case PP_HTTP_FIRST_BYTE_TIMEOUT:
        return "no data within the limit for the first byte";
    case PP_HTTP_IDLE_TIMEOUT:
        return "no further data within the idle limit";
    default:
        return "not finished within the total limit";
    }
}
