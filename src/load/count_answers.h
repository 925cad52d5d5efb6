/* count_answers.h - answers whose tokens the server did not count are counted by its /tokenize,
 * when a level is over and nothing is measured. */
#ifndef PP_LOAD_COUNT_ANSWERS_H
#define PP_LOAD_COUNT_ANSWERS_H

#include "load/dialect.h"
#include "model/sample.h"
#include "net/http_client.h"

/**
 * Ask POST /tokenize of a llama-server or of vLLM for the number of tokens of each answer that has
 * text and no count but that of its events, or none at all (F35). The whole text is asked at once,
 * because pieces have more tokens than their sum (B027).
 *
 * root      of the server, as pp_server_root gives it
 * dialect   its kind and model count; of other kinds nothing is asked
 *
 * What cannot be counted stays as it is: texts that are not UTF-8, those behind the first that the
 * server refuses, and, once the loop's `stop` is set, the rest. Fails with PP_ERR_MEMORY.
 */
PP_MUST_CHECK pp_status pp_load_count_answers(pp_http_loop *loop, const char *root,
                                              const char *const *headers, size_t header_count,
                                              const pp_dialect *dialect, pp_sample *samples,
                                              size_t n, pp_error *err);

#endif
