/* http_syntax.h - which bytes may stand where in a head; for net/ and for those that relay heads.
 *
 * Source: RFC 9110 section 5.6.2 (token), 5.5 (field values); RFC 3986 appendix A (targets). */
#ifndef PP_NET_HTTP_SYNTAX_H
#define PP_NET_HTTP_SYNTAX_H

#include <stdbool.h>

#include "base/text.h"

bool pp_http_is_token_char(unsigned char c);

/** Of a header's value or a chunk extension: visible, blank, tab, or above 0x7f. */
bool pp_http_is_value_char(unsigned char c);

/** Of a request target: what RFC 3986 lets stand in a URL, without '#'. */
bool pp_http_is_target_char(unsigned char c);

/** Value of a hexadecimal digit of either case; -1 for any other byte. */
int pp_http_hex_value(unsigned char c);

bool pp_http_is_token(pp_text text);
bool pp_http_is_value(pp_text text);

/** Equal but for the case of ASCII letters. */
bool pp_http_name_is(pp_text text, const char *name);

/** The part between blanks and tabs; borrowed. */
pp_text pp_http_without_blanks(pp_text text);

/** True when a comma-separated list holds the token, case ignored. */
bool pp_http_list_has(pp_text list, const char *token);

/** The reason phrase of a status; "Status" for one that has none. */
const char *pp_http_reason(int status);

#endif
