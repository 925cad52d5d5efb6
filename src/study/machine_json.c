#include "study/machine_json.h"

static void set_text(pp_arena *arena, pp_json *object, const char *key, const char *text)
{
    pp_json_set_string(arena, object, key, text == NULL || text[0] == '\0' ? NULL : text);
}

static const pp_json *features_to_json(pp_arena *arena, const pp_cpuinfo *cpu)
{
    pp_json *list;

    if (!cpu->features_known)
        return pp_json_new_null(arena);
    list = pp_json_new_array(arena);
    for (size_t i = 0; i < pp_cpu_feature_count; i++) {
        if ((cpu->features >> i & 1) != 0)
            pp_json_add(arena, list, pp_json_new_string(arena, pp_cpu_features[i].name));
    }
    return list;
}

static const pp_json *cpu_to_json(pp_arena *arena, const pp_host_facts *facts)
{
    pp_json *cpu = pp_json_new_object(arena);

    set_text(arena, cpu, "model", facts->cpu.model);
    pp_json_set(arena, cpu, "features", features_to_json(arena, &facts->cpu));
    pp_json_set_maybe_int(arena, cpu, "online_count", facts->cpus_online);
    pp_json_set_maybe_int(arena, cpu, "allowed_count", facts->cpus_allowed);
    pp_json_set_maybe_int(arena, cpu, "core_count", facts->cores);
    pp_json_set_maybe_int(arena, cpu, "socket_count", facts->sockets);
    pp_json_set_maybe_int(arena, cpu, "threads_per_core", facts->threads_per_core);
    pp_json_set_maybe_int(arena, cpu, "numa_node_count", facts->numa_nodes);
    set_text(arena, cpu, "governor", facts->governor);
    if (facts->governor[0] != '\0')
        pp_json_set_bool(arena, cpu, "governors_differ", facts->governors_differ);
    else
        pp_json_set_null(arena, cpu, "governors_differ");
    pp_json_set_maybe_bool(arena, cpu, "boost", facts->boost);
    pp_json_set_maybe_int(arena, cpu, "frequency_now_min_khz", facts->frequency_now_min_khz);
    pp_json_set_maybe_int(arena, cpu, "frequency_now_max_khz", facts->frequency_now_max_khz);
    pp_json_set_maybe_int(arena, cpu, "frequency_limit_khz", facts->frequency_limit_khz);
    return cpu;
}

static const pp_json *memory_to_json(pp_arena *arena, const pp_host_facts *facts)
{
    pp_json *memory = pp_json_new_object(arena);

    pp_json_set_maybe_int(arena, memory, "total_bytes", facts->memory_total_bytes);
    pp_json_set_maybe_int(arena, memory, "available_bytes", facts->memory_available_bytes);
    pp_json_set_maybe_int(arena, memory, "swap_total_bytes", facts->swap_total_bytes);
    pp_json_set_maybe_int(arena, memory, "swap_used_bytes", facts->swap_used_bytes);
    pp_json_set_maybe_int(arena, memory, "page_size_bytes", facts->page_size_bytes);
    pp_json_set_maybe_int(arena, memory, "hugepage_size_bytes", facts->hugepage_size_bytes);
    pp_json_set_maybe_int(arena, memory, "hugepage_count", facts->hugepages_total);
    set_text(arena, memory, "transparent_hugepages", facts->transparent_hugepages);
    return memory;
}

static const pp_json *cgroup_to_json(pp_arena *arena, const pp_cgroup *cgroup)
{
    pp_json *object = pp_json_new_object(arena);

    set_text(arena, object, "version", cgroup->version);
    pp_json_set_maybe_real(arena, object, "cpu_quota_cores", cgroup->cpu_quota_cores);
    pp_json_set_maybe_int(arena, object, "memory_limit_bytes", cgroup->memory_limit_bytes);
    set_text(arena, object, "cpuset_cpus", cgroup->cpuset_cpus);
    pp_json_set_maybe_int(arena, object, "cpuset_cpu_count", cgroup->cpuset_cpu_count);
    return object;
}

static const pp_json *platform_to_json(pp_arena *arena, const pp_host_facts *facts)
{
    pp_json *platform = pp_json_new_object(arena);

    set_text(arena, platform, "virtualisation", facts->virtualisation);
    set_text(arena, platform, "container", facts->container);
    set_text(arena, platform, "dmi_vendor", facts->dmi_vendor);
    set_text(arena, platform, "dmi_product", facts->dmi_product);
    pp_json_set_maybe_bool(arena, platform, "emulated", facts->emulated);
    set_text(arena, platform, "emulated_reason", facts->emulated_reason);
    return platform;
}

static const pp_json *counters_to_json(pp_arena *arena, const pp_host_facts *facts)
{
    pp_json *counters = pp_json_new_object(arena);

    pp_json_set_maybe_int(arena, counters, "perf_event_paranoid", facts->perf_event_paranoid);
    pp_json_set_maybe_bool(arena, counters, "hardware_cycles", facts->hardware_cycles);
    set_text(arena, counters, "hardware_cycles_reason", facts->hardware_cycles_reason);
    pp_json_set_maybe_bool(arena, counters, "psi", facts->psi);
    return counters;
}

pp_json *pp_host_facts_to_json(pp_arena *arena, const pp_host_facts *facts)
{
    pp_json *host = pp_json_new_object(arena);

    set_text(arena, host, "architecture", facts->architecture);
    set_text(arena, host, "kernel_release", facts->kernel_release);
    set_text(arena, host, "os_name", facts->os_name);
    pp_json_set(arena, host, "cpu", cpu_to_json(arena, facts));
    pp_json_set(arena, host, "memory", memory_to_json(arena, facts));
    pp_json_set(arena, host, "cgroup", cgroup_to_json(arena, &facts->cgroup));
    pp_json_set(arena, host, "platform", platform_to_json(arena, facts));
    pp_json_set(arena, host, "counters", counters_to_json(arena, facts));
    pp_json_set_maybe_real(arena, host, "load_1m", facts->load_1m);
    pp_json_set_maybe_real(arena, host, "load_5m", facts->load_5m);
    pp_json_set_maybe_real(arena, host, "load_15m", facts->load_15m);
    return host;
}

static const pp_json *reasons_to_json(pp_arena *arena, const pp_watch_result *result)
{
    pp_json *list = pp_json_new_array(arena);

    for (size_t i = 0; i < result->reason_count; i++) {
        const pp_watch_reason *reason = &result->reasons[i];
        pp_json *row = pp_json_new_object(arena);

        pp_json_set_string(arena, row, "cause", pp_watch_cause_name(reason->cause));
        pp_json_set_string(arena, row, "unit", pp_watch_cause_unit(reason->cause));
        pp_json_set_real(arena, row, "measured", reason->measured);
        pp_json_set_real(arena, row, "limit", reason->limit);
        pp_json_set_maybe_int(arena, row, "at_ns", reason->at_ns);
        pp_json_add(arena, list, row);
    }
    return list;
}

static void set_shares(pp_arena *arena, pp_json *watch, const pp_watch_result *result)
{
    pp_json_set_maybe_real(arena, watch, "foreign_percent_peak", result->foreign_percent_peak);
    pp_json_set_maybe_int(arena, watch, "foreign_peak_at_ns", result->foreign_peak_at_ns);
    pp_json_set_maybe_real(arena, watch, "foreign_percent_mean", result->foreign_percent_mean);
    pp_json_set_maybe_real(arena, watch, "steal_percent", result->steal_percent);
    pp_json_set_maybe_real(arena, watch, "own_percent", result->own_percent);
    pp_json_set_maybe_real(arena, watch, "children_percent", result->children_percent);
}

static void set_totals(pp_arena *arena, pp_json *watch, const pp_watch_result *result)
{
    pp_json_set_maybe_int(arena, watch, "psi_cpu_some_us", result->psi_cpu_some_us);
    pp_json_set_maybe_int(arena, watch, "psi_memory_some_us", result->psi_memory_some_us);
    pp_json_set_maybe_int(arena, watch, "cgroup_throttled_count", result->cgroup_throttled_count);
    pp_json_set_maybe_int(arena, watch, "cgroup_throttled_ns", result->cgroup_throttled_ns);
    pp_json_set_maybe_int(arena, watch, "major_faults_count", result->major_faults_count);
    pp_json_set_maybe_int(arena, watch, "frequency_min_khz", result->frequency_min_khz);
    pp_json_set_maybe_int(arena, watch, "frequency_max_khz", result->frequency_max_khz);
    pp_json_set_maybe_int(arena, watch, "thermal_throttled_count", result->thermal_throttled_count);
}

pp_json *pp_watch_result_to_json(pp_arena *arena, const pp_watch_result *result)
{
    pp_json *watch = pp_json_new_object(arena);

    pp_json_set_string(arena, watch, "verdict", pp_watch_verdict_name(result->verdict));
    pp_json_set(arena, watch, "reasons", reasons_to_json(arena, result));
    pp_json_set_int(arena, watch, "duration_ns", result->duration_ns);
    pp_json_set_int(arena, watch, "interval_ns", result->interval_ns);
    pp_json_set_int(arena, watch, "window_ns", result->window_ns);
    pp_json_set_real(arena, watch, "foreign_limit_percent", result->foreign_limit_percent);
    pp_json_set_real(arena, watch, "steal_limit_percent", result->steal_limit_percent);
    pp_json_set_int(arena, watch, "cpu_count", result->cpu_count);
    pp_json_set_int(arena, watch, "samples_taken", result->samples_taken);
    pp_json_set_int(arena, watch, "samples_missed", result->samples_missed);
    pp_json_set_int(arena, watch, "descendants_not_followed_count",
                    result->descendants_not_followed_count);
    set_shares(arena, watch, result);
    set_totals(arena, watch, result);
    return watch;
}

pp_json *pp_process_memory_to_json(pp_arena *arena, const pp_process_memory *memory)
{
    pp_json *object = pp_json_new_object(arena);

    pp_json_set_maybe_int(arena, object, "peak_rss_bytes", memory->peak_rss_bytes);
    pp_json_set_maybe_int(arena, object, "rss_bytes", memory->rss_bytes);
    pp_json_set_maybe_int(arena, object, "anon_bytes", memory->anon_bytes);
    pp_json_set_maybe_int(arena, object, "file_bytes", memory->file_bytes);
    pp_json_set_maybe_int(arena, object, "shmem_bytes", memory->shmem_bytes);
    pp_json_set_maybe_int(arena, object, "swap_bytes", memory->swap_bytes);
    pp_json_set_maybe_int(arena, object, "hugetlb_bytes", memory->hugetlb_bytes);
    pp_json_set_maybe_int(arena, object, "pss_bytes", memory->pss_bytes);
    pp_json_set_maybe_int(arena, object, "cgroup_peak_bytes", memory->cgroup_peak_bytes);
    set_text(arena, object, "cgroup_peak_file", memory->cgroup_peak_file);
    return object;
}

pp_json *pp_energy_use_to_json(pp_arena *arena, const pp_energy_use *use)
{
    pp_json *object = pp_json_new_object(arena);

    pp_json_set_maybe_real(arena, object, "joules", use->joules);
    pp_json_set_string(arena, object, "absent_because", use->absent_because);
    pp_json_set_string(arena, object, "source", use->source);
    pp_json_set_int(arena, object, "package_count", use->package_count);
    return object;
}
