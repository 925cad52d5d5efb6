/* What the machine says: doctor, host, noise watch, memory of a process. */
#include "model/field_rows.h"
#include "model/tables.h"

/* ---- host -------------------------------------------------------------------------------------
 */

static const pp_field cpu_rows[] = {
    MEMBER("model",
           "`model name`, or implementer and part decoded (`midr_el1` where cpuinfo has none); "
           "kinds of cores joined by ` + `",
           TEXT, OR_NULL),
    MEMBER("features", "those that llama.cpp has kernels for and all cores have",
           LIST(pp_type_filled), OR_NULL),
    MEMBER("online_count", "CPUs on line", COUNT, OR_NULL),
    MEMBER("allowed_count", "CPUs by this process's affinity", COUNT, OR_NULL),
    MEMBER("core_count", "from `/sys/devices/system/cpu/cpu*/topology`, as the next two", COUNT,
           OR_NULL),
    MEMBER("socket_count", "packages", COUNT, OR_NULL),
    MEMBER("threads_per_core", "hardware threads", COUNT, OR_NULL),
    MEMBER("numa_node_count", "from `/sys/devices/system/node`", COUNT, OR_NULL),
    MEMBER("governor", "cpufreq of the first CPU", TEXT, OR_NULL),
    MEMBER("governors_differ", "whether other CPUs have another", BOOL, OR_NULL),
    MEMBER("boost", "cpufreq's `boost`, or `no_turbo` turned round", BOOL, OR_NULL),
    MEMBER("frequency_now_min_khz", "`scaling_cur_freq` of the slowest CPU", COUNT, OR_NULL),
    MEMBER("frequency_now_max_khz", "of the fastest", COUNT, OR_NULL),
    MEMBER("frequency_limit_khz", "`cpuinfo_max_freq` of the fastest", COUNT, OR_NULL),
};
static const pp_fields cpu_fields = FIELDS_AT("host-cpu", "the CPUs", cpu_rows, "doctor");

static const pp_field memory_rows[] = {
    MEMBER("total_bytes", "`/proc/meminfo` (its kB are KiB), as the next ones", COUNT, OR_NULL),
    MEMBER("available_bytes", "without swapping", COUNT, OR_NULL),
    MEMBER("swap_total_bytes", "0: no swap", COUNT, OR_NULL),
    MEMBER("swap_used_bytes", "of the swap", COUNT, OR_NULL),
    MEMBER("page_size_bytes", "of an ordinary page", COUNT, OR_NULL),
    MEMBER("hugepage_size_bytes", "of a huge page", COUNT, OR_NULL),
    MEMBER("hugepage_count", "huge pages reserved", COUNT, OR_NULL),
    MEMBER("transparent_hugepages", "the word in force", TEXT, OR_NULL),
};
static const pp_fields memory_fields =
    FIELDS_AT("host-memory", "the memory", memory_rows, "doctor");

static const char *const cgroup_words[] = {"v1", "v2", "hybrid", NULL};
static const pp_field cgroup_rows[] = {
    MEMBER("version", "of control groups; null without any", WORDS(cgroup_words), OR_NULL),
    MEMBER("cpu_quota_cores",
           "the tightest on the way from this process's group to the root; null: no limit",
           POSITIVE_REAL, OR_NULL),
    MEMBER("memory_limit_bytes", "the same", COUNT, OR_NULL),
    MEMBER("cpuset_cpus", "the effective set of the innermost group that has one", TEXT, OR_NULL),
    MEMBER("cpuset_cpu_count", "CPUs in that set", COUNT, OR_NULL),
};
static const pp_fields cgroup_fields =
    FIELDS_AT("host-cgroup", "limits of a container", cgroup_rows, "doctor");

static const pp_field platform_rows[] = {
    MEMBER("virtualisation",
           "CPUID, `/sys/hypervisor/type`, DMI; `none` when the CPU says that there is no "
           "hypervisor",
           TEXT, OR_NULL),
    MEMBER("container",
           "`/proc/self/cgroup`, `/proc/1/cgroup`, `/run/.containerenv`, `/.dockerenv`", TEXT,
           OR_NULL),
    MEMBER("dmi_vendor", "system vendor", TEXT, OR_NULL),
    MEMBER("dmi_product", "system product", TEXT, OR_NULL),
    MEMBER("emulated", "whether another machine computes what this CPU does; null: cannot tell",
           BOOL, OR_NULL),
    MEMBER("emulated_reason", "the rule that applied", TEXT, OR_NULL),
};
static const pp_fields platform_fields =
    FIELDS_AT("host-platform", "real, virtual or emulated", platform_rows, "doctor");

static const pp_field counter_rows[] = {
    MEMBER("perf_event_paranoid", "the setting", INT(INT64_MIN, INT64_MAX), OR_NULL),
    MEMBER("hardware_cycles", "whether perf_event_open gave this process a cycle counter", BOOL,
           OR_NULL),
    MEMBER("hardware_cycles_reason", "why, or why not", TEXT, OR_NULL),
    MEMBER("psi", "whether `/proc/pressure` is there", BOOL, OR_NULL),
};
static const pp_fields counter_fields =
    FIELDS_AT("host-counters", "what the kernel lets us count", counter_rows, "doctor");

#define HOST_ROWS                                                                                  \
    MEMBER("architecture", "uname; of a recorded tree, the shape of `/proc/cpuinfo`", TEXT,        \
           OR_NULL),                                                                               \
        MEMBER("kernel_release", "`/proc/sys/kernel/osrelease`", TEXT, OR_NULL),                   \
        MEMBER("os_name", "`PRETTY_NAME` of os-release", TEXT, OR_NULL),                           \
        MEMBER("cpu", "the CPUs", OBJECT(cpu_fields)),                                             \
        MEMBER("memory", "the memory", OBJECT(memory_fields)),                                     \
        MEMBER("cgroup", "limits of a container", OBJECT(cgroup_fields)),                          \
        MEMBER("platform", "real, virtual or emulated", OBJECT(platform_fields)),                  \
        MEMBER("counters", "what the kernel lets us count", OBJECT(counter_fields)),               \
        MEMBER("load_1m", "`/proc/loadavg`, as the next two", POSITIVE_REAL, OR_NULL),             \
        MEMBER("load_5m", "over five minutes", POSITIVE_REAL, OR_NULL),                            \
        MEMBER("load_15m", "over fifteen minutes", POSITIVE_REAL, OR_NULL)

static const pp_field host_rows[] = {HOST_ROWS};
static const pp_fields host_fields = FIELDS_AT("host", "the machine", host_rows, "doctor");

WORD(word_host, "host");
static const pp_field host_document_rows[] = {
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("document", "what this is", WORDS(word_host)),
    HOST_ROWS,
};
const pp_fields pp_host_document_fields =
    FIELDS("host-document", "the machine of a study", host_document_rows);

/* ---- noise watch ------------------------------------------------------------------------------
 */

static const char *const cause_words[] = {"foreign-cpu", "steal", "cgroup-throttled",
                                          "thermal-throttled", NULL};
static const char *const verdict_words[] = {"quiet", "disturbed", "undecided", NULL};

static const pp_field reason_rows[] = {
    MEMBER("cause", "what disturbed", WORDS(cause_words)),
    MEMBER("measured", "how much", REAL),
    MEMBER("limit", "how much was allowed", REAL),
    MEMBER("unit", "of both", FILLED),
    MEMBER("at_ns", "from the begin; null when it is a total", COUNT, OR_NULL),
};
static const pp_fields reason_fields =
    FIELDS_AT("watch-reason", "one limit that was passed", reason_rows, "doctor");
static const pp_field_type reason_type = {OBJECT(reason_fields)};

static const pp_field watch_rows[] = {
    MEMBER("verdict", "what the watch concludes", WORDS(verdict_words)),
    MEMBER("reasons", "empty unless disturbed", LIST(reason_type)),
    MEMBER("duration_ns", "of the watch", COUNT),
    MEMBER("interval_ns", "between two looks", COUNT),
    MEMBER("window_ns", "over which foreign CPU time is averaged", COUNT),
    MEMBER("foreign_limit_percent", "of one core", POSITIVE_REAL),
    MEMBER("steal_limit_percent", "of all CPU time", POSITIVE_REAL),
    MEMBER("cpu_count", "CPUs on line", COUNT),
    MEMBER("samples_taken", "looks", COUNT),
    MEMBER("samples_missed", "looks that came too late", COUNT),
    MEMBER("descendants_not_followed_count", "processes of the measured one that were not followed",
           COUNT),
    MEMBER("foreign_percent_peak", "of one core, worst window", REAL, OR_NULL),
    MEMBER("foreign_peak_at_ns", "when, from the begin", COUNT, OR_NULL),
    MEMBER("foreign_percent_mean", "of one core", REAL, OR_NULL),
    MEMBER("steal_percent", "of all CPU time", REAL, OR_NULL),
    MEMBER("own_percent", "this program, of one core", REAL, OR_NULL),
    MEMBER("children_percent", "what is measured, of one core", REAL, OR_NULL),
    MEMBER("psi_cpu_some_us", "some task waited for a CPU", COUNT, OR_NULL),
    MEMBER("psi_memory_some_us", "some task waited for memory", COUNT, OR_NULL),
    MEMBER("cgroup_throttled_count", "periods in which the quota stopped us", COUNT, OR_NULL),
    MEMBER("cgroup_throttled_ns", "for how long", COUNT, OR_NULL),
    MEMBER("major_faults_count", "pages read from disk", COUNT, OR_NULL),
    MEMBER("frequency_min_khz", "slowest CPU seen", COUNT, OR_NULL),
    MEMBER("frequency_max_khz", "fastest CPU seen", COUNT, OR_NULL),
    MEMBER("thermal_throttled_count", "events of the CPU", COUNT, OR_NULL),
};
const pp_fields pp_watch_fields =
    FIELDS_AT("watch", "what else the machine did meanwhile", watch_rows, "doctor");

/* ---- memory of a process ----------------------------------------------------------------------
 */

static const pp_field process_memory_rows[] = {
    MEMBER("peak_rss_bytes", "VmHWM", COUNT, OR_NULL),
    MEMBER("rss_bytes", "VmRSS", COUNT, OR_NULL),
    MEMBER("anon_bytes", "RssAnon", COUNT, OR_NULL),
    MEMBER("file_bytes", "RssFile: a mapped model counts here", COUNT, OR_NULL),
    MEMBER("shmem_bytes", "RssShmem", COUNT, OR_NULL),
    MEMBER("swap_bytes", "VmSwap", COUNT, OR_NULL),
    MEMBER("hugetlb_bytes", "HugetlbPages", COUNT, OR_NULL),
    MEMBER("pss_bytes", "Pss of smaps_rollup: shared pages count by their share", COUNT, OR_NULL),
    MEMBER("cgroup_peak_bytes",
           "all processes of the control group since it was made, page cache included", COUNT,
           OR_NULL),
    MEMBER("cgroup_peak_file", "where that was read", FILLED, OR_NULL),
};
const pp_fields pp_process_memory_fields =
    FIELDS("process-memory", "bytes by kind", process_memory_rows);

/* ---- doctor -----------------------------------------------------------------------------------
 */

static const pp_field llama_rows[] = {
    MEMBER("folder", "named by option, environment or PATH", TEXT, OR_NULL),
    MEMBER("version", "what its program says it is; null when not asked", TEXT, OR_NULL),
};
static const pp_fields llama_fields = FIELDS("doctor-llama", "llama.cpp", llama_rows);

static const pp_field evidence_rows[] = {
    MEMBER("suitable", "null when it cannot be told; only true passes `--require-evidence-host`",
           BOOL, OR_NULL),
    MEMBER("reason", "why", TEXT),
};
static const pp_fields evidence_fields =
    FIELDS("doctor-evidence-host", "whether measurements here can be evidence", evidence_rows);

static const pp_field warning_rows[] = {
    MEMBER("code", "stable", FILLED),
    MEMBER("text", "what stands in the way", FILLED),
    MEMBER("next", "what to do", FILLED),
};
static const pp_fields warning_fields = FIELDS("doctor-warning", "one warning", warning_rows);
static const pp_field_type warning_type = {OBJECT(warning_fields)};

static const pp_field repeat_rows[] = {
    MEMBER("read_bytes", "bytes that were read", COUNT),
    MEMBER("duration_ns", "how long it took", COUNT),
};
static const pp_fields repeat_fields = FIELDS("bandwidth-repeat", "one repeat", repeat_rows);
static const pp_field_type repeat_type = {OBJECT(repeat_fields)};

static const pp_field probe_rows[] = {
    MEMBER("footprint_bytes",
           "what was read in one pass: the size asked for, rounded up to 128 bytes", COUNT),
    MEMBER("fits_last_level_cache", "null when that cache is not known", BOOL, OR_NULL),
    MEMBER("thread_count", "threads", COUNT),
    MEMBER("best_bytes_per_second", "of the repeats", POSITIVE_REAL),
    MEMBER("median_bytes_per_second", "of the repeats", POSITIVE_REAL),
    MEMBER("worst_bytes_per_second", "of the repeats", POSITIVE_REAL),
    MEMBER("huge_page_bytes", "transparent huge pages got", COUNT, OR_NULL),
    MEMBER("repeats", "in order", LIST(repeat_type)),
};
static const pp_fields probe_fields = FIELDS("bandwidth-probe", "one size", probe_rows);
static const pp_field_type probe_type = {OBJECT(probe_fields)};

static const pp_field bandwidth_rows[] = {
    MEMBER("origin", "`measured`, or `emulated` on an emulated CPU", WORDS(pp_words_origin)),
    MEMBER("last_level_cache_bytes",
           "size of the highest cache of CPU 0 that holds data "
           "(`/sys/devices/system/cpu/cpu0/cache`); null when the kernel does not say",
           COUNT, OR_NULL),
    MEMBER("probes", "one for each `--bandwidth`, in that order", LIST(probe_type)),
    MEMBER("watch", "the noise watch over all probes; null when it could not run",
           OBJECT(pp_watch_fields), OR_NULL),
};
static const pp_fields bandwidth_fields =
    FIELDS("bandwidth", "how fast memory can be read", bandwidth_rows);

WORD(word_doctor, "doctor");
static const pp_field doctor_rows[] = {
    MEMBER("document", "what this is", WORDS(word_doctor)),
    MEMBER("schema_version", "version of the format", WORDS(pp_words_1_0)),
    MEMBER("recorded", "true when the facts come from a tree given by `--root`", BOOL),
    MEMBER("host", "the machine", OBJECT(host_fields)),
    MEMBER("load_now", "the watch of one second, windows of half a second; null when not measured",
           OBJECT(pp_watch_fields), OR_NULL),
    MEMBER("bandwidth", "null when `--bandwidth` was not given", OBJECT(bandwidth_fields), OR_NULL),
    MEMBER("llama", "llama.cpp", OBJECT(llama_fields)),
    MEMBER("evidence_host", "whether measurements here can be evidence", OBJECT(evidence_fields)),
    MEMBER("warnings", "what stands in the way", LIST(warning_type)),
};
const pp_fields pp_doctor_fields =
    FIELDS_AT("doctor", "what this machine can measure", doctor_rows, "doctor");
