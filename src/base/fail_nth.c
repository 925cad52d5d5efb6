#include "base/fail_nth.h"

#include <stdbool.h>
#include <stdlib.h>

static bool armed;
static unsigned long fail_at;
static unsigned long seen;

void pp_fail_nth_arm(unsigned long n)
{
    armed = n != 0;
    fail_at = n;
    seen = 0;
}

unsigned long pp_fail_nth_seen(void)
{
    return seen;
}

static bool refuse(void)
{
    if (!armed)
        return false;
    seen++;
    return seen >= fail_at;
}

void *pp_fail_nth_malloc(size_t size)
{
    return refuse() ? NULL : malloc(size);
}

void *pp_fail_nth_realloc(void *old, size_t size)
{
    return refuse() ? NULL : realloc(old, size);
}
