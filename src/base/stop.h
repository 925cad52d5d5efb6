/* stop.h - the wish to stop, said by a signal handler or by another thread. */
#ifndef PP_BASE_STOP_H
#define PP_BASE_STOP_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/** NULL is a wish that is never said. */
static inline bool pp_stop_asked(const volatile sig_atomic_t *stop)
{
    return stop != NULL && __atomic_load_n(stop, __ATOMIC_RELAXED) != 0;
}

/** Safe in signal handlers. */
static inline void pp_stop_ask(volatile sig_atomic_t *stop)
{
    __atomic_store_n(stop, 1, __ATOMIC_RELAXED);
}

#endif
