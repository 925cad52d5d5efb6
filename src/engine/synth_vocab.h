/* synth_vocab.h - a made-up vocabulary in SentencePiece style.
 *
 * <unk> <s> </s>, the 256 byte tokens, then pieces whose prefixes are pieces too: the word mark,
 * printable ASCII, letters, pairs, and scrambled three- and four-letter groups, so that any text
 * tokenises into words of a few tokens. The words mean nothing. */
#ifndef PP_ENGINE_SYNTH_VOCAB_H
#define PP_ENGINE_SYNTH_VOCAB_H

#include <stddef.h>
#include <stdint.h>

#define PP_SYNTH_UNK_ID        0u
#define PP_SYNTH_BOS_ID        1u
#define PP_SYNTH_EOS_ID        2u
#define PP_SYNTH_FIRST_BYTE    3u
#define PP_SYNTH_FIRST_PIECE   259u /* behind the byte tokens */
#define PP_SYNTH_MAX_PIECES    493601u
#define PP_SYNTH_PIECE_BYTES   8    /* longest token text and a NUL */
#define PP_SYNTH_VOCAB_MINIMUM 354u /* specials, bytes and single characters */

/** Text of token `id` (below 259 + PP_SYNTH_MAX_PIECES), NUL-terminated; returns its length. */
size_t pp_synth_token_text(uint32_t id, char ret_text[PP_SYNTH_PIECE_BYTES]);

/** llama.cpp's token type: 1 normal, 2 unknown, 3 control, 6 byte. */
int32_t pp_synth_token_type(uint32_t id);

/** Merge preference: earlier pieces first; 0 for specials and bytes. */
float pp_synth_token_score(uint32_t id);

#endif
