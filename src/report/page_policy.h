/* page_policy.h - inside report/ only: what a page forbids itself, whoever opens it. */
#ifndef PP_REPORT_PAGE_POLICY_H
#define PP_REPORT_PAGE_POLICY_H

#include "base/buffer.h"

/**
 * Append the value of Content-Security-Policy for a page whose one style element holds these bytes:
 * nothing is loaded, nothing runs, and no other style applies, not even one that somebody smuggled
 * into the page. Fails with PP_ERR_BUG or PP_ERR_MEMORY as pp_sha256_of.
 *
 * Source: W3C Content Security Policy Level 3, hash-source; base64 is RFC 4648, section 4.
 */
PP_MUST_CHECK pp_status pp_page_policy(const char *style, size_t size, pp_buf *out, pp_error *err);

#endif
