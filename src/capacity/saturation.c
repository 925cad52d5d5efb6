#include "capacity/saturation.h"

#include <math.h>

#include "stats/beta.h"
#include "stats/portable.h"

#define NONE     ((size_t)-1)
#define ROUNDING 1e-12 /* relative: 11 is 10 % more than 10, whatever 10 * 1.1 is */

static const char *const state_names[] = {"known", "too-few-levels", "no-maximum", "outside-levels",
                                          "not-stable"};

const char *pp_knee_state_name(pp_knee_state state)
{
    return (size_t)state < PP_COUNT_OF(state_names) ? state_names[state] : "unknown";
}

/* ---- the two rules that read the levels ----------------------------------------------------- */

static pp_maybe_int first_small_gain(const pp_saturation_point *points, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (points[i].rate < points[i - 1].rate * (1 + PP_SATURATION_GAIN_PERCENT / 100 - ROUNDING))
            return pp_known_int((int64_t)i);
    return (pp_maybe_int){0};
}

static size_t highest(const pp_saturation_point *points, size_t n)
{
    size_t best = 0;

    for (size_t i = 1; i < n; i++)
        if (points[i].rate > points[best].rate)
            best = i;
    return best;
}

static pp_maybe_int first_near(const pp_saturation_point *points, size_t n, double peak)
{
    for (size_t i = 0; i < n; i++)
        if (points[i].rate >= peak * (1 - PP_SATURATION_NEAR_PERCENT / 100 - ROUNDING))
            return pp_known_int((int64_t)i);
    return (pp_maybe_int){0};
}

/* ---- the curve ------------------------------------------------------------------------------ */

typedef struct coefficients {
    double c[3]; /* of 1, N - 1 and N (N - 1) in N / X(N) */
} coefficients;

/* Columns scaled by the largest N, so that the pivots are of one size. */
static void row_of(pp_saturation_point p, double scale, double row[3], double *ret_right)
{
    double weight = p.rate / p.clients; /* 1 / y: relative deviations */

    row[0] = weight;
    row[1] = weight * (p.clients - 1) / scale;
    row[2] = weight * p.clients * (p.clients - 1) / (scale * scale);
    *ret_right = 1;
}

static void rotate(double a[4], double b[4], int column)
{
    double size = hypot(a[column], b[column]);
    double cosine, sine;

    if (size == 0)
        return;
    cosine = a[column] / size;
    sine = b[column] / size;
    for (int i = column; i < 4; i++) {
        double x = cosine * a[i] + sine * b[i];

        b[i] = cosine * b[i] - sine * a[i];
        a[i] = x;
    }
}

/* Least squares by Givens rotations, one level after the other; false without three different
 * ones. */
static bool fit(const pp_saturation_point *points, size_t n, size_t without, coefficients *ret)
{
    double triangle[3][4] = {{0}};
    double scale = points[n - 1].clients;

    for (size_t i = 0; i < n; i++) {
        double row[4];

        if (i == without)
            continue;
        row_of(points[i], scale, row, &row[3]);
        for (int column = 0; column < 3; column++)
            rotate(triangle[column], row, column);
    }
    for (int i = 2; i >= 0; i--) {
        double rest = triangle[i][3];

        for (int j = i + 1; j < 3; j++)
            rest -= triangle[i][j] * ret->c[j];
        if (fabs(triangle[i][i]) < 1e-12 * fabs(triangle[0][0]))
            return false;
        ret->c[i] = rest / triangle[i][i];
    }
    ret->c[1] /= scale;
    ret->c[2] /= scale * scale;
    return ret->c[0] > 0;
}

/* sqrt((1 - sigma) / kappa); false when the curve rises all the way. What is smaller than rounding
 * is no coherence. */
static bool knee_of(const coefficients *k, double *ret_clients)
{
    double sigma = k->c[1] / k->c[0];
    double kappa = k->c[2] / k->c[0];

    if (!(kappa > 1e-9) || !(sigma < 1))
        return false;
    *ret_clients = sqrt((1 - sigma) / kappa);
    return true;
}

static double rate_at(const coefficients *k, double clients)
{
    return clients / (k->c[0] + k->c[1] * (clients - 1) + k->c[2] * clients * (clients - 1));
}

static double largest_error_percent(const coefficients *k, const pp_saturation_point *points,
                                    size_t n)
{
    double largest = 0;

    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, 100 * fabs(rate_at(k, points[i].clients) / points[i].rate - 1));
    return largest;
}

/* Interval of the knee from fits that each leave one level out; false when one has no knee. */
static bool jackknife(const pp_saturation_point *points, size_t n, double knee, double *ret_low,
                      double *ret_high)
{
    double sum = 0;
    double squares = 0;
    double half;

    for (size_t i = 0; i < n; i++) {
        coefficients k = {{0}};
        double without;
        double off;

        if (!fit(points, n, i, &k) || !knee_of(&k, &without))
            return false;
        off = pp_portable_log(without / knee);
        sum += off;
        squares += off * off;
    }
    squares = fmax(0.0, squares - sum * sum / (double)n);
    half = pp_student_quantile((double)(n - 1), (1 + PP_SATURATION_CONFIDENCE) / 2) *
           sqrt(squares * (double)(n - 1) / (double)n);
    *ret_low = fmax(1.0, knee * pp_portable_exp(-half));
    *ret_high = knee * pp_portable_exp(half);
    return isfinite(*ret_high);
}

static pp_knee_state find_knee(const pp_saturation_point *points, size_t n, const coefficients *k,
                               pp_scalability *curve)
{
    double knee;

    if (!knee_of(k, &knee))
        return PP_KNEE_NO_MAXIMUM;
    if (knee < points[0].clients || knee > points[n - 1].clients)
        return PP_KNEE_OUTSIDE;
    if (!jackknife(points, n, knee, &curve->knee_low, &curve->knee_high))
        return PP_KNEE_NOT_STABLE;
    curve->knee_clients = knee;
    return PP_KNEE_KNOWN;
}

static pp_scalability scalability_of(const pp_saturation_point *points, size_t n)
{
    pp_scalability curve = {.state = PP_KNEE_TOO_FEW_LEVELS};
    coefficients k = {{0}};

    if (n < 3 || !fit(points, n, NONE, &k))
        return curve;
    curve.fitted = true;
    curve.lambda = 1 / k.c[0];
    curve.sigma = k.c[1] / k.c[0];
    curve.kappa = k.c[2] / k.c[0];
    curve.error_percent_max = largest_error_percent(&k, points, n);
    if (n >= PP_SATURATION_KNEE_MIN_LEVELS)
        curve.state = find_knee(points, n, &k, &curve);
    if (curve.state != PP_KNEE_KNOWN)
        curve.knee_low = curve.knee_high = 0;
    return curve;
}

pp_status pp_saturation_of(const pp_saturation_point *points, size_t n,
                           pp_saturation *ret_saturation, pp_error *err)
{
    pp_saturation s = {0};

    if (n == 0)
        return pp_fail(err, PP_ERR_RANGE, "saturation: expected at least one level");
    for (size_t i = 0; i < n; i++) {
        if (!(points[i].clients >= 1) || !(points[i].rate > 0) || !isfinite(points[i].rate) ||
            (i > 0 && !(points[i].clients > points[i - 1].clients)))
            return pp_fail(err, PP_ERR_RANGE,
                           "saturation: level %zu of %g clients at %g/s, expected ascending "
                           "numbers from 1 and rates above 0",
                           i + 1, points[i].clients, points[i].rate);
    }
    s.peak_level = highest(points, n);
    s.gain_level = first_small_gain(points, n);
    s.near_level = first_near(points, n, points[s.peak_level].rate);
    s.curve = scalability_of(points, n);
    *ret_saturation = s;
    return PP_OK;
}
