#include "machine/process_tree.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "machine/process_cpu.h"
#include "machine/tree.h"

#define STAT_MAX_BYTES     2048
#define CHILDREN_MAX_BYTES 16384

typedef struct tree {
    const char *root;
    pid_t pids[PP_PROCESS_TREE_MAX];
    size_t count;
} tree;

static pp_status add(tree *t, pid_t pid, pp_error *err)
{
    for (size_t i = 0; i < t->count; i++) {
        if (t->pids[i] == pid)
            return PP_OK;
    }
    if (t->count == PP_PROCESS_TREE_MAX)
        return pp_fail(err, PP_ERR_LIMIT, "process %d has started more than %d others",
                       (int)t->pids[0], PP_PROCESS_TREE_MAX - 1);
    t->pids[t->count++] = pid;
    return PP_OK;
}

static pp_status add_listed(tree *t, pp_scan pids, pp_error *err)
{
    pp_status st = PP_OK;
    int64_t child;

    while (st == PP_OK && pp_scan_int(&pids, &child)) {
        if (child > 0 && child <= INT32_MAX)
            st = add(t, (pid_t)child, err);
    }
    return st;
}

/* A thread may end meanwhile: then its children have another parent. Without the list of the first
 * process there is no tree. */
static pp_status add_children_of_thread(tree *t, pid_t pid, long thread, pp_error *err)
{
    char path[PP_TREE_PATH_MAX], buf[CHILDREN_MAX_BYTES];
    bool has_path = pp_tree_path(path, t->root, "proc/%d/task/%ld/children", (int)pid, thread);
    int fd = has_path ? pp_tree_open(path) : -1;
    pp_status st;

    if (fd < 0 && thread == t->pids[0])
        return pp_fail(err, PP_ERR_UNAVAILABLE,
                       "cannot read '%s': the process has ended, or this kernel lists no children",
                       path);
    if (fd < 0)
        return PP_OK;
    st = add_listed(t, pp_tree_pread(fd, buf, sizeof buf), err);
    (void)close(fd); /* only read from */
    return st;
}

/* The main thread is read whether its folder lists it or not, so that a failure of it is seen. */
static pp_status add_children(tree *t, pid_t pid, pp_error *err)
{
    char path[PP_TREE_PATH_MAX];
    pp_status st = add_children_of_thread(t, pid, pid, err);
    DIR *folder = pp_tree_path(path, t->root, "proc/%d/task", (int)pid) ? opendir(path) : NULL;
    const struct dirent *entry;

    while (st == PP_OK && folder != NULL && (entry = readdir(folder)) != NULL) {
        long thread = strtol(entry->d_name, NULL, 10);

        if (thread > 0 && thread != pid)
            st = add_children_of_thread(t, pid, thread, err);
    }
    if (folder != NULL)
        (void)closedir(folder); /* only read from */
    return st;
}

/* Those found on the way stand behind the ones looked at, so one pass goes all the way down. */
static pp_status list(tree *t, const char *root, pid_t pid, pp_error *err)
{
    pp_status st;

    t->root = root;
    t->count = 0;
    st = add(t, pid, err);
    for (size_t i = 0; st == PP_OK && i < t->count; i++)
        st = add_children(t, t->pids[i], err);
    return st;
}

static pp_maybe_int sum(pp_maybe_int a, pp_maybe_int b)
{
    return a.known && b.known ? pp_known_int(a.value + b.value) : (pp_maybe_int){0};
}

static void add_memory(pp_process_memory *to, const pp_process_memory *from)
{
    to->peak_rss_bytes = sum(to->peak_rss_bytes, from->peak_rss_bytes);
    to->rss_bytes = sum(to->rss_bytes, from->rss_bytes);
    to->anon_bytes = sum(to->anon_bytes, from->anon_bytes);
    to->file_bytes = sum(to->file_bytes, from->file_bytes);
    to->shmem_bytes = sum(to->shmem_bytes, from->shmem_bytes);
    to->swap_bytes = sum(to->swap_bytes, from->swap_bytes);
    to->hugetlb_bytes = sum(to->hugetlb_bytes, from->hugetlb_bytes);
    to->pss_bytes = sum(to->pss_bytes, from->pss_bytes);
}

pp_status pp_process_tree_memory(const char *root, pid_t pid, pp_process_memory *ret_memory,
                                 pp_error *err)
{
    tree t;
    pp_status st = list(&t, root, pid, err);

    if (st == PP_OK)
        st = pp_process_memory_read(root, pid, ret_memory, err);
    for (size_t i = 1; st == PP_OK && i < t.count; i++) {
        pp_process_memory one;

        if (pp_process_memory_read(root, t.pids[i], &one, NULL) == PP_OK && one.rss_bytes.known)
            add_memory(ret_memory, &one);
    }
    return st;
}

static bool read_cpu(const char *root, pid_t pid, pp_process_cpu *ret_cpu)
{
    char path[PP_TREE_PATH_MAX], buf[STAT_MAX_BYTES];
    pp_scan text;

    return pp_tree_path(path, root, "proc/%d/stat", (int)pid) &&
           pp_tree_read(path, buf, sizeof buf, &text) && pp_process_cpu_parse(text, ret_cpu);
}

pp_status pp_process_tree_cpu(const char *root, pid_t pid, int64_t *ret_ns, pp_error *err)
{
    const int64_t ticks_per_second = sysconf(_SC_CLK_TCK);
    int64_t ticks = 0;
    pp_process_cpu cpu;
    tree t;
    pp_status st = list(&t, root, pid, err);

    for (size_t i = 0; st == PP_OK && i < t.count; i++) {
        if (read_cpu(root, t.pids[i], &cpu))
            ticks += cpu.own_ticks + cpu.children_ticks;
        else if (i == 0)
            st = pp_fail(err, PP_ERR_UNAVAILABLE, "process %d: cannot read its CPU time", (int)pid);
    }
    if (st == PP_OK)
        *ret_ns = ticks * (1000000000 / ticks_per_second);
    return st;
}
