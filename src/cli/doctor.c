#include "cli/doctor.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "study/machine_json.h"

static void warn(pp_doctor *doctor, const char *code, const char *next, const char *format, ...)
    PP_PRINTF(4, 5);

static void warn(pp_doctor *doctor, const char *code, const char *next, const char *format, ...)
{
    pp_doctor_warning *row = &doctor->warnings[doctor->warning_count];
    va_list args;

    PP_ASSERT(doctor->warning_count < PP_DOCTOR_MAX_WARNINGS);
    row->code = code;
    row->next = next;
    va_start(args, format);
    (void)vsnprintf(row->text, sizeof row->text, format, args);
    va_end(args);
    doctor->warning_count++;
}

static void judge_cpu(pp_doctor *doctor)
{
    const pp_host_facts *host = &doctor->host;

    if (host->emulated.known && host->emulated.value)
        warn(doctor, "emulated", "measure on the real CPU; figures from here say nothing about it",
             "this CPU is emulated: %s", host->emulated_reason);
    if (host->governor[0] != '\0' &&
        (host->governors_differ || strcmp(host->governor, "performance") != 0))
        warn(doctor, "governor", "cpupower frequency-set -g performance (as root)",
             "the clock follows the load: governor '%s'%s", host->governor,
             host->governors_differ ? " and others" : "");
    if (host->cgroup.cpu_quota_cores.known && host->cpus_online.known &&
        host->cgroup.cpu_quota_cores.value < (double)host->cpus_online.value)
        warn(doctor, "cpu-quota", "use at most that many threads, or lift the container's quota",
             "a quota allows %.4g of %" PRId64 " CPUs; more threads are stopped in every period",
             host->cgroup.cpu_quota_cores.value, host->cpus_online.value);
    if (host->cpus_allowed.known && host->cpus_online.known &&
        host->cpus_allowed.value < host->cpus_online.value)
        warn(doctor, "affinity",
             "use at most that many threads, or start without taskset or cpuset",
             "only %" PRId64 " of %" PRId64 " CPUs are allowed to this process",
             host->cpus_allowed.value, host->cpus_online.value);
}

static void judge_memory(pp_doctor *doctor)
{
    const pp_host_facts *host = &doctor->host;

    if (host->swap_total_bytes.known && host->swap_total_bytes.value > 0)
        warn(doctor, "swap", "swapoff -a (as root) while measuring",
             "swap is on: a model that does not fit becomes slow instead of failing");
    if (host->cgroup.memory_limit_bytes.known && host->memory_total_bytes.known &&
        host->cgroup.memory_limit_bytes.value < host->memory_total_bytes.value)
        warn(doctor, "memory-limit", "choose models that fit, or lift the container's limit",
             "a limit allows %.4g of %.4g GiB of memory",
             (double)host->cgroup.memory_limit_bytes.value / (1 << 30),
             (double)host->memory_total_bytes.value / (1 << 30));
}

static void judge_noise(pp_doctor *doctor)
{
    const pp_watch_result *now = &doctor->load_now;

    for (size_t i = 0; doctor->has_load_now && i < now->reason_count; i++) {
        const pp_watch_reason *reason = &now->reasons[i];

        warn(doctor, pp_watch_cause_name(reason->cause),
             reason->cause == PP_WATCH_FOREIGN_CPU ? "stop other programs; top shows them"
             : reason->cause == PP_WATCH_STEAL     ? "use a machine whose CPUs are not shared"
             : reason->cause == PP_WATCH_THERMAL_THROTTLED
                 ? "let the machine cool down, and check its fans"
                 : "use fewer threads, or lift the container's quota",
             "disturbed now: %s %.4g %s, limit %.4g", pp_watch_cause_name(reason->cause),
             reason->measured, pp_watch_cause_unit(reason->cause), reason->limit);
    }
    if (doctor->host.hardware_cycles.known && !doctor->host.hardware_cycles.value)
        warn(doctor, "no-counters",
             "nothing needs them; where the CPU has them, lower kernel.perf_event_paranoid",
             "hardware counters are not available (%s)", doctor->host.hardware_cycles_reason);
}

static void judge_suitable(pp_doctor *doctor)
{
    const pp_host_facts *host = &doctor->host;

    if (host->recorded) {
        (void)snprintf(doctor->suitable_reason, sizeof doctor->suitable_reason,
                       "these are recorded files; only a living machine can measure");
        doctor->suitable = pp_known_bool(false);
    } else if (host->emulated.known) {
        doctor->suitable = pp_known_bool(!host->emulated.value);
        (void)snprintf(doctor->suitable_reason, sizeof doctor->suitable_reason, "%s",
                       host->emulated_reason);
    } else {
        (void)snprintf(doctor->suitable_reason, sizeof doctor->suitable_reason, "%s",
                       host->emulated_reason);
    }
}

void pp_doctor_judge(pp_doctor *doctor)
{
    doctor->warning_count = 0;
    judge_cpu(doctor);
    judge_memory(doctor);
    judge_noise(doctor);
    judge_suitable(doctor);
}

static const pp_json *warnings_to_json(pp_arena *arena, const pp_doctor *doctor)
{
    pp_json *list = pp_json_new_array(arena);

    for (size_t i = 0; i < doctor->warning_count; i++) {
        pp_json *row = pp_json_new_object(arena);

        pp_json_set_string(arena, row, "code", doctor->warnings[i].code);
        pp_json_set_string(arena, row, "text", doctor->warnings[i].text);
        pp_json_set_string(arena, row, "next", doctor->warnings[i].next);
        pp_json_add(arena, list, row);
    }
    return list;
}

pp_json *pp_doctor_to_json(pp_arena *arena, const pp_doctor *doctor)
{
    pp_json *root = pp_json_new_object(arena);
    pp_json *llama = pp_json_new_object(arena);
    pp_json *evidence = pp_json_new_object(arena);

    pp_json_set_string(arena, root, "document", "doctor");
    pp_json_set_string(arena, root, "schema_version", "1.0");
    pp_json_set_bool(arena, root, "recorded", doctor->host.recorded);
    pp_json_set(arena, root, "host", pp_host_facts_to_json(arena, &doctor->host));
    if (doctor->has_load_now)
        pp_json_set(arena, root, "load_now", pp_watch_result_to_json(arena, &doctor->load_now));
    else
        pp_json_set_null(arena, root, "load_now");
    pp_json_set(arena, root, "bandwidth", pp_doctor_bandwidth_to_json(arena, doctor));
    pp_json_set_string(arena, llama, "folder", doctor->llama_folder);
    pp_json_set_string(arena, llama, "version", doctor->llama_version);
    pp_json_set(arena, root, "llama", llama);
    pp_json_set_maybe_bool(arena, evidence, "suitable", doctor->suitable);
    pp_json_set_string(arena, evidence, "reason", doctor->suitable_reason);
    pp_json_set(arena, root, "evidence_host", evidence);
    pp_json_set(arena, root, "warnings", warnings_to_json(arena, doctor));
    return root;
}

/* ---- the table ------------------------------------------------------------------------------- */

#define ABSENT "not known"

static void label(const char *name)
{
    printf("%-*s", PP_DOCTOR_LABEL_COLUMN, name);
}

static void print_text(const char *name, const char *text)
{
    label(name);
    printf("%.84s\n", text == NULL || text[0] == '\0' ? ABSENT : text);
}

/* Names, broken so that a line fits 100 columns. */
static void print_features(const pp_cpuinfo *cpu)
{
    size_t column = PP_DOCTOR_LABEL_COLUMN;

    label("features");
    if (!cpu->features_known || cpu->features == 0)
        printf("%s", cpu->features_known ? "none of those that llama.cpp has kernels for" : ABSENT);
    for (size_t i = 0; i < pp_cpu_feature_count; i++) {
        const char *name = pp_cpu_features[i].name;

        if (!cpu->features_known || (cpu->features >> i & 1) == 0)
            continue;
        if (column + strlen(name) > 98) {
            printf("\n%-*s", PP_DOCTOR_LABEL_COLUMN, "");
            column = PP_DOCTOR_LABEL_COLUMN;
        }
        printf("%s%s", column == PP_DOCTOR_LABEL_COLUMN ? "" : " ", name);
        column += strlen(name) + 1;
    }
    printf("\n");
}

static void print_count(const char *before, pp_maybe_int fact, const char *what)
{
    if (fact.known)
        printf("%s%" PRId64 " %s", before, fact.value, what);
    else
        printf("%s? %s", before, what);
}

static void print_cpus(const pp_host_facts *host)
{
    label("CPUs");
    print_count("", host->cpus_online, "on line");
    if (host->cpus_allowed.known)
        print_count(", ", host->cpus_allowed, "allowed");
    print_count("; ", host->cores, "cores");
    print_count(", ", host->threads_per_core, "threads each");
    print_count(", ", host->sockets, "sockets");
    print_count(", ", host->numa_nodes, "NUMA nodes");
    printf("\n");
}

static void print_frequency(const pp_host_facts *host)
{
    label("frequency");
    if (host->governor[0] == '\0' && !host->frequency_now_min_khz.known && !host->boost.known) {
        printf("%s (no cpufreq)\n", ABSENT);
        return;
    }
    printf("governor %s%s", host->governor[0] != '\0' ? host->governor : ABSENT,
           host->governors_differ ? " and others" : "");
    if (host->frequency_now_min_khz.known)
        printf(", now %.4g to %.4g MHz", (double)host->frequency_now_min_khz.value / 1e3,
               (double)host->frequency_now_max_khz.value / 1e3);
    if (host->frequency_limit_khz.known)
        printf(", at most %.4g MHz", (double)host->frequency_limit_khz.value / 1e3);
    if (host->boost.known)
        printf(", boost %s", host->boost.value ? "on" : "off");
    printf("\n");
}

static void print_gib(const char *before, pp_maybe_int bytes, const char *what)
{
    if (bytes.known)
        printf("%s%.4g GiB %s", before, (double)bytes.value / (1 << 30), what);
    else
        printf("%s? %s", before, what);
}

static void print_memory(const pp_host_facts *host)
{
    label("memory");
    print_gib("", host->memory_total_bytes, "total");
    print_gib(", ", host->memory_available_bytes, "available");
    print_gib("; ", host->swap_total_bytes, "swap");
    if (host->page_size_bytes.known)
        printf("; pages of %" PRId64 " KiB", host->page_size_bytes.value / 1024);
    printf("\n");
    label("huge pages");
    print_count("", host->hugepages_total, "reserved");
    if (host->hugepage_size_bytes.known)
        printf(" of %" PRId64 " KiB", host->hugepage_size_bytes.value / 1024);
    printf("; transparent: %s\n",
           host->transparent_hugepages[0] != '\0' ? host->transparent_hugepages : ABSENT);
}

static void print_limits(const pp_cgroup *cgroup)
{
    label("limits");
    if (cgroup->version == NULL) {
        printf("%s (no control groups)\n", ABSENT);
        return;
    }
    printf("cgroup %s: ", cgroup->version);
    if (cgroup->cpu_quota_cores.known)
        printf("%.4g cores", cgroup->cpu_quota_cores.value);
    else
        printf("no CPU quota");
    if (cgroup->memory_limit_bytes.known)
        print_gib(", ", cgroup->memory_limit_bytes, "of memory");
    else
        printf(", no memory limit");
    if (cgroup->cpuset_cpu_count.known)
        printf(", CPUs %.40s", cgroup->cpuset_cpus);
    printf("\n");
}

static void print_platform(const pp_host_facts *host)
{
    label("platform");
    printf("virtualisation: %.40s; container: %s\n",
           host->virtualisation[0] != '\0' ? host->virtualisation : ABSENT,
           host->container[0] != '\0' ? host->container : "no sign of one");
    label("emulated");
    printf("%s: %.76s\n",
           !host->emulated.known  ? "unknown"
           : host->emulated.value ? "yes"
                                  : "no",
           host->emulated_reason);
    label("counters");
    printf("cycles %s; perf_event_paranoid ", !host->hardware_cycles.known  ? ABSENT
                                              : host->hardware_cycles.value ? "available"
                                                                            : "not available");
    if (host->perf_event_paranoid.known)
        printf("%" PRId64, host->perf_event_paranoid.value);
    else
        printf(ABSENT);
    printf("; pressure (PSI) %s\n", !host->psi.known  ? ABSENT
                                    : host->psi.value ? "available"
                                                      : "not available");
}

static void print_load(const pp_doctor *doctor)
{
    const pp_watch_result *now = &doctor->load_now;

    label("load");
    if (doctor->host.load_1m.known && doctor->host.load_15m.known)
        printf("average %.2f over 1 min, %.2f over 15 min; ", doctor->host.load_1m.value,
               doctor->host.load_15m.value);
    if (!doctor->has_load_now || !now->foreign_percent_mean.known) {
        printf("now not measured\n");
        return;
    }
    printf("now others use %.4g %% of one core, steal %.4g %%: %s\n",
           now->foreign_percent_mean.value, now->steal_percent.value,
           pp_watch_verdict_name(now->verdict));
}

static void print_warnings(const pp_doctor *doctor)
{
    if (doctor->warning_count == 0)
        printf("\nNo warnings.\n");
    else
        printf("\n");
    for (size_t i = 0; i < doctor->warning_count; i++)
        printf("warning: %s\n         -> %s\n", doctor->warnings[i].text, doctor->warnings[i].next);
}

void pp_doctor_print(const pp_doctor *doctor)
{
    const pp_host_facts *host = &doctor->host;

    if (host->recorded)
        printf("Recorded files, not this machine.\n\n");
    print_text("system", host->os_name);
    print_text("kernel", host->kernel_release);
    print_text("architecture", host->architecture);
    print_text("CPU", host->cpu.model);
    print_features(&host->cpu);
    print_cpus(host);
    print_frequency(host);
    print_memory(host);
    print_limits(&host->cgroup);
    print_platform(host);
    print_load(doctor);
    pp_doctor_print_bandwidth(doctor);
    print_text("llama.cpp",
               doctor->llama_folder != NULL ? doctor->llama_folder : "no folder named");
    if (doctor->llama_version != NULL)
        print_text("", doctor->llama_version);
    label("evidence host");
    printf("%s: %.80s\n",
           !doctor->suitable.known  ? "cannot tell"
           : doctor->suitable.value ? "suitable"
                                    : "not suitable",
           doctor->suitable_reason);
    print_warnings(doctor);
}
