#include "machine/cache.h"

#include <stdio.h>
#include <string.h>

#include "machine/tree.h"

#define MAX_CACHES 16

pp_maybe_int pp_cache_size_parse(pp_scan text)
{
    const char *digits = text.at;
    pp_scan number;
    int64_t value;
    char unit;

    while (digits < text.end && *digits >= '0' && *digits <= '9')
        digits++;
    unit = digits < text.end ? *digits : '\0';
    number = (pp_scan){text.at, digits};
    if (!pp_scan_int(&number, &value) || value <= 0 || value > INT64_MAX >> 20)
        return (pp_maybe_int){0};
    return pp_known_int(unit == 'M' ? value << 20 : unit == 'K' ? value << 10 : value);
}

pp_maybe_int pp_last_level_cache_bytes(const char *root)
{
    pp_maybe_int last = {0};
    int64_t last_level = 0;

    for (int i = 0; i < MAX_CACHES; i++) {
        char relative[128], kind[32], size[32];
        pp_maybe_int level, bytes;

        (void)snprintf(relative, sizeof relative, "sys/devices/system/cpu/cpu0/cache/index%d/level",
                       i);
        level = pp_tree_int(root, relative);
        (void)snprintf(relative, sizeof relative, "sys/devices/system/cpu/cpu0/cache/index%d/type",
                       i);
        pp_tree_text(root, relative, kind, sizeof kind);
        (void)snprintf(relative, sizeof relative, "sys/devices/system/cpu/cpu0/cache/index%d/size",
                       i);
        pp_tree_text(root, relative, size, sizeof size);
        bytes = pp_cache_size_parse(pp_scan_of(size, strlen(size)));
        if (!level.known || level.value <= last_level || strcmp(kind, "Instruction") == 0 ||
            !bytes.known)
            continue;
        last = bytes;
        last_level = level.value;
    }
    return last;
}
