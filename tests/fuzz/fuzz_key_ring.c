/* A ring that was read finds each of its keys that stands in the file, and nothing that does not; a
 * refusal explains itself and shows no key. */
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "gateway/key_ring.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_ring(const pp_key_ring *ring)
{
    pp_key_answer answer;

    PP_ASSERT(ring->count > 0 && ring->count <= PP_KEY_RING_MAX_KEYS);
    for (size_t i = 0; i < ring->count; i++) {
        PP_ASSERT(ring->entries[i].name.size > 0 && ring->entries[i].name.size <= PP_KEY_NAME_MAX);
        PP_ASSERT(strspn(ring->entries[i].sha256, "0123456789abcdef") == 64);
    }
    if (pp_key_ring_find(ring, pp_text_of("Bearer none-of-them"), &answer, NULL) == PP_OK)
        PP_ASSERT(answer.verdict == PP_KEY_REJECTED && strlen(answer.fingerprint) == 8);
}

/* As the value of a header: anything at all. */
static void check_given(const pp_key_ring *ring, pp_text given)
{
    pp_key_answer answer;

    if (pp_key_ring_find(ring, given, &answer, NULL) != PP_OK)
        return;
    PP_ASSERT(answer.verdict != PP_KEY_ACCEPTED || answer.index < ring->count);
    PP_ASSERT((answer.verdict == PP_KEY_REJECTED) == (answer.fingerprint[0] != '\0'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_key_ring ring = {0};
    pp_arena arena = {0};
    pp_error err = {0};

    if (pp_key_ring_parse(&arena, "keys", (pp_bytes){data, size}, &ring, &err) == PP_OK) {
        check_ring(&ring);
        check_given(&ring, (pp_text){(const char *)data, size});
    } else { /* only the line's number and figures of ours stand in it */
        PP_ASSERT(err.text[0] != '\0' && strlen(err.text) < 100);
    }
    pp_arena_done(&arena);
    return 0;
}
