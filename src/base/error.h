/* error.h - how every function of this program says that it failed.
 *
 * A function that can fail returns pp_status and takes `pp_error *err` last. The caller owns the
 * error; it never allocates. The first cause stays, and each level above adds what it was doing, so
 * that the finished text reads from the outside in:
 *
 *     loading constraints 'edge.json': $.min_quality_retention: expected 0 to 1, got 1.4
 *
 * Expected outcomes (not eligible, digest differs) are results, never errors. */
#ifndef PP_BASE_ERROR_H
#define PP_BASE_ERROR_H

#include <stdarg.h>
#include <stddef.h>

#if defined(__GNUC__)
#define PP_MUST_CHECK      __attribute__((warn_unused_result))
#define PP_PRINTF(at, arg) __attribute__((format(printf, at, arg)))
#define PP_NORETURN        __attribute__((noreturn))
#else
#define PP_MUST_CHECK
#define PP_PRINTF(at, arg)
#define PP_NORETURN
#endif

typedef enum pp_status {
    PP_OK = 0,
    PP_ERR_USAGE,       /* the command line is wrong                                    exit 2 */
    PP_ERR_IO,          /* a file or a system call failed                               exit 2 */
    PP_ERR_SYNTAX,      /* bytes are not in the grammar they claim (JSON, GGUF, SSE)    exit 2 */
    PP_ERR_SCHEMA,      /* a document breaks a rule of its format                       exit 2 */
    PP_ERR_DOMAIN,      /* inputs are valid one by one, but not together                exit 2 */
    PP_ERR_RANGE,       /* an argument is outside the range the function is defined on  exit 2 */
    PP_ERR_LIMIT,       /* larger than a stated ceiling                                 exit 2 */
    PP_ERR_EXISTS,      /* refused to overwrite                                         exit 2 */
    PP_ERR_NO_WINNER,   /* nothing is eligible                                          exit 1 */
    PP_ERR_UNAVAILABLE, /* something this needs is missing on this machine              exit 3 */
    PP_ERR_TIMEOUT,     /* a deadline passed                                            exit 3 */
    PP_ERR_PEER,        /* a server or a child process answered wrongly or died         exit 2 */
    PP_ERR_INTERRUPTED, /* a signal asked us to stop                               exit 130/143 */
    PP_ERR_MEMORY,      /* no memory                                                    exit 3 */
    PP_ERR_BUG          /* ours                                                         exit 4 */
} pp_status;

/* Long enough for a path, a `$.path` and two values; longer texts are cut with an ellipsis. */
#define PP_ERROR_TEXT_MAX 2048

typedef struct pp_error {
    pp_status status;
    const char *file; /* where in our source the first cause was found, for us */
    int line;
    char text[PP_ERROR_TEXT_MAX]; /* the sentence for the user; UTF-8, no control characters */
} pp_error;

/**
 * Record a first cause and return its status, so that `return pp_fail(err, ...)` reads as one act.
 *
 * err    may be NULL: the status is still returned
 * Control characters in the formatted text are escaped, so that an id or a path taken from a
 * document cannot drive the terminal or a CI log.
 */
#define pp_fail(err, status, ...) pp_fail_at((err), (status), __FILE__, __LINE__, __VA_ARGS__)

pp_status pp_fail_at(pp_error *err, pp_status status, const char *file, int line,
                     const char *format, ...) PP_PRINTF(5, 6);

/** As pp_fail, with the text of errno `errnum` appended after a colon. */
#define pp_fail_errno(err, status, errnum, ...)                                                    \
    pp_fail_errno_at((err), (status), (errnum), __FILE__, __LINE__, __VA_ARGS__)

pp_status pp_fail_errno_at(pp_error *err, pp_status status, int errnum, const char *file, int line,
                           const char *format, ...) PP_PRINTF(6, 7);

/** Put "doing: " in front of the text when `st` is a failure; PP_OK passes through untouched. */
pp_status pp_wrap(pp_error *err, pp_status st, const char *format, ...) PP_PRINTF(3, 4);

/** Marks a failure that may be ignored; the reason stands beside the call. */
static inline void pp_ignore(pp_status st)
{
    (void)st;
}

/** Short name of a status for logs and tests, such as "schema". */
const char *pp_status_name(pp_status st);

/** Our own mistakes only, never for input: prints the place and aborts. */
#define PP_ASSERT(condition)                                                                       \
    ((condition) ? (void)0 : pp_assert_failed(#condition, __FILE__, __LINE__))

PP_NORETURN void pp_assert_failed(const char *condition, const char *file, int line);

#define PP_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#endif
