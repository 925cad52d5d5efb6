#include "report/number_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* "-1234567.5" -> "-1,234,567.5"; there is room */
static void insert_commas(char *text)
{
    char *first = text + (*text == '-' || *text == '+');
    size_t digits = strspn(first, "0123456789");

    while (digits > 3) {
        char *at = first + digits - 3;

        memmove(at + 1, at, strlen(at) + 1);
        *at = ',';
        digits -= 3;
    }
}

static void trim_zeros(char *text)
{
    char *end = text + strlen(text);

    if (strchr(text, '.') == NULL)
        return;
    while (end[-1] == '0')
        end--;
    if (end[-1] == '.')
        end--;
    *end = '\0';
}

static const char *fixed(double value, int decimals, char *out)
{
    snprintf(out, PP_FIGURE_TEXT_MAX, "%.*f", decimals, value);
    trim_zeros(out);
    insert_commas(out);
    return out;
}

static const char *four_digits(double value, char *out)
{
    snprintf(out, PP_FIGURE_TEXT_MAX, "%.4g", value);
    return out;
}

const char *pp_figure_text(double value, char out[PP_FIGURE_TEXT_MAX])
{
    double size = fabs(value);

    if (value == 0.0)
        return fixed(0.0, 0, out);
    if (size < 1e-4)
        return four_digits(value, out);
    if (fabs(value - round(value)) <= 1e-9)
        return fixed(value, 0, out);
    return size >= 1e6 ? four_digits(value, out) : fixed(value, 4, out);
}

const char *pp_figure_fixed(double value, int decimals, char out[PP_FIGURE_TEXT_MAX])
{
    double least = 1.0;

    for (int i = 0; i < decimals; i++)
        least /= 10.0;
    if (value == 0.0)
        return fixed(0.0, 0, out);
    return fabs(value) < least ? four_digits(value, out) : fixed(value, decimals, out);
}

const char *pp_figure_signed(double value, int decimals, char out[PP_FIGURE_TEXT_MAX])
{
    pp_figure_fixed(value, decimals, out);
    if (value > 0.0) {
        memmove(out + 1, out, strlen(out) + 1);
        out[0] = '+';
    }
    return out;
}
