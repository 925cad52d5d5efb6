#include "gateway/rate_limit.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail_nth.h"
#include "gateway/client_address.h"

typedef struct client {
    pp_rate_key key;
    pp_token_bucket bucket;
} client;

struct pp_rate_limit {
    pp_token_rate rate;
    size_t capacity, count;
    client clients[];
};

pp_rate_key pp_rate_key_of_index(size_t index)
{
    pp_rate_key key = {{0}};

    memcpy(key.bytes, &index, sizeof index);
    return key;
}

bool pp_rate_key_of_address(pp_text address, pp_rate_key *ret_key)
{
    pp_rate_key key = {{0}};
    pp_ip_address a;

    if (!pp_client_ip_parse(address, &a))
        return false;
    if (a.is_v4) { /* as a mapped address: no /64 has these bytes behind it */
        key.bytes[10] = key.bytes[11] = 0xff;
        memcpy(key.bytes + 12, a.bytes, 4);
    } else {
        memcpy(key.bytes, a.bytes, 8);
    }
    *ret_key = key;
    return true;
}

pp_status pp_rate_limit_new(const pp_token_rate *rate, size_t capacity, pp_rate_limit **ret_limit,
                            pp_error *err)
{
    pp_rate_limit *limit;

    if (capacity < 1 || capacity > PP_RATE_LIMIT_CLIENTS_MAX)
        return pp_fail(err, PP_ERR_RANGE, "rate limit for %zu clients, expected 1 to %zu", capacity,
                       PP_RATE_LIMIT_CLIENTS_MAX);
    limit = pp_fail_nth_malloc(sizeof *limit + capacity * sizeof limit->clients[0]);
    if (limit == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory for a rate limit");
    limit->rate = *rate;
    limit->capacity = capacity;
    limit->count = 0;
    *ret_limit = limit;
    return PP_OK;
}

void pp_rate_limit_free(pp_rate_limit *limit)
{
    free(limit);
}

size_t pp_rate_limit_count(const pp_rate_limit *limit)
{
    return limit->count;
}

static client *find(pp_rate_limit *limit, const pp_rate_key *key)
{
    for (size_t i = 0; i < limit->count; i++)
        if (memcmp(&limit->clients[i].key, key, sizeof *key) == 0)
            return &limit->clients[i];
    return NULL;
}

static client *fullest(pp_rate_limit *limit, int64_t now_ns)
{
    client *best = &limit->clients[0];
    int64_t best_level = -1;

    for (size_t i = 0; i < limit->count; i++) {
        const int64_t level =
            pp_token_bucket_level(&limit->clients[i].bucket, &limit->rate, now_ns);

        if (level > best_level) {
            best_level = level;
            best = &limit->clients[i];
        }
    }
    return best;
}

/* A full bucket is what a newcomer begins with, so taking one over as it stands is always right. */
static client *make_room(pp_rate_limit *limit, const pp_rate_key *key, int64_t now_ns)
{
    client *c;

    if (limit->count < limit->capacity) {
        c = &limit->clients[limit->count++];
        pp_token_bucket_init(&c->bucket, &limit->rate, now_ns);
    } else {
        c = fullest(limit, now_ns);
    }
    c->key = *key;
    return c;
}

int64_t pp_rate_limit_take(pp_rate_limit *limit, const pp_rate_key *key, int64_t now_ns)
{
    client *c = find(limit, key);

    if (c == NULL)
        c = make_room(limit, key, now_ns);
    return pp_token_bucket_take(&c->bucket, &limit->rate, now_ns);
}
