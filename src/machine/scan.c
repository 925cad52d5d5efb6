#include "machine/scan.h"

#include <string.h>

#include "base/text.h"

pp_scan pp_scan_of(const char *text, size_t size)
{
    return (pp_scan){text, text + size};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\0';
}

bool pp_scan_line(pp_scan *scan, pp_scan *ret_line)
{
    const char *newline;

    if (scan->at == scan->end)
        return false;
    newline = memchr(scan->at, '\n', (size_t)(scan->end - scan->at));
    ret_line->at = scan->at;
    ret_line->end = newline == NULL ? scan->end : newline;
    scan->at = newline == NULL ? scan->end : newline + 1;
    return true;
}

bool pp_scan_word(pp_scan *scan, pp_scan *ret_word)
{
    const char *at = scan->at;

    while (at < scan->end && is_blank(*at))
        at++;
    if (at == scan->end)
        return false;
    ret_word->at = at;
    while (at < scan->end && !is_blank(*at))
        at++;
    ret_word->end = at;
    scan->at = at;
    return true;
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 99;
}

static bool digits_to_int(pp_scan word, int base, int64_t *ret_value)
{
    int64_t value = 0;

    if (word.at == word.end)
        return false;
    for (const char *at = word.at; at < word.end; at++) {
        int digit = digit_of(*at);

        if (digit >= base || value > (INT64_MAX - digit) / base)
            return false;
        value = value * base + digit;
    }
    *ret_value = value;
    return true;
}

bool pp_scan_int(pp_scan *scan, int64_t *ret_value)
{
    pp_scan rest = *scan;
    pp_scan word;
    bool negative;

    if (!pp_scan_word(&rest, &word))
        return false;
    negative = *word.at == '-';
    word.at += negative;
    if (!digits_to_int(word, 10, ret_value))
        return false;
    if (negative)
        *ret_value = -*ret_value;
    *scan = rest;
    return true;
}

bool pp_scan_hex(pp_scan *scan, int64_t *ret_value)
{
    pp_scan rest = *scan;
    pp_scan word;

    if (!pp_scan_word(&rest, &word))
        return false;
    if (pp_scan_starts(word, "0x"))
        word.at += 2;
    if (!digits_to_int(word, 16, ret_value))
        return false;
    *scan = rest;
    return true;
}

bool pp_scan_is(pp_scan scan, const char *text)
{
    size_t size = strlen(text);

    return (size_t)(scan.end - scan.at) == size && memcmp(scan.at, text, size) == 0;
}

bool pp_scan_starts(pp_scan scan, const char *prefix)
{
    size_t size = strlen(prefix);

    return (size_t)(scan.end - scan.at) >= size && memcmp(scan.at, prefix, size) == 0;
}

bool pp_scan_contains(pp_scan scan, const char *needle)
{
    return memmem(scan.at, (size_t)(scan.end - scan.at), needle, strlen(needle)) != NULL;
}

bool pp_scan_key(pp_scan text, const char *key, pp_scan *ret_value)
{
    pp_scan line;

    while (pp_scan_line(&text, &line)) {
        const char *at = line.at;

        if (!pp_scan_starts(line, key))
            continue;
        at += strlen(key);
        while (at < line.end && is_blank(*at))
            at++;
        if (at < line.end && (*at == ':' || *at == '='))
            at++;
        else if (at == line.at + strlen(key))
            continue; /* a longer word than the key, or nothing behind it */
        *ret_value = (pp_scan){at, line.end};
        return true;
    }
    return false;
}

pp_maybe_int pp_scan_kib(pp_scan text, const char *key)
{
    pp_scan value, unit;
    int64_t kib;

    if (!pp_scan_key(text, key, &value) || !pp_scan_int(&value, &kib) || kib < 0 ||
        kib > INT64_MAX / 1024 || !pp_scan_word(&value, &unit) || !pp_scan_is(unit, "kB"))
        return (pp_maybe_int){0};
    return pp_known_int(kib * 1024);
}

static bool is_wrapping(char c)
{
    return is_blank(c) || c == '"' || c == '\'';
}

void pp_scan_copy(pp_scan scan, char *out, size_t out_size)
{
    while (scan.at < scan.end && is_wrapping(*scan.at))
        scan.at++;
    while (scan.end > scan.at && is_wrapping(scan.end[-1]))
        scan.end--;
    pp_text_escape_controls(scan.at, (size_t)(scan.end - scan.at), out, out_size);
}

/* Takes "3" or "3-7" and the comma behind it. */
static bool list_range(pp_scan *list, int64_t *ret_first, int64_t *ret_last)
{
    const char *comma = memchr(list->at, ',', (size_t)(list->end - list->at));
    pp_scan part = {list->at, comma == NULL ? list->end : comma};
    const char *dash = memchr(part.at, '-', (size_t)(part.end - part.at));
    pp_scan first = {part.at, dash == NULL ? part.end : dash};
    pp_scan last = dash == NULL ? first : (pp_scan){dash + 1, part.end};

    list->at = comma == NULL ? list->end : comma + 1;
    return digits_to_int(first, 10, ret_first) && digits_to_int(last, 10, ret_last) &&
           *ret_first <= *ret_last && *ret_last < INT32_MAX;
}

static pp_scan first_word(pp_scan list)
{
    pp_scan word = {list.at, list.at};

    (void)pp_scan_word(&list, &word); /* an empty list stays empty */
    return word;
}

bool pp_scan_list_count(pp_scan list, int64_t *ret_count)
{
    int64_t first, last, count = 0;

    list = first_word(list);
    while (list.at < list.end) {
        if (!list_range(&list, &first, &last))
            return false;
        count += last - first + 1;
    }
    *ret_count = count;
    return count > 0;
}

bool pp_scan_list_next(pp_scan list, int64_t *number)
{
    int64_t first, last;

    list = first_word(list);
    while (list.at < list.end && list_range(&list, &first, &last)) {
        if (*number < first) {
            *number = first;
            return true;
        }
        if (*number < last) {
            *number += 1;
            return true;
        }
    }
    return false;
}
