#include "stats/close.h"

#include <math.h>

bool pp_close(double a, double b, double rel, double abs)
{
    double distance;

    if (a == b)
        return true;
    if (!isfinite(a) || !isfinite(b))
        return false;
    distance = fabs(a - b);
    return distance <= fabs(rel * b) || distance <= fabs(rel * a) || distance <= abs;
}
