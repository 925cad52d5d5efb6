#include "machine/process_memory.h"

#include <stdio.h>

#include "machine/cgroup.h"
#include "machine/tree.h"

#define STATUS_MAX_BYTES 16384

static pp_maybe_int kib_value(pp_scan text, const char *key)
{
    pp_scan value, unit;
    int64_t kib;

    if (!pp_scan_key(text, key, &value) || !pp_scan_int(&value, &kib) || kib < 0 ||
        kib > INT64_MAX / 1024 || !pp_scan_word(&value, &unit) || !pp_scan_is(unit, "kB"))
        return (pp_maybe_int){0};
    return pp_known_int(kib * 1024);
}

void pp_process_memory_parse(pp_scan status, pp_process_memory *memory)
{
    memory->peak_rss_bytes = kib_value(status, "VmHWM");
    memory->rss_bytes = kib_value(status, "VmRSS");
    memory->anon_bytes = kib_value(status, "RssAnon");
    memory->file_bytes = kib_value(status, "RssFile");
    memory->shmem_bytes = kib_value(status, "RssShmem");
    memory->swap_bytes = kib_value(status, "VmSwap");
    memory->hugetlb_bytes = kib_value(status, "HugetlbPages");
}

static void read_cgroup_peak(const char *root, pid_t pid, pp_process_memory *memory)
{
    pp_cgroup cgroup;
    char relative[PP_TREE_PATH_MAX];

    pp_cgroup_read(root, pid, &cgroup);
    if (cgroup.memory_peak_folder[0] == '\0' ||
        snprintf(relative, sizeof relative, "%s/%s", cgroup.memory_peak_folder,
                 cgroup.memory_peak_file) >= (int)sizeof relative)
        return;
    memory->cgroup_peak_bytes = pp_tree_int(root, relative);
    if (memory->cgroup_peak_bytes.known)
        memory->cgroup_peak_file = cgroup.memory_peak_file;
}

pp_status pp_process_memory_read(const char *root, pid_t pid, pp_process_memory *ret_memory,
                                 pp_error *err)
{
    char path[PP_TREE_PATH_MAX], buf[STATUS_MAX_BYTES];
    pp_process_memory memory = {0};
    pp_scan text;

    if (!pp_tree_path(path, root, "proc/%d/status", (int)pid) ||
        !pp_tree_read(path, buf, sizeof buf, &text))
        return pp_fail(err, PP_ERR_UNAVAILABLE, "process %d: cannot read '%s'; it has ended",
                       (int)pid, path);
    pp_process_memory_parse(text, &memory);
    if (memory.rss_bytes.known) {
        if (pp_tree_path(path, root, "proc/%d/smaps_rollup", (int)pid) &&
            pp_tree_read(path, buf, sizeof buf, &text))
            memory.pss_bytes = kib_value(text, "Pss");
        read_cgroup_peak(root, pid, &memory);
    }
    *ret_memory = memory;
    return PP_OK;
}
