#include "cli/nearest.h"

#include <string.h>

#define WORD_MAX 64

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;

    return ab < c ? ab : c;
}

/* Letters inserted, deleted or replaced to make one word of the other (Wagner and Fischer 1974), a
 * row of the matrix at a time. */
static size_t edit_distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
    size_t row[WORD_MAX + 1];

    for (size_t j = 0; j <= b_size; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_size; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            size_t above = row[j];

            row[j] = least(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1));
            diagonal = above;
        }
    }
    return row[b_size];
}

void pp_nearest_offer(pp_nearest *nearest, const char *word)
{
    size_t typed_size = strlen(nearest->typed);
    size_t size = strlen(word);
    size_t edits;

    if (typed_size > WORD_MAX || size > WORD_MAX)
        return;
    edits = edit_distance(nearest->typed, typed_size, word, size);
    if (edits > PP_NEAREST_MAX_EDITS || edits >= typed_size || edits >= size)
        return;
    if (nearest->word == NULL || edits < nearest->edits) {
        nearest->word = word;
        nearest->edits = edits;
    }
}
