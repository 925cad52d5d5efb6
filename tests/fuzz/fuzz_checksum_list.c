/* A list that is read has safe, increasing paths, and printed again it is the same bytes. */
#include <stdint.h>
#include <string.h>

#include "base/buffer.h"
#include "evidence/checksum_list.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_path(const char *path)
{
    PP_ASSERT(path[0] != '\0' && path[0] != '/');
    PP_ASSERT(strcmp(path, "..") != 0 && strncmp(path, "../", 3) != 0);
    PP_ASSERT(strstr(path, "/../") == NULL && strstr(path, "//") == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_checksum_list list = {0};
    pp_buf again;

    pp_buf_init(&again, 2 * size + 1);
    if (pp_checksum_list_parse(&arena, (const char *)data, size, &list, &err) == PP_OK) {
        for (size_t i = 0; i < list.count; i++) {
            check_path(list.items[i].path);
            PP_ASSERT(i == 0 || strcmp(list.items[i - 1].path, list.items[i].path) < 0);
            pp_buf_printf(&again, "%s  ./%s\n", list.items[i].sha256, list.items[i].path);
        }
        PP_ASSERT(again.size == size && (size == 0 || memcmp(again.data, data, size) == 0));
    } else {
        PP_ASSERT(err.text[0] != '\0');
    }
    pp_buf_done(&again);
    pp_arena_done(&arena);
    return 0;
}
