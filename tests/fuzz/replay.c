/* Gives every file of a corpus folder to a fuzz target, so that an old finding is an ordinary test.
 * A fuzzer that brings its own main links the target without this file. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REPLAY_MAX_BYTES ((size_t)16 << 20)

static int replay_file(const char *path)
{
    pp_error err = {0};
    pp_buf bytes;
    uint8_t *exact; /* no byte behind the last, so that a sanitizer sees reads past the end */

    pp_buf_init(&bytes, REPLAY_MAX_BYTES);
    if (pp_file_read(path, &bytes, &err) != PP_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    exact = malloc(bytes.size == 0 ? 1 : bytes.size);
    if (exact == NULL)
        abort();
    for (size_t i = 0; i < bytes.size; i++)
        exact[i] = (uint8_t)bytes.data[i];
    (void)LLVMFuzzerTestOneInput(exact, bytes.size); /* always 0; a finding aborts */
    free(exact);
    pp_buf_done(&bytes);
    return 0;
}

int main(int argc, char **argv)
{
    pp_arena arena = {0};
    size_t count = 0;
    int failed = 0;

    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        struct dirent *entry;

        if (folder == NULL) {
            perror(argv[i]);
            return 1;
        }
        while ((entry = readdir(folder)) != NULL) {
            if (entry->d_name[0] == '.')
                continue;
            failed |= replay_file(pp_path_join(&arena, argv[i], entry->d_name));
            count++;
        }
        (void)closedir(folder);
    }
    printf("%zu files replayed\n", count);
    pp_arena_done(&arena);
    return failed != 0 || count == 0;
}
