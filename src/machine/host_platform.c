#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "base/error.h"
#include "machine/host_parts.h"
#include "machine/tree.h"

#define CGROUP_TEXT_MAX_BYTES 16384

/* The name a hypervisor gives itself in CPUID leaf 0x40000000; "" when there is none. */
static void read_cpuid_signature(char out[13])
{
    memset(out, 0, 13);
#if defined(__x86_64__)
    unsigned eax = 1, ebx = 0, ecx = 0, edx = 0;

    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || (ecx & (1u << 31)) == 0)
        return;
    __cpuid(0x40000000, eax, ebx, ecx, edx);
    memcpy(out, &ebx, 4);
    memcpy(out + 4, &ecx, 4);
    memcpy(out + 8, &edx, 4);
#endif
}

static const struct {
    const char *found; /* the front of a CPUID signature or of a DMI vendor */
    const char *name;
} hypervisors[] = {
    {"KVMKVMKVM", "kvm"},
    {"TCGTCGTCGTCG", "qemu without kvm"},
    {"Microsoft Hv", "hyper-v"},
    {"VMwareVMware", "vmware"},
    {"XenVMMXenVMM", "xen"},
    {"QEMU", "qemu"},
    {"Amazon EC2", "amazon ec2"},
    {"Google", "google compute engine"},
    {"VMware", "vmware"},
    {"innotek GmbH", "virtualbox"},
    {"Xen", "xen"},
    {"DigitalOcean", "digitalocean"},
    {"Hetzner", "hetzner"},
    {"Apple Inc.", "apple virtualization"},
};

static const char *hypervisor_name(const char *found)
{
    for (size_t i = 0; i < PP_COUNT_OF(hypervisors); i++) {
        if (strncmp(found, hypervisors[i].found, strlen(hypervisors[i].found)) == 0)
            return hypervisors[i].name;
    }
    return NULL;
}

/* A vendor that also sells bare metal counts only when the product says that it is virtual. */
static const char *name_from_dmi(const pp_host_facts *facts)
{
    size_t size = strlen(facts->dmi_product);

    if (strcmp(facts->dmi_vendor, "Apple Inc.") == 0 &&
        strstr(facts->dmi_product, "Virtual") == NULL)
        return NULL;
    if (size > 6 && strcmp(facts->dmi_product + size - 6, ".metal") == 0)
        return NULL;
    if (strncmp(facts->dmi_vendor, "Microsoft", 9) == 0)
        return strstr(facts->dmi_product, "Virtual Machine") != NULL ? "hyper-v" : NULL;
    return hypervisor_name(facts->dmi_vendor);
}

static void read_virtualisation(const char *root, const char *signature, pp_host_facts *facts)
{
    const char *name = signature[0] != '\0' ? hypervisor_name(signature) : NULL;

    pp_tree_text(root, "sys/hypervisor/type", facts->virtualisation, sizeof facts->virtualisation);
    if (name == NULL)
        name = name_from_dmi(facts);
    if (name == NULL && facts->virtualisation[0] != '\0')
        return;
    if (name == NULL && facts->cpu.hypervisor.known)
        name = facts->cpu.hypervisor.value ? "unnamed hypervisor" : "none";
    if (name != NULL)
        (void)snprintf(facts->virtualisation, sizeof facts->virtualisation, "%s", name);
}

static const char *container_in_cgroups(const char *root)
{
    static const struct {
        const char *found, *name;
    } hints[] = {{"kubepods", "kubernetes"},
                 {"docker", "docker"},
                 {"libpod", "podman"},
                 {"containerd", "containerd"},
                 {"lxc", "lxc"}};
    static const char *const files[] = {"proc/self/cgroup", "proc/1/cgroup"};
    char path[PP_TREE_PATH_MAX], buf[CGROUP_TEXT_MAX_BYTES];
    pp_scan text;

    for (size_t f = 0; f < PP_COUNT_OF(files); f++) {
        if (!pp_tree_path(path, root, "%s", files[f]) ||
            !pp_tree_read(path, buf, sizeof buf, &text))
            continue;
        for (size_t i = 0; i < PP_COUNT_OF(hints); i++) {
            if (pp_scan_contains(text, hints[i].found))
                return hints[i].name;
        }
    }
    return NULL;
}

static void read_container(const char *root, pp_host_facts *facts)
{
    const char *name = container_in_cgroups(root);

    if (name == NULL && pp_tree_exists(root, "run/.containerenv"))
        name = "podman";
    if (name == NULL && pp_tree_exists(root, ".dockerenv"))
        name = "docker";
    if (name != NULL)
        (void)snprintf(facts->container, sizeof facts->container, "%s", name);
}

void pp_host_read_platform(const char *root, pp_host_facts *facts)
{
    char signature[13] = "";

    pp_tree_text(root, "sys/class/dmi/id/sys_vendor", facts->dmi_vendor, sizeof facts->dmi_vendor);
    pp_tree_text(root, "sys/class/dmi/id/product_name", facts->dmi_product,
                 sizeof facts->dmi_product);
    if (pp_tree_is_live(root))
        read_cpuid_signature(signature);
    read_virtualisation(root, signature, facts);
    pp_host_judge_emulation(root, signature, facts);
    read_container(root, facts);
}

static void try_hardware_cycles(pp_host_facts *facts)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
                                   .size = sizeof attr,
                                   .config = PERF_COUNT_HW_CPU_CYCLES,
                                   .disabled = 1,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

    facts->hardware_cycles = pp_known_bool(fd >= 0);
    if (fd < 0)
        (void)snprintf(facts->hardware_cycles_reason, sizeof facts->hardware_cycles_reason,
                       "perf_event_open: %s", strerror(errno));
    else
        (void)close((int)fd); /* nothing was counted */
}

void pp_host_read_counters(const char *root, pp_host_facts *facts)
{
    facts->perf_event_paranoid = pp_tree_int(root, "proc/sys/kernel/perf_event_paranoid");
    if (pp_tree_is_live(root))
        try_hardware_cycles(facts);
}
