#include "engine/synth_vocab.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

#define LETTERS 26u
#define PAIRS   (LETTERS * LETTERS)
#define TRIPLES (PAIRS * LETTERS)
#define QUADS   (TRIPLES * LETTERS)

/* The word mark and 0x21 to 0x7e. */
#define CHARACTERS 95u

/* Multipliers without a common factor with 26 walk through all groups in scattered order, so that
 * a small vocabulary holds words of all letters. */
#define TRIPLE_STRIDE 6121u
#define QUAD_STRIDE   163841u

static const char word_mark[] = "\xe2\x96\x81"; /* U+2581 */

/* `count` letters that spell `number` in base 26. */
static size_t spell(const char *prefix, uint32_t number, unsigned count,
                    char ret_text[PP_SYNTH_PIECE_BYTES])
{
    size_t size = strlen(prefix);

    PP_ASSERT(size + count < PP_SYNTH_PIECE_BYTES);
    memcpy(ret_text, prefix, size);
    for (unsigned i = count; i-- > 0; number /= LETTERS)
        ret_text[size + i] = (char)('a' + number % LETTERS);
    ret_text[size + count] = '\0';
    return size + count;
}

static size_t piece_text(uint32_t piece, char ret_text[PP_SYNTH_PIECE_BYTES])
{
    if (piece == 0)
        return spell(word_mark, 0, 0, ret_text);
    if (piece < CHARACTERS)
        return (size_t)snprintf(ret_text, PP_SYNTH_PIECE_BYTES, "%c", (char)(' ' + (int)piece));
    piece -= CHARACTERS;
    if (piece < LETTERS)
        return spell(word_mark, piece, 1, ret_text);
    piece -= LETTERS;
    if (piece < PAIRS)
        return spell(word_mark, piece, 2, ret_text);
    piece -= PAIRS;
    if (piece < PAIRS)
        return spell("", piece, 2, ret_text);
    piece -= PAIRS;
    if (piece < 2 * TRIPLES)
        return spell(piece % 2 == 0 ? word_mark : "", piece / 2 * TRIPLE_STRIDE % TRIPLES, 3,
                     ret_text);
    piece -= 2 * TRIPLES;
    PP_ASSERT(piece < QUADS);
    return spell("", (uint32_t)((uint64_t)piece * QUAD_STRIDE % QUADS), 4, ret_text);
}

size_t pp_synth_token_text(uint32_t id, char ret_text[PP_SYNTH_PIECE_BYTES])
{
    static const char *const specials[] = {"<unk>", "<s>", "</s>"};

    if (id < PP_SYNTH_FIRST_BYTE)
        return (size_t)snprintf(ret_text, PP_SYNTH_PIECE_BYTES, "%s", specials[id]);
    if (id < PP_SYNTH_FIRST_PIECE)
        return (size_t)snprintf(ret_text, PP_SYNTH_PIECE_BYTES, "<0x%02X>",
                                (id - PP_SYNTH_FIRST_BYTE) & 0xffu);
    return piece_text(id - PP_SYNTH_FIRST_PIECE, ret_text);
}

int32_t pp_synth_token_type(uint32_t id)
{
    enum { NORMAL = 1, UNKNOWN = 2, CONTROL = 3, BYTE = 6 };

    if (id == PP_SYNTH_UNK_ID)
        return UNKNOWN;
    if (id < PP_SYNTH_FIRST_BYTE)
        return CONTROL;
    return id < PP_SYNTH_FIRST_PIECE ? BYTE : NORMAL;
}

float pp_synth_token_score(uint32_t id)
{
    return id < PP_SYNTH_FIRST_PIECE ? 0.0f : -(float)(id - PP_SYNTH_FIRST_PIECE);
}
