/* What a chain of hashes promises, tried on the journal of a real study: no line but the last can
 * change, and none can go missing, come twice or move, unless it is at the end. */
#include <string.h>

#include "base/files.h"
#include "base/text.h"
#include "evidence/journal_chain.h"
#include "shared.h"

#define MAX_LINES 16

typedef struct journal {
    pp_arena arena;
    pp_buf bytes;
    pp_text lines[MAX_LINES]; /* with their LF */
    size_t count;
} journal;

static journal load(const char *name)
{
    journal j = {0};
    pp_error err = {0};
    const char *path = fixture_path(&j.arena, name);
    const char *at, *end;

    pp_buf_init(&j.bytes, 1 << 20);
    assert_ok(pp_file_read(path, &j.bytes, &err), err);
    at = pp_buf_text(&j.bytes);
    end = at + j.bytes.size;
    while (at < end) {
        const char *next = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;

        assert_true(j.count < MAX_LINES);
        j.lines[j.count++] = (pp_text){at, (size_t)(next - at)};
        at = next;
    }
    return j;
}

static void unload(journal *j)
{
    pp_buf_done(&j->bytes);
    pp_arena_done(&j->arena);
}

static pp_status check_order(const journal *j, const size_t *order, size_t n,
                             pp_journal_chain *ret_chain, pp_error *err)
{
    pp_buf bytes;
    pp_status st;

    pp_buf_init(&bytes, 1 << 20);
    for (size_t i = 0; i < n; i++)
        pp_buf_append(&bytes, j->lines[order[i]].data, j->lines[order[i]].size);
    st = pp_journal_chain_check(pp_buf_text(&bytes), bytes.size, ret_chain, err);
    pp_buf_done(&bytes);
    return st;
}

static void a_journal_holds_and_says_how_it_ended(void **state)
{
    static const struct {
        const char *name;
        pp_journal_ending want;
    } rows[] = {
        {"documents/journal.jsonl", PP_JOURNAL_ENDED},
        {"documents/journal-stopped.jsonl", PP_JOURNAL_STOPPED},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        journal j = load(rows[i].name);
        pp_journal_chain chain;
        pp_error err = {0};

        assert_ok(pp_journal_chain_check(pp_buf_text(&j.bytes), j.bytes.size, &chain, &err), err);
        assert_int_equal(chain.line_count, 7);
        assert_int_equal(chain.ending, rows[i].want);
        unload(&j);
    }
}

static void lines_cut_off_at_the_end_leave_a_journal_without_an_end(void **state)
{
    static const size_t order[] = {0, 1, 2, 3, 4, 5};
    journal j = load("documents/journal.jsonl");

    (void)state;
    for (size_t n = 1; n <= PP_COUNT_OF(order); n++) {
        pp_journal_chain chain;
        pp_error err = {0};

        assert_ok(check_order(&j, order, n, &chain, &err), err);
        assert_int_equal(chain.line_count, n);
        assert_int_equal(chain.ending, PP_JOURNAL_OPEN);
    }
    unload(&j);
}

static void no_line_but_the_last_can_change(void **state)
{
    journal j = load("documents/journal.jsonl");
    size_t last = j.bytes.size - j.lines[j.count - 1].size;

    (void)state;
    for (size_t i = 0; i < last; i++) {
        pp_journal_chain chain;
        pp_error err = {0};

        j.bytes.data[i] ^= 1;
        if (pp_journal_chain_check(pp_buf_text(&j.bytes), j.bytes.size, &chain, &err) == PP_OK)
            fail_msg("byte %zu changed, and nothing was said", i);
        assert_true(strncmp(err.text, "line ", 5) == 0);
        j.bytes.data[i] ^= 1;
    }
    unload(&j);
}

/* Every order in which one line is missing, comes twice, or has changed places with another. */
static void no_line_can_go_missing_come_twice_or_move(void **state)
{
    journal j = load("documents/journal.jsonl");

    (void)state;
    for (size_t a = 0; a < j.count; a++) {
        for (size_t b = 0; b < j.count; b++) {
            size_t order[MAX_LINES + 1];
            size_t n = 0;
            pp_journal_chain chain;
            pp_error err = {0};

            for (size_t i = 0; i < j.count; i++) {
                if (a == b && i == a)
                    continue; /* missing */
                order[n++] = i == a ? b : i == b ? a : i;
            }
            if (a == b && a == j.count - 1)
                continue; /* cut off at the end */
            assert_int_equal(check_order(&j, order, n, &chain, &err), PP_ERR_SCHEMA);
        }
        for (size_t at = 0; at <= j.count; at++) { /* twice */
            size_t order[MAX_LINES + 1];
            pp_journal_chain chain;
            pp_error err = {0};

            for (size_t i = 0; i <= j.count; i++)
                order[i] = i == at ? a : i - (i > at);
            assert_int_equal(check_order(&j, order, j.count + 1, &chain, &err), PP_ERR_SCHEMA);
        }
    }
    unload(&j);
}

/* The two hashes are those that sha256sum gives for lines 3 and 4 of the fixture. */
static void a_refusal_names_the_line_what_was_found_and_what_belongs_there(void **state)
{
    static const size_t without_the_fourth[] = {0, 1, 2, 4, 5, 6};
    journal j = load("documents/journal.jsonl");
    pp_journal_chain chain;
    pp_error err = {0};

    (void)state;
    assert_int_equal(check_order(&j, without_the_fourth, 6, &chain, &err), PP_ERR_SCHEMA);
    assert_string_equal(
        err.text,
        "line 4: $.previous_sha256: expected "
        "7395b1f9707aab0d3177f73081df38bbefe5af9e3db43bf621acf7b572d1fc77, the SHA-256 of line 3, "
        "got fd16f2855d734515fa47deb3c25204610476a98a3ed7155d7052950baa2fa010; a line was changed, "
        "taken out, put in or moved");
    unload(&j);
}

static void a_file_that_is_empty_or_breaks_off_is_refused(void **state)
{
    journal j = load("documents/journal.jsonl");

    (void)state;
    for (size_t cut = 1; cut < j.lines[j.count - 1].size; cut++) {
        pp_journal_chain chain;
        pp_error err = {0};

        assert_int_equal(
            pp_journal_chain_check(pp_buf_text(&j.bytes), j.bytes.size - cut, &chain, &err),
            PP_ERR_SYNTAX);
        assert_string_equal(err.text, "line 7 does not end: the file breaks off");
    }
    assert_int_equal(pp_journal_chain_check("", 0, &(pp_journal_chain){0}, NULL), PP_ERR_SYNTAX);
    unload(&j);
}

static pp_status check_all(const void *context, pp_error *err)
{
    const journal *j = context;
    pp_journal_chain chain;

    return pp_journal_chain_check(j->bytes.data, j->bytes.size, &chain, err);
}

static void missing_memory_is_an_error(void **state)
{
    journal j = load("documents/journal.jsonl");

    (void)state;
    assert_true(check_missing_memory(check_all, &j) > 0);
    unload(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_journal_holds_and_says_how_it_ended),
        cmocka_unit_test(lines_cut_off_at_the_end_leave_a_journal_without_an_end),
        cmocka_unit_test(no_line_but_the_last_can_change),
        cmocka_unit_test(no_line_can_go_missing_come_twice_or_move),
        cmocka_unit_test(a_refusal_names_the_line_what_was_found_and_what_belongs_there),
        cmocka_unit_test(a_file_that_is_empty_or_breaks_off_is_refused),
        cmocka_unit_test(missing_memory_is_an_error),
    };

    return cmocka_run_group_tests_name("evidence/journal_chain", tests, NULL, NULL);
}
