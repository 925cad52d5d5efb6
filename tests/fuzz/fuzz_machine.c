/* The readers of /proc and /sys; the first byte chooses one. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "machine/cache.h"
#include "machine/host.h"
#include "machine/proc_stat.h"
#include "machine/process_cpu.h"
#include "machine/process_memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_cpu_list(pp_scan text)
{
    int64_t count, number = -1, before = -1;
    pp_maybe_int cache_bytes = pp_cache_size_parse(text);

    PP_ASSERT(!cache_bytes.known || cache_bytes.value > 0);
    if (!pp_scan_list_count(text, &count))
        return;
    PP_ASSERT(count > 0);
    for (int i = 0; i < 1000 && pp_scan_list_next(text, &number); i++) {
        PP_ASSERT(number > before);
        before = number;
    }
}

static void read_text(int reader, pp_scan text)
{
    pp_cgroup_paths paths;
    pp_cpuinfo info;
    pp_proc_stat stat;
    pp_process_cpu cpu;
    pp_process_memory memory = {0};
    double cores;

    switch (reader) {
    case 0:
        pp_cpuinfo_parse(text, &info);
        PP_ASSERT(strlen(info.model) < sizeof info.model);
        break;
    case 1:
        PP_ASSERT(!pp_proc_stat_parse(text, &stat) || (stat.busy_ticks >= 0 && stat.cpu_count > 0));
        break;
    case 2:
        pp_cgroup_paths_parse(text, &paths);
        PP_ASSERT(strstr(paths.unified, "/..") == NULL && strstr(paths.cpu, "/..") == NULL);
        break;
    case 3:
        PP_ASSERT(!pp_cgroup_cpu_max_parse(text, &cores) || cores > 0);
        break;
    case 4:
        PP_ASSERT(!pp_process_cpu_parse(text, &cpu) || cpu.own_ticks >= 0);
        break;
    case 5:
        pp_process_memory_parse(text, &memory);
        PP_ASSERT(!memory.rss_bytes.known || memory.rss_bytes.value >= 0);
        break;
    default:
        read_cpu_list(text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *copy;

    if (size == 0)
        return 0;
    copy = malloc(size); /* exactly as large as the text, so that reading past it is seen */
    if (copy == NULL)
        return 0;
    memcpy(copy, data + 1, size - 1);
    read_text(data[0] % 7, pp_scan_of(copy, size - 1));
    free(copy);
    return 0;
}
