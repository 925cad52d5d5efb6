#include "cli/open_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"
#include "proc/detached.h"

/* What fails fails at once; an opener that becomes the browser stays as long as its window. */
#define LOOK_S 2

static void warn(const char *path, const char *why)
{
    char shown[PP_ERROR_TEXT_MAX];

    pp_text_escape_controls(path, strlen(path), shown, sizeof shown);
    fprintf(stderr, "warning: --open: '%s' is written, but not shown: %s\n", shown, why);
}

static bool is_file(const char *path)
{
    struct stat facts;

    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
}

/* As execvp would find it, but not in the current folder, which an empty part of PATH means. */
static const char *find_in_path(pp_arena *arena, const char *program)
{
    const char *at = getenv("PATH");

    while (at != NULL && *at != '\0') {
        size_t size = strcspn(at, ":");
        const char *path = pp_arena_printf(arena, "%.*s/%s", (int)size, at, program);

        if (size > 0 && at[0] == '/' && path != NULL && is_file(path) && access(path, X_OK) == 0)
            return path;
        at += size + (at[size] == ':');
    }
    return NULL;
}

static const char *find_opener(pp_arena *arena)
{
    static const char *const names[] = {"xdg-open", "open"};
    const char *path = NULL;

    for (size_t i = 0; path == NULL && i < PP_COUNT_OF(names); i++)
        path = find_in_path(arena, names[i]);
    return path;
}

static void start(const char *opener, const char *page)
{
    const char *const argv[] = {opener, page, NULL};
    pp_error err = {0};

    if (pp_detached_start(argv, LOOK_S * PP_NS_PER_S, &err) != PP_OK)
        warn(page, err.text);
}

void pp_page_show(const char *path)
{
    pp_arena arena = {0};
    const char *opener = find_opener(&arena);
    char *whole = realpath(path, NULL);

    if (whole == NULL || !is_file(whole))
        warn(path, "it is no file here");
    else if (opener == NULL)
        warn(path, "PATH has neither xdg-open nor open");
    else
        start(opener, whole);
    free(whole);
    pp_arena_done(&arena);
}
