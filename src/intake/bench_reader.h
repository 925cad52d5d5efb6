/* bench_reader.h - inside intake/ only: lines and rows, for the readers of each format. */
#ifndef PP_INTAKE_BENCH_READER_H
#define PP_INTAKE_BENCH_READER_H

#include "intake/bench_text.h"

typedef struct pp_bench_reader {
    pp_arena *arena;
    bool strict;
    const char *bytes;
    size_t size;
    size_t at;   /* next byte */
    size_t line; /* number of the line taken last; messages name it */
    pp_bench_text *text;
    size_t capacity;
} pp_bench_reader;

/* Without its LF and a CR before it. */
typedef struct pp_bench_line {
    const char *data;
    size_t size;
    bool ended; /* by LF; the last line of a file that broke off is not */
} pp_bench_line;

/** False behind the last line. */
bool pp_bench_next_line(pp_bench_reader *r, pp_bench_line *ret_line);

bool pp_bench_line_starts(const pp_bench_line *line, const char *start);
/** Nothing but white space. */
bool pp_bench_line_is_blank(const pp_bench_line *line);
/** Without blanks and tabs at both ends. */
pp_text pp_bench_trim(pp_text text);

/** A line that is no row: counted, refused when strict. Blank lines are free. */
PP_MUST_CHECK pp_status pp_bench_skip_line(pp_bench_reader *r, const pp_bench_line *line,
                                           pp_error *err);
/** The file broke off here: marked, refused when strict. */
PP_MUST_CHECK pp_status pp_bench_break_off(pp_bench_reader *r, pp_error *err);

PP_MUST_CHECK pp_status pp_bench_add_row(pp_bench_reader *r, size_t line, const pp_json *fields,
                                         pp_error *err);

/** Fails when two columns have one name. */
PP_MUST_CHECK pp_status pp_bench_check_columns(const pp_text *names, size_t count, pp_error *err);

/** Add a row of columns; values that JSON writes as numbers become numbers. nan and inf are null,
 * refused when strict. Fails when a known number is none. */
PP_MUST_CHECK pp_status pp_bench_add_columns(pp_bench_reader *r, size_t line, const pp_text *names,
                                             const pp_text *values, size_t count, pp_error *err);

/** One JSON object as a row; nan and inf become null unless strict. */
PP_MUST_CHECK pp_status pp_bench_parse_object(pp_bench_reader *r, const char *bytes, size_t size,
                                              const pp_json **ret_fields, pp_error *err);

/* One for each format: from the reader's place to the end of the file. */
PP_MUST_CHECK pp_status pp_bench_read_jsonl(pp_bench_reader *r, pp_error *err);
PP_MUST_CHECK pp_status pp_bench_read_json(pp_bench_reader *r, pp_error *err);
PP_MUST_CHECK pp_status pp_bench_read_csv(pp_bench_reader *r, pp_error *err);
PP_MUST_CHECK pp_status pp_bench_read_sql(pp_bench_reader *r, pp_error *err);
PP_MUST_CHECK pp_status pp_bench_read_markdown(pp_bench_reader *r, pp_error *err);

/** The line is the header of a CSV table: names with commas between them, those of a test among
 * them. */
bool pp_bench_is_csv_header(const pp_bench_line *line);

#endif
