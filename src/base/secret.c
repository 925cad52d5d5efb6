#include "base/secret.h"

#include <stdio.h>
#include <string.h>

#define CUT_MIN_BYTES ((size_t)4)

static bool ends_with(pp_text text, pp_text end)
{
    return text.size >= end.size &&
           memcmp(text.data + text.size - end.size, end.data, end.size) == 0;
}

/* Bytes of the secret with which the text ends; 0 for fewer than are worth hiding. */
static size_t cut_part(pp_text text, pp_text secret)
{
    size_t longest = secret.size > 0 ? secret.size - 1 : 0;

    for (size_t n = longest; n >= CUT_MIN_BYTES; n--)
        if (ends_with(text, (pp_text){secret.data, n}))
            return n;
    return 0;
}

static pp_text append(pp_arena *arena, pp_text done, pp_text part, const char *mark)
{
    const size_t mark_size = strlen(mark);
    const size_t size = done.size + part.size + mark_size;
    char *joined = PP_ARENA_NEW(arena, char, size + 1);

    if (joined == NULL)
        return (pp_text){0};
    memcpy(joined, done.data, done.size);
    memcpy(joined + done.size, part.data, part.size);
    memcpy(joined + done.size + part.size, mark, mark_size + 1);
    return (pp_text){joined, size};
}

static pp_text remove_cut(pp_arena *arena, pp_text text, pp_text secret)
{
    static const pp_text dots = {"...", 3};
    bool dotted = ends_with(text, dots);
    pp_text head = {text.data, text.size - (dotted ? dots.size : 0)};
    size_t part = cut_part(head, secret);

    if (part == 0)
        return text;
    head.size -= part;
    return append(arena, (pp_text){"", 0}, head, dotted ? PP_SECRET_MARK "..." : PP_SECRET_MARK);
}

pp_text pp_secret_remove(pp_arena *arena, pp_text text, pp_text secret)
{
    pp_text rest = text;
    pp_text done = {"", 0};
    const char *found;

    if (secret.size == 0 || text.size == 0)
        return text;
    while ((found = memmem(rest.data, rest.size, secret.data, secret.size)) != NULL) {
        size_t before = (size_t)(found - rest.data);

        done = append(arena, done, (pp_text){rest.data, before}, PP_SECRET_MARK);
        if (done.data == NULL)
            return done;
        rest = (pp_text){found + secret.size, rest.size - before - secret.size};
    }
    rest = remove_cut(arena, rest, secret);
    return done.size == 0 ? rest : append(arena, done, rest, "");
}

void pp_secret_remove_from_error(pp_error *err, pp_text secret)
{
    pp_arena scratch = {0};
    pp_text clean;

    if (err == NULL)
        return;
    clean = pp_secret_remove(&scratch, pp_text_of(err->text), secret);
    if (clean.data == NULL)
        clean = pp_text_of("out of memory for the message");
    if (clean.data != err->text)
        (void)snprintf(err->text, sizeof err->text, "%.*s", (int)clean.size, clean.data);
    pp_arena_done(&scratch);
}
