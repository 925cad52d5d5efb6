/* ip_address.h - numeric IPv4 and IPv6 addresses, read the same on every system. No names, no
 * look-up. */
#ifndef PP_BASE_IP_ADDRESS_H
#define PP_BASE_IP_ADDRESS_H

#include "base/text.h"

typedef struct pp_ip_address {
    bool is_v4;
    unsigned char bytes[16]; /* network order; of IPv4 the first 4 */
} pp_ip_address;

/** Four decimal octets, or the text forms of RFC 4291 section 2.2 without brackets, port, prefix
 * length and zone. False when it is neither; nothing is written then. */
bool pp_ip_address_parse(pp_text text, pp_ip_address *ret_address);

/** 127.0.0.0/8, ::1, or the former as an IPv4-mapped address. */
bool pp_ip_address_is_loopback(const pp_ip_address *address);

#endif
