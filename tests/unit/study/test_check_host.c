#include "machine/host.h"
#include "shared.h"
#include "study/context.h"

/* The tree names the sign; tests/unit/machine/test_host.c has what is a sign. */
static const struct {
    const char *name, *tree;
    bool allow;
    pp_status want;
} rows[] = {
    {"an emulated CPU is refused", "machine/qemu-user-arch", false, PP_ERR_UNAVAILABLE},
    {"unless that is allowed", "machine/qemu-user-arch", true, PP_OK},
    {"a whole emulated machine is refused", "machine/cgroup-v2", false, PP_ERR_UNAVAILABLE},
    {"a real CPU may measure", "machine/arm-server", false, PP_OK},
    {"so may one that nothing is known about", "machine/nothing", false, PP_OK},
};

static void only_real_cpus_measure(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_arena arena = {0};
        pp_error err = {0};
        pp_host_options options = {.root = fixture_path(&arena, rows[i].tree)};
        pp_host_facts facts;
        pp_status st;

        pp_host_read(&options, &facts);
        st = pp_study_check_host(&facts, rows[i].allow, &err);
        if (st != rows[i].want)
            fail_msg("%s: expected %s, got %s: %s", rows[i].name, pp_status_name(rows[i].want),
                     pp_status_name(st), err.text);
        if (st != PP_OK) {
            assert_contains(err.text, facts.emulated_reason);
            assert_contains(err.text, "--allow-emulated");
        }
        pp_arena_done(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_real_cpus_measure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
