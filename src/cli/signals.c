#include "cli/signals.h"

#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t caught;

static void on_signal(int number)
{
    if (caught != 0)
        _exit(128 + number); /* the second one means now */
    caught = number;
}

const volatile sig_atomic_t *pp_signals_install(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal; /* no SA_RESTART: a wait must end */
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    return &caught;
}

pp_exit pp_signals_exit(void)
{
    return caught == SIGTERM ? PP_EXIT_TERMINATED : PP_EXIT_INTERRUPTED;
}
