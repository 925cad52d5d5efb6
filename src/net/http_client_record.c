#include "net/http_client_transfer.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail_nth.h"

pp_status pp_http_record_init(pp_http_record *record, size_t max_body_bytes, size_t reserve_bytes,
                              size_t reserve_arrivals, pp_error *err)
{
    memset(record, 0, sizeof *record);
    pp_buf_init(&record->body, max_body_bytes);
    if (reserve_bytes > 0)
        pp_buf_reserve(&record->body, reserve_bytes);
    if (record->body.status != PP_OK)
        return pp_buf_check(&record->body, "memory for a reply", err);
    if (reserve_arrivals == 0)
        return PP_OK;
    record->arrivals = pp_fail_nth_malloc(reserve_arrivals * sizeof *record->arrivals);
    if (record->arrivals == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory for %zu arrivals", reserve_arrivals);
    memset(record->arrivals, 0, reserve_arrivals * sizeof *record->arrivals);
    record->arrival_capacity = reserve_arrivals;
    return PP_OK;
}

void pp_http_record_done(pp_http_record *record)
{
    if (record == NULL)
        return;
    pp_buf_done(&record->body);
    free(record->arrivals);
    memset(record, 0, sizeof *record);
}

void pp_http_record_restart(pp_http_record *record)
{
    pp_http_record fresh = {
        .body = record->body,
        .arrivals = record->arrivals,
        .arrival_capacity = record->arrival_capacity,
    };

    pp_buf_clear(&fresh.body);
    *record = fresh;
}

bool pp_http_record_grow(pp_http_record *record)
{
    size_t capacity = record->arrival_capacity == 0 ? 64 : record->arrival_capacity * 2;
    pp_http_arrival *grown;

    if (record->arrival_count < record->arrival_capacity)
        return true;
    grown = pp_fail_nth_realloc(record->arrivals, capacity * sizeof *grown);
    if (grown == NULL)
        return false;
    record->arrivals = grown;
    record->arrival_capacity = capacity;
    return true;
}
