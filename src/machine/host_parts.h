/* host_parts.h - the pieces pp_host_read is made of, one file each. Internal to machine/. */
#ifndef PP_MACHINE_HOST_PARTS_H
#define PP_MACHINE_HOST_PARTS_H

#include "machine/host.h"

/* Room of a set of CPUs: the largest that kernels are configured for. */
#define PP_MAX_AFFINITY_CPUS 8192

void pp_host_read_cpu(const pp_host_options *options, pp_host_facts *facts);
void pp_host_read_frequency(const char *root, pp_host_facts *facts);

/** CPUs that this thread may run on. */
pp_maybe_int pp_host_allowed_cpus(void);

/** After the CPU: virtualisation, container, emulation. */
void pp_host_read_platform(const char *root, pp_host_facts *facts);

/** After all that tells who made this machine. `signature` is the hypervisor's in CPUID, or "". */
void pp_host_judge_emulation(const char *root, const char *signature, pp_host_facts *facts);
void pp_host_read_counters(const char *root, pp_host_facts *facts);

#endif
