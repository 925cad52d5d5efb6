/* words.h - the declared tokenizer, and answers by rule.
 *
 * A token is a piece of at most three bytes. Text is cut in front of every blank, then after every
 * third byte, never inside a UTF-8 character of at most three bytes; a character of four bytes is
 * two tokens, its first byte and the other three. An id names its bytes, so that any id below
 * PP_SIM_VOCABULARY has a text and tokens joined again give the text they came from. There is no
 * begin-of-text token.
 *
 *     id = 0 to 255          one byte
 *     id = 256 + b0*256+b1   two bytes
 *     id = 65792 + ...       three bytes, the first is the highest
 *
 * A word of an answer by rule is a blank and two letters: one token, whatever stands around it, so
 * the number of generated tokens is also what /tokenize says about the whole answer. */
#ifndef PP_SIM_WORDS_H
#define PP_SIM_WORDS_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/text.h"

#define PP_SIM_VOCABULARY      (256 + 65536 + 16777216)
#define PP_SIM_TOKEN_MAX_BYTES 3

/** Bytes of the first token of `text`, 1 to 3; 0 when it is empty. */
size_t pp_sim_token_size(pp_text text);

/** Id of a token of 1 to 3 bytes. */
int64_t pp_sim_token_id(const char *bytes, size_t size);

/** Bytes of an id, 0 <= id < PP_SIM_VOCABULARY; returns their number. */
size_t pp_sim_token_bytes(int64_t id, char out[PP_SIM_TOKEN_MAX_BYTES]);

int64_t pp_sim_token_count(pp_text text);

/** Word `n` (from 0) of the answer by rule to the prompt with this hash: three bytes. */
void pp_sim_word(uint64_t seed, uint64_t prompt_hash, int64_t n, char out[PP_SIM_TOKEN_MAX_BYTES]);

/** The declared probability of token `n` (from 0) of an answer, 0.5 to 1. */
double pp_sim_chance(uint64_t seed, uint64_t prompt_hash, int64_t n);

#endif
