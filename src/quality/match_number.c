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

/* Bytes of the sign in front; ret_sign gets it as decimal.h writes it, '\0' for none. */
static size_t sign_size(pp_text text, char *ret_sign)
{
    *ret_sign = '\0';
    if (text.size >= strlen(MINUS) && memcmp(text.data, MINUS, strlen(MINUS)) == 0) {
        *ret_sign = '-';
        return strlen(MINUS);
    }
    if (text.size == 0 || (text.data[0] != '-' && text.data[0] != '+'))
        return 0;
    *ret_sign = text.data[0];
    return 1;
}

/* The answer as decimal.h reads numbers, less a full stop and commas; false where it is none. */
static bool plain_number(pp_text answer, char plain[MAX_NUMBER_BYTES], size_t *ret_size)
{
    pp_text rest = pp_text_strip(answer);
    size_t used, skipped, whole;

    if (rest.size == 0 || rest.size >= MAX_NUMBER_BYTES)
        return false;
    rest.size -= rest.data[rest.size - 1] == '.';
    skipped = sign_size(rest, &plain[0]);
    used = skipped > 0;
    rest = (pp_text){rest.data + skipped, rest.size - skipped};
    whole = whole_part_size(rest.data, rest.size);
    if (whole == 0 || (memchr(rest.data, ',', whole) != NULL && !is_grouped(rest.data, whole)))
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
