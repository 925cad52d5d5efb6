#include "intake/bench_names.h"

#include <stdlib.h>
#include <string.h>

/* U+FFFF and an 'f': what an escape of eight digits looks like when it was cut to six. */
static const char garbled_byte[] = "\xef\xbf\xbf"
                                   "f";

static bool is_garbled_at(pp_text name, size_t at)
{
    return name.size - at >= 4 && memcmp(name.data + at, garbled_byte, 4) == 0;
}

static bool is_garbled(pp_text name)
{
    for (size_t i = 0; i < name.size; i++) {
        if (is_garbled_at(name, i))
            return true;
    }
    return false;
}

/* The name in its garbled form, whichever it has. */
static pp_text garble(pp_arena *arena, pp_text name)
{
    pp_buf out;
    pp_text garbled;

    pp_buf_init(&out, 4 * name.size + 1);
    for (size_t i = 0; i < name.size; i++) {
        if (is_garbled_at(name, i)) {
            pp_buf_append(&out, garbled_byte, 4);
            i += 3;
        } else if ((unsigned char)name.data[i] >= 0x80) {
            pp_buf_append(&out, garbled_byte, 4);
        } else {
            pp_buf_append_char(&out, name.data[i]);
        }
    }
    if (pp_buf_check(&out, "name", NULL) != PP_OK)
        arena->failed = true;
    garbled = pp_text_dup(arena, (pp_text){pp_buf_text(&out), out.size});
    pp_buf_done(&out);
    return garbled;
}

bool pp_bench_same_name(pp_arena *arena, pp_text a, pp_text b)
{
    if (pp_text_equal(a, b))
        return true;
    return (is_garbled(a) || is_garbled(b)) && pp_text_equal(garble(arena, a), garble(arena, b));
}

/* ---- names of rows -------------------------------------------------------------------------- */

typedef struct named_row {
    pp_text garbled;
    pp_bench_row *row;
} named_row;

static int compare_named(const void *a, const void *b)
{
    const named_row *x = a;
    const named_row *y = b;
    int order = pp_text_compare(x->garbled, y->garbled);

    return order != 0 ? order : (x->row > y->row) - (x->row < y->row);
}

static pp_status refuse_two(pp_text a, pp_text b, pp_error *err)
{
    char shown[2][128];

    pp_text_escape_controls(a.data, a.size, shown[0], sizeof shown[0]);
    pp_text_escape_controls(b.data, b.size, shown[1], sizeof shown[1]);
    return pp_fail(err, PP_ERR_DOMAIN,
                   "a garbled model name may be '%s' or '%s': give the files apart", shown[0],
                   shown[1]);
}

/* Rows whose names have one garbled form. */
static pp_status settle(const named_row *same, size_t n, pp_error *err)
{
    pp_text name = {0};
    pp_text other = {0};
    size_t garbled_count = 0;

    for (size_t i = 0; i < n; i++) {
        pp_text own = same[i].row->model_filename;

        if (is_garbled(own))
            garbled_count++;
        else if (name.data == NULL)
            name = own;
        else if (!pp_text_equal(name, own))
            other = own;
    }
    if (garbled_count == 0 || name.data == NULL)
        return PP_OK;
    if (other.data != NULL)
        return refuse_two(name, other, err);
    for (size_t i = 0; i < n; i++)
        same[i].row->model_filename = name;
    return PP_OK;
}

pp_status pp_bench_settle_names(pp_arena *arena, pp_bench_row *rows, size_t n, pp_error *err)
{
    named_row *named = PP_ARENA_NEW(arena, named_row, n);
    size_t count = 0;
    pp_status st;

    for (size_t i = 0; named != NULL && i < n; i++) {
        if (rows[i].model_filename.data != NULL)
            named[count++] = (named_row){garble(arena, rows[i].model_filename), &rows[i]};
    }
    st = pp_arena_check(arena, err);
    if (st == PP_OK && count > 1)
        qsort(named, count, sizeof *named, compare_named);
    for (size_t start = 0, end; st == PP_OK && start < count; start = end) {
        for (end = start + 1;
             end < count && pp_text_equal(named[end].garbled, named[start].garbled); end++)
            ;
        st = settle(named + start, end - start, err);
    }
    return st;
}
