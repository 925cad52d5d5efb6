#include "shared.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail_nth.h"
#include "base/files.h"

void assert_contains(const char *text, const char *needle)
{
    if (strstr(text, needle) == NULL)
        fail_msg("expected '%s' in '%s'", needle, text);
}

unsigned long check_missing_memory(pp_status (*run)(const void *context, pp_error *err),
                                   const void *context)
{
    bool done = false;
    unsigned long n = 0;

    while (!done) {
        pp_error err = {0};
        pp_status st;

        pp_fail_nth_arm(++n);
        st = run(context, &err);
        done = pp_fail_nth_seen() < n;
        pp_fail_nth_arm(0);
        if (st != (done ? PP_OK : PP_ERR_MEMORY))
            fail_msg("allocation %lu%s: %s: %s", n, done ? " is not needed" : " refused",
                     pp_status_name(st), err.text);
    }
    return n - 1;
}

static const char *source_root(void)
{
    const char *root = getenv("PARETOPILOT_SOURCE");

    return root == NULL ? "." : root;
}

const char *shared_path_or_skip(pp_arena *arena, const char *relative)
{
    const char *shared = getenv("PARETOPILOT_SHARED");
    const char *path;

    if (shared == NULL || shared[0] == '\0')
        shared = pp_arena_printf(arena, "%s/../shared", source_root());
    path = pp_path_join(arena, shared, relative);
    if (!pp_path_exists(path)) {
        print_message("# skipped: '%s' is absent (set PARETOPILOT_SHARED)\n", path);
        pp_arena_done(arena); /* skip() never returns, and the caller holds nothing else yet */
        skip();
    }
    return path;
}

const char *fixture_path(pp_arena *arena, const char *relative)
{
    return pp_arena_printf(arena, "%s/tests/fixtures/%s", source_root(), relative);
}

const char *fixture_text(pp_arena *arena, const char *relative)
{
    pp_error err = {0};
    const char *text;
    pp_buf bytes;

    pp_buf_init(&bytes, (size_t)1 << 20);
    assert_ok(pp_file_read(fixture_path(arena, relative), &bytes, &err), err);
    text = pp_arena_printf(arena, "%s", pp_buf_text(&bytes));
    pp_buf_done(&bytes);
    return text;
}

const char *changed_text(pp_arena *arena, const char *text, const char *find, const char *with)
{
    const char *at = strstr(text, find);

    if (at == NULL)
        fail_msg("'%s' does not stand in the text", find);
    return pp_arena_printf(arena, "%.*s%s%s", (int)(at - text), text, with, at + strlen(find));
}

const char *make_temp_folder(pp_arena *arena)
{
    const char *base = getenv("TMPDIR");
    char *path = pp_arena_printf(arena, "%s/paretopilot-test-XXXXXX", base == NULL ? "/tmp" : base);

    if (mkdtemp(path) == NULL)
        fail_msg("cannot create a temporary folder '%s'", path);
    return path;
}

void remove_folder(const char *path)
{
    pp_folder_remove(path);
}
