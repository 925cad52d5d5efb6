/* secret.h - a key that a server gave back must not reach an output (F15, B145).
 *
 * Gateways quote the key that they refuse. What a server said is therefore looked through before it
 * is shown or kept. */
#ifndef PP_BASE_SECRET_H
#define PP_BASE_SECRET_H

#include "base/text.h"

/* Stands where the secret stood. */
#define PP_SECRET_MARK "[key]"

/**
 * The text with each occurrence of `secret` replaced, also one whose end is missing because the
 * text was cut (with or without "..."), if at least four bytes of it are there. Borrowed when there
 * is none; `secret` may be empty. A zeroed text when memory is short (arena->failed set).
 */
pp_text pp_secret_remove(pp_arena *arena, pp_text text, pp_text secret);

/** The same in the text of an error, whose end is cut where the marks need more room. */
void pp_secret_remove_from_error(pp_error *err, pp_text secret);

#endif
