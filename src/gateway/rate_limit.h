/* rate_limit.h - a bucket of tokens for each key or address, in a table that does not grow.
 *
 * A bucket that is full is like none and makes room for another. When none is, the newcomer takes
 * over the fullest one as it stands: nobody gets tokens by having others pushed out, and those who
 * asked most keep their empty buckets. Not thread-safe; instants are the caller's, monotonic. */
#ifndef PP_GATEWAY_RATE_LIMIT_H
#define PP_GATEWAY_RATE_LIMIT_H

#include "base/error.h"
#include "base/text.h"
#include "gateway/token_bucket.h"

/* Enough for the clients of a machine's models; a look-up goes through all of them, some
 * microseconds, and needs no hash that a client could aim at. */
#define PP_RATE_LIMIT_CLIENTS     ((size_t)4096)
#define PP_RATE_LIMIT_CLIENTS_MAX ((size_t)65536)

typedef struct pp_rate_key {
    unsigned char bytes[16];
} pp_rate_key;

/** Of an API key by its place in the ring. */
pp_rate_key pp_rate_key_of_index(size_t index);

/** Of an address: an IPv4 one, or the /64 of an IPv6 one, of which one client has 2^64. False when
 * the text is no address. */
bool pp_rate_key_of_address(pp_text address, pp_rate_key *ret_key);

typedef struct pp_rate_limit pp_rate_limit;

/** For at most `capacity` clients at once (1 to PP_RATE_LIMIT_CLIENTS_MAX). All memory is taken
 * here. Fails with PP_ERR_RANGE, PP_ERR_MEMORY. */
PP_MUST_CHECK pp_status pp_rate_limit_new(const pp_token_rate *rate, size_t capacity,
                                          pp_rate_limit **ret_limit, pp_error *err);

/** Accepts NULL. */
void pp_rate_limit_free(pp_rate_limit *limit);

/** As pp_token_bucket_take, for this client: 0, or nanoseconds to wait. */
int64_t pp_rate_limit_take(pp_rate_limit *limit, const pp_rate_key *key, int64_t now_ns);

/** How many clients it remembers now. */
size_t pp_rate_limit_count(const pp_rate_limit *limit);

#endif
