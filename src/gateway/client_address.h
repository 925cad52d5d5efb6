/* client_address.h - who asks: the connection's address, or what proxies that we know say of it. */
#ifndef PP_GATEWAY_CLIENT_ADDRESS_H
#define PP_GATEWAY_CLIENT_ADDRESS_H

#include "base/ip_address.h"
#include "net/http_request.h"

/* Proxies in a row that are believed; a longer chain is somebody's invention. */
#define PP_FORWARDED_HOPS_MAX 16

/** Numeric, as inet_ntop and browsers of the wild write it: a zone is passed over, and an
 * IPv4-mapped address is the IPv4 one. */
bool pp_client_ip_parse(pp_text text, pp_ip_address *ret_address);

/** The connection comes from one of the trusted addresses (numeric). */
bool pp_is_trusted_proxy(pp_text peer, const pp_text *trusted, size_t trusted_count);

/**
 * The client's address: `peer`, or when that is a trusted proxy the last address in X-Forwarded-For
 * that is none. Where the chain ends or holds something that is no address, the last proxy in front
 * of it is the client: nothing further left was vouched for.
 *
 * Elements may carry a port, brackets and quotes. Borrowed; digits, letters a-f, '.' and ':' only,
 * unless it is `peer`.
 */
pp_text pp_client_address(const pp_http_header *headers, size_t n_headers, pp_text peer,
                          const pp_text *trusted, size_t trusted_count);

#endif
