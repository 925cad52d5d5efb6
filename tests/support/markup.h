/* markup.h - is a page well formed, and free of everything that could act or load? */
#ifndef PP_TESTS_MARKUP_H
#define PP_TESTS_MARKUP_H

#include <stddef.h>

/**
 * NULL when every element of the page is closed in order, every attribute value is double-quoted
 * and unique in its element, and no element or attribute can run a script or load anything; else a
 * sentence. Independent of the code under test: reads bytes only.
 */
const char *markup_fault(const char *page, size_t size);

/** The same for a page of a site: a link may also lead to a page in its own folder, by a name of
 * lower-case letters, digits and '-' that ends in ".html". */
const char *markup_fault_of_site(const char *page, size_t size);

#endif
