/* An answer that is one number and nothing else. */
#include <string.h>

#include "model/suite_answers.h"
#include "quality/match_parts.h"

#define MAX_NUMBER_BYTES 512
#define MINUS            "\xe2\x88\x92" /* U+2212 */

/* Digits and commas from the start. */
static size_t whole_part_size(const char *at, size_t size)
{
    size_t i = 0;

    while (i < size && ((at[i] >= '0' && at[i] <= '9') || at[i] == ','))
        i++;
    return i;
}

/* Commas are where thousands end: in front of each three digits from the right, and nowhere else.
 */
static bool is_grouped(const char *at, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if ((at[i] == ',') != ((size - i) % 4 == 0))
            return false;
    }
    return size > 0 && at[0] != ',';
}

/* The answer as decimal.h reads numbers; false where it is none. */
static bool plain_number(pp_text answer, char plain[MAX_NUMBER_BYTES], size_t *ret_size)
{
    pp_text rest = pp_text_strip(answer);
    size_t used = 0;
    size_t whole;

    if (rest.size == 0 || rest.size >= MAX_NUMBER_BYTES)
        return false;
    rest.size -= rest.data[rest.size - 1] == '.';
    if (rest.size >= strlen(MINUS) && memcmp(rest.data, MINUS, strlen(MINUS)) == 0) {
        plain[used++] = '-';
        rest = (pp_text){rest.data + strlen(MINUS), rest.size - strlen(MINUS)};
    } else if (rest.size > 0 && (rest.data[0] == '-' || rest.data[0] == '+')) {
        plain[used++] = rest.data[0];
        rest = (pp_text){rest.data + 1, rest.size - 1};
    }
    if (rest.size == 0 || rest.data[0] == '-' || rest.data[0] == '+')
        return false; /* a second sign */
    whole = whole_part_size(rest.data, rest.size);
    if (memchr(rest.data, ',', whole) != NULL && !is_grouped(rest.data, whole))
        return false;
    for (size_t i = 0; i < rest.size; i++) {
        if (i >= whole || rest.data[i] != ',')
            plain[used++] = rest.data[i];
    }
    *ret_size = used;
    return true;
}

bool match_number(const match_pair *pair)
{
    char plain[MAX_NUMBER_BYTES];
    size_t size;
    pp_decimal value, target, absolute, relative;

    return plain_number(pair->answer, plain, &size) &&
           pp_decimal_parse((pp_text){plain, size}, &value) &&
           pp_decimal_parse(pair->accepted, &target) &&
           pp_suite_tolerance_decimal(pair->rule->absolute_tolerance, &absolute) &&
           pp_suite_tolerance_decimal(pair->rule->relative_tolerance, &relative) &&
           pp_decimal_within(&value, &target, &absolute, &relative);
}
