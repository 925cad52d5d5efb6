#include "machine/process_cpu.h"

#include <string.h>

#define MAX_TICKS ((int64_t)1 << 53)

/* Numbers of proc(5) for the fields behind the state. */
enum { FIRST = 4, PARENT = 4, UTIME = 14, STIME = 15, CUTIME = 16, CSTIME = 17, START = 22 };

static bool is_tick_count(int64_t ticks)
{
    return ticks >= 0 && ticks <= MAX_TICKS;
}

bool pp_process_cpu_parse(pp_scan text, pp_process_cpu *ret_cpu)
{
    const char *close = memrchr(text.at, ')', (size_t)(text.end - text.at));
    int64_t field[START + 1] = {0};
    pp_scan state;

    if (close == NULL)
        return false;
    text.at = close + 1;
    if (!pp_scan_word(&text, &state) || state.end - state.at != 1)
        return false;
    for (int i = FIRST; i <= START; i++) {
        if (!pp_scan_int(&text, &field[i]))
            return false;
    }
    for (int i = UTIME; i <= CSTIME; i++) {
        if (!is_tick_count(field[i]))
            return false;
    }
    ret_cpu->state = *state.at;
    ret_cpu->parent_pid = field[PARENT];
    ret_cpu->own_ticks = field[UTIME] + field[STIME];
    ret_cpu->children_ticks = field[CUTIME] + field[CSTIME];
    ret_cpu->started_ticks = field[START];
    return is_tick_count(field[START]);
}
