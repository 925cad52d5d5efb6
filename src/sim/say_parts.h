/* say_parts.h - inside say*.c only: members that several replies have. */
#ifndef PP_SIM_SAY_PARTS_H
#define PP_SIM_SAY_PARTS_H

#include "sim/say.h"

/** "key":"text" */
void pp_sim_put_text(pp_buf *out, const char *key, pp_text text);
/** The same; bytes that are no UTF-8 become U+FFFD, as JSON cannot hold them. */
void pp_sim_put_clean(pp_buf *out, const char *key, pp_text text);
/** "timings":{...} */
void pp_sim_put_timings(const pp_sim_reply *reply, pp_buf *out);
/** "usage":{...}, in the form that the quirks ask for */
void pp_sim_put_usage(const pp_sim_reply *reply, pp_buf *out);
/** The settings of sampling, without braces: constant but for these. */
void pp_sim_put_settings(int64_t token_max, int64_t n_probs, bool ignore_eos, bool stream,
                         pp_buf *out);
/** [{"id":...}, ...] for the tokens of a piece, the first of which is number `first` (from 1). */
void pp_sim_put_probabilities(const pp_sim_reply *reply, pp_text piece, int64_t first, pp_buf *out);
/** [1,2] */
void pp_sim_put_ids(pp_text piece, pp_buf *out);

#endif
