#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "machine/host_parts.h"
#include "machine/tree.h"

/* 512 CPUs of x86 have some 0.8 MiB of cpuinfo. */
#define CPUINFO_MAX_BYTES  ((size_t)4 << 20)
#define CPU_LIST_MAX_BYTES 4096
#define MAX_VISITED_CPUS   4096

static bool read_list(const char *root, const char *relative, char *buf, pp_scan *ret_list)
{
    char path[PP_TREE_PATH_MAX];

    return pp_tree_path(path, root, "%s", relative) &&
           pp_tree_read(path, buf, CPU_LIST_MAX_BYTES, ret_list);
}

static void read_cpuinfo(const char *root, pp_cpuinfo *info)
{
    char path[PP_TREE_PATH_MAX];
    char *buf = malloc(CPUINFO_MAX_BYTES);
    pp_scan text;

    if (buf != NULL && pp_tree_path(path, root, "proc/cpuinfo") &&
        pp_tree_read(path, buf, CPUINFO_MAX_BYTES, &text))
        pp_cpuinfo_parse(text, info);
    free(buf);
}

/* MIDR: implementer in bits 31-24, part in bits 15-4 (Arm ARM, MIDR_EL1). */
static void read_midr(const char *root, pp_cpuinfo *info)
{
    char text[64];
    pp_scan scan;
    int64_t midr;
    const char *name;

    pp_tree_text(root, "sys/devices/system/cpu/cpu0/regs/identification/midr_el1", text,
                 sizeof text);
    scan = pp_scan_of(text, strlen(text));
    if (info->arm_part.known || !pp_scan_hex(&scan, &midr))
        return;
    info->arm_implementer = pp_known_int((midr >> 24) & 0xff);
    info->arm_part = pp_known_int((midr >> 4) & 0xfff);
    name = pp_arm_core_name(info->arm_implementer.value, info->arm_part.value);
    if (name != NULL)
        (void)snprintf(info->model, sizeof info->model, "%s", name);
}

static void read_architecture(const pp_host_options *options, pp_host_facts *facts)
{
    struct utsname name;
    const char *architecture = options->architecture;

    if (architecture == NULL && pp_tree_is_live(options->root) && uname(&name) == 0)
        architecture = name.machine;
    if (architecture == NULL)
        architecture = facts->cpu.family;
    if (architecture != NULL)
        (void)snprintf(facts->architecture, sizeof facts->architecture, "%.31s", architecture);
}

pp_maybe_int pp_host_allowed_cpus(void)
{
    cpu_set_t *set = CPU_ALLOC(PP_MAX_AFFINITY_CPUS);
    size_t size = CPU_ALLOC_SIZE(PP_MAX_AFFINITY_CPUS);
    pp_maybe_int count = {0};

    if (set != NULL && sched_getaffinity(0, size, set) == 0)
        count = pp_known_int(CPU_COUNT_S(size, set));
    CPU_FREE(set);
    return count;
}

/* Is this CPU the first of the list of its siblings? ret_count gets how many there are. */
static bool is_first_of(const char *root, int64_t cpu, const char *file, int64_t *ret_count)
{
    char relative[128], buf[CPU_LIST_MAX_BYTES];
    int64_t first = -1;
    pp_scan list;

    (void)snprintf(relative, sizeof relative, "sys/devices/system/cpu/cpu%lld/topology/%s",
                   (long long)cpu, file);
    return read_list(root, relative, buf, &list) && pp_scan_list_count(list, ret_count) &&
           pp_scan_list_next(list, &first) && first == cpu;
}

static void read_topology(const char *root, pp_scan online, pp_host_facts *facts)
{
    int64_t cpu = -1, visited = 0, cores = 0, sockets = 0, threads = 0, count = 0;

    while (visited++ < MAX_VISITED_CPUS && pp_scan_list_next(online, &cpu)) {
        if (is_first_of(root, cpu, "thread_siblings_list", &count)) {
            cores++;
            threads = count > threads ? count : threads;
        }
        sockets += is_first_of(root, cpu, "core_siblings_list", &count);
    }
    if (cores > 0) {
        facts->cores = pp_known_int(cores);
        facts->threads_per_core = pp_known_int(threads);
    }
    if (sockets > 0)
        facts->sockets = pp_known_int(sockets);
}

void pp_host_read_cpu(const pp_host_options *options, pp_host_facts *facts)
{
    char buf[CPU_LIST_MAX_BYTES];
    int64_t count;
    pp_scan list;

    read_cpuinfo(options->root, &facts->cpu);
    read_midr(options->root, &facts->cpu);
    read_architecture(options, facts);
    if (pp_tree_is_live(options->root))
        facts->cpus_allowed = pp_host_allowed_cpus();
    facts->cpus_online = facts->cpu.processor_count;
    if (read_list(options->root, "sys/devices/system/cpu/online", buf, &list) &&
        pp_scan_list_count(list, &count)) {
        facts->cpus_online = pp_known_int(count);
        read_topology(options->root, list, facts);
    }
    if (read_list(options->root, "sys/devices/system/node/online", buf, &list) &&
        pp_scan_list_count(list, &count))
        facts->numa_nodes = pp_known_int(count);
}

static void read_cpu_frequency(const char *root, int64_t cpu, pp_host_facts *facts)
{
    char relative[128], governor[sizeof facts->governor];
    pp_maybe_int now, limit;

#define CPUFREQ(file)                                                                              \
    ((void)snprintf(relative, sizeof relative, "sys/devices/system/cpu/cpu%lld/cpufreq/" file,     \
                    (long long)cpu),                                                               \
     relative)
    pp_tree_text(root, CPUFREQ("scaling_governor"), governor, sizeof governor);
    now = pp_tree_int(root, CPUFREQ("scaling_cur_freq"));
    limit = pp_tree_int(root, CPUFREQ("cpuinfo_max_freq"));
#undef CPUFREQ
    if (facts->governor[0] == '\0')
        (void)snprintf(facts->governor, sizeof facts->governor, "%.31s", governor);
    else if (governor[0] != '\0' && strcmp(governor, facts->governor) != 0)
        facts->governors_differ = true;
    if (now.known &&
        (!facts->frequency_now_min_khz.known || now.value < facts->frequency_now_min_khz.value))
        facts->frequency_now_min_khz = now;
    if (now.known &&
        (!facts->frequency_now_max_khz.known || now.value > facts->frequency_now_max_khz.value))
        facts->frequency_now_max_khz = now;
    if (limit.known &&
        (!facts->frequency_limit_khz.known || limit.value > facts->frequency_limit_khz.value))
        facts->frequency_limit_khz = limit;
}

void pp_host_read_frequency(const char *root, pp_host_facts *facts)
{
    char buf[CPU_LIST_MAX_BYTES];
    int64_t cpu = -1, visited = 0;
    pp_scan list;
    pp_maybe_int boost = pp_tree_int(root, "sys/devices/system/cpu/cpufreq/boost");
    pp_maybe_int no_turbo = pp_tree_int(root, "sys/devices/system/cpu/intel_pstate/no_turbo");

    if (boost.known)
        facts->boost = pp_known_bool(boost.value != 0);
    else if (no_turbo.known)
        facts->boost = pp_known_bool(no_turbo.value == 0);
    if (!read_list(root, "sys/devices/system/cpu/online", buf, &list))
        return;
    while (visited++ < MAX_VISITED_CPUS && pp_scan_list_next(list, &cpu))
        read_cpu_frequency(root, cpu, facts);
}
