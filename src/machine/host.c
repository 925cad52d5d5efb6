#include "machine/host.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/host_parts.h"
#include "machine/tree.h"

#define TEXT_MAX_BYTES 16384

static void read_memory(const char *root, pp_host_facts *facts)
{
    char path[PP_TREE_PATH_MAX], buf[TEXT_MAX_BYTES];
    pp_maybe_int swap_free;
    pp_scan text, value;
    int64_t pages;

    if (!pp_tree_path(path, root, "proc/meminfo") || !pp_tree_read(path, buf, sizeof buf, &text))
        return;
    facts->memory_total_bytes = pp_scan_kib(text, "MemTotal");
    facts->memory_available_bytes = pp_scan_kib(text, "MemAvailable");
    facts->swap_total_bytes = pp_scan_kib(text, "SwapTotal");
    swap_free = pp_scan_kib(text, "SwapFree");
    if (facts->swap_total_bytes.known && swap_free.known &&
        swap_free.value <= facts->swap_total_bytes.value)
        facts->swap_used_bytes = pp_known_int(facts->swap_total_bytes.value - swap_free.value);
    facts->hugepage_size_bytes = pp_scan_kib(text, "Hugepagesize");
    if (pp_scan_key(text, "HugePages_Total", &value) && pp_scan_int(&value, &pages) && pages >= 0)
        facts->hugepages_total = pp_known_int(pages);
}

/* "always [madvise] never": the word in brackets is in force. */
static void read_transparent_hugepages(const char *root, pp_host_facts *facts)
{
    char line[128];
    char *open, *close;

    pp_tree_text(root, "sys/kernel/mm/transparent_hugepage/enabled", line, sizeof line);
    open = strchr(line, '[');
    close = open == NULL ? NULL : strchr(open, ']');
    if (close != NULL)
        pp_scan_copy(pp_scan_of(open + 1, (size_t)(close - open - 1)), facts->transparent_hugepages,
                     sizeof facts->transparent_hugepages);
}

static void read_os(const char *root, pp_host_facts *facts)
{
    static const char *const files[] = {"etc/os-release", "usr/lib/os-release"};
    char path[PP_TREE_PATH_MAX], buf[TEXT_MAX_BYTES];
    pp_scan text, value;

    pp_tree_text(root, "proc/sys/kernel/osrelease", facts->kernel_release,
                 sizeof facts->kernel_release);
    for (size_t i = 0; i < PP_COUNT_OF(files) && facts->os_name[0] == '\0'; i++) {
        if (pp_tree_path(path, root, "%s", files[i]) &&
            pp_tree_read(path, buf, sizeof buf, &text) && pp_scan_key(text, "PRETTY_NAME", &value))
            pp_scan_copy(value, facts->os_name, sizeof facts->os_name);
    }
}

static pp_maybe_real take_load(char **at)
{
    char *end;
    double value = strtod(*at, &end);

    if (end == *at || !isfinite(value) || value < 0)
        return (pp_maybe_real){0};
    *at = end;
    return pp_known_real(value);
}

static void read_load(const char *root, pp_host_facts *facts)
{
    char line[128];
    char *at = line;

    pp_tree_text(root, "proc/loadavg", line, sizeof line);
    facts->load_1m = take_load(&at);
    facts->load_5m = take_load(&at);
    facts->load_15m = take_load(&at);
}

void pp_host_read(const pp_host_options *options, pp_host_facts *ret_facts)
{
    const char *root = options->root;

    memset(ret_facts, 0, sizeof *ret_facts);
    ret_facts->recorded = !pp_tree_is_live(root);
    if (!ret_facts->recorded)
        ret_facts->page_size_bytes = pp_known_int(sysconf(_SC_PAGESIZE));
    pp_host_read_cpu(options, ret_facts);
    pp_host_read_frequency(root, ret_facts);
    read_memory(root, ret_facts);
    read_transparent_hugepages(root, ret_facts);
    pp_cgroup_read(root, 0, &ret_facts->cgroup);
    pp_host_read_platform(root, ret_facts);
    pp_host_read_counters(root, ret_facts);
    read_os(root, ret_facts);
    read_load(root, ret_facts);
    if (pp_tree_exists(root, "proc/stat"))
        ret_facts->psi = pp_known_bool(pp_tree_exists(root, "proc/pressure/cpu"));
}
