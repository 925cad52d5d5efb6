/* say.h - what the simulated server says: JSON of the dialects, shaped as llama-server shapes it.
 *
 * Pure: a reply's state and its quirks in, bytes out. Every function appends to a buffer, whose
 * recorded failure the caller checks once. Framing (data: lines, chunks) is stream.h's. */
#ifndef PP_SIM_SAY_H
#define PP_SIM_SAY_H

#include "sim/ask.h"
#include "sim/quirks.h"

/* Which server it passes for. */
typedef enum pp_sim_profile {
    PP_SIM_PROFILE_LLAMA_SERVER = 0,
    PP_SIM_PROFILE_VLLM /* end points of the OpenAI API, /tokenize and gauges of its own */
} pp_sim_profile;

/** "llama-server", "vllm"; NULL behind the last. */
const char *pp_sim_profile_name(size_t profile);

/* One answer as far as it has come. */
typedef struct pp_sim_reply {
    const pp_sim_ask *ask;
    const pp_sim_quirks *quirks;
    const char *model;
    pp_sim_profile profile;
    uint64_t seed;
    int64_t serial; /* of the request; from 1 */
    int64_t created_s;
    int64_t slot;
    int64_t n_ctx;
    int64_t cached_n; /* prompt tokens from the cache; the others were processed */
    int64_t prompt_ns;
    int64_t predicted_ns; /* first token to latest */
    int64_t tokens;       /* generated so far */
    int64_t draft_n, draft_accepted_n;
    bool has_draft;         /* speculation is on */
    bool eos;               /* the answer ended by itself, not by its limit */
    pp_buf text;            /* all of it so far */
    size_t reasoning_bytes; /* of `text` */
} pp_sim_reply;

/** `text` as the inside of a JSON string. Bytes that are no UTF-8 stay as they are, except that an
 * encoded surrogate becomes its \u escape: both on purpose. */
void pp_sim_say_text(pp_buf *out, pp_text text);

/** The first event of a chat: the role. */
void pp_sim_say_role(const pp_sim_reply *reply, pp_buf *out);
/** An event whose text is null or empty; in chats and completions. */
void pp_sim_say_null(const pp_sim_reply *reply, pp_buf *out);
void pp_sim_say_progress(const pp_sim_reply *reply, int64_t done, pp_buf *out);

/** The piece of `text` from `from` on; tokens and text count it already. `is_last`: nothing but
 * the end follows. */
void pp_sim_say_piece(const pp_sim_reply *reply, size_t from, int64_t first_token, bool is_last,
                      pp_buf *out);
void pp_sim_say_finish(const pp_sim_reply *reply, pp_buf *out);
/** The usage event of chats and completions; false when this request gets none. */
bool pp_sim_say_usage(const pp_sim_reply *reply, pp_buf *out);
/** The whole reply as one object. */
void pp_sim_say_whole(const pp_sim_reply *reply, pp_buf *out);

void pp_sim_say_error(int status, const char *type, const char *message, pp_buf *out);

/* ---- what the server says about itself --------------------------------------------------------
 */

typedef struct pp_sim_slot_state {
    bool is_processing;
    int64_t request; /* serial; 0: none yet */
    int64_t prompt_tokens, decoded, left;
} pp_sim_slot_state;

typedef struct pp_sim_state {
    const char *model;
    pp_sim_profile profile;
    int64_t slot_count;
    int64_t n_ctx;
    bool speculative;
    const pp_sim_slot_state *slots;
    /* counters since the start */
    int64_t prompt_tokens, cached_tokens, predicted_tokens, decode_count, longest;
    int64_t prompt_ns, predicted_ns;
    int64_t draft_tokens, draft_accepted, draft_count;
    int64_t processing, deferred;
    int64_t busy_slots_sum; /* over the decode calls */
    int64_t open_requests, open_requests_max;
    int64_t requests, open_connections, open_connections_max, connections;
} pp_sim_state;

void pp_sim_say_props(const pp_sim_state *state, const pp_sim_quirks *quirks, pp_buf *out);
void pp_sim_say_slots(const pp_sim_state *state, const pp_sim_quirks *quirks, pp_buf *out);
void pp_sim_say_metrics(const pp_sim_state *state, const pp_sim_quirks *quirks, pp_buf *out);
void pp_sim_say_models(const pp_sim_state *state, int64_t created_s, pp_buf *out);
void pp_sim_say_vllm_tokens(const pp_sim_state *state, pp_text prompt, pp_buf *out);
void pp_sim_say_tokens(pp_text content, bool with_pieces, pp_buf *out);
void pp_sim_say_content(const char *key, pp_text content, pp_buf *out);

#endif
