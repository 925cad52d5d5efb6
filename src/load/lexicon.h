/* lexicon.h - inside load/ only: words that a server cuts into a known number of tokens, and
 * prompts of exact length made of them without asking the server again.
 *
 * Tokenizers cut text at blanks, so the tokens of a sequence of words are the sum of what each word
 * takes, plus what the template takes. That is measured word by word, and then proved on whole
 * sequences: a server whose tokenizer joins words is refused, because a length could only be
 * promised and not kept (F85, B107). For token ids every id is one token and there is nothing to
 * prove. */
#ifndef PP_LOAD_LEXICON_H
#define PP_LOAD_LEXICON_H

#include "load/dialect.h"
#include "load/server_tokens.h"

#define PP_LEXICON_MAX_WORDS 64

typedef struct pp_lexicon_word {
    char text[16];        /* the word, or the decimal digits of an id */
    int64_t tokens;       /* that it adds behind another word */
    int64_t first_tokens; /* of a prompt that it alone begins: template included */
} pp_lexicon_word;

typedef struct pp_lexicon {
    pp_endpoint endpoint;
    pp_lexicon_word words[PP_LEXICON_MAX_WORDS]; /* in an order drawn from the seed */
    size_t count;
    bool of_ids;
    int64_t head[8]; /* ids in front of all: the begin-of-text token */
    size_t head_count;
    int64_t tail_tokens; /* that the template puts behind the words; part of first_tokens */
    bool *reachable;     /* [n]: n tokens can be made of words behind the first */
    int64_t max_tokens;
} pp_lexicon;

/* Which prompt. */
typedef struct pp_lexicon_prompt {
    uint64_t seed;
    uint64_t set;   /* prompts of different sets differ: made of level and phase; below 2^31 */
    uint64_t index; /* from 0; prompts of one set differ, neighbours in their first word */
    int64_t tokens; /* as the server counts */
    int64_t shared_tokens; /* in front: the same for all prompts of the seed; below `tokens` */
} pp_lexicon_prompt;

/** Learn the server's words. Lengths up to max_tokens can then be made. */
PP_MUST_CHECK pp_status pp_lexicon_learn(pp_arena *arena, pp_server_tokens *server,
                                         pp_endpoint endpoint, uint64_t seed, int64_t max_tokens,
                                         pp_lexicon *ret_lexicon, pp_error *err);

/** Whether a prompt of this length can be made, and with this shared beginning (0 for none).
 * Fails with PP_ERR_RANGE, naming the next shorter or the shortest length. */
PP_MUST_CHECK pp_status pp_lexicon_check(const pp_lexicon *lexicon, int64_t tokens,
                                         int64_t shared_tokens, pp_error *err);

/** Append the JSON value of the prompt: a string, a list of one message, or a list of ids.
 * Thread-safe; lengths must have passed pp_lexicon_check. */
void pp_lexicon_write(const pp_lexicon *lexicon, const pp_lexicon_prompt *prompt, pp_buf *body);

/** Have the server cut this prompt, as it will cut the request. */
PP_MUST_CHECK pp_status pp_lexicon_cut(const pp_lexicon *lexicon, pp_server_tokens *server,
                                       pp_arena *arena, const pp_lexicon_prompt *prompt,
                                       pp_token_list *ret_list, pp_error *err);

/** Tokens of a given text or of given messages (JSON), as the server will cut the request. */
PP_MUST_CHECK pp_status pp_server_cut_text(pp_server_tokens *server, pp_arena *arena,
                                           pp_endpoint endpoint, pp_text text,
                                           pp_token_list *ret_list, pp_error *err);
PP_MUST_CHECK pp_status pp_server_cut_messages(pp_server_tokens *server, pp_arena *arena,
                                               pp_text messages_json, pp_token_list *ret_list,
                                               pp_error *err);

#endif
