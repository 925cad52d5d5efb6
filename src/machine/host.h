/* host.h - facts about a machine, read from the files of its /proc, /sys and /etc.
 *
 * The root folder is a parameter: "/" is this machine, anything else a recorded tree of the same
 * layout. What needs the living machine (uname, affinity, counters, CPUID) is asked only for "/".
 * Whatever cannot be read is absent; nothing here fails. Sources: proc(5), the kernel's
 * Documentation/admin-guide and Documentation/ABI, and the files named beside each field. */
#ifndef PP_MACHINE_HOST_H
#define PP_MACHINE_HOST_H

#include <stddef.h>
#include <stdint.h>

#include "base/maybe.h"
#include "machine/cgroup.h"

/* Instructions that llama.cpp's CPU back ends choose their kernels by. */
typedef struct pp_cpu_feature {
    const char *name;        /* as we report it */
    const char *kernel_name; /* as /proc/cpuinfo spells it */
    const char *key;         /* the cpuinfo line it stands in: "flags" or "Features" */
} pp_cpu_feature;

/** Row i belongs to bit i of pp_cpuinfo.features. */
extern const pp_cpu_feature pp_cpu_features[];
extern const size_t pp_cpu_feature_count;

typedef struct pp_cpuinfo {
    char model[128];    /* x86 "model name"; Arm cores decoded, "Neoverse-N2"; "" absent */
    const char *family; /* "x86_64" or "aarch64" by the shape of the text; NULL unknown */
    bool features_known;
    uint32_t features;
    pp_maybe_bool hypervisor; /* x86 flag; absent on Arm, which has none */
    pp_maybe_int processor_count;
    pp_maybe_int arm_implementer, arm_part; /* of the first core */
} pp_cpuinfo;

/** The text of /proc/cpuinfo; any bytes. Different Arm cores are joined with " + ". */
void pp_cpuinfo_parse(pp_scan text, pp_cpuinfo *ret_info);

/** "Neoverse-N2" for (0x41, 0xd49); NULL when unknown. */
const char *pp_arm_core_name(int64_t implementer, int64_t part);

typedef struct pp_host_options {
    const char *root;         /* "/" or a recorded tree */
    const char *architecture; /* "aarch64", "x86_64"; NULL: uname, or the shape of cpuinfo */
} pp_host_options;

/* Texts are "" when absent and hold no control characters. */
typedef struct pp_host_facts {
    bool recorded; /* from a tree, not from this machine */
    char architecture[32];
    char kernel_release[128];
    char os_name[128]; /* PRETTY_NAME */
    pp_maybe_int page_size_bytes;

    pp_cpuinfo cpu;
    pp_maybe_int cpus_online;
    pp_maybe_int cpus_allowed; /* by this process's affinity */
    pp_maybe_int cores;
    pp_maybe_int sockets;
    pp_maybe_int threads_per_core;
    pp_maybe_int numa_nodes;

    pp_maybe_int memory_total_bytes;
    pp_maybe_int memory_available_bytes;
    pp_maybe_int swap_total_bytes;
    pp_maybe_int swap_used_bytes;
    pp_maybe_int hugepage_size_bytes;
    pp_maybe_int hugepages_total;   /* count */
    char transparent_hugepages[16]; /* "always", "madvise", "never" */

    pp_cgroup cgroup;

    char governor[32];                                         /* of the first CPU that has one */
    bool governors_differ;                                     /* between CPUs */
    pp_maybe_bool boost;                                       /* turbo allowed */
    pp_maybe_int frequency_now_min_khz, frequency_now_max_khz; /* over the CPUs */
    pp_maybe_int frequency_limit_khz; /* cpuinfo_max_freq of the fastest CPU */

    char virtualisation[64]; /* "kvm", "amazon ec2", ...; "none" when the CPU says so */
    char container[32];      /* "docker", "podman", ...; "" when there is no hint */
    char dmi_vendor[96], dmi_product[96];
    pp_maybe_bool emulated; /* another CPU's instructions are translated; absent: cannot tell */
    char emulated_reason[160];

    pp_maybe_int perf_event_paranoid;
    pp_maybe_bool hardware_cycles; /* can this process count them? */
    char hardware_cycles_reason[128];
    pp_maybe_bool psi; /* pressure files present */
    pp_maybe_real load_1m, load_5m, load_15m;
} pp_host_facts;

void pp_host_read(const pp_host_options *options, pp_host_facts *ret_facts);

#endif
