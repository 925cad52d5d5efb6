/* Expected values are read off the files of tests/fixtures/machine by hand. */
#include <string.h>

#include "machine/host.h"
#include "shared.h"

#define GIB ((int64_t)1 << 30)

static void read_tree(const char *name, const char *architecture, pp_host_facts *facts)
{
    pp_arena arena = {0};
    pp_host_options options = {.root = fixture_path(&arena, name), .architecture = architecture};

    pp_host_read(&options, facts);
    assert_true(facts->recorded);
    pp_arena_done(&arena);
}

static bool has_feature(const pp_host_facts *facts, const char *name)
{
    for (size_t i = 0; i < pp_cpu_feature_count; i++) {
        if (strcmp(pp_cpu_features[i].name, name) == 0)
            return (facts->cpu.features >> i & 1) != 0;
    }
    fail_msg("no feature is called '%s'", name);
    return false;
}

#define assert_fact(fact, want)                                                                    \
    do {                                                                                           \
        assert_true((fact).known);                                                                 \
        assert_int_equal((fact).value, (want));                                                    \
    } while (0)

static void an_arm_server_is_decoded(void **state)
{
    pp_host_facts facts;

    (void)state;
    read_tree("machine/arm-server", NULL, &facts);
    assert_string_equal(facts.architecture, "aarch64");
    assert_string_equal(facts.cpu.model, "Neoverse-N2");
    assert_true(has_feature(&facts, "dotprod"));
    assert_true(has_feature(&facts, "sve2"));
    assert_false(has_feature(&facts, "sme"));
    assert_false(has_feature(&facts, "avx2"));
    assert_fact(facts.cpus_online, 4);
    assert_fact(facts.cores, 4);
    assert_fact(facts.sockets, 1);
    assert_fact(facts.numa_nodes, 2);
    assert_false(facts.cpus_allowed.known);
    assert_false(facts.page_size_bytes.known);
    assert_string_equal(facts.governor, "ondemand");
    assert_true(facts.governors_differ);
    assert_fact(facts.boost, true);
    assert_fact(facts.frequency_now_min_khz, 2000000);
    assert_fact(facts.frequency_now_max_khz, 2300000);
    assert_fact(facts.frequency_limit_khz, 3000000);
    assert_fact(facts.memory_total_bytes, 16384000LL * 1024);
    assert_fact(facts.swap_used_bytes, 48000 * 1024);
    assert_fact(facts.hugepages_total, 16);
    assert_string_equal(facts.transparent_hugepages, "madvise");
    assert_string_equal(facts.virtualisation, "qemu");
    assert_fact(facts.emulated, false);
    assert_fact(facts.perf_event_paranoid, 4);
    assert_false(facts.hardware_cycles.known);
    assert_string_equal(facts.cgroup.version, "v2");
    assert_false(facts.cgroup.cpu_quota_cores.known);
    assert_false(facts.cgroup.memory_limit_bytes.known);
}

static void version_1_limits_are_the_tightest_on_the_way_up(void **state)
{
    pp_host_facts facts;

    (void)state;
    read_tree("machine/cgroup-v1", NULL, &facts);
    assert_string_equal(facts.cgroup.version, "v1");
    assert_float_equal(facts.cgroup.cpu_quota_cores.value, 1.5, 1e-12);
    assert_string_equal(facts.cgroup.cpu_stat_folder, "sys/fs/cgroup/cpu,cpuacct/docker");
    assert_fact(facts.cgroup.memory_limit_bytes, 4 * GIB);
    assert_fact(facts.cgroup.cpuset_cpu_count, 3);
    assert_string_equal(facts.cgroup.cpuset_cpus, "0-1,4");
    assert_fact(facts.cpus_online, 8);
    assert_fact(facts.cores, 4);
    assert_fact(facts.threads_per_core, 2);
    assert_fact(facts.sockets, 2);
    assert_fact(facts.boost, false);
    assert_true(has_feature(&facts, "amx_int8"));
    assert_string_equal(facts.virtualisation, "none");
    assert_string_equal(facts.container, "docker");
}

static void version_2_limits_are_the_tightest_on_the_way_up(void **state)
{
    pp_host_facts facts;

    (void)state;
    read_tree("machine/cgroup-v2", NULL, &facts);
    assert_string_equal(facts.cgroup.version, "v2");
    assert_float_equal(facts.cgroup.cpu_quota_cores.value, 2.5, 1e-12);
    assert_fact(facts.cgroup.memory_limit_bytes, 2 * GIB);
    assert_fact(facts.cgroup.cpuset_cpu_count, 2);
    assert_string_equal(facts.cgroup.cpu_stat_folder, "sys/fs/cgroup/kubepods.slice/pod1");
    assert_string_equal(facts.container, "kubernetes");
    assert_fact(facts.emulated, true);
    assert_contains(facts.emulated_reason, "TCG");
}

static void the_recorded_machine_is_hybrid_and_without_limits(void **state)
{
    pp_host_facts facts;

    (void)state;
    read_tree("machine/vm", NULL, &facts);
    assert_string_equal(facts.cgroup.version, "hybrid");
    assert_false(facts.cgroup.cpu_quota_cores.known);
    assert_false(facts.cgroup.memory_limit_bytes.known);
    assert_string_equal(facts.cpu.model, "AMD EPYC");
    assert_true(has_feature(&facts, "avx512_vnni"));
    assert_false(has_feature(&facts, "amx_tile"));
    assert_string_equal(facts.governor, "");
    assert_string_equal(facts.virtualisation, "unnamed hypervisor");
    assert_fact(facts.psi, true);
    assert_fact(facts.memory_total_bytes, 24684096LL * 1024);
}

static void a_program_of_another_architecture_is_emulated(void **state)
{
    pp_host_facts facts;

    (void)state;
    read_tree("machine/vm", "aarch64", &facts);
    assert_fact(facts.emulated, true);
    assert_contains(facts.emulated_reason, "programs see aarch64, /proc/cpuinfo describes x86_64");
}

/* Newer emulators describe the CPU they play, so /proc/cpuinfo no longer gives them away. */
static const struct {
    const char *name, *tree, *architecture, *want_reason; /* NULL: not emulated */
} emulation_rows[] = {
    {"the kernel says what it runs on", "machine/qemu-user-arch", "aarch64",
     "programs see aarch64, /proc/sys/kernel/arch says x86_64"},
    {"the kernel's name for the program is the emulator", "machine/qemu-user-exe", "aarch64",
     "programs see aarch64, /proc/thread-self/exe is for x86_64"},
    {"a recorded tree has the architecture of its cpuinfo", "machine/qemu-user-exe", NULL,
     "programs see aarch64, /proc/thread-self/exe is for x86_64"},
    {"a 64-bit CPU runs 32-bit programs itself", "machine/vm", "i686", NULL},
    {"so does an Arm server", "machine/arm-server", "armv8l", NULL},
    {"an unknown architecture is another one", "machine/vm", "riscv64",
     "programs see riscv64, /proc/cpuinfo describes x86_64"},
};

static void a_user_mode_emulator_is_seen_through(void **state)
{
    pp_host_facts facts;

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(emulation_rows); i++) {
        const char *want = emulation_rows[i].want_reason;

        read_tree(emulation_rows[i].tree, emulation_rows[i].architecture, &facts);
        if (!facts.emulated.known || facts.emulated.value != (want != NULL) ||
            (want != NULL && strstr(facts.emulated_reason, want) == NULL))
            fail_msg("%s: emulated %s, because: %s", emulation_rows[i].name,
                     !facts.emulated.known  ? "unknown"
                     : facts.emulated.value ? "yes"
                                            : "no",
                     facts.emulated_reason);
    }
}

static void a_silent_machine_has_no_facts(void **state)
{
    pp_host_facts facts;

    (void)state;
    read_tree("machine/nothing", NULL, &facts);
    assert_string_equal(facts.cpu.model, "");
    assert_false(facts.cpus_online.known);
    assert_false(facts.memory_total_bytes.known);
    assert_false(facts.load_1m.known);
    assert_false(facts.psi.known);
    assert_false(facts.emulated.known);
    assert_null(facts.cgroup.version);
}

static void hostile_files_give_absent_facts(void **state)
{
    pp_host_facts facts;

    (void)state;
    read_tree("machine/hostile", NULL, &facts);
    assert_false(facts.memory_total_bytes.known);
    assert_false(facts.memory_available_bytes.known);
    assert_false(facts.swap_used_bytes.known); /* more free than there is */
    assert_false(facts.hugepage_size_bytes.known);
    assert_false(facts.cgroup.cpu_quota_cores.known);
    assert_false(facts.cgroup.memory_limit_bytes.known);
    assert_false(facts.cgroup.cpuset_cpu_count.known);
    assert_string_equal(facts.cgroup.paths.unified, "/");
    assert_string_equal(facts.cpu.model, "\\u001b[31mred\\u001b[0m\\xff\\xfe");
    assert_fact(facts.cpus_online, 1); /* from cpuinfo: the list of CPUs is absurd */
    assert_false(facts.cores.known);
}

static void a_usage_below_zero_leaves_the_whole_limit(void **state)
{
    pp_host_facts facts;

    (void)state;
    read_tree("machine/hostile-cgroup", NULL, &facts);
    assert_fact(facts.cgroup.memory_limit_bytes, 1048576);
    assert_fact(facts.cgroup.memory_headroom_bytes, 1048576);
}

static const struct {
    const char *text, *want;
} core_rows[] = {
    {"CPU implementer : 0x41\nCPU part : 0xd0c\n", "Neoverse-N1"},
    {"CPU implementer : 0xc0\nCPU part : 0xac4\n", "Ampere-1A"},
    {"CPU implementer : 0x61\nCPU part : 0x023\n", "M1 Firestorm"},
    {"CPU implementer : 0x41\nCPU part : 0xfff\n", "implementer 0x41 part 0xfff"},
    {"CPU implementer : 0x41\nCPU part : 0xd05\n\nCPU implementer : 0x41\nCPU part : 0xd41\n",
     "Cortex-A55 + Cortex-A78"},
    {"CPU part : 0xd0c\n", ""}, /* no implementer in front */
    {"model name : A\nmodel name : B\n", "A"},
    {"", ""},
};

static void cores_are_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(core_rows); i++) {
        pp_cpuinfo info;

        pp_cpuinfo_parse(pp_scan_of(core_rows[i].text, strlen(core_rows[i].text)), &info);
        assert_string_equal(info.model, core_rows[i].want);
    }
}

static void only_features_of_all_cores_count(void **state)
{
    static const char text[] = "Features : asimd sve\nFeatures : asimd i8mm\n";
    pp_host_facts facts = {0};

    (void)state;
    pp_cpuinfo_parse(pp_scan_of(text, sizeof text - 1), &facts.cpu);
    assert_true(has_feature(&facts, "asimd"));
    assert_false(has_feature(&facts, "sve"));
    assert_false(has_feature(&facts, "i8mm"));
}

static void this_machine_has_the_facts_every_linux_has(void **state)
{
    pp_host_options options = {.root = "/"};
    pp_host_facts facts;

    (void)state;
    pp_host_read(&options, &facts);
    assert_false(facts.recorded);
    assert_true(facts.cpus_allowed.known && facts.cpus_allowed.value >= 1);
    assert_true(facts.page_size_bytes.known && facts.page_size_bytes.value >= 4096);
    assert_true(facts.memory_total_bytes.known);
    assert_true(facts.hardware_cycles.known);
    assert_string_not_equal(facts.kernel_release, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_arm_server_is_decoded),
        cmocka_unit_test(version_1_limits_are_the_tightest_on_the_way_up),
        cmocka_unit_test(version_2_limits_are_the_tightest_on_the_way_up),
        cmocka_unit_test(the_recorded_machine_is_hybrid_and_without_limits),
        cmocka_unit_test(a_program_of_another_architecture_is_emulated),
        cmocka_unit_test(a_user_mode_emulator_is_seen_through),
        cmocka_unit_test(a_silent_machine_has_no_facts),
        cmocka_unit_test(hostile_files_give_absent_facts),
        cmocka_unit_test(a_usage_below_zero_leaves_the_whole_limit),
        cmocka_unit_test(cores_are_named),
        cmocka_unit_test(only_features_of_all_cores_count),
        cmocka_unit_test(this_machine_has_the_facts_every_linux_has),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
