#include "evidence/layout.h"

#include <stdio.h>
#include <string.h>

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

char *pp_bundle_fill(pp_arena *arena, const char *folder, const char *pattern, const char *id,
                     int64_t pass)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* one of layout.h */
    return id == NULL ? pp_bundle_path(arena, folder, pattern, (int)pass)
                      : pp_bundle_path(arena, folder, pattern, id, (int)pass);
#pragma GCC diagnostic pop
}

char *pp_bundle_engine_file(pp_arena *arena, const pp_study_plan *plan, size_t engine,
                            const char *name)
{
    return plan->engine_count == 1 ? pp_arena_printf(arena, "environment/%s", name)
                                   : pp_arena_printf(arena, "environment/engines/%s/%s",
                                                     plan->engines[engine].id.data, name);
}

bool pp_bundle_is_path(const char *path, size_t size)
{
    size_t part = 0;

    if (memchr(path, '\\', size) != NULL || memchr(path, '\0', size) != NULL ||
        memchr(path, '\r', size) != NULL || memchr(path, '\n', size) != NULL)
        return false;
    for (size_t i = 0; i <= size; i++) {
        if (i < size && path[i] != '/')
            continue;
        if (i == part || (i - part == 1 && path[part] == '.') ||
            (i - part == 2 && path[part] == '.' && path[part + 1] == '.'))
            return false;
        part = i + 1;
    }
    return true;
}
