/* signals.h - Ctrl-C and termination, turned into a flag that long work looks at. */
#ifndef PP_CLI_SIGNALS_H
#define PP_CLI_SIGNALS_H

#include <signal.h>

#include "cli/command.h"

/** Catch SIGINT and SIGTERM, also where they were ignored (K42). The first one sets the flag; a
 * second one ends the program at once, and its children with it. Returns the flag: the number of
 * the signal, 0 so far. */
const volatile sig_atomic_t *pp_signals_install(void);

/** From now on a second signal sets this flag, too, and only a third one ends the program: for work
 * that after a first one goes on a while to end well. */
const volatile sig_atomic_t *pp_signals_second(void);

/** From now on SIGHUP does not end the program but changes this number, for work that opens its log
 * anew. */
const volatile sig_atomic_t *pp_signals_hang_up(void);

/** 130 after SIGINT, 143 after SIGTERM. */
pp_exit pp_signals_exit(void);

#endif
