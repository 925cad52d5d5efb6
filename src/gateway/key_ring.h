/* key_ring.h - the API keys that clients may use: read from a file, kept as digests only.
 *
 *     # who         key
 *     alice         sk-4f1c0b7e9d2a86350e6b
 *     ci            sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
 *
 * One key a line, a name and the key (or SHA-256 of it) with blanks between; '#' begins a comment
 * line. The key itself is hashed at once and not kept; errors never show it (E33). */
#ifndef PP_GATEWAY_KEY_RING_H
#define PP_GATEWAY_KEY_RING_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/text.h"
#include "digest/sha256.h"

#define PP_KEY_RING_MAX_BYTES ((size_t)1 << 20) /* of the file */
#define PP_KEY_RING_MAX_KEYS  ((size_t)1024)    /* each is compared with each key that is given */
#define PP_KEY_MIN_CHARACTERS ((size_t)16)
#define PP_KEY_MAX_CHARACTERS ((size_t)512)
#define PP_KEY_NAME_MAX       ((size_t)64)

/* How a rejected key may be shown: the first digits of its SHA-256 (G9). */
#define PP_KEY_FINGERPRINT_SIZE 9

typedef struct pp_key_entry {
    pp_text name; /* unique; letters, digits, '.', '_', '-' */
    char sha256[PP_SHA256_HEX_SIZE];
} pp_key_entry;

typedef struct pp_key_ring {
    pp_key_entry *entries;
    size_t count;
} pp_key_ring;

/**
 * Read the bytes of a file of keys; `name` opens messages. Lives in `arena`.
 *
 * Fails with PP_ERR_SYNTAX naming the line: not UTF-8, a control, no name and key, a name that is
 * none, a key of less than 16 or more than 512 characters or of others than printable ASCII, a
 * digest that is none, a name or a key twice; no key at all. PP_ERR_LIMIT for too many.
 */
PP_MUST_CHECK pp_status pp_key_ring_parse(pp_arena *arena, const char *name, pp_bytes bytes,
                                          pp_key_ring *ret_ring, pp_error *err);

/** The same from a file. ret_others_read: group or others may read it, which the caller tells its
 * user. Fails as above, with PP_ERR_IO, PP_ERR_LIMIT. */
PP_MUST_CHECK pp_status pp_key_ring_load(pp_arena *arena, const char *path, pp_key_ring *ret_ring,
                                         bool *ret_others_read, pp_error *err);

typedef enum pp_key_verdict { PP_KEY_MISSING, PP_KEY_REJECTED, PP_KEY_ACCEPTED } pp_key_verdict;

typedef struct pp_key_answer {
    pp_key_verdict verdict;
    size_t index;                              /* of an accepted one, into entries */
    char fingerprint[PP_KEY_FINGERPRINT_SIZE]; /* of a rejected one, else "" */
} pp_key_answer;

/**
 * Judge the value of an Authorization header (empty: there is none): "Bearer KEY", scheme in any
 * case. Another scheme is a missing key. All entries are compared, each in constant time.
 *
 * Fails with PP_ERR_MEMORY; nobody is let in then.
 */
PP_MUST_CHECK pp_status pp_key_ring_find(const pp_key_ring *ring, pp_text authorization,
                                         pp_key_answer *ret_answer, pp_error *err);

#endif
