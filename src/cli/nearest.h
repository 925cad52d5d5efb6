/* nearest.h - what a mistyped word may have meant. */
#ifndef PP_CLI_NEAREST_H
#define PP_CLI_NEAREST_H

#include <stddef.h>

#define PP_NEAREST_MAX_EDITS 2

/* Set `typed`, offer words, read `word`: the one with the fewest edits, the first of equals; NULL
 * when none is within PP_NEAREST_MAX_EDITS, or when that many would replace the whole word. */
typedef struct pp_nearest {
    const char *typed;
    const char *word; /* borrowed from whoever offered it */
    size_t edits;
} pp_nearest;

void pp_nearest_offer(pp_nearest *nearest, const char *word);

#endif
