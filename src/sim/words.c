#include "sim/words.h"

#include "sim/random.h"

#define TWO_BYTES_AT   256
#define THREE_BYTES_AT (256 + 65536)

/* Bytes of the character at the front, 1 for what is no character. */
static size_t character_size(pp_text text)
{
    size_t size = 1;

    (void)pp_utf8_next(text.data, text.size, &size);
    return size;
}

size_t pp_sim_token_size(pp_text text)
{
    size_t at = 0;

    while (at < text.size) {
        size_t step = character_size((pp_text){text.data + at, text.size - at});

        if (at > 0 && (text.data[at] == ' ' || at + step > PP_SIM_TOKEN_MAX_BYTES))
            break;
        if (step > PP_SIM_TOKEN_MAX_BYTES)
            return 1;
        at += step;
    }
    return at;
}

int64_t pp_sim_token_id(const char *bytes, size_t size)
{
    const unsigned char *b = (const unsigned char *)bytes;

    if (size == 1)
        return b[0];
    if (size == 2)
        return TWO_BYTES_AT + b[0] * 256 + b[1];
    return THREE_BYTES_AT + b[0] * 65536 + b[1] * 256 + b[2];
}

size_t pp_sim_token_bytes(int64_t id, char out[PP_SIM_TOKEN_MAX_BYTES])
{
    size_t size = id < TWO_BYTES_AT ? 1 : id < THREE_BYTES_AT ? 2 : 3;
    int64_t value = id - (size == 1 ? 0 : size == 2 ? TWO_BYTES_AT : THREE_BYTES_AT);

    for (size_t i = size; i > 0; i--) {
        out[i - 1] = (char)(unsigned char)(value & 255);
        value >>= 8;
    }
    return size;
}

int64_t pp_sim_token_count(pp_text text)
{
    int64_t n = 0;

    while (text.size > 0) {
        size_t size = pp_sim_token_size(text);

        text.data += size;
        text.size -= size;
        n++;
    }
    return n;
}

void pp_sim_word(uint64_t seed, uint64_t prompt_hash, int64_t n, char out[PP_SIM_TOKEN_MAX_BYTES])
{
    uint64_t r = pp_sim_random(seed, PP_SIM_STREAM_WORD, prompt_hash, (uint64_t)n);

    out[0] = ' ';
    out[1] = (char)('a' + r % 26);
    out[2] = (char)('a' + r / 26 % 26);
}

double pp_sim_chance(uint64_t seed, uint64_t prompt_hash, int64_t n)
{
    return 0.5 + pp_sim_uniform(seed, PP_SIM_STREAM_CHANCE, prompt_hash, (uint64_t)n) / 2;
}
