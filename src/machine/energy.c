#include "machine/energy.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "machine/tree.h"

#define NAME_MAX_BYTES 64
#define HWMON_MAX      256
#define SENSOR_MAX     4096 /* of one chip: each core has one */

/* ---- reading
 * ------------------------------------------------------------------------------------- */

static void add_counter(pp_energy_reading *reading, int place, pp_maybe_int value,
                        pp_maybe_int range)
{
    if (!value.known || value.value < 0 || reading->count == PP_ENERGY_MAX_PACKAGES) {
        reading->unreadable_count++;
        return;
    }
    reading->counters[reading->count++] = (pp_energy_counter){
        .place = place,
        .microjoules = value.value,
        .range_microjoules = range.known && range.value > 0 ? range.value : 0,
    };
}

/* Zones without a parent are packages and, on some machines, "psys", which holds them too. */
static void read_powercap(const char *root, pp_energy_reading *reading)
{
    for (int i = 0; i < PP_ENERGY_MAX_PACKAGES; i++) {
        char name[NAME_MAX_BYTES];
        char path[NAME_MAX_BYTES];
        pp_maybe_int range;

        (void)snprintf(path, sizeof path, "sys/class/powercap/intel-rapl:%d/name", i);
        pp_tree_text(root, path, name, sizeof name);
        if (strncmp(name, "package-", strlen("package-")) != 0)
            continue;
        (void)snprintf(path, sizeof path, "sys/class/powercap/intel-rapl:%d/max_energy_range_uj",
                       i);
        range = pp_tree_int(root, path);
        (void)snprintf(path, sizeof path, "sys/class/powercap/intel-rapl:%d/energy_uj", i);
        add_counter(reading, i, pp_tree_int(root, path), range);
    }
}

/* The label "Esocket0" is a package, "Ecore000" one of its cores; labels follow without a gap. */
static void read_chip(const char *root, int chip, pp_energy_reading *reading)
{
    for (int i = 1; i < SENSOR_MAX; i++) {
        char label[NAME_MAX_BYTES];
        char path[NAME_MAX_BYTES];

        (void)snprintf(path, sizeof path, "sys/class/hwmon/hwmon%d/energy%d_label", chip, i);
        pp_tree_text(root, path, label, sizeof label);
        if (label[0] == '\0')
            return;
        if (strncmp(label, "Esocket", strlen("Esocket")) != 0)
            continue;
        (void)snprintf(path, sizeof path, "sys/class/hwmon/hwmon%d/energy%d_input", chip, i);
        add_counter(reading, chip * SENSOR_MAX + i, pp_tree_int(root, path), (pp_maybe_int){0});
    }
}

/* Other chips count graphics cards, boards or supplies. */
static void read_hwmon(const char *root, pp_energy_reading *reading)
{
    for (int i = 0; i < HWMON_MAX; i++) {
        char name[NAME_MAX_BYTES];
        char path[NAME_MAX_BYTES];

        (void)snprintf(path, sizeof path, "sys/class/hwmon/hwmon%d/name", i);
        pp_tree_text(root, path, name, sizeof name);
        if (strcmp(name, "amd_energy") == 0)
            read_chip(root, i, reading);
    }
}

void pp_energy_read(const char *root, pp_energy_reading *ret_reading)
{
    pp_energy_reading powercap = {.at_ns = pp_clock_now_ns(), .source = "powercap"};
    pp_energy_reading hwmon = {.at_ns = powercap.at_ns, .source = "hwmon"};

    read_powercap(root, &powercap);
    *ret_reading = powercap;
    if (powercap.count > 0 && powercap.unreadable_count == 0)
        return;
    read_hwmon(root, &hwmon);
    if (hwmon.count > 0)
        *ret_reading = hwmon;
    else if (powercap.count == 0)
        ret_reading->source = NULL;
}

/* ---- difference
 * ---------------------------------------------------------------------------------- */

/* NULL, or why nothing is known */
static const char *add_difference(const pp_energy_counter *before, const pp_energy_counter *after,
                                  int64_t duration_ns, double *microjoules)
{
    const int64_t range = before->range_microjoules;
    const double most = (double)duration_ns / 1e3 * PP_ENERGY_MAX_WATTS;

    if (before->place != after->place || range != after->range_microjoules)
        return "other energy counters at the end than at the begin";
    if (range > 0 && (before->microjoules > range || after->microjoules > range))
        return "an energy counter is beyond its own range";
    if (range > 0 && most >= (double)range)
        return "so long that an energy counter may have begun again more than once";
    if (after->microjoules < before->microjoules && range == 0)
        return "an energy counter went back";
    *microjoules += after->microjoules < before->microjoules
                        ? (double)(range - before->microjoules) + (double)after->microjoules
                        : (double)(after->microjoules - before->microjoules);
    return NULL;
}

static const char *add_differences(const pp_energy_reading *before, const pp_energy_reading *after,
                                   double *microjoules)
{
    const char *why = NULL;

    if (before->count == 0 || after->count == 0)
        return "no readable energy counter";
    if (before->unreadable_count > 0 || after->unreadable_count > 0)
        return "not every package has a readable energy counter";
    if (before->count != after->count || strcmp(before->source, after->source) != 0)
        return "other energy counters at the end than at the begin";
    for (size_t i = 0; i < before->count && why == NULL; i++)
        why = add_difference(&before->counters[i], &after->counters[i],
                             after->at_ns - before->at_ns, microjoules);
    return why;
}

pp_energy_use pp_energy_between(const pp_energy_reading *before, const pp_energy_reading *after)
{
    double microjoules = 0;
    pp_energy_use use = {.source = after->source, .package_count = (int64_t)after->count};

    use.absent_because = add_differences(before, after, &microjoules);
    if (use.absent_because == NULL)
        use.joules = pp_known_real(microjoules / 1e6);
    return use;
}
