#include "model/model_table.h"

#include <math.h>
#include <string.h>

#include "model/tables.h"

#define NAME_OF_END "end"

typedef struct decoder {
    pp_arena *arena;
    pp_model_table *table;
    pp_name_index tokens;
    size_t *state_of; /* of a token: index into states, or PP_NOT_FOUND */
} decoder;

/* ---- vocabulary ---------------------------------------------------------------------------- */

/* llama.cpp takes some texts for the end of an answer wherever they stand in a vocabulary, such as
 * <|im_end|>, <EOT>, [EOS]. */
static bool looks_like_control(pp_text text)
{
    const char *open = memchr(text.data, '<', text.size);

    if (pp_text_is(text, "[EOT]") || pp_text_is(text, "[EOS]"))
        return true;
    return open != NULL && memchr(open, '>', text.size - (size_t)(open - text.data)) != NULL;
}

static bool holds_control_character(pp_text text)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];

        if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
            return true;
    }
    return false;
}

static pp_status decode_token_text(const pp_json *value, pp_text *ret_text, pp_error *err)
{
    *ret_text = value->text;
    if (ret_text->size == 0 || ret_text->size > PP_TABLE_MAX_TEXT_BYTES)
        return pp_json_fail(value, err, "expected 1 to %d bytes of text, got %zu",
                            PP_TABLE_MAX_TEXT_BYTES, ret_text->size);
    if (holds_control_character(*ret_text))
        return pp_json_fail(value, err,
                            "expected no control characters but line feed and tabulator");
    if (pp_text_is(*ret_text, NAME_OF_END))
        return pp_json_fail(value, err,
                            "the text \"end\" is reserved: in a row it ends the answer");
    if (pp_text_is(*ret_text, "\xe2\x96\x81"))
        return pp_json_fail(value, err,
                            "the text U+2581 is reserved: it is the space of free text");
    if (looks_like_control(*ret_text))
        return pp_json_fail(value, err,
                            "expected no text with '<' and '>' around something, nor [EOT] or "
                            "[EOS]: llama.cpp may take it for the end of an answer");
    return PP_OK;
}

static pp_status decode_vocabulary(decoder *d, const pp_json *root, pp_error *err)
{
    pp_model_table *t = d->table;
    const pp_json *list = pp_checked_list(root, "vocabulary");
    size_t repeated;
    pp_status st;

    t->token_count = list->array.count;
    t->tokens = PP_ARENA_NEW(d->arena, pp_text, t->token_count);
    d->state_of = PP_ARENA_NEW(d->arena, size_t, t->token_count);
    st = pp_name_index_init(d->arena, t->token_count, &d->tokens, err);
    for (size_t i = 0; st == PP_OK && i < t->token_count; i++) {
        st = decode_token_text(list->array.items[i], &t->tokens[i], err);
        d->tokens.entries[i] = (pp_name_entry){t->tokens[i], i};
        d->state_of[i] = PP_NOT_FOUND;
    }
    if (st != PP_OK)
        return st;
    pp_name_index_sort(&d->tokens);
    repeated = pp_name_index_duplicate(&d->tokens);
    if (repeated != PP_NOT_FOUND)
        return pp_json_fail(list->array.items[repeated], err, "the text \"%s\" is there already",
                            t->tokens[repeated].data);
    return PP_OK;
}

static pp_status find_token(const decoder *d, const pp_json *at, pp_text text, size_t *ret_token,
                            pp_error *err)
{
    *ret_token = pp_name_index_find(&d->tokens, text);
    if (*ret_token == PP_NOT_FOUND)
        return pp_json_fail(at, err, "expected a text of $.vocabulary, got \"%s\"", text.data);
    return PP_OK;
}

/* ---- rows ---------------------------------------------------------------------------------- */

static pp_status decode_entry(const decoder *d, const pp_json_member *member,
                              pp_table_entry *ret_entry, pp_error *err)
{
    double p = pp_checked_real(member->value);

    ret_entry->probability = p;
    if (p != 0 && !(p >= PP_TABLE_MIN_PROBABILITY && p <= 1))
        return pp_json_fail(member->value, err, "expected 0, or %g to 1, got %.9g",
                            PP_TABLE_MIN_PROBABILITY, p);
    ret_entry->token = PP_TABLE_END;
    if (pp_text_is(member->key, NAME_OF_END))
        return PP_OK;
    return find_token(d, member->value, member->key, &ret_entry->token, err);
}

static pp_status decode_row(const decoder *d, const pp_json *from, pp_table_row *row, pp_error *err)
{
    double sum = 0;
    pp_status st;

    row->next = PP_ARENA_NEW(d->arena, pp_table_entry, from->object.count);
    st = pp_arena_check(d->arena, err);
    for (size_t i = 0; st == PP_OK && i < from->object.count; i++) {
        pp_table_entry *entry = &row->next[row->next_count];

        st = decode_entry(d, &from->object.members[i], entry, err);
        if (st == PP_OK && entry->probability > 0) {
            sum += entry->probability;
            row->next_count++;
        }
    }
    if (st == PP_OK && !(fabs(sum - 1) <= PP_TABLE_SUM_TOLERANCE))
        return pp_json_fail(from, err, "expected probabilities that sum to 1 within %g, got %.9g",
                            PP_TABLE_SUM_TOLERANCE, sum);
    return st;
}

static pp_status decode_state(decoder *d, const pp_json *from, size_t number, pp_error *err)
{
    pp_table_state *state = &d->table->states[number];
    const pp_json *name = pp_json_find(from, "state");
    pp_status st = find_token(d, name, name->text, &state->token, err);

    if (st != PP_OK)
        return st;
    if (d->state_of[state->token] != PP_NOT_FOUND)
        return pp_json_fail(name, err, "the state \"%s\" has a row already: $.rows[%zu]",
                            name->text.data, d->state_of[state->token]);
    d->state_of[state->token] = number;
    return decode_row(d, pp_checked_object(from, "next"), &state->row, err);
}

static pp_status decode_states(decoder *d, const pp_json *root, pp_error *err)
{
    pp_model_table *t = d->table;
    const pp_json *list = pp_checked_list(root, "rows");
    pp_status st;

    t->state_count = list->array.count;
    t->states = PP_ARENA_NEW(d->arena, pp_table_state, t->state_count);
    st = pp_arena_check(d->arena, err);
    for (size_t i = 0; st == PP_OK && i < t->state_count; i++)
        st = decode_state(d, list->array.items[i], i, err);
    return st;
}

/* ---- the end can be reached ---------------------------------------------------------------- */

/* Which rows are known to lead to the end. */
typedef struct endings {
    bool *states;
    bool otherwise;
} endings;

static bool row_ends(const decoder *d, const pp_table_row *row, const endings *known)
{
    for (size_t i = 0; i < row->next_count; i++) {
        size_t token = row->next[i].token;
        size_t state = token == PP_TABLE_END ? PP_NOT_FOUND : d->state_of[token];

        if (token == PP_TABLE_END ||
            (state == PP_NOT_FOUND ? known->otherwise : known->states[state]))
            return true;
    }
    return false;
}

/* One more step backwards from the end; false when nothing new was found. */
static bool extend_endings(const decoder *d, endings *known)
{
    const pp_model_table *t = d->table;
    bool grown = false;

    if (!known->otherwise && row_ends(d, &t->otherwise, known))
        known->otherwise = grown = true;
    for (size_t i = 0; i < t->state_count; i++) {
        if (!known->states[i] && row_ends(d, &t->states[i].row, known))
            known->states[i] = grown = true;
    }
    return grown;
}

static pp_status check_endings(const decoder *d, const pp_json *root, pp_error *err)
{
    static const char wanted[] = "the end cannot be reached from here; expected a way to \"end\", "
                                 "or \"endless\": true";
    const pp_model_table *t = d->table;
    endings known = {.states = PP_ARENA_NEW(d->arena, bool, t->state_count)};

    if (known.states == NULL)
        return pp_arena_check(d->arena, err);
    while (extend_endings(d, &known))
        ;
    for (size_t i = 0; i < t->state_count; i++) {
        if (!known.states[i])
            return pp_json_fail(pp_json_find(root, "rows")->array.items[i], err, "%s", wanted);
    }
    if (!known.otherwise)
        return pp_json_fail(pp_json_find(root, "otherwise"), err, "%s", wanted);
    return PP_OK;
}

/* ---- the document -------------------------------------------------------------------------- */

static pp_status decode_name(const pp_json *root, pp_text *ret_name, pp_error *err)
{
    *ret_name = pp_checked_text(root, "name");
    if (ret_name->size > PP_TABLE_MAX_NAME_BYTES || holds_control_character(*ret_name))
        return pp_json_fail(pp_json_find(root, "name"), err,
                            "expected at most %d bytes without control characters",
                            PP_TABLE_MAX_NAME_BYTES);
    return PP_OK;
}

static pp_status decode_options(decoder *d, const pp_json *root, pp_error *err)
{
    const pp_json *endless = pp_json_find(root, "endless");
    const pp_json *chat_state = pp_json_find(root, "chat_state");

    d->table->endless = endless != NULL && endless->boolean;
    d->table->has_chat_state = chat_state != NULL;
    return chat_state == NULL
               ? PP_OK
               : find_token(d, chat_state, chat_state->text, &d->table->chat_state, err);
}

pp_status pp_model_table_decode(pp_arena *arena, const pp_json *root, pp_model_table *ret_table,
                                pp_error *err)
{
    pp_model_table table = {0};
    decoder d = {.arena = arena, .table = &table};
    pp_status st = pp_fields_check(root, &pp_model_table_fields, err);

    if (st == PP_OK)
        st = decode_name(root, &table.name, err);
    if (st == PP_OK)
        st = decode_vocabulary(&d, root, err);
    if (st == PP_OK)
        st = decode_states(&d, root, err);
    if (st == PP_OK)
        st = decode_row(&d, pp_checked_object(root, "otherwise"), &table.otherwise, err);
    if (st == PP_OK)
        st = decode_options(&d, root, err);
    if (st == PP_OK && !table.endless)
        st = check_endings(&d, root, err);
    if (st == PP_OK)
        *ret_table = table;
    return st;
}

pp_status pp_model_table_load(pp_arena *arena, const char *path, pp_model_table *ret_table,
                              pp_error *err)
{
    const pp_json *root;
    pp_buf bytes;
    pp_status st;

    pp_buf_init(&bytes, PP_TABLE_MAX_BYTES);
    st = pp_json_read_file(arena, path, &bytes, &root, err);
    pp_buf_done(&bytes);
    if (st == PP_OK)
        st = pp_model_table_decode(arena, root, ret_table, err);
    return pp_wrap(err, st, "loading model table '%s'", path);
}
