#include "load/client_use.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "machine/process_cpu.h"
#include "machine/process_memory.h"
#include "machine/tree.h"

/* An event loop has five descriptors; files of the program, name look-ups and pipes come on top. */
#define FILES_PER_WORKER 5
#define FILES_TO_SPARE   32

static int64_t open_file_count(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int64_t count = 0;

    if (folder == NULL)
        return FILES_TO_SPARE;
    while (readdir(folder) != NULL)
        count++;
    (void)closedir(folder);
    return count - 3; /* ".", ".." and the folder itself */
}

static pp_status allow_files(int64_t needed, pp_error *err)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return pp_fail_errno(err, PP_ERR_IO, errno, "asking for the limit of open files");
    if (limit.rlim_cur == RLIM_INFINITY || (int64_t)limit.rlim_cur >= needed)
        return PP_OK;
    limit.rlim_cur = limit.rlim_max;
    if (limit.rlim_max != RLIM_INFINITY && (int64_t)limit.rlim_max < needed)
        return pp_fail(err, PP_ERR_LIMIT,
                       "the limit of open files (RLIMIT_NOFILE, 'ulimit -Hn') is %lld, this load "
                       "needs %lld; ask for fewer clients, or have the limit raised",
                       (long long)limit.rlim_max, (long long)needed);
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        return pp_fail_errno(err, PP_ERR_IO, errno, "raising the limit of open files to %lld",
                             (long long)limit.rlim_max);
    return PP_OK;
}

static pp_status allow_ports(int64_t needed, pp_error *err)
{
    static const char file[] = "proc/sys/net/ipv4/ip_local_port_range";
    char text[64];
    long long first, last;

    pp_tree_text("/", file, text, sizeof text);
    if (sscanf(text, "%lld %lld", &first, &last) != 2 || last - first + 1 >= needed)
        return PP_OK;
    return pp_fail(err, PP_ERR_LIMIT,
                   "the system has %lld local ports (%lld to %lld in /%s), this load needs %lld",
                   last - first + 1, first, last, file, (long long)needed);
}

pp_status pp_client_allow(int64_t connection_count, int64_t worker_count, pp_error *err)
{
    pp_status st = allow_files(open_file_count() + connection_count +
                                   worker_count * FILES_PER_WORKER + FILES_TO_SPARE,
                               err);

    return st == PP_OK ? allow_ports(connection_count, err) : st;
}

double pp_client_cpu_seconds(void)
{
    struct timespec used = {0, 0};

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used); /* always there on Linux */
    return (double)used.tv_sec + (double)used.tv_nsec / 1e9;
}

static bool read_ticks(const pp_server_meter *meter, int64_t *ret_ticks)
{
    char path[PP_TREE_PATH_MAX], text[4096];
    pp_scan scan;
    pp_process_cpu cpu;

    if (!pp_tree_path(path, meter->root, "proc/%lld/stat", (long long)meter->pid) ||
        !pp_tree_read(path, text, sizeof text, &scan) || !pp_process_cpu_parse(scan, &cpu))
        return false;
    *ret_ticks = cpu.own_ticks;
    return true;
}

pp_status pp_server_meter_begin(pp_server_meter *meter, const char *root, pp_maybe_int pid,
                                pp_load_server_use *use, pp_error *err)
{
    pp_process_memory memory;
    pp_status st;

    *meter = (pp_server_meter){.root = root};
    if (!pid.known)
        return PP_OK;
    meter->pid = pid.value;
    st = pp_process_memory_read(root, (pid_t)meter->pid, &memory, err);
    if (st != PP_OK)
        return pp_wrap(err, st, "looking at the server's process");
    if (!read_ticks(meter, &meter->begin_ticks))
        return pp_fail(err, PP_ERR_UNAVAILABLE, "the server's process %lld is gone",
                       (long long)meter->pid);
    use->rss_start_bytes = memory.rss_bytes;
    return PP_OK;
}

void pp_server_meter_end(pp_server_meter *meter, pp_load_server_use *use)
{
    pp_process_memory memory;
    int64_t ticks = 0;

    if (meter->pid == 0)
        return;
    if (read_ticks(meter, &ticks))
        use->cpu_seconds =
            pp_known_real((double)(ticks - meter->begin_ticks) / (double)sysconf(_SC_CLK_TCK));
    if (pp_process_memory_read(meter->root, (pid_t)meter->pid, &memory, NULL) != PP_OK)
        return;
    use->rss_end_bytes = memory.rss_bytes;
    use->rss_peak_bytes = memory.peak_rss_bytes;
    use->pss_end_bytes = memory.pss_bytes;
}
