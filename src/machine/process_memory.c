#include "machine/process_memory.h"

#include <stdio.h>

#include "machine/cgroup.h"
#include "machine/tree.h"

#define STATUS_MAX_BYTES 16384

void pp_process_memory_parse(pp_scan status, pp_process_memory *memory)
{
    memory->peak_rss_bytes = pp_scan_kib(status, "VmHWM");
    memory->rss_bytes = pp_scan_kib(status, "VmRSS");
    memory->anon_bytes = pp_scan_kib(status, "RssAnon");
    memory->file_bytes = pp_scan_kib(status, "RssFile");
    memory->shmem_bytes = pp_scan_kib(status, "RssShmem");
    memory->swap_bytes = pp_scan_kib(status, "VmSwap");
    memory->hugetlb_bytes = pp_scan_kib(status, "HugetlbPages");
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
            memory.pss_bytes = pp_scan_kib(text, "Pss");
        read_cgroup_peak(root, pid, &memory);
    }
    *ret_memory = memory;
    return PP_OK;
}
