/* published_study.h - the study that the original published, rebuilt from its published figures.
 *
 * Read in place from "published/study.json"; the running test is skipped where that is absent.
 * The documents are proven by the digests that were published with the study. The benchmark set and
 * the constraints also stand in tests/fixtures/published, for tests that need nothing but them. */
#ifndef PP_TESTS_PUBLISHED_STUDY_H
#define PP_TESTS_PUBLISHED_STUDY_H

#include "json/json.h"

#define PUBLISHED_MANIFEST_SHA256 "7a8760e2950b7cc0c34c9377a57bee8dc41b58a229866f07e5cf55ffc1c91c82"
#define PUBLISHED_SET_SHA256      "b95f2a2801069d1e1428faa7a3809583b26245ee7eb2e797d338cd7262d5267b"
#define PUBLISHED_CONSTRAINTS_SHA256                                                               \
    "f1f9fe6a3110857ef5c7fdd78df9cd99faa6d788acbcef1bb8d1af6aecf3ca9a"
#define PUBLISHED_POLICIES_SHA256 "7621b7ffaba32f1670821eaddb79b720dca9cb1e8753873a732c168110415a78"

typedef struct published_study {
    const pp_json *figures; /* study.json */
    pp_json *manifest;
    pp_json *benchmark_set;
    pp_text constraints; /* the exact text */
} published_study;

void published_study_build(pp_arena *arena, published_study *ret_study);

#endif
