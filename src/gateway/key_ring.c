#include "gateway/key_ring.h"

#include <string.h>
#include <sys/stat.h>

#include "base/files.h"
#include "net/http_syntax.h"
#include "json/lines.h"

#define DIGEST_PREFIX "sha256:"

/* ---- the file ------------------------------------------------------------------------------ */

typedef struct ring_reader {
    pp_arena *arena;
    pp_line_reader lines;
    pp_key_ring ring;
    size_t *line_numbers; /* of each entry */
    size_t capacity;
} ring_reader;

/* Messages name lines, never what stands in them: that may be a key where a name was meant. */
#define fail_line(r, err, ...)                                                                     \
    pp_wrap((err), pp_fail((err), PP_ERR_SYNTAX, __VA_ARGS__), "%s line %zu", (r)->lines.name,     \
            (r)->lines.number)

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

static bool is_name(pp_text text)
{
    for (size_t i = 0; i < text.size; i++)
        if (!is_name_char(text.data[i]))
            return false;
    return text.size > 0 && text.size <= PP_KEY_NAME_MAX;
}

static bool is_printable(pp_text key)
{
    for (size_t i = 0; i < key.size; i++)
        if (key.data[i] <= ' ' || key.data[i] > '~')
            return false;
    return true;
}

/* The part up to a blank; `rest` gets what follows behind the blanks. */
static pp_text take_word(pp_text text, pp_text *rest)
{
    size_t size = 0;

    while (size < text.size && text.data[size] != ' ' && text.data[size] != '\t')
        size++;
    *rest = pp_http_without_blanks((pp_text){text.data + size, text.size - size});
    return (pp_text){text.data, size};
}

static pp_status read_digest(const ring_reader *r, pp_text digits, pp_key_entry *entry,
                             pp_error *err)
{
    static const char lower[] = "0123456789abcdef";

    if (digits.size != PP_SHA256_HEX_SIZE - 1)
        return fail_line(r, err, "expected 64 hexadecimal digits behind " DIGEST_PREFIX ", got %zu",
                         digits.size);
    for (size_t i = 0; i < digits.size; i++) {
        const int value = pp_http_hex_value((unsigned char)digits.data[i]);

        if (value < 0)
            return fail_line(r, err, "digit %zu of the SHA-256 is no hexadecimal digit", i + 1);
        entry->sha256[i] = lower[value];
    }
    return PP_OK;
}

static pp_status read_key(const ring_reader *r, pp_text key, pp_key_entry *entry, pp_error *err)
{
    const size_t prefix = strlen(DIGEST_PREFIX);

    if (key.size >= prefix && memcmp(key.data, DIGEST_PREFIX, prefix) == 0)
        return read_digest(r, (pp_text){key.data + prefix, key.size - prefix}, entry, err);
    if (key.size < PP_KEY_MIN_CHARACTERS || key.size > PP_KEY_MAX_CHARACTERS)
        return fail_line(r, err, "expected a key of %zu to %zu characters, got %zu",
                         PP_KEY_MIN_CHARACTERS, PP_KEY_MAX_CHARACTERS, key.size);
    if (!is_printable(key))
        return fail_line(r, err, "expected a key of printable ASCII characters without blanks");
    return pp_sha256_of(key.data, key.size, entry->sha256, err);
}

static pp_status check_new(const ring_reader *r, const pp_key_entry *entry, pp_error *err)
{
    for (size_t i = 0; i < r->ring.count; i++) {
        if (pp_text_equal(r->ring.entries[i].name, entry->name))
            return fail_line(r, err, "the name of line %zu again", r->line_numbers[i]);
        if (pp_sha256_equal(r->ring.entries[i].sha256, entry->sha256))
            return fail_line(r, err, "the key of line %zu again", r->line_numbers[i]);
    }
    return PP_OK;
}

static pp_status add_entry(ring_reader *r, const pp_key_entry *entry, pp_error *err)
{
    if (r->ring.count == r->capacity)
        return pp_fail(err, PP_ERR_LIMIT, "%s: more than %zu keys", r->lines.name, r->capacity);
    r->line_numbers[r->ring.count] = r->lines.number;
    r->ring.entries[r->ring.count++] = *entry;
    return PP_OK;
}

static pp_status read_line(ring_reader *r, pp_text line, pp_error *err)
{
    pp_key_entry entry = {0};
    pp_text name, key;
    pp_status st;

    if (line.size > 0 && line.data[line.size - 1] == '\r')
        line.size--;
    line = pp_http_without_blanks(line);
    if (line.size == 0 || line.data[0] == '#')
        return PP_OK;
    name = take_word(line, &key);
    if (key.size == 0)
        return fail_line(r, err, "expected a name, a blank and a key");
    if (!is_name(name))
        return fail_line(r, err, "expected a name of 1 to %zu letters, digits, '.', '_' or '-'",
                         PP_KEY_NAME_MAX);
    entry.name = pp_text_dup(r->arena, name);
    st = pp_arena_check(r->arena, err);
    if (st == PP_OK)
        st = read_key(r, key, &entry, err);
    if (st == PP_OK)
        st = check_new(r, &entry, err);
    return st == PP_OK ? add_entry(r, &entry, err) : st;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

pp_status pp_key_ring_parse(pp_arena *arena, const char *name, pp_bytes bytes,
                            pp_key_ring *ret_ring, pp_error *err)
{
    ring_reader r = {.arena = arena};
    pp_status st;
    pp_text line;

    pp_lines_init(&r.lines, name, bytes);
    pp_lines_skip_mark(&r.lines);
    r.capacity = smaller(pp_lines_count(&r.lines), PP_KEY_RING_MAX_KEYS);
    r.ring.entries = PP_ARENA_NEW(arena, pp_key_entry, r.capacity);
    r.line_numbers = PP_ARENA_NEW(arena, size_t, r.capacity);
    st = pp_arena_check(arena, err);
    while (st == PP_OK && pp_lines_next(&r.lines, &line))
        st = read_line(&r, line, err);
    if (st == PP_OK && r.ring.count == 0)
        st = pp_fail(err, PP_ERR_SYNTAX, "%s: no key stands in it; expected lines NAME KEY", name);
    if (st == PP_OK)
        *ret_ring = r.ring;
    return st;
}

static pp_status look_who_reads(const char *path, bool *ret_others_read, pp_error *err)
{
    struct stat info;

    if (stat(path, &info) != 0)
        return pp_fail(err, PP_ERR_IO, "cannot stat '%s'", path);
    *ret_others_read = (info.st_mode & (S_IRGRP | S_IROTH)) != 0;
    return PP_OK;
}

pp_status pp_key_ring_load(pp_arena *arena, const char *path, pp_key_ring *ret_ring,
                           bool *ret_others_read, pp_error *err)
{
    pp_status st;
    pp_buf bytes;

    pp_buf_init(&bytes, PP_KEY_RING_MAX_BYTES);
    st = pp_file_read(path, &bytes, err);
    if (st == PP_OK)
        st = look_who_reads(path, ret_others_read, err);
    if (st == PP_OK)
        st = pp_key_ring_parse(
            arena, path, (pp_bytes){(const unsigned char *)bytes.data, bytes.size}, ret_ring, err);
    if (bytes.size > 0)
        explicit_bzero(bytes.data, bytes.size);
    pp_buf_done(&bytes);
    return pp_wrap(err, st, "reading API keys");
}

/* ---- a request ----------------------------------------------------------------------------- */

/* The key of "Bearer KEY"; empty when it is none. */
static pp_text bearer_key(pp_text authorization)
{
    pp_text key;

    if (!pp_http_name_is(take_word(pp_http_without_blanks(authorization), &key), "Bearer"))
        return (pp_text){0};
    return key;
}

pp_status pp_key_ring_find(const pp_key_ring *ring, pp_text authorization,
                           pp_key_answer *ret_answer, pp_error *err)
{
    const pp_text key = authorization.size > 0 ? bearer_key(authorization) : (pp_text){0};
    char sha256[PP_SHA256_HEX_SIZE];
    pp_status st;

    *ret_answer = (pp_key_answer){.verdict = PP_KEY_MISSING};
    if (key.size == 0)
        return PP_OK;
    ret_answer->verdict = PP_KEY_REJECTED;
    st = pp_sha256_of(key.data, key.size, sha256, err);
    if (st != PP_OK)
        return st;
    for (size_t i = 0; i < ring->count; i++) {
        if (pp_sha256_equal(ring->entries[i].sha256, sha256)) {
            ret_answer->verdict = PP_KEY_ACCEPTED;
            ret_answer->index = i;
        }
    }
    if (ret_answer->verdict == PP_KEY_REJECTED)
        memcpy(ret_answer->fingerprint, sha256, PP_KEY_FINGERPRINT_SIZE - 1);
    return PP_OK;
}
