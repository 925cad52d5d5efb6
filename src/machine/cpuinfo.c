#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "machine/host.h"

#define MAX_KINDS_OF_CORES 4

const pp_cpu_feature pp_cpu_features[] = {
    {"asimd", "asimd", "Features"},
    {"dotprod", "asimddp", "Features"},
    {"i8mm", "i8mm", "Features"},
    {"bf16", "bf16", "Features"},
    {"sve", "sve", "Features"},
    {"sve2", "sve2", "Features"},
    {"sme", "sme", "Features"},
    {"f16c", "f16c", "flags"},
    {"fma", "fma", "flags"},
    {"avx2", "avx2", "flags"},
    {"avx_vnni", "avx_vnni", "flags"},
    {"avx512f", "avx512f", "flags"},
    {"avx512bw", "avx512bw", "flags"},
    {"avx512vl", "avx512vl", "flags"},
    {"avx512_vnni", "avx512_vnni", "flags"},
    {"avx512_bf16", "avx512_bf16", "flags"},
    {"avx512_vbmi", "avx512vbmi", "flags"},
    {"amx_tile", "amx_tile", "flags"},
    {"amx_int8", "amx_int8", "flags"},
    {"amx_bf16", "amx_bf16", "flags"},
};
const size_t pp_cpu_feature_count = PP_COUNT_OF(pp_cpu_features);

/* Numbers as in the kernel's arch/arm64/include/asm/cputype.h. Implementer 0 is QEMU's own "max"
 * core, which no silicon has. */
static const struct {
    int implementer, part;
    const char *name;
} arm_cores[] = {
    {0x41, 0xd03, "Cortex-A53"},
    {0x41, 0xd04, "Cortex-A35"},
    {0x41, 0xd05, "Cortex-A55"},
    {0x41, 0xd07, "Cortex-A57"},
    {0x41, 0xd08, "Cortex-A72"},
    {0x41, 0xd09, "Cortex-A73"},
    {0x41, 0xd0a, "Cortex-A75"},
    {0x41, 0xd0b, "Cortex-A76"},
    {0x41, 0xd0c, "Neoverse-N1"},
    {0x41, 0xd0d, "Cortex-A77"},
    {0x41, 0xd40, "Neoverse-V1"},
    {0x41, 0xd41, "Cortex-A78"},
    {0x41, 0xd42, "Cortex-A78AE"},
    {0x41, 0xd44, "Cortex-X1"},
    {0x41, 0xd46, "Cortex-A510"},
    {0x41, 0xd47, "Cortex-A710"},
    {0x41, 0xd48, "Cortex-X2"},
    {0x41, 0xd49, "Neoverse-N2"},
    {0x41, 0xd4a, "Neoverse-E1"},
    {0x41, 0xd4b, "Cortex-A78C"},
    {0x41, 0xd4c, "Cortex-X1C"},
    {0x41, 0xd4d, "Cortex-A715"},
    {0x41, 0xd4e, "Cortex-X3"},
    {0x41, 0xd4f, "Neoverse-V2"},
    {0x41, 0xd80, "Cortex-A520"},
    {0x41, 0xd81, "Cortex-A720"},
    {0x41, 0xd82, "Cortex-X4"},
    {0x41, 0xd83, "Neoverse-V3AE"},
    {0x41, 0xd84, "Neoverse-V3"},
    {0x41, 0xd85, "Cortex-X925"},
    {0x41, 0xd87, "Cortex-A725"},
    {0x41, 0xd8e, "Neoverse-N3"},
    {0x46, 0x001, "A64FX"},
    {0x48, 0xd01, "TSV110"},
    {0x43, 0x0af, "ThunderX2"},
    {0x51, 0x001, "Oryon"},
    {0x61, 0x022, "M1 Icestorm"},
    {0x61, 0x023, "M1 Firestorm"},
    {0x61, 0x024, "M1 Pro Icestorm"},
    {0x61, 0x025, "M1 Pro Firestorm"},
    {0x61, 0x028, "M1 Max Icestorm"},
    {0x61, 0x029, "M1 Max Firestorm"},
    {0x61, 0x032, "M2 Blizzard"},
    {0x61, 0x033, "M2 Avalanche"},
    {0x61, 0x034, "M2 Pro Blizzard"},
    {0x61, 0x035, "M2 Pro Avalanche"},
    {0x61, 0x038, "M2 Max Blizzard"},
    {0x61, 0x039, "M2 Max Avalanche"},
    {0x6d, 0xd49, "Azure Cobalt 100"},
    {0xc0, 0xac3, "Ampere-1"},
    {0xc0, 0xac4, "Ampere-1A"},
    {0x00, 0x051, "QEMU max"},
};

const char *pp_arm_core_name(int64_t implementer, int64_t part)
{
    for (size_t i = 0; i < PP_COUNT_OF(arm_cores); i++) {
        if (arm_cores[i].implementer == implementer && arm_cores[i].part == part)
            return arm_cores[i].name;
    }
    return NULL;
}

typedef struct core_list {
    int64_t implementer[MAX_KINDS_OF_CORES], part[MAX_KINDS_OF_CORES];
    size_t count;
} core_list;

static void add_core(core_list *list, int64_t implementer, int64_t part)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->implementer[i] == implementer && list->part[i] == part)
            return;
    }
    if (list->count == MAX_KINDS_OF_CORES)
        return;
    list->implementer[list->count] = implementer;
    list->part[list->count++] = part;
}

static void name_arm_cores(const core_list *list, pp_cpuinfo *info)
{
    size_t used = 0;

    for (size_t i = 0; i < list->count && used < sizeof info->model; i++) {
        const char *name = pp_arm_core_name(list->implementer[i], list->part[i]);
        const char *joint = i == 0 ? "" : " + ";
        char *at = info->model + used;
        size_t room = sizeof info->model - used;

        if (name != NULL)
            used += (size_t)snprintf(at, room, "%s%s", joint, name);
        else
            used += (size_t)snprintf(at, room, "%simplementer 0x%llx part 0x%llx", joint,
                                     (unsigned long long)list->implementer[i],
                                     (unsigned long long)list->part[i]);
    }
}

static uint32_t feature_bits(pp_scan words, const char *key)
{
    uint32_t bits = 0;
    pp_scan word;

    while (pp_scan_word(&words, &word)) {
        for (size_t i = 0; i < pp_cpu_feature_count; i++) {
            if (strcmp(pp_cpu_features[i].key, key) == 0 &&
                pp_scan_is(word, pp_cpu_features[i].kernel_name))
                bits |= (uint32_t)1 << i;
        }
    }
    return bits;
}

static bool has_word(pp_scan words, const char *wanted)
{
    pp_scan word;

    while (pp_scan_word(&words, &word)) {
        if (pp_scan_is(word, wanted))
            return true;
    }
    return false;
}

/* One more list of features: only what all cores have can be used by threads on any of them. */
static void take_features(pp_scan words, const char *key, pp_cpuinfo *info)
{
    uint32_t bits = feature_bits(words, key);

    info->features = info->features_known ? info->features & bits : bits;
    info->features_known = true;
}

static void read_x86_line(pp_scan line, pp_cpuinfo *info)
{
    pp_scan value;

    if (pp_scan_key(line, "vendor_id", &value)) {
        info->family = "x86_64";
    } else if (info->model[0] == '\0' && pp_scan_key(line, "model name", &value)) {
        pp_scan_copy(value, info->model, sizeof info->model);
    } else if (pp_scan_key(line, "flags", &value)) {
        take_features(value, "flags", info);
        info->hypervisor = pp_known_bool(has_word(value, "hypervisor"));
    }
}

static void read_arm_line(pp_scan line, int64_t *implementer, core_list *cores, pp_cpuinfo *info)
{
    pp_scan value;
    int64_t part;

    if (pp_scan_key(line, "Features", &value)) {
        take_features(value, "Features", info);
    } else if (pp_scan_key(line, "CPU implementer", &value) && pp_scan_hex(&value, implementer)) {
        info->family = "aarch64";
    } else if (*implementer >= 0 && pp_scan_key(line, "CPU part", &value) &&
               pp_scan_hex(&value, &part)) {
        if (!info->arm_part.known)
            info->arm_part = pp_known_int(part);
        if (!info->arm_implementer.known)
            info->arm_implementer = pp_known_int(*implementer);
        add_core(cores, *implementer, part);
    }
}

void pp_cpuinfo_parse(pp_scan text, pp_cpuinfo *ret_info)
{
    core_list cores = {0};
    int64_t implementer = -1, count = 0;
    pp_scan line, value;

    memset(ret_info, 0, sizeof *ret_info);
    while (pp_scan_line(&text, &line)) {
        count += pp_scan_key(line, "processor", &value);
        read_x86_line(line, ret_info);
        read_arm_line(line, &implementer, &cores, ret_info);
    }
    if (count > 0)
        ret_info->processor_count = pp_known_int(count);
    if (cores.count > 0)
        name_arm_cores(&cores, ret_info);
}
