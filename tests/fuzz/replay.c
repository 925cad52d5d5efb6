/* Runs a fuzz target over every file of the folders and files given: without a fuzzer, an old
 * finding is an ordinary test. Fails when nothing was found to run. */
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/files.h"

#define INPUT_MAX_BYTES ((size_t)64 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned long replayed;

static int replay(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    pp_error err = {0};
    pp_buf buf;

    (void)info;
    (void)where;
    if (kind != FTW_F)
        return 0;
    pp_buf_init(&buf, INPUT_MAX_BYTES);
    if (pp_file_read(path, &buf, &err) != PP_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    (void)LLVMFuzzerTestOneInput((const uint8_t *)pp_buf_text(&buf), buf.size);
    pp_buf_done(&buf);
    replayed++;
    return 0;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (nftw(argv[i], replay, 16, FTW_PHYS) != 0) {
            fprintf(stderr, "cannot walk '%s'\n", argv[i]);
            return 1;
        }
    }
    printf("%lu inputs\n", replayed);
    return replayed > 0 ? 0 : 1;
}
