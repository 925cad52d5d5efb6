/* bench_text.h - what llama-bench printed, in any of its formats, as rows of named fields.
 *
 * JSONL and JSON hold every repetition. CSV and SQL hold the mean and the deviation. Markdown holds
 * those with two decimals, shows only the settings that somebody asked for, and names the test by a
 * word ("pp512 @ d4096"). What a format does not hold is absent from its rows; nothing is filled
 * in. Field names are those of JSON in every format.
 *
 * Lines end with LF alone: a string may hold U+2028 and its like. */
#ifndef PP_INTAKE_BENCH_TEXT_H
#define PP_INTAKE_BENCH_TEXT_H

#include "json/json.h"

/* As large as the files of a night of measuring get, ten times over. */
#define PP_BENCH_MAX_BYTES      ((size_t)64 << 20)
#define PP_BENCH_MAX_LINE_BYTES ((size_t)8 << 20) /* a row with the most samples has 0.4 MiB */
#define PP_BENCH_MAX_ROWS       10000
#define PP_BENCH_MAX_COLUMNS    256 /* versions of today print 42 */

typedef enum pp_bench_format {
    PP_BENCH_FORMAT_UNKNOWN,
    PP_BENCH_FORMAT_JSONL,
    PP_BENCH_FORMAT_JSON,
    PP_BENCH_FORMAT_CSV,
    PP_BENCH_FORMAT_SQL,
    PP_BENCH_FORMAT_MARKDOWN
} pp_bench_format;

/** "jsonl", "json", "csv", "sql", "markdown" */
const char *pp_bench_format_name(pp_bench_format format);
/** The n-th name from 0, NULL behind the last: for option rows. */
const char *pp_bench_format_word(size_t n);
/** PP_BENCH_FORMAT_UNKNOWN for any other word. */
pp_bench_format pp_bench_format_find(const char *name);

/** By the first line that only one format has; UNKNOWN when there is none. */
pp_bench_format pp_bench_format_of(const char *bytes, size_t size);

typedef enum pp_bench_mode {
    PP_BENCH_TOLERANT, /* log lines are counted, a file that breaks off is marked, nan is null */
    PP_BENCH_STRICT    /* all that is refused, with its line */
} pp_bench_mode;

typedef struct pp_bench_text_row {
    size_t line;           /* from 1: where the row begins */
    const pp_json *fields; /* an object; integers and reals as such, whatever the format quotes */
} pp_bench_text_row;

typedef struct pp_bench_text {
    pp_bench_format format;
    pp_bench_text_row *items;
    size_t count;
    size_t other_line_count; /* log lines before, between and after the rows */
    bool truncated;          /* the last row or the array broke off; it is in neither count */
} pp_bench_text;

/**
 * Read a whole file. No row at all is a result for the caller to judge.
 *
 * source  opens messages: "SOURCE:LINE: ..."
 * format  PP_BENCH_FORMAT_UNKNOWN finds it by content
 * Everything is copied into the arena.
 * Fails with PP_ERR_SYNTAX, PP_ERR_SCHEMA or PP_ERR_LIMIT.
 */
PP_MUST_CHECK pp_status pp_bench_text_read(pp_arena *arena, const char *source, const char *bytes,
                                           size_t size, pp_bench_format format, pp_bench_mode mode,
                                           pp_bench_text *ret_text, pp_error *err);

#endif
