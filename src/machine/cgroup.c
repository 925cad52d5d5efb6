#include "machine/cgroup.h"

#include <stdio.h>
#include <string.h>

#include "machine/tree.h"

#define CGROUP_FILE_MAX_BYTES 16384

/* The kernel writes "no limit" of version 1 as the largest multiple of the page size in int64. */
#define NO_MEMORY_LIMIT_BYTES ((int64_t)1 << 60)

typedef struct level_walk {
    const char *root;
    char mount[64]; /* "sys/fs/cgroup/cpu" */
    pp_cgroup *out;
} level_walk;

typedef void (*level_visitor)(const level_walk *walk, const char *folder);

static void copy_path(pp_scan path, char out[PP_CGROUP_PATH_MAX])
{
    size_t size = (size_t)(path.end - path.at);

    if (size == 0 || size >= PP_CGROUP_PATH_MAX || *path.at != '/' ||
        memchr(path.at, '\0', size) != NULL || pp_scan_contains(path, "/..")) {
        (void)snprintf(out, PP_CGROUP_PATH_MAX, "/");
        return;
    }
    memcpy(out, path.at, size);
    out[size] = '\0';
}

/* Is `name` one of the comma-separated controllers? */
static bool names_controller(pp_scan controllers, const char *name)
{
    while (controllers.at < controllers.end) {
        const char *comma = memchr(controllers.at, ',', (size_t)(controllers.end - controllers.at));
        pp_scan part = {controllers.at, comma == NULL ? controllers.end : comma};

        if (pp_scan_is(part, name))
            return true;
        controllers.at = comma == NULL ? controllers.end : comma + 1;
    }
    return false;
}

void pp_cgroup_paths_parse(pp_scan text, pp_cgroup_paths *ret_paths)
{
    pp_scan line;

    memset(ret_paths, 0, sizeof *ret_paths);
    while (pp_scan_line(&text, &line)) {
        const char *first = memchr(line.at, ':', (size_t)(line.end - line.at));
        const char *second =
            first == NULL ? NULL : memchr(first + 1, ':', (size_t)(line.end - first - 1));
        pp_scan controllers, path;

        if (second == NULL)
            continue;
        controllers = (pp_scan){first + 1, second};
        path = (pp_scan){second + 1, line.end};
        if (controllers.at == controllers.end)
            copy_path(path, ret_paths->unified);
        if (names_controller(controllers, "cpu"))
            copy_path(path, ret_paths->cpu);
        if (names_controller(controllers, "memory"))
            copy_path(path, ret_paths->memory);
        if (names_controller(controllers, "cpuset"))
            copy_path(path, ret_paths->cpuset);
    }
}

bool pp_cgroup_cpu_max_parse(pp_scan text, double *ret_cores)
{
    int64_t quota_us, period_us;

    if (!pp_scan_int(&text, &quota_us) || !pp_scan_int(&text, &period_us) || quota_us <= 0 ||
        period_us <= 0)
        return false;
    *ret_cores = (double)quota_us / (double)period_us;
    return true;
}

static bool read_level(const level_walk *walk, const char *folder, const char *file, char *buf,
                       pp_scan *ret_text)
{
    char path[PP_TREE_PATH_MAX];

    return pp_tree_path(path, walk->root, "%s/%s", folder, file) &&
           pp_tree_read(path, buf, CGROUP_FILE_MAX_BYTES, ret_text);
}

static pp_maybe_int level_int(const level_walk *walk, const char *folder, const char *file)
{
    char relative[PP_TREE_PATH_MAX];

    if (snprintf(relative, sizeof relative, "%s/%s", folder, file) >= (int)sizeof relative)
        return (pp_maybe_int){0};
    return pp_tree_int(walk->root, relative);
}

static bool has_file(const level_walk *walk, const char *folder, const char *file)
{
    char relative[PP_TREE_PATH_MAX];

    return snprintf(relative, sizeof relative, "%s/%s", folder, file) < (int)sizeof relative &&
           pp_tree_exists(walk->root, relative);
}

static void take_quota(const level_walk *walk, const char *folder, double cores)
{
    pp_maybe_real *quota = &walk->out->cpu_quota_cores;

    if (quota->known && quota->value <= cores)
        return;
    *quota = pp_known_real(cores);
    (void)snprintf(walk->out->cpu_stat_folder, sizeof walk->out->cpu_stat_folder, "%s", folder);
}

static void take_least(pp_maybe_int *least, int64_t value)
{
    if (!least->known || value < least->value)
        *least = pp_known_int(value);
}

/* Sum of two lines of memory.stat; 0 where they are absent. */
static int64_t file_cache_bytes(const level_walk *walk, const char *folder, const char *active,
                                const char *inactive)
{
    char buf[CGROUP_FILE_MAX_BYTES];
    const char *const keys[] = {active, inactive};
    int64_t sum = 0;
    pp_scan text;

    if (!read_level(walk, folder, "memory.stat", buf, &text))
        return 0;
    for (size_t i = 0; i < PP_COUNT_OF(keys); i++) {
        pp_scan value;
        int64_t bytes;

        if (pp_scan_key(text, keys[i], &value) && pp_scan_int(&value, &bytes) && bytes > 0 &&
            bytes < NO_MEMORY_LIMIT_BYTES)
            sum += bytes;
    }
    return sum;
}

/* What one version calls its files. */
typedef struct memory_files {
    const char *limit, *usage, *peak, *active_file, *inactive_file;
} memory_files;

static void take_memory(const level_walk *walk, const char *folder, const memory_files *files)
{
    pp_maybe_int limit = level_int(walk, folder, files->limit);
    pp_maybe_int usage = level_int(walk, folder, files->usage);
    pp_cgroup *out = walk->out;
    int64_t used = 0;

    if (out->memory_peak_folder[0] == '\0' && has_file(walk, folder, files->peak)) {
        (void)snprintf(out->memory_peak_folder, sizeof out->memory_peak_folder, "%s", folder);
        out->memory_peak_file = files->peak;
    }
    if (!limit.known || limit.value < 0 || limit.value >= NO_MEMORY_LIMIT_BYTES)
        return;
    take_least(&out->memory_limit_bytes, limit.value);
    if (usage.known && usage.value > 0)
        used =
            usage.value - file_cache_bytes(walk, folder, files->active_file, files->inactive_file);
    used = used < 0 ? 0 : used;
    take_least(&out->memory_headroom_bytes, used < limit.value ? limit.value - used : 0);
}

/* The effective set of the innermost level is the tightest one already. */
static void take_cpuset(const level_walk *walk, const char *folder, const char *file)
{
    char buf[CGROUP_FILE_MAX_BYTES];
    pp_scan text;
    int64_t count;

    if (walk->out->cpuset_cpu_count.known || !read_level(walk, folder, file, buf, &text) ||
        !pp_scan_list_count(text, &count))
        return;
    walk->out->cpuset_cpu_count = pp_known_int(count);
    pp_scan_copy(text, walk->out->cpuset_cpus, sizeof walk->out->cpuset_cpus);
}

static void note_cpu_stat(const level_walk *walk, const char *folder)
{
    pp_cgroup *out = walk->out;

    if (out->cpu_stat_folder[0] == '\0' && has_file(walk, folder, "cpu.stat"))
        (void)snprintf(out->cpu_stat_folder, sizeof out->cpu_stat_folder, "%s", folder);
}

static void visit_v1_cpu(const level_walk *walk, const char *folder)
{
    pp_maybe_int quota = level_int(walk, folder, "cpu.cfs_quota_us");
    pp_maybe_int period = level_int(walk, folder, "cpu.cfs_period_us");

    note_cpu_stat(walk, folder);
    if (quota.known && period.known && quota.value > 0 && period.value > 0)
        take_quota(walk, folder, (double)quota.value / (double)period.value);
}

static void visit_v1_memory(const level_walk *walk, const char *folder)
{
    static const memory_files files = {"memory.limit_in_bytes", "memory.usage_in_bytes",
                                       "memory.max_usage_in_bytes", "total_active_file",
                                       "total_inactive_file"};

    take_memory(walk, folder, &files);
}

static void visit_v1_cpuset(const level_walk *walk, const char *folder)
{
    take_cpuset(walk, folder, "cpuset.effective_cpus");
    take_cpuset(walk, folder, "cpuset.cpus");
}

static void visit_v2(const level_walk *walk, const char *folder)
{
    static const memory_files files = {"memory.max", "memory.current", "memory.peak", "active_file",
                                       "inactive_file"};
    char buf[CGROUP_FILE_MAX_BYTES];
    pp_scan text;
    double cores;

    note_cpu_stat(walk, folder);
    if (read_level(walk, folder, "cpu.max", buf, &text) && pp_cgroup_cpu_max_parse(text, &cores))
        take_quota(walk, folder, cores);
    take_memory(walk, folder, &files);
    take_cpuset(walk, folder, "cpuset.cpus.effective");
}

/* From the process's own group up to the root of the mount. */
static void walk_up(const level_walk *walk, const char *path, level_visitor visit)
{
    char folder[PP_CGROUP_PATH_MAX + 64];
    size_t mount_size = strlen(walk->mount);

    (void)snprintf(folder, sizeof folder, "%s%s", walk->mount, path); /* sized for both */
    for (;;) {
        char *slash;

        while (folder[strlen(folder) - 1] == '/')
            folder[strlen(folder) - 1] = '\0';
        visit(walk, folder);
        if (strlen(folder) <= mount_size)
            return;
        slash = strrchr(folder, '/');
        *slash = '\0';
    }
}

static bool find_mount(level_walk *walk, const char *const *names)
{
    for (; *names != NULL; names++) {
        (void)snprintf(walk->mount, sizeof walk->mount, "sys/fs/cgroup/%s", *names);
        if (pp_tree_exists(walk->root, walk->mount))
            return true;
    }
    return false;
}

static bool read_v1(level_walk *walk, const char *path, const char *const *names,
                    level_visitor visit)
{
    if (path[0] == '\0' || !find_mount(walk, names))
        return false;
    walk_up(walk, path, visit);
    return true;
}

static bool read_v2(level_walk *walk)
{
    static const char *const names[] = {"unified", NULL};
    const char *path = walk->out->paths.unified;

    if (path[0] == '\0')
        return false;
    if (pp_tree_exists(walk->root, "sys/fs/cgroup/cgroup.controllers"))
        (void)snprintf(walk->mount, sizeof walk->mount, "sys/fs/cgroup");
    else if (!find_mount(walk, names))
        return false;
    walk_up(walk, path, visit_v2);
    return true;
}

void pp_cgroup_read(const char *root, pid_t pid, pp_cgroup *ret_cgroup)
{
    static const char *const cpu[] = {"cpu", "cpu,cpuacct", "cpuacct,cpu", NULL};
    static const char *const memory[] = {"memory", NULL};
    static const char *const cpuset[] = {"cpuset", NULL};
    char path[PP_TREE_PATH_MAX], self[16], buf[CGROUP_FILE_MAX_BYTES];
    level_walk walk = {.root = root, .out = ret_cgroup};
    pp_scan text;
    bool v1, v2;

    memset(ret_cgroup, 0, sizeof *ret_cgroup);
    (void)snprintf(self, sizeof self, pid == 0 ? "self" : "%d", (int)pid);
    if (!pp_tree_path(path, root, "proc/%s/cgroup", self) ||
        !pp_tree_read(path, buf, sizeof buf, &text))
        return;
    pp_cgroup_paths_parse(text, &ret_cgroup->paths);
    v1 = read_v1(&walk, ret_cgroup->paths.cpu, cpu, visit_v1_cpu);
    v1 |= read_v1(&walk, ret_cgroup->paths.memory, memory, visit_v1_memory);
    v1 |= read_v1(&walk, ret_cgroup->paths.cpuset, cpuset, visit_v1_cpuset);
    v2 = read_v2(&walk);
    ret_cgroup->version = v1 && v2 ? "hybrid" : v1 ? "v1" : v2 ? "v2" : NULL;
}
