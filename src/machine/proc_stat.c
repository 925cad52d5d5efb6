#include "machine/proc_stat.h"

#define MAX_TICKS ((int64_t)1 << 53)

enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, FIELD_COUNT };

static bool parse_total(pp_scan line, pp_proc_stat *stat)
{
    int64_t field[FIELD_COUNT] = {0};
    int count = 0;

    while (count < FIELD_COUNT && pp_scan_int(&line, &field[count])) {
        if (field[count] < 0 || field[count] > MAX_TICKS)
            return false;
        count++;
    }
    stat->busy_ticks = field[USER] + field[NICE] + field[SYSTEM] + field[IRQ] + field[SOFTIRQ];
    stat->idle_ticks = field[IDLE] + field[IOWAIT];
    stat->steal_ticks = field[STEAL];
    return count > IDLE;
}

bool pp_proc_stat_parse(pp_scan text, pp_proc_stat *ret_stat)
{
    pp_proc_stat stat = {0};
    pp_scan line, word;
    bool found = false;

    while (pp_scan_line(&text, &line) && pp_scan_starts(line, "cpu")) {
        if (!pp_scan_word(&line, &word))
            break;
        if (!pp_scan_is(word, "cpu"))
            stat.cpu_count++;
        else if (!found)
            found = parse_total(line, &stat);
    }
    if (!found || stat.cpu_count == 0)
        return false;
    *ret_stat = stat;
    return true;
}
