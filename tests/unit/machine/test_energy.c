/* Energy counters in trees that are written here; expected joules are differences done by hand. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "machine/energy.h"
#include "shared.h"

#define RAPL(n) "sys/class/powercap/intel-rapl:" #n

typedef struct tree {
    pp_arena arena;
    const char *root;
} tree;

static void put(tree *t, const char *name, const char *text)
{
    const char *path = pp_path_join(&t->arena, t->root, name);
    const char *folder = pp_path_folder(&t->arena, path);
    pp_error err = {0};

    if (!pp_path_is_folder(folder))
        assert_ok(pp_folder_create(folder, true, &err), err);
    (void)unlink(path); /* from the look before */
    assert_ok(pp_file_write_new(path, text, strlen(text), &err), err);
}

/* Mode 0 stops everybody but root; for root a folder stands where the file was. */
static void forbid(tree *t, const char *name)
{
    const char *path = pp_path_join(&t->arena, t->root, name);

    assert_int_equal(chmod(path, 0), 0);
    if (access(path, R_OK) != 0)
        return;
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
}

static int set_up(void **state)
{
    static tree t;

    memset(&t, 0, sizeof t);
    t.root = make_temp_folder(&t.arena);
    *state = &t;
    return 0;
}

static int tear_down(void **state)
{
    tree *t = *state;

    remove_folder(t->root);
    pp_arena_done(&t->arena);
    return 0;
}

/* Two packages, the part of one, and "psys", which holds both. */
static void put_packages(tree *t, const char *first, const char *second)
{
    put(t, RAPL(0) "/name", "package-0\n");
    put(t, RAPL(0) "/energy_uj", first);
    put(t, RAPL(0) "/max_energy_range_uj", "262143328850\n");
    put(t, RAPL(0 : 0) "/name", "core\n");
    put(t, RAPL(0 : 0) "/energy_uj", "1\n");
    put(t, RAPL(1) "/name", "psys\n");
    put(t, RAPL(1) "/energy_uj", "77000000\n");
    put(t, RAPL(1) "/max_energy_range_uj", "262143328850\n");
    put(t, RAPL(2) "/name", "package-1\n");
    put(t, RAPL(2) "/energy_uj", second);
    put(t, RAPL(2) "/max_energy_range_uj", "65532610987\n");
}

static pp_energy_reading look(const tree *t, int64_t at_s)
{
    pp_energy_reading reading;

    pp_energy_read(t->root, &reading);
    reading.at_ns = at_s * PP_NS_PER_S;
    return reading;
}

static void assert_joules(pp_energy_use use, double want, int64_t packages, const char *source)
{
    assert_true(use.joules.known);
    assert_null(use.absent_because);
    assert_float_equal(use.joules.value, want, 1e-9);
    assert_int_equal(use.package_count, packages);
    assert_string_equal(use.source, source);
}

static void assert_absent(pp_energy_use use, const char *why)
{
    assert_false(use.joules.known);
    assert_non_null(use.absent_because);
    assert_string_equal(use.absent_because, why);
}

static void packages_add_up_and_nothing_else_counts(void **state)
{
    tree *t = *state;
    pp_energy_reading before, after;

    put_packages(t, "1000000\n", "5000000\n");
    before = look(t, 0);
    put_packages(t, "3500000\n", "5250000\n");
    after = look(t, 10);
    assert_joules(pp_energy_between(&before, &after), 2.75, 2, "powercap");
}

static void a_counter_begins_again_at_its_range(void **state)
{
    tree *t = *state;
    pp_energy_reading before, after;

    put_packages(t, "262143328000\n", "65532610987\n");
    before = look(t, 0);
    put_packages(t, "149150\n", "0\n");
    after = look(t, 10);
    assert_joules(pp_energy_between(&before, &after), 0.15, 2, "powercap"); /* 850 + 149,150 uJ */
}

/* 65,532 J are used up in 109.2 s at 600 W. */
static void what_may_have_begun_again_twice_is_not_known(void **state)
{
    static const char *const why =
        "so long that an energy counter may have begun again more than once";
    tree *t = *state;
    pp_energy_reading before, after;

    put_packages(t, "1\n", "1\n");
    before = look(t, 0);
    after = look(t, 109);
    assert_joules(pp_energy_between(&before, &after), 0, 2, "powercap");
    after = look(t, 110);
    assert_absent(pp_energy_between(&before, &after), why);
}

static void what_only_root_may_read_is_absent(void **state)
{
    tree *t = *state;
    pp_energy_reading reading;

    put_packages(t, "1000000\n", "5000000\n");
    forbid(t, RAPL(2) "/energy_uj");
    reading = look(t, 0);
    assert_absent(pp_energy_between(&reading, &reading),
                  "not every package has a readable energy counter");
    forbid(t, RAPL(0) "/energy_uj");
    reading = look(t, 0);
    assert_int_equal(reading.unreadable_count, 2);
    assert_null(reading.source);
    assert_absent(pp_energy_between(&reading, &reading), "no readable energy counter");
}

static void a_machine_without_counters_has_no_joules(void **state)
{
    tree *t = *state;
    pp_energy_reading reading = look(t, 0);

    assert_int_equal(reading.unreadable_count, 0);
    assert_absent(pp_energy_between(&reading, &reading), "no readable energy counter");
}

static void counters_that_make_no_sense_are_not_believed(void **state)
{
    tree *t = *state;
    pp_energy_reading before, after;

    put_packages(t, "-5\n", "many\n");
    before = look(t, 0);
    assert_absent(pp_energy_between(&before, &before), "no readable energy counter");
    put_packages(t, "1000000\n", "65532610988\n");
    before = look(t, 0);
    assert_absent(pp_energy_between(&before, &before), "an energy counter is beyond its own range");
    put_packages(t, "1000000\n", "1000000\n");
    before = look(t, 0);
    put(t, RAPL(0) "/name", "dram\n");
    after = look(t, 1);
    assert_absent(pp_energy_between(&before, &after),
                  "other energy counters at the end than at the begin");
}

static void put_sockets(tree *t, const char *socket)
{
    put(t, "sys/class/hwmon/hwmon0/name", "xe\n"); /* a graphics card */
    put(t, "sys/class/hwmon/hwmon0/energy1_label", "Esocket0\n");
    put(t, "sys/class/hwmon/hwmon0/energy1_input", socket);
    put(t, "sys/class/hwmon/hwmon3/name", "amd_energy\n");
    put(t, "sys/class/hwmon/hwmon3/energy1_label", "Ecore000\n");
    put(t, "sys/class/hwmon/hwmon3/energy1_input", socket);
    put(t, "sys/class/hwmon/hwmon3/energy2_label", "Esocket0\n");
    put(t, "sys/class/hwmon/hwmon3/energy2_input", socket);
}

static void sockets_of_hwmon_stand_in_for_packages(void **state)
{
    tree *t = *state;
    pp_energy_reading before, after;

    put_sockets(t, "9000000000000\n");
    before = look(t, 0);
    put_sockets(t, "9000001500000\n");
    after = look(t, 100000);
    assert_joules(pp_energy_between(&before, &after), 1.5, 1, "hwmon");
    assert_absent(pp_energy_between(&after, &before), "an energy counter went back");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(packages_add_up_and_nothing_else_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_counter_begins_again_at_its_range, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_may_have_begun_again_twice_is_not_known, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_only_root_may_read_is_absent, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_machine_without_counters_has_no_joules, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(counters_that_make_no_sense_are_not_believed, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(sockets_of_hwmon_stand_in_for_packages, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
