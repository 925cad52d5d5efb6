#include "machine/watch_processes.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "machine/process_cpu.h"
#include "machine/tree.h"

#define STAT_MAX_BYTES     2048
#define CHILDREN_MAX_BYTES 4096
#define ENTRIES_MAX_BYTES  4096

void pp_watch_processes_init(pp_watch_processes *set, const char *root_folder, int64_t tick_ns)
{
    struct timespec boot = {0};

    memset(set, 0, sizeof *set);
    set->root_folder = root_folder;
    set->tick_ns = tick_ns;
    set->began_ticks = INT64_MAX;
    if (pp_tree_is_live(root_folder) && clock_gettime(CLOCK_BOOTTIME, &boot) == 0)
        set->began_ticks = (boot.tv_sec * 1000000000LL + boot.tv_nsec) / tick_ns;
}

void pp_watch_processes_done(pp_watch_processes *set)
{
    for (size_t i = 0; i < set->process_count; i++)
        (void)close(set->processes[i].stat_fd); /* only read from */
    set->process_count = 0;
}

static bool read_process(int fd, pp_process_cpu *ret_cpu)
{
    char buf[STAT_MAX_BYTES];

    return pp_process_cpu_parse(pp_tree_pread(fd, buf, sizeof buf), ret_cpu);
}

static bool is_watched(const pp_watch_processes *set, pid_t pid)
{
    for (size_t i = 0; i < set->process_count; i++) {
        if (set->processes[i].pid == pid)
            return true;
    }
    return false;
}

/* Opens one more process for the root; false when it is gone already. */
static bool follow(pp_watch_processes *set, pid_t pid, size_t root, pp_process_cpu *ret_cpu)
{
    char path[PP_TREE_PATH_MAX];
    int fd;

    if (!pp_tree_path(path, set->root_folder, "proc/%d/stat", (int)pid))
        return false;
    fd = pp_tree_open(path);
    if (fd < 0)
        return false;
    if (!read_process(fd, ret_cpu)) {
        (void)close(fd); /* only read from */
        return false;
    }
    set->processes[set->process_count++] = (pp_watched_process){pid, fd, root};
    return true;
}

pp_status pp_watch_processes_add(pp_watch_processes *set, pid_t pid, pp_error *err)
{
    pp_watched_root root = {.pid = pid};
    pp_process_cpu cpu;

    if (is_watched(set, pid))
        return pp_fail(err, PP_ERR_EXISTS, "process %d is watched already", (int)pid);
    if (set->root_count == PP_WATCH_MAX_ROOTS || set->process_count == PP_WATCH_MAX_PROCESSES)
        return pp_fail(err, PP_ERR_LIMIT, "process %d: %zu processes are watched already", (int)pid,
                       set->process_count);
    if (!follow(set, pid, set->root_count, &cpu))
        return pp_fail(err, PP_ERR_UNAVAILABLE,
                       "process %d: cannot read its CPU time; it has ended", (int)pid);
    if (cpu.started_ticks + 1 < set->began_ticks) {
        root.baseline_ticks = cpu.own_ticks + cpu.children_ticks;
        root.total_ticks = root.baseline_ticks;
    }
    set->roots[set->root_count++] = root;
    return PP_OK;
}

static void drop(pp_watch_processes *set, size_t at)
{
    (void)close(set->processes[at].stat_fd); /* only read from */
    set->processes[at] = set->processes[--set->process_count];
}

bool pp_watch_processes_end(pp_watch_processes *set, pid_t pid, int64_t final_ns)
{
    for (size_t r = 0; r < set->root_count; r++) {
        pp_watched_root *root = &set->roots[r];

        if (pid == 0 || root->pid != pid)
            continue;
        root->pid = 0;
        if (final_ns >= 0)
            root->total_ns = final_ns - root->baseline_ticks * set->tick_ns;
        for (size_t i = set->process_count; i > 0; i--) {
            if (set->processes[i - 1].root == r)
                drop(set, i - 1);
        }
        return true;
    }
    return false;
}

static void follow_listed(pp_watch_processes *set, pp_scan pids, size_t root)
{
    pp_process_cpu cpu;
    int64_t pid;

    while (pp_scan_int(&pids, &pid)) {
        if (pid <= 0 || pid > INT32_MAX || is_watched(set, (pid_t)pid))
            continue;
        if (set->process_count == PP_WATCH_MAX_PROCESSES)
            set->not_followed_count++;
        else
            (void)follow(set, (pid_t)pid, root, &cpu); /* gone already: its parent has its time */
    }
}

static void follow_children_of(pp_watch_processes *set, pid_t pid, pid_t thread, size_t root)
{
    char path[PP_TREE_PATH_MAX], buf[CHILDREN_MAX_BYTES];
    pp_scan pids;

    if (pp_tree_path(path, set->root_folder, "proc/%d/task/%d/children", (int)pid, (int)thread) &&
        pp_tree_read(path, buf, sizeof buf, &pids))
        follow_listed(set, pids, root);
}

/* A record of getdents64(2); opendir would allocate. */
typedef struct dirent_record {
    uint64_t inode;
    int64_t offset;
    unsigned short record_size;
    unsigned char type;
    char name[];
} dirent_record;

static void follow_children_of_threads(pp_watch_processes *set, pid_t pid, size_t root)
{
    _Alignas(8) char entries[ENTRIES_MAX_BYTES];
    char path[PP_TREE_PATH_MAX];
    long got;
    int fd = pp_tree_path(path, set->root_folder, "proc/%d/task", (int)pid)
                 ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                 : -1;

    if (fd < 0)
        return;
    while ((got = syscall(SYS_getdents64, fd, entries, sizeof entries)) > 0) {
        for (long at = 0; at < got;) {
            const dirent_record *record = (const dirent_record *)(const void *)(entries + at);
            long thread = strtol(record->name, NULL, 10);

            if (thread > 0 && thread != pid)
                follow_children_of(set, pid, (pid_t)thread, root);
            at += record->record_size;
        }
    }
    (void)close(fd); /* only read from */
}

/* Processes found on the way stand behind the ones being looked at, so one pass goes all the way
 * down. */
static void discover(pp_watch_processes *set, bool all_threads)
{
    for (size_t i = 0; i < set->process_count; i++) {
        pid_t pid = set->processes[i].pid;
        size_t root = set->processes[i].root;

        follow_children_of(set, pid, pid, root);
        if (all_threads)
            follow_children_of_threads(set, pid, root);
    }
}

/* A process hands its time to its parent when it is waited for, so the sum over the living ones,
 * what they were handed included, stays right. It falls only when nobody was handed the time. */
static void settle(pp_watched_root *root, int64_t living_ticks, int64_t tick_ns)
{
    int64_t total = living_ticks + root->lost_ticks;

    if (total < root->total_ticks) {
        root->lost_ticks += root->total_ticks - total;
        total = root->total_ticks;
    }
    root->total_ticks = total;
    root->total_ns = (total - root->baseline_ticks) * tick_ns;
}

int64_t pp_watch_processes_sample_ns(pp_watch_processes *set, bool all_threads)
{
    int64_t living_ticks[PP_WATCH_MAX_ROOTS] = {0};
    int64_t sum_ns = 0;
    pp_process_cpu cpu;

    discover(set, all_threads);
    for (size_t i = set->process_count; i > 0; i--) {
        const pp_watched_process *process = &set->processes[i - 1];

        if (read_process(process->stat_fd, &cpu))
            living_ticks[process->root] += cpu.own_ticks + cpu.children_ticks;
        else
            drop(set, i - 1);
    }
    for (size_t r = 0; r < set->root_count; r++) {
        if (set->roots[r].pid != 0)
            settle(&set->roots[r], living_ticks[r], set->tick_ns);
        sum_ns += set->roots[r].total_ns;
    }
    return sum_ns;
}
