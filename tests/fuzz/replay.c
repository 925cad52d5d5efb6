/* Runs a fuzz target once over every file of the folders given, so that an old finding is an
 * ordinary test where no fuzzer is installed. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_INPUT_BYTES ((size_t)16 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(MAX_INPUT_BYTES);
    uint8_t *exact;
    size_t size;

    if (file == NULL || data == NULL) {
        fprintf(stderr, "cannot read '%s'\n", path);
        exit(1);
    }
    size = fread(data, 1, MAX_INPUT_BYTES, file);
    fclose(file);
    exact = malloc(size > 0 ? size : 1); /* no room behind the end: a sanitizer sees overruns */
    memcpy(exact, data, size);
    free(data);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    return 1;
}

static int replay_folder(const char *folder)
{
    DIR *entries = opendir(folder);
    struct dirent *entry;
    int count = 0;

    if (entries == NULL) {
        fprintf(stderr, "cannot open folder '%s'\n", folder);
        exit(1);
    }
    while ((entry = readdir(entries)) != NULL) {
        char path[4096];

        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        count += replay_file(path);
    }
    closedir(entries);
    return count;
}

int main(int argc, char **argv)
{
    int count = 0;

    for (int i = 1; i < argc; i++)
        count += replay_folder(argv[i]);
    printf("%d inputs\n", count);
    return count > 0 ? 0 : 1; /* an empty corpus tests nothing */
}
