#include "digest/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* Large reads keep up with the CPU's SHA instructions (K34). */
#define READ_BYTES ((size_t)1 << 20)

struct pp_sha256 {
    EVP_MD_CTX *context;
};

/* Found once: each look-up by name takes locks, as long as hashing a small body does. */
static EVP_MD *algorithm;
static pthread_once_t algorithm_once = PTHREAD_ONCE_INIT;

static void fetch_algorithm(void)
{
    algorithm = EVP_MD_fetch(NULL, "SHA256", NULL); /* NULL makes every start fail */
}

pp_sha256 *pp_sha256_new(void)
{
    pp_sha256 *state = calloc(1, sizeof *state);

    (void)pthread_once(&algorithm_once, fetch_algorithm);

    if (state == NULL)
        return NULL;
    state->context = EVP_MD_CTX_new();
    if (state->context == NULL || algorithm == NULL ||
        EVP_DigestInit_ex(state->context, algorithm, NULL) != 1) {
        pp_sha256_free(state);
        return NULL;
    }
    return state;
}

void pp_sha256_update(pp_sha256 *state, const void *bytes, size_t size)
{
    int done = EVP_DigestUpdate(state->context, bytes, size);

    PP_ASSERT(done == 1); /* fails only for a context that was never initialised */
}

void pp_sha256_finish(pp_sha256 *state, char ret_hex[PP_SHA256_HEX_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    int done = EVP_DigestFinal_ex(state->context, digest, &size);

    PP_ASSERT(done == 1 && size == 32);
    for (unsigned i = 0; i < size; i++) {
        ret_hex[2 * i] = digits[digest[i] >> 4];
        ret_hex[2 * i + 1] = digits[digest[i] & 0xF];
    }
    ret_hex[2 * size] = '\0';
}

void pp_sha256_free(pp_sha256 *state)
{
    if (state == NULL)
        return;
    EVP_MD_CTX_free(state->context);
    free(state);
}

pp_status pp_sha256_of(const void *bytes, size_t size, char ret_hex[PP_SHA256_HEX_SIZE],
                       pp_error *err)
{
    pp_sha256 *state = pp_sha256_new();

    if (state == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory for a digest");
    pp_sha256_update(state, bytes, size);
    pp_sha256_finish(state, ret_hex);
    pp_sha256_free(state);
    return PP_OK;
}

static pp_status hash_descriptor(int fd, const char *path, pp_sha256 *state, int64_t *ret_size,
                                 pp_error *err)
{
    unsigned char *chunk = malloc(READ_BYTES);
    pp_status st = PP_OK;
    int64_t total = 0;

    if (chunk == NULL)
        return pp_fail(err, PP_ERR_MEMORY, "out of memory for a digest");
    for (;;) {
        ssize_t got = read(fd, chunk, READ_BYTES);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            st = pp_fail_errno(err, PP_ERR_IO, errno, "reading '%s'", path);
        if (got <= 0)
            break;
        pp_sha256_update(state, chunk, (size_t)got);
        total += got;
    }
    free(chunk);
    *ret_size = total;
    return st;
}

pp_status pp_sha256_file(const char *path, char ret_hex[PP_SHA256_HEX_SIZE], int64_t *ret_size,
                         pp_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    pp_sha256 *state;
    pp_status st;
    int64_t size = 0;

    if (fd < 0)
        return pp_fail_errno(err, PP_ERR_IO, errno, "cannot open '%s'", path);
#ifdef POSIX_FADV_SEQUENTIAL
    (void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL); /* advice only */
#endif
    state = pp_sha256_new();
    if (state == NULL)
        st = pp_fail(err, PP_ERR_MEMORY, "out of memory for a digest");
    else
        st = hash_descriptor(fd, path, state, &size, err);
    if (st == PP_OK) {
        pp_sha256_finish(state, ret_hex);
        if (ret_size != NULL)
            *ret_size = size;
    }
    pp_sha256_free(state);
    (void)close(fd); /* only read from */
    return st;
}
