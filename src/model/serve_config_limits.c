/* Every number of a configuration that has a default. The default stands once, in the table. */
#include "model/serve_config_parts.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "model/tables.h"

typedef struct number_row {
    const char *group;       /* member of the root; NULL: the root itself */
    const pp_fields *fields; /* of the group */
    const char *key;
    size_t offset; /* of an int64_t in pp_serve_config */
} number_row;

#define NUMBER_OF(group_, fields_, key_, member)                                                   \
    {                                                                                              \
        group_, &(fields_), key_, offsetof(pp_serve_config, member)                                \
    }
#define TIMER(key, member)   NUMBER_OF("timeouts_ms", pp_serve_timeout_fields, key, member)
#define BREAKER(key, member) NUMBER_OF("breaker", pp_serve_breaker_fields, key, member)
#define LIMIT(key, member)   NUMBER_OF("limits", pp_serve_limit_fields, key, member)

static const number_row numbers[] = {
    NUMBER_OF("queue", pp_serve_queue_fields, "max_waiting", queue_max_waiting),
    NUMBER_OF("queue", pp_serve_queue_fields, "max_wait_ms", queue_max_wait_ms),
    TIMER("connect", connect_ms),
    TIMER("first_byte", first_byte_ms),
    TIMER("between_bytes", between_bytes_ms),
    TIMER("total", total_ms),
    TIMER("hold", hold_ms),
    TIMER("keep_alive_comment", keep_alive_comment_ms),
    TIMER("drain", drain_ms),
    TIMER("client_send", client_send_ms),
    BREAKER("failures", breaker_failures),
    BREAKER("window_ms", breaker_window_ms),
    BREAKER("open_ms", breaker_open_ms),
    BREAKER("probes", breaker_probes),
    LIMIT("body_max_bytes", body_max_bytes),
    LIMIT("head_max_bytes", head_max_bytes),
    LIMIT("connections", connections),
    LIMIT("stream_buffer_bytes", stream_buffer_bytes),
    NUMBER_OF("supervise", pp_serve_supervise_fields, "start_timeout_ms", start_timeout_ms),
    NUMBER_OF(NULL, pp_serve_config_fields, "log_max_bytes_per_minute", log_max_bytes_per_minute),
};

static const char *standard_of(const pp_fields *fields, const char *key)
{
    for (size_t i = 0; i < fields->row_count; i++) {
        if (strcmp(fields->rows[i].key, key) == 0)
            return fields->rows[i].standard;
    }
    PP_ASSERT(!"a number without a row");
    return "0";
}

static int64_t number_of(const pp_json *group, const pp_fields *fields, const char *key)
{
    const pp_json *value = pp_json_find(group, key);

    return value != NULL ? value->integer : strtoll(standard_of(fields, key), NULL, 10);
}

/* ---- reading ----------------------------------------------------------------------------------
 */

static pp_status decode_full_status(const pp_json *root, pp_serve_config *config, pp_error *err)
{
    const pp_json *queue = pp_json_find(root, "queue");

    config->queue_full_status = (int)number_of(queue, &pp_serve_queue_fields, "full_status");
    if (config->queue_full_status == 429 || config->queue_full_status == 503)
        return PP_OK;
    return pp_json_fail(pp_json_find(queue, "full_status"), err, "expected 429 or 503, got %d",
                        config->queue_full_status);
}

static pp_status decode_backoff(const pp_json *root, pp_serve_config *config, pp_error *err)
{
    const pp_json *list = pp_json_find(pp_json_find(root, "supervise"), "backoff_ms");
    const char *standard = standard_of(&pp_serve_supervise_fields, "backoff_ms");
    char *end;

    if (list == NULL) {
        config->backoff_min_ms = strtoll(standard + 1, &end, 10);
        config->backoff_max_ms = strtoll(end + 1, NULL, 10);
        return PP_OK;
    }
    config->backoff_min_ms = list->array.items[0]->integer;
    config->backoff_max_ms = list->array.items[1]->integer;
    if (config->backoff_min_ms < config->backoff_max_ms)
        return PP_OK;
    return pp_json_fail(list->array.items[1], err,
                        "expected more than the first pause, %lld, got "
                        "%lld",
                        (long long)config->backoff_min_ms, (long long)config->backoff_max_ms);
}

/* ---- timers that contradict one another -------------------------------------------------------
 */

/* A timer that another one always forestalls could never be told of. */
static const struct {
    const char *shorter_group, *shorter;
    size_t shorter_offset;
    const char *longer;
    size_t longer_offset;
} orders[] = {
#define IN_ORDER(group, shorter, shorter_member, longer, longer_member)                            \
    {                                                                                              \
        group, shorter, offsetof(pp_serve_config, shorter_member), longer,                         \
            offsetof(pp_serve_config, longer_member)                                               \
    }
    IN_ORDER("timeouts_ms", "connect", connect_ms, "first_byte", first_byte_ms),
    IN_ORDER("timeouts_ms", "first_byte", first_byte_ms, "total", total_ms),
    IN_ORDER("timeouts_ms", "between_bytes", between_bytes_ms, "total", total_ms),
    IN_ORDER("queue", "max_wait_ms", queue_max_wait_ms, "total", total_ms),
};

static int64_t at_offset(const pp_serve_config *config, size_t offset)
{
    return *(const int64_t *)(const void *)((const char *)config + offset);
}

/* The message stands at whichever of the two was written. */
static pp_status check_order(const pp_json *root, const pp_serve_config *config, size_t i,
                             pp_error *err)
{
    const pp_json *timeouts = pp_json_find(root, "timeouts_ms");
    const pp_json *shorter =
        pp_json_find(pp_json_find(root, orders[i].shorter_group), orders[i].shorter);
    const pp_json *longer = pp_json_find(timeouts, orders[i].longer);
    long long low = (long long)at_offset(config, orders[i].shorter_offset);
    long long high = (long long)at_offset(config, orders[i].longer_offset);

    if (low < high)
        return PP_OK;
    if (shorter != NULL)
        return pp_json_fail(shorter, err, "expected less than timeouts_ms.%s, %lld%s, got %lld",
                            orders[i].longer, high, longer == NULL ? " by default" : "", low);
    return pp_json_fail(longer, err, "expected more than %s.%s, %lld by default, got %lld",
                        orders[i].shorter_group, orders[i].shorter, low, high);
}

pp_status pp_serve_decode_limits(const pp_json *root, pp_serve_config *config, pp_error *err)
{
    pp_status st;

    for (size_t i = 0; i < PP_COUNT_OF(numbers); i++) {
        const number_row *row = &numbers[i];
        const pp_json *group = row->group == NULL ? root : pp_json_find(root, row->group);

        *(int64_t *)(void *)((char *)config + row->offset) =
            number_of(group, row->fields, row->key);
    }
    st = decode_full_status(root, config, err);
    if (st == PP_OK)
        st = decode_backoff(root, config, err);
    for (size_t i = 0; st == PP_OK && i < PP_COUNT_OF(orders); i++)
        st = check_order(root, config, i, err);
    return st;
}

/* ---- writing ----------------------------------------------------------------------------------
 */

/* The object of a group, made when it is asked for first. */
static pp_json *group_of(pp_arena *arena, pp_json *root, const char *group)
{
    pp_json *object = group == NULL ? root : pp_json_find(root, group);

    if (object == NULL) {
        object = pp_json_new_object(arena);
        pp_json_set(arena, root, group, object);
    }
    return object;
}

void pp_serve_encode_limits(pp_arena *arena, const pp_serve_config *config, pp_json *root)
{
    pp_json *backoff = pp_json_new_array(arena);

    for (size_t i = 0; i < PP_COUNT_OF(numbers); i++)
        pp_json_set_int(arena, group_of(arena, root, numbers[i].group), numbers[i].key,
                        at_offset(config, numbers[i].offset));
    pp_json_set_int(arena, group_of(arena, root, "queue"), "full_status",
                    config->queue_full_status);
    pp_json_add(arena, backoff, pp_json_new_int(arena, config->backoff_min_ms));
    pp_json_add(arena, backoff, pp_json_new_int(arena, config->backoff_max_ms));
    pp_json_set(arena, group_of(arena, root, "supervise"), "backoff_ms", backoff);
}
