/* origin.h - where a figure came from. Carried by every figure, document and page. */
#ifndef PP_MODEL_ORIGIN_H
#define PP_MODEL_ORIGIN_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

/* From best to worst: a figure made from several has the worst of theirs. Only `measured` may
 * stand in a document that says "synthetic": false. */
typedef enum pp_origin {
    PP_ORIGIN_MEASURED,            /* a real model on this machine */
    PP_ORIGIN_SYNTHETIC_WEIGHTS,   /* real program, random weights: answers mean nothing */
    PP_ORIGIN_CONSTRUCTED_WEIGHTS, /* real program, weights made to give declared answers */
    PP_ORIGIN_SIMULATED,           /* the simulated server */
    PP_ORIGIN_EMULATED,            /* an emulated CPU: speed says nothing about the real one */
    PP_ORIGIN_IMPORTED,            /* taken over from elsewhere, not checked here */
    PP_ORIGIN_UNKNOWN              /* nobody said */
} pp_origin;

/* The header of a reply in which a server of ours says the origin of its answers. */
#define PP_ORIGIN_HEADER "X-ParetoPilot-Origin"

/** "measured", "synthetic-weights", ... */
const char *pp_origin_name(pp_origin origin);

/** One line for people: what figures of this origin are good for. */
const char *pp_origin_meaning(pp_origin origin);

/** Fails with PP_ERR_SCHEMA naming the words that are expected. */
PP_MUST_CHECK pp_status pp_origin_parse(pp_text name, pp_origin *ret_origin, pp_error *err);

/** As pp_origin_parse, for a word of somebody else's: false when it is none of ours. */
bool pp_origin_find(pp_text name, pp_origin *ret_origin);

/** What figures of a model file have by its key `paretopilot.weights`; an empty text is a file
 * without the key, a real model's. */
pp_origin pp_origin_of_weights(pp_text weights);

/** The origin of a figure made from figures of both. */
pp_origin pp_origin_worst(pp_origin a, pp_origin b);

#endif
