#include "cli/signals.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t caught;
static volatile sig_atomic_t caught_again;
static volatile sig_atomic_t hang_ups;
static volatile sig_atomic_t second_is_told; /* instead of ending the program */

static void on_signal(int number)
{
    if (caught == 0)
        caught = number;
    else if (second_is_told != 0 && caught_again == 0)
        caught_again = number;
    else
        _exit(128 + number); /* means now */
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

static void on_hang_up(int number)
{
    (void)number;
    hang_ups = hang_ups < SIG_ATOMIC_MAX ? hang_ups + 1 : 0;
}

const volatile sig_atomic_t *pp_signals_hang_up(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = on_hang_up;
    (void)sigaction(SIGHUP, &action, NULL);
    return &hang_ups;
}

const volatile sig_atomic_t *pp_signals_second(void)
{
    second_is_told = 1;
    return &caught_again;
}

pp_exit pp_signals_exit(void)
{
    return caught == SIGTERM ? PP_EXIT_TERMINATED : PP_EXIT_INTERRUPTED;
}
