/* A request is refused with a reason, or can be answered in JSON that our reader takes, unless its
 * prompt was tokens that are no UTF-8: these are shown as U+FFFD. */
#include <stdint.h>

#include "sim/fault.h"
#include "sim/say.h"
#include "sim/words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_json(const pp_buf *out)
{
    pp_arena arena = {0};
    pp_error err = {0};
    const pp_json *root;

    PP_ASSERT(pp_json_parse(&arena, "reply", pp_buf_text(out), out->size, &root, &err) == PP_OK);
    pp_arena_done(&arena);
}

static void answer(const pp_sim_ask *ask)
{
    const pp_sim_quirks quirks = {0};
    pp_sim_reply reply = {.ask = ask, .quirks = &quirks, .model = "m", .tokens = 1};
    char word[PP_SIM_TOKEN_MAX_BYTES];
    pp_buf out;

    pp_sim_word(1, ask->prompt_hash, 0, word);
    pp_buf_init(&reply.text, 1 << 20);
    pp_buf_append(&reply.text, word, sizeof word);
    pp_buf_init(&out, (size_t)64 << 20);
    if (ask->n_probs < 1000) { /* the rest is only longer */
        pp_sim_say_whole(&reply, &out);
        check_json(&out);
        pp_buf_clear(&out);
        pp_sim_say_piece(&reply, 0, 1, true, &out);
        check_json(&out);
    }
    pp_buf_done(&out);
    pp_buf_done(&reply.text);
}

static void try_fault(const uint8_t *data, size_t size)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_sim_fault fault;
    char *text = pp_arena_dup(&arena, (const char *)data, size);

    if (pp_sim_fault_parse(&arena, text, &fault, &err) != PP_OK)
        PP_ASSERT(err.text[0] != '\0');
    pp_arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int dialect = PP_SIM_DIALECT_LLAMA; dialect <= PP_SIM_DIALECT_COMPLETION; dialect++) {
        pp_arena arena = {0};
        pp_error err = {0};
        pp_sim_ask ask;

        if (pp_sim_ask_read(&arena, (pp_sim_dialect)dialect, (pp_bytes){data, size}, false, &ask,
                            &err) == PP_OK)
            answer(&ask);
        else
            PP_ASSERT(err.text[0] != '\0');
        pp_arena_done(&arena);
    }
    try_fault(data, size);
    return 0;
}
