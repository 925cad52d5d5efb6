#include "load/prompts.h"

#include <string.h>

#include "base/files.h"
#include "load/lines.h"
#include "model/name_index.h"

/* ---- one prompt ------------------------------------------------------------------------------ */

static pp_status read_text(pp_arena *arena, pp_text line, pp_prompt *prompt, pp_error *err)
{
    size_t at = 0, taken = 0;

    if (line.size > PP_PROMPT_MAX_BYTES)
        return pp_fail(err, PP_ERR_LIMIT, "a prompt of %zu bytes, expected at most %zu", line.size,
                       PP_PROMPT_MAX_BYTES);
    while (at < line.size && pp_utf8_next(line.data + at, line.size - at, &taken) >= 0)
        at += taken;
    if (at < line.size)
        return pp_fail(err, PP_ERR_SYNTAX,
                       "byte %zu: expected UTF-8, got 0x%02X; a request cannot hold other bytes",
                       at + 1, (unsigned char)line.data[at]);
    prompt->text = pp_text_dup(arena, line);
    return PP_OK;
}

static pp_status write_messages(pp_arena *arena, const pp_json *messages, pp_text *ret_text,
                                pp_error *err)
{
    pp_buf json;
    pp_status st;

    pp_buf_init(&json, PP_PROMPT_MAX_BYTES);
    st = pp_json_write(messages, PP_JSON_COMPACT, &json, err);
    if (st == PP_OK)
        *ret_text = pp_text_dup(arena, (pp_text){pp_buf_text(&json), json.size});
    pp_buf_done(&json);
    return st;
}

pp_status pp_prompt_check(const pp_json *root, pp_error *err)
{
    bool has_text = pp_json_find(root, "prompt") != NULL;
    bool has_messages = pp_json_find(root, "messages") != NULL;

    if (has_text == has_messages)
        return pp_json_fail(root, err, "expected one of 'prompt' and 'messages', got %s",
                            has_text ? "both" : "neither");
    return PP_OK;
}

static pp_status decode(pp_arena *arena, const pp_json *root, pp_prompt *prompt, pp_error *err)
{
    const pp_json *id = pp_json_find(root, "id");
    const pp_json *text = pp_json_find(root, "prompt");
    const pp_json *messages = pp_json_find(root, "messages");
    const pp_json *output = pp_json_find(root, "output_tokens");
    pp_status st = pp_prompt_check(root, err);

    if (st != PP_OK)
        return st;
    if (id != NULL)
        prompt->id = pp_text_dup(arena, id->text);
    if (output != NULL)
        prompt->output_tokens = pp_known_int(output->integer);
    if (messages != NULL)
        return write_messages(arena, messages, &prompt->messages, err);
    if (text->text.size > PP_PROMPT_MAX_BYTES)
        return pp_json_fail(text, err, "expected at most %zu bytes, got %zu", PP_PROMPT_MAX_BYTES,
                            text->text.size);
    prompt->text = pp_text_dup(arena, text->text);
    return PP_OK;
}

static pp_status read_object(pp_arena *arena, pp_text line, pp_prompt *prompt, pp_error *err)
{
    pp_arena scratch = {0};
    const pp_json *root = NULL;
    pp_status st = pp_line_parse(&scratch, line, "prompts", &root, err);

    if (st == PP_OK)
        st = decode(arena, root, prompt, err);
    pp_arena_done(&scratch);
    return st;
}

/* ---- what they have in common ---------------------------------------------------------------- */

/* Each id once; those without one are named by their place, which a given id may have taken. */
static pp_status check_ids(const char *name, const pp_prompt *items, size_t count, pp_error *err)
{
    pp_arena scratch = {0};
    pp_name_index ids;
    pp_status st = pp_name_index_init(&scratch, count, &ids, err);
    size_t again;

    for (size_t i = 0; i < count && st == PP_OK; i++)
        ids.entries[i] = (pp_name_entry){items[i].id, i};
    if (st == PP_OK) {
        pp_name_index_sort(&ids);
        again = pp_name_index_duplicate(&ids);
        if (again != PP_NOT_FOUND)
            st = pp_fail(err, PP_ERR_SCHEMA,
                         "%s: line %zu: the id '%s' stands in an earlier line, too", name,
                         again + 1, items[again].id.data);
    }
    pp_arena_done(&scratch);
    return st;
}

static pp_text content_of(const pp_prompt *prompt)
{
    return prompt->messages.data != NULL ? prompt->messages : prompt->text;
}

static pp_status count_duplicates(const pp_prompt *items, size_t count, bool of_messages,
                                  size_t *duplicates, pp_error *err)
{
    pp_arena scratch = {0};
    pp_name_index contents;
    size_t n = 0;
    pp_status st = pp_name_index_init(&scratch, count, &contents, err);

    for (size_t i = 0; i < count && st == PP_OK; i++) {
        if ((items[i].messages.data != NULL) == of_messages)
            contents.entries[n++] = (pp_name_entry){content_of(&items[i]), i};
    }
    if (st == PP_OK) {
        contents.count = n;
        pp_name_index_sort(&contents);
        for (size_t i = 1; i < n; i++)
            *duplicates +=
                pp_text_equal(contents.entries[i - 1].name, contents.entries[i].name) ? 1 : 0;
    }
    pp_arena_done(&scratch);
    return st;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* One list of prompts is a file that many programs write, and no JSON Lines. */
static bool is_json_list(const char *text, size_t size)
{
    pp_arena scratch = {0};
    const pp_json *root = NULL;
    bool is_list = size > 0 && text[0] == '[' &&
                   pp_json_parse(&scratch, "list", text, size, &root, NULL) == PP_OK &&
                   root->array.count > 0 && root->array.items[0]->kind == PP_JSON_OBJECT;

    pp_arena_done(&scratch);
    return is_list;
}

static pp_status check_lines(pp_line_reader *lines, size_t count, pp_error *err)
{
    if (count == 0)
        return pp_fail(err, PP_ERR_SCHEMA, "%s: expected prompts, got an empty file", lines->name);
    if (count > PP_PROMPTS_MAX_COUNT)
        return pp_fail(err, PP_ERR_LIMIT, "%s: %zu prompts, expected at most %d", lines->name,
                       count, PP_PROMPTS_MAX_COUNT);
    if (is_json_list(lines->at, (size_t)(lines->end - lines->at)))
        return pp_fail(err, PP_ERR_SCHEMA,
                       "%s: one JSON list; expected JSON Lines (an object on each line) or lines "
                       "of text",
                       lines->name);
    return PP_OK;
}

static pp_status read_lines(pp_arena *arena, pp_line_reader *lines, bool is_json, pp_prompt *items,
                            pp_error *err)
{
    pp_status st = PP_OK;
    pp_text line;

    while (st == PP_OK && pp_lines_next(lines, &line)) {
        pp_prompt *prompt = &items[lines->number - 1];

        st = is_json ? read_object(arena, line, prompt, err) : read_text(arena, line, prompt, err);
        if (st == PP_OK && prompt->id.data == NULL)
            prompt->id = pp_text_of(pp_arena_printf(arena, "prompt-%05zu", lines->number));
        if (st == PP_OK)
            st = pp_arena_check(arena, err);
    }
    if (st == PP_ERR_SYNTAX && is_json && lines->number == 1)
        return pp_lines_wrap(
            lines, pp_wrap(err, st, "the file begins with '{' and so is read as JSON Lines"), err);
    return pp_lines_wrap(lines, st, err);
}

pp_status pp_prompts_parse(pp_arena *arena, const char *name, pp_bytes bytes,
                           pp_prompts *ret_prompts, pp_error *err)
{
    pp_line_reader lines;
    pp_prompts prompts = {0};
    pp_prompt *items = NULL;
    pp_status st;

    pp_lines_init(&lines, name, bytes);
    pp_lines_skip_mark(&lines);
    prompts.count = pp_lines_count(&lines);
    prompts.is_lines_of_json = lines.at < lines.end && *lines.at == '{';
    st = check_lines(&lines, prompts.count, err);
    if (st == PP_OK) {
        items = PP_ARENA_NEW(arena, pp_prompt, prompts.count);
        st = pp_arena_check(arena, err);
    }
    if (st == PP_OK)
        st = read_lines(arena, &lines, prompts.is_lines_of_json, items, err);
    if (st == PP_OK)
        st = check_ids(name, items, prompts.count, err);
    if (st == PP_OK)
        st = count_duplicates(items, prompts.count, false, &prompts.duplicate_count, err);
    if (st == PP_OK)
        st = count_duplicates(items, prompts.count, true, &prompts.duplicate_count, err);
    if (st == PP_OK) {
        prompts.items = items;
        *ret_prompts = prompts;
    }
    return st;
}

pp_status pp_prompts_load(pp_arena *arena, const char *path, pp_prompts *ret_prompts, pp_error *err)
{
    pp_buf bytes;
    pp_status st;

    pp_buf_init(&bytes, PP_PROMPTS_MAX_BYTES);
    st = pp_file_read(path, &bytes, err);
    if (st == PP_OK)
        st = pp_prompts_parse(arena, path,
                              (pp_bytes){(const unsigned char *)pp_buf_text(&bytes), bytes.size},
                              ret_prompts, err);
    pp_buf_done(&bytes);
    return pp_wrap(err, st, "reading prompts");
}
