#include "evidence/journal_chain.h"

#include <string.h>

#include "model/document_kinds.h"

typedef pp_journal_chain chain;

/* Where lines live and who gets them; without an arena of the caller's each has its own. */
typedef struct reader {
    chain chain;
    pp_arena *arena;
    pp_journal_line_fn each;
    void *user;
} reader;

/* A hash that fits and a number that does not: the chain was made anew around a gap. */
static pp_status check_number(const chain *before, const pp_json *line, pp_error *err)
{
    const pp_json *seq = pp_json_find(line, "seq");

    if (seq->integer == (int64_t)before->line_count)
        return PP_OK;
    return pp_json_fail(seq, err, "expected %zu, got %lld", before->line_count,
                        (long long)seq->integer);
}

static pp_status check_link(const chain *before, const pp_json *line, pp_error *err)
{
    const pp_json *hash = pp_json_find(line, "previous_sha256");
    const char *found = hash->kind == PP_JSON_STRING ? hash->text.data : "null";

    if (before->line_count == 0 && hash->kind != PP_JSON_NULL)
        return pp_json_fail(hash, err, "expected null, for no line stands before this one, got %s",
                            found);
    if (before->line_count > 0 && strcmp(found, before->last_sha256) != 0)
        return pp_json_fail(hash, err,
                            "expected %s, the SHA-256 of line %zu, got %s; a line was changed, "
                            "taken out, put in or moved",
                            before->last_sha256, before->line_count, found);
    return PP_OK;
}

static pp_journal_ending ending_of(const pp_json *line)
{
    pp_text event = pp_json_find(line, "event")->text;

    if (pp_text_is(event, "end"))
        return PP_JOURNAL_ENDED;
    return pp_text_is(event, "stopped") ? PP_JOURNAL_STOPPED : PP_JOURNAL_OPEN;
}

/* `size` counts the LF, which is hashed and no part of the object. */
static pp_status check_line(reader *r, pp_arena *arena, const char *line, size_t size,
                            pp_error *err)
{
    chain *c = &r->chain;
    const pp_json *root;
    pp_status st = pp_json_parse(arena, "line", line, size - 1, &root, err);

    if (st == PP_OK)
        st = pp_document_check(pp_document_kind_find("journal"), root, err);
    if (st == PP_OK)
        st = check_link(c, root, err);
    if (st == PP_OK)
        st = check_number(c, root, err);
    if (st == PP_OK && r->each != NULL)
        st = r->each(r->user, root, err);
    if (st == PP_OK)
        st = pp_sha256_of(line, size, c->last_sha256, err);
    if (st == PP_OK) {
        c->line_count++;
        c->ending = ending_of(root);
    }
    return st;
}

static pp_status add_line(reader *r, const char *line, size_t size, pp_error *err)
{
    pp_arena own = {0};
    pp_status st = check_line(r, r->arena != NULL ? r->arena : &own, line, size, err);

    pp_arena_done(&own);
    return pp_wrap(err, st, "line %zu", r->chain.line_count + 1);
}

static pp_status read_lines(reader *r, const char *bytes, size_t size, pp_error *err)
{
    const char *at = bytes;
    const char *end = bytes + size;

    if (size == 0)
        return pp_fail(err, PP_ERR_SYNTAX, "line 1: expected the begin of a study, got nothing");
    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        pp_status st;

        if (line_end == NULL)
            return pp_fail(err, PP_ERR_SYNTAX, "line %zu does not end: the file breaks off",
                           r->chain.line_count + 1);
        st = add_line(r, at, (size_t)(line_end - at) + 1, err);
        if (st != PP_OK)
            return st;
        at = line_end + 1;
    }
    return PP_OK;
}

pp_status pp_journal_chain_read(pp_arena *arena, const char *bytes, size_t size,
                                pp_journal_line_fn each, void *user, pp_journal_chain *ret_chain,
                                pp_error *err)
{
    reader r = {.arena = arena, .each = each, .user = user};
    pp_status st = read_lines(&r, bytes, size, err);

    if (st == PP_OK)
        *ret_chain = r.chain;
    return st;
}

pp_status pp_journal_chain_check(const char *bytes, size_t size, pp_journal_chain *ret_chain,
                                 pp_error *err)
{
    return pp_journal_chain_read(NULL, bytes, size, NULL, NULL, ret_chain, err);
}

size_t pp_journal_whole_size(const char *bytes, size_t size)
{
    while (size > 0 && bytes[size - 1] != '\n')
        size--;
    return size;
}

const char *pp_journal_ending_name(pp_journal_ending ending)
{
    static const char *const names[] = {"without an end", "ended", "stopped"};

    return names[ending];
}
