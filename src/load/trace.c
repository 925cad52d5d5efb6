#include "load/trace.h"

#include <math.h>
#include <stdlib.h>

#include "base/files.h"
#include "load/lines.h"
#include "model/fields.h"

#define NS_PER_MS 1e6
#define MIN_SPEED 0.001
#define MAX_SPEED 1000.0

pp_status pp_trace_entry_check(const pp_json *root, pp_error *err)
{
    bool has_tokens = pp_json_find(root, "prompt_tokens") != NULL;
    bool has_text = pp_json_find(root, "prompt") != NULL;

    if (has_tokens == has_text)
        return pp_json_fail(root, err, "expected one of 'prompt_tokens' and 'prompt', got %s",
                            has_tokens ? "both" : "neither");
    return PP_OK;
}

static pp_status decode(pp_arena *arena, const pp_json *root, pp_trace_entry *entry, pp_error *err)
{
    const pp_json *tokens = pp_json_find(root, "prompt_tokens");
    const pp_json *prompt = pp_json_find(root, "prompt");
    const pp_json *output = pp_json_find(root, "output_tokens");
    pp_status st = pp_trace_entry_check(root, err);

    if (st != PP_OK)
        return st;
    entry->due_ns = (int64_t)floor(pp_checked_number(root, "due_ms") * NS_PER_MS + 0.5);
    if (tokens != NULL)
        entry->prompt_tokens = pp_known_int(tokens->integer);
    else
        entry->prompt = pp_text_dup(arena, prompt->text);
    if (output != NULL)
        entry->output_tokens = pp_known_int(output->integer);
    return pp_arena_check(arena, err);
}

static pp_status read_line(pp_arena *arena, pp_text line, pp_trace_entry *entry, pp_error *err)
{
    pp_arena scratch = {0};
    const pp_json *root = NULL;
    pp_status st = pp_line_parse(&scratch, line, "load-trace", &root, err);

    if (st == PP_OK)
        st = decode(arena, root, entry, err);
    pp_arena_done(&scratch);
    return st;
}

/* ---- order ----------------------------------------------------------------------------------- */

typedef struct place {
    int64_t due_ns;
    size_t line; /* keeps the order of equal instants */
} place;

static int compare_places(const void *left, const void *right)
{
    const place *a = left;
    const place *b = right;

    if (a->due_ns != b->due_ns)
        return a->due_ns < b->due_ns ? -1 : 1;
    return (a->line > b->line) - (a->line < b->line);
}

/* Lines that come later than one that is due after them. */
static size_t count_late(const pp_trace_entry *entries, size_t count)
{
    int64_t latest = 0;
    size_t late = 0;

    for (size_t i = 0; i < count; i++) {
        if (entries[i].due_ns < latest)
            late++;
        else
            latest = entries[i].due_ns;
    }
    return late;
}

static pp_status sort_entries(pp_arena *arena, pp_trace_entry **entries, size_t count,
                              pp_error *err)
{
    pp_trace_entry *sorted = PP_ARENA_NEW(arena, pp_trace_entry, count);
    place *places = PP_ARENA_NEW(arena, place, count);
    pp_status st = pp_arena_check(arena, err);

    if (st != PP_OK)
        return st;
    for (size_t i = 0; i < count; i++)
        places[i] = (place){(*entries)[i].due_ns, i};
    qsort(places, count, sizeof *places, compare_places);
    for (size_t i = 0; i < count; i++)
        sorted[i] = (*entries)[places[i].line];
    *entries = sorted;
    return PP_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

static pp_status check_count(const char *name, size_t count, pp_error *err)
{
    if (count == 0)
        return pp_fail(err, PP_ERR_SCHEMA, "%s: expected requests, got an empty file", name);
    if (count > PP_TRACE_MAX_COUNT)
        return pp_fail(err, PP_ERR_LIMIT, "%s: %zu requests, expected at most %d", name, count,
                       PP_TRACE_MAX_COUNT);
    return PP_OK;
}

pp_status pp_trace_parse(pp_arena *arena, const char *name, pp_bytes bytes, double speed,
                         pp_trace *ret_trace, pp_error *err)
{
    pp_line_reader lines;
    pp_trace trace = {0};
    pp_trace_entry *entries = NULL;
    pp_text line;
    pp_status st;

    if (!(speed >= MIN_SPEED && speed <= MAX_SPEED))
        return pp_fail(err, PP_ERR_RANGE, "expected a speed from %g to %g, got %g", MIN_SPEED,
                       MAX_SPEED, speed);
    pp_lines_init(&lines, name, bytes);
    pp_lines_skip_mark(&lines);
    trace.count = pp_lines_count(&lines);
    st = check_count(name, trace.count, err);
    if (st == PP_OK) {
        entries = PP_ARENA_NEW(arena, pp_trace_entry, trace.count);
        st = pp_arena_check(arena, err);
    }
    while (st == PP_OK && pp_lines_next(&lines, &line))
        st = pp_lines_wrap(&lines, read_line(arena, line, &entries[lines.number - 1], err), err);
    if (st == PP_OK)
        trace.moved_count = count_late(entries, trace.count);
    if (st == PP_OK && trace.moved_count > 0)
        st = sort_entries(arena, &entries, trace.count, err);
    for (size_t i = 0; i < trace.count && st == PP_OK; i++)
        entries[i].due_ns = (int64_t)floor((double)entries[i].due_ns / speed + 0.5);
    if (st == PP_OK) {
        trace.entries = entries;
        *ret_trace = trace;
    }
    return st;
}

pp_status pp_trace_load(pp_arena *arena, const char *path, double speed, pp_trace *ret_trace,
                        pp_error *err)
{
    pp_buf bytes;
    pp_status st;

    pp_buf_init(&bytes, PP_TRACE_MAX_BYTES);
    st = pp_file_read(path, &bytes, err);
    if (st == PP_OK)
        st = pp_trace_parse(arena, path,
                            (pp_bytes){(const unsigned char *)pp_buf_text(&bytes), bytes.size},
                            speed, ret_trace, err);
    pp_buf_done(&bytes);
    return pp_wrap(err, st, "reading a trace");
}
