/* sha256.h - SHA-256 of bytes and files, as 64 lower-case hexadecimal digits.
 *
 * Owns the crypto library. Source of the algorithm: FIPS 180-4. */
#ifndef PP_DIGEST_SHA256_H
#define PP_DIGEST_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define PP_SHA256_HEX_SIZE    65 /* digits and a NUL */
#define PP_SHA256_BASE64_SIZE 45 /* 43 characters, one '=' and a NUL */

typedef struct pp_sha256 pp_sha256;

/** NULL when memory is short. */
pp_sha256 *pp_sha256_new(void);
void pp_sha256_update(pp_sha256 *state, const void *bytes, size_t size);
/** Digest of everything so far; the state may only be freed afterwards. */
void pp_sha256_finish(pp_sha256 *state, char ret_hex[PP_SHA256_HEX_SIZE]);
void pp_sha256_free(pp_sha256 *state);

PP_MUST_CHECK pp_status pp_sha256_of(const void *bytes, size_t size,
                                     char ret_hex[PP_SHA256_HEX_SIZE], pp_error *err);

/** The same in base 64 (RFC 4648), as a Content-Security-Policy names a style sheet. */
PP_MUST_CHECK pp_status pp_sha256_base64_of(const void *bytes, size_t size,
                                            char ret_base64[PP_SHA256_BASE64_SIZE], pp_error *err);

/** Digest and size of a file, read in pieces. ret_size may be NULL. Fails with PP_ERR_IO. */
PP_MUST_CHECK pp_status pp_sha256_file(const char *path, char ret_hex[PP_SHA256_HEX_SIZE],
                                       int64_t *ret_size, pp_error *err);

/** Whether two digests are equal, in a time that does not tell where they differ: for secrets. */
bool pp_sha256_equal(const char a[PP_SHA256_HEX_SIZE], const char b[PP_SHA256_HEX_SIZE]);

#endif
