/* retry_after.h - when a server wants to be asked again. */
#ifndef PP_NET_RETRY_AFTER_H
#define PP_NET_RETRY_AFTER_H

#include "base/maybe.h"
#include "base/text.h"

/**
 * Seconds to wait that a Retry-After header names: digits, or a date in one of the three forms of
 * HTTP, less now_unix_s and at least 0. Anything else is absent, as is a number beyond 64 bits
 * (B057).
 *
 * Source: RFC 9110 sections 5.6.7 and 10.2.3.
 */
pp_maybe_int pp_http_retry_after_s(pp_text value, int64_t now_unix_s);

#endif
