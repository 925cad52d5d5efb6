/* settings.h - how llama.cpp is told to run one candidate.
 *
 * Nothing is left to a default of the engine: defaults change between builds (F44-F55), so every
 * field is given in the plan, passed on the command line and read back. */
#ifndef PP_MODEL_SETTINGS_H
#define PP_MODEL_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "json/json.h"

typedef struct pp_settings {
    int64_t threads;       /* 1 to 4096: generation */
    int64_t threads_batch; /* 1 to 4096: prompt processing */
    int64_t batch_size;    /* logical batch in tokens, 1 to 1048576 */
    int64_t ubatch_size;   /* physical micro-batch in tokens, 1 to batch_size */
    int64_t context_size;  /* tokens over all slots, 1 to 16777216 */
    int64_t parallel;      /* server slots, 1 to 1024 */
    int64_t poll;          /* 0 (sleep) to 100 (spin) while waiting for work */
    pp_text cache_type_k;  /* "f16", "q8_0", ... of the key cache */
    pp_text cache_type_v;
    pp_text flash_attention; /* "on", "off" or "auto" */
    pp_text load_mode;       /* "auto", "none", "mmap", "mlock", "mmap+mlock" or "dio" */
    bool repack;             /* weights rearranged for the CPU's instructions */
} pp_settings;

/**
 * Settings of a candidate: the members of `base` replaced by those of `override` (NULL: none).
 * Fails with PP_ERR_SCHEMA on an unknown member of either, a missing one, or a value out of range;
 * the $.path is named. Texts stay in the arena of the documents.
 */
PP_MUST_CHECK pp_status pp_settings_decode(const pp_json *base, const pp_json *override,
                                           pp_settings *ret_settings, pp_error *err);

/** The same members as an object. */
pp_json *pp_settings_encode(pp_arena *arena, const pp_settings *settings);

#endif
