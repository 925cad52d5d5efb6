#include "base/csv.h"

#include <math.h>
#include <string.h>

void pp_csv_empty(pp_buf *csv)
{
    pp_buf_append_char(csv, ',');
}

void pp_csv_end_row(pp_buf *csv)
{
    if (csv->size > 0 && csv->data[csv->size - 1] == ',')
        csv->data[--csv->size] = '\0';
    pp_buf_append_text(csv, "\r\n");
}

static bool needs_quotes(pp_text text)
{
    for (size_t i = 0; i < text.size; i++)
        if (strchr("\",\r\n", text.data[i]) != NULL)
            return true; /* NUL too: strchr finds the end */
    return false;
}

/* Also a tab or CR in front of the sign: spreadsheets skip them. */
static bool looks_like_formula(pp_text text)
{
    return text.size > 0 && text.data[0] != '\0' && strchr("=+-@\t\r", text.data[0]) != NULL;
}

void pp_csv_text(pp_buf *csv, pp_text text)
{
    bool quoted = needs_quotes(text);

    if (quoted)
        pp_buf_append_char(csv, '"');
    if (looks_like_formula(text))
        pp_buf_append_char(csv, '\'');
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '"')
            pp_buf_append_char(csv, '"');
        pp_buf_append_char(csv, text.data[i]);
    }
    if (quoted)
        pp_buf_append_char(csv, '"');
    pp_csv_empty(csv);
}

void pp_csv_word(pp_buf *csv, const char *word)
{
    pp_csv_text(csv, pp_text_of(word == NULL ? "" : word));
}

void pp_csv_int(pp_buf *csv, int64_t value)
{
    pp_buf_printf(csv, "%lld,", (long long)value);
}

void pp_csv_maybe_int(pp_buf *csv, pp_maybe_int value)
{
    if (value.known)
        pp_csv_int(csv, value.value);
    else
        pp_csv_empty(csv);
}

void pp_csv_maybe_real(pp_buf *csv, pp_maybe_real value)
{
    if (value.known && isfinite(value.value))
        pp_buf_printf(csv, "%.15g,", value.value);
    else
        pp_csv_empty(csv);
}
