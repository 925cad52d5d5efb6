/* open_page.h - --open: show a page that was just written. */
#ifndef PP_CLI_OPEN_PAGE_H
#define PP_CLI_OPEN_PAGE_H

/** The help of --open, for the rows of commands that have it. */
#define PP_OPEN_HELP "show the page in a browser when it is written, with xdg-open or open"

/**
 * Start the first of xdg-open and open that PATH has, with the whole path of the page as its only
 * argument and no shell between. Only for a regular file. Whatever goes wrong is a warning on
 * standard error: the page is written, and that is what was asked for.
 */
void pp_page_show(const char *path);

#endif
