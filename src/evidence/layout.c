#include "evidence/layout.h"

#include <stdio.h>

#include "base/files.h"

/* Ids have at most 64 characters. */
#define NAME_MAX_BYTES 256

char *pp_bundle_path(pp_arena *arena, const char *folder, const char *pattern, ...)
{
    char name[NAME_MAX_BYTES];
    va_list args;
    int length;

    va_start(args, pattern);
    length = vsnprintf(name, sizeof name, pattern, args);
    va_end(args);
    PP_ASSERT(length > 0 && (size_t)length < sizeof name);
    return pp_path_join(arena, folder, name);
}
