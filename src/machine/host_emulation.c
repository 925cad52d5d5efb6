/* Is this a CPU, or a program that translates another CPU's instructions? */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "machine/host_parts.h"
#include "machine/tree.h"

#define ELF_HEAD_BYTES 20
#define ELF_MACHINE_AT 18 /* e_machine of elf(5): two bytes, little-endian in both families */

static void set_emulated(pp_host_facts *facts, bool value, const char *reason)
{
    facts->emulated = pp_known_bool(value);
    (void)snprintf(facts->emulated_reason, sizeof facts->emulated_reason, "%s", reason);
}

/* The architecture whose CPUs run a program of `name` without translation: 64-bit ones run those of
 * their 32-bit forebears. NULL when nothing is known. */
static const char *family_of(const char *name)
{
    static const struct {
        const char *name, *family;
    } older[] = {
        {"i386", "x86_64"},    {"i486", "x86_64"},    {"i586", "x86_64"},    {"i686", "x86_64"},
        {"armv6l", "aarch64"}, {"armv7l", "aarch64"}, {"armv8l", "aarch64"},
    };

    for (size_t i = 0; i < PP_COUNT_OF(older); i++) {
        if (strcmp(name, older[i].name) == 0)
            return older[i].family;
    }
    return name[0] == '\0' ? NULL : name;
}

/* The family of the program that the kernel runs for us. QEMU answers /proc/self/exe itself, but
 * leaves /proc/thread-self/exe to the kernel, which names QEMU. NULL when it cannot be read. */
static const char *family_of_program(const char *root)
{
    static const struct {
        int machine;
        const char *family;
    } machines[] = {{3, "x86_64"}, {62, "x86_64"}, {40, "aarch64"}, {183, "aarch64"}};
    char path[PP_TREE_PATH_MAX], head[ELF_HEAD_BYTES];
    pp_scan text;

    if (!pp_tree_path(path, root, "proc/thread-self/exe") ||
        !pp_tree_read(path, head, sizeof head, &text) || text.end - text.at < ELF_HEAD_BYTES ||
        memcmp(head, "\177ELF", 4) != 0)
        return NULL;
    for (size_t i = 0; i < PP_COUNT_OF(machines); i++) {
        if (head[ELF_MACHINE_AT + 1] == 0 &&
            (unsigned char)head[ELF_MACHINE_AT] == machines[i].machine)
            return machines[i].family;
    }
    return NULL;
}

/* A user-mode emulator shows programs the architecture they were built for, but does not think of
 * every place where the kernel says what it runs on. True when such a place was found. */
static bool judge_user_mode(const char *root, pp_host_facts *facts)
{
    const char *seen = family_of(facts->architecture);
    char kernel[32];
    struct {
        const char *family, *text;
    } signs[] = {
        {facts->cpu.family, "/proc/cpuinfo describes"},
        {NULL, "/proc/sys/kernel/arch says"},
        {family_of_program(root), "/proc/thread-self/exe is for"},
    };

    pp_tree_text(root, "proc/sys/kernel/arch", kernel, sizeof kernel);
    signs[1].family = family_of(kernel);
    for (size_t i = 0; seen != NULL && i < PP_COUNT_OF(signs); i++) {
        if (signs[i].family == NULL || strcmp(signs[i].family, seen) == 0)
            continue;
        facts->emulated = pp_known_bool(true);
        (void)snprintf(facts->emulated_reason, sizeof facts->emulated_reason,
                       "programs see %s, %s %s (user mode)", facts->architecture, signs[i].text,
                       signs[i].family);
        return true;
    }
    return false;
}

/* Rules in the order of their strength; docs/formats/doctor.md lists them. */
void pp_host_judge_emulation(const char *root, const char *signature, pp_host_facts *facts)
{
    const pp_cpuinfo *cpu = &facts->cpu;
    bool arm = strcmp(facts->architecture, "aarch64") == 0;

    if (judge_user_mode(root, facts))
        return;
    if (cpu->arm_implementer.known && cpu->arm_implementer.value == 0) {
        set_emulated(facts, true, "the CPU's implementer is 0, which is QEMU's own core");
    } else if (strcmp(signature, "TCGTCGTCGTCG") == 0 || strstr(cpu->model, "TCG") != NULL) {
        set_emulated(facts, true, "the hypervisor is QEMU's translator (TCG)");
    } else if (strcmp(signature, "KVMKVMKVM") == 0) {
        set_emulated(facts, false, "the hypervisor is KVM, which runs the CPU's own instructions");
    } else if (arm && strcmp(facts->dmi_vendor, "QEMU") == 0 &&
               strcmp(facts->dmi_product, "QEMU Virtual Machine") == 0 &&
               !(cpu->arm_implementer.known && cpu->arm_implementer.value == 0x61)) {
        set_emulated(facts, true, "the machine is a QEMU virtual machine without KVM");
    } else if (strstr(cpu->model, "QEMU Virtual CPU") != NULL) {
        (void)snprintf(facts->emulated_reason, sizeof facts->emulated_reason,
                       "a QEMU Virtual CPU may be translated or not");
    } else if (cpu->family == NULL) {
        (void)snprintf(facts->emulated_reason, sizeof facts->emulated_reason,
                       "/proc/cpuinfo does not say which CPU this is");
    } else {
        set_emulated(facts, false, "no sign of emulation");
    }
}
