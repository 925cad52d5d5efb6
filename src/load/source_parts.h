/* source_parts.h - inside load/ only: what preparing a source and asking it have in common. */
#ifndef PP_LOAD_SOURCE_PARTS_H
#define PP_LOAD_SOURCE_PARTS_H

#include "load/lexicon.h"
#include "load/source.h"

struct pp_load_source {
    pp_load_source_options options;
    pp_dialect dialect;
    pp_lexicon lexicon;       /* where prompts are generated */
    const pp_text *fragments; /* of a file or a trace: the JSON value of each prompt; absent where
                                 it is generated */
    pp_load_source_facts facts;
    const pp_workload *workload; /* then only the dialect's endpoint of the above counts */
};

/** How many items a file or a trace has; 1 for generated prompts. */
size_t pp_source_item_count(const pp_load_source *source);

/** Length of the generated prompt of item `i`, from 0; not known where its text is given. */
pp_maybe_int pp_source_generated_tokens(const pp_load_source *source, size_t i);

/** Asked length of the answer that item `i` gives itself. */
pp_maybe_int pp_source_own_output(const pp_load_source *source, size_t i);

/** Prompts of different levels and phases are of different sets. */
uint64_t pp_source_set(int64_t level, pp_phase phase);

/** The generated prompt of a request. */
pp_lexicon_prompt pp_source_generated(const pp_load_source *source, uint64_t set, int64_t index,
                                      int64_t tokens);

#endif
