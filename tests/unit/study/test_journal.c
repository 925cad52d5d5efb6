#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/files.h"
#include "digest/sha256.h"
#include "evidence/journal_chain.h"
#include "shared.h"
#include "study/journal.h"

typedef struct place {
    pp_arena arena;
    const char *folder, *path;
} place;

static place begin(void)
{
    place p = {0};

    p.folder = make_temp_folder(&p.arena);
    p.path = pp_path_join(&p.arena, p.folder, "journal.jsonl");
    return p;
}

static void end(place *p)
{
    remove_folder(p->folder);
    pp_arena_done(&p->arena);
}

/* A journal of three lines, let go of. */
static void write_three(place *p)
{
    pp_json *fields = pp_json_new_object(&p->arena);
    pp_json *reason = pp_json_new_object(&p->arena);
    pp_journal *journal = NULL;
    pp_error err = {0};

    pp_json_set_string(&p->arena, fields, "study_id", "s");
    pp_json_set_string(&p->arena, fields, "paretopilot_version", "1");
    pp_json_set_string(&p->arena, fields, "plan_sha256",
                       "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
    pp_json_set_string(&p->arena, reason, "reason", "tea \xc3\xa9");
    assert_ok(pp_journal_create(p->path, &journal, &err), err);
    assert_ok(pp_journal_append(journal, &p->arena, "begin", fields, &err), err);
    assert_ok(pp_journal_append(journal, &p->arena, "preflight-passed", NULL, &err), err);
    assert_ok(pp_journal_append(journal, &p->arena, "stopped", reason, &err), err);
    pp_journal_free(journal);
}

static pp_buf read_bytes(const char *path)
{
    pp_error err = {0};
    pp_buf bytes;

    pp_buf_init(&bytes, 65536);
    assert_ok(pp_file_read(path, &bytes, &err), err);
    return bytes;
}

static void overwrite(const char *path, const char *bytes, size_t size)
{
    pp_error err = {0};

    assert_ok(pp_file_replace(path, bytes, size, &err), err);
}

static pp_journal *open_again(place *p)
{
    pp_journal *journal = NULL;
    pp_error err = {0};
    pp_buf bytes;

    pp_buf_init(&bytes, 65536);
    assert_ok(pp_journal_open(p->path, &bytes, &journal, &err), err);
    pp_buf_done(&bytes);
    return journal;
}

static void each_line_carries_the_hash_of_the_line_before(void **state)
{
    place p = begin();
    pp_error err = {0};
    pp_journal *journal = NULL;
    char expected[PP_SHA256_HEX_SIZE] = "";
    size_t lines = 0;
    pp_buf bytes;

    (void)state;
    write_three(&p);
    assert_int_equal(pp_journal_create(p.path, &journal, &err), PP_ERR_EXISTS);
    bytes = read_bytes(p.path);
    for (const char *line = bytes.data; *line != '\0'; lines++) {
        size_t size = strcspn(line, "\n") + 1;
        const pp_json *root;
        const pp_json *previous;

        assert_ok(pp_json_parse(&p.arena, "line", line, size, &root, &err), err);
        assert_int_equal(pp_json_find(root, "seq")->integer, lines);
        previous = pp_json_find(root, "previous_sha256");
        if (lines == 0)
            assert_int_equal(previous->kind, PP_JSON_NULL);
        else
            assert_string_equal(previous->text.data, expected);
        assert_ok(pp_sha256_of(line, size, expected, &err), err);
        line += size;
    }
    assert_int_equal(lines, 3);
    pp_buf_done(&bytes);
    end(&p);
}

/* ---- crashes -----------------------------------------------------------------------------------
 */

/* The chain holds, and the last line is `torn` with these files, whose bytes are these. */
static void assert_mended(place *p, size_t line_count, const char *const *rests,
                          const size_t *rest_sizes, size_t rest_count)
{
    pp_buf journal = read_bytes(p->path);
    const char *last = pp_buf_text(&journal) + journal.size - 1;
    pp_journal_chain chain;
    const pp_json *root, *files;
    pp_error err = {0};

    assert_ok(pp_journal_chain_check(pp_buf_text(&journal), journal.size, &chain, &err), err);
    assert_int_equal(chain.line_count, line_count);
    while (last > journal.data && last[-1] != '\n')
        last--;
    assert_ok(pp_json_parse(&p->arena, "line", last, (size_t)(journal.data + journal.size - last),
                            &root, &err),
              err);
    files = pp_json_find(root, "files");
    assert_non_null(files);
    assert_int_equal(files->array.count, rest_count);
    for (size_t i = 0; i < rest_count; i++) {
        const pp_json *file = files->array.items[i];
        char hex[PP_SHA256_HEX_SIZE];
        pp_buf kept =
            read_bytes(pp_path_join(&p->arena, p->folder, pp_json_find(file, "path")->text.data));

        assert_int_equal(kept.size, rest_sizes[i]);
        assert_memory_equal(kept.data, rests[i], rest_sizes[i]);
        assert_ok(pp_sha256_of(rests[i], rest_sizes[i], hex, &err), err);
        assert_string_equal(pp_json_find(file, "sha256")->text.data, hex);
        pp_buf_done(&kept);
    }
    pp_buf_done(&journal);
}

static void mend(place *p)
{
    pp_journal *journal = open_again(p);
    pp_error err = {0};

    assert_ok(pp_journal_mend(journal, &p->arena, &err), err);
    pp_journal_free(journal);
}

static size_t size_of_two_lines(const pp_buf *whole)
{
    const char *first = memchr(whole->data, '\n', whole->size);

    return (size_t)(strchr(first + 1, '\n') - whole->data) + 1;
}

static void a_line_cut_at_any_byte_is_put_aside(void **state)
{
    place p = begin();
    pp_buf whole;
    size_t two;

    (void)state;
    write_three(&p);
    whole = read_bytes(p.path);
    two = size_of_two_lines(&whole);
    for (size_t cut = two + 1; cut < whole.size; cut++) {
        const char *rest = whole.data + two;
        size_t rest_size = cut - two;
        const char *torn = pp_path_join(&p.arena, p.folder, "journal.jsonl.torn-2-1");

        overwrite(p.path, whole.data, cut);
        mend(&p);
        assert_mended(&p, 3, &rest, &rest_size, 1);
        assert_int_equal(remove(torn), 0);
    }
    overwrite(p.path, whole.data, whole.size); /* nothing is missing: nothing is done */
    mend(&p);
    overwrite(p.path, whole.data, two);
    mend(&p);
    assert_false(pp_path_exists(pp_path_join(&p.arena, p.folder, "journal.jsonl.torn-2-1")));
    pp_buf_done(&whole);
    end(&p);
}

/* Mending itself is cut off: behind each of its three acts, and inside the line it writes. */
static void a_crash_while_mending_is_mended(void **state)
{
    place p = begin();
    const char *torn = pp_path_join(&p.arena, p.folder, "journal.jsonl.torn-2-1");
    const char *second = pp_path_join(&p.arena, p.folder, "journal.jsonl.torn-2-2");
    pp_buf whole, mended;
    size_t two, rest_sizes[2];
    const char *rests[2];

    (void)state;
    write_three(&p);
    whole = read_bytes(p.path);
    two = size_of_two_lines(&whole);
    rests[0] = whole.data + two;
    rest_sizes[0] = 20;

    overwrite(torn, rests[0], rest_sizes[0]); /* the rest is kept, and not yet cut off */
    overwrite(p.path, whole.data, two + rest_sizes[0]);
    mend(&p);
    assert_mended(&p, 3, rests, rest_sizes, 1);
    assert_false(pp_path_exists(second));

    overwrite(p.path, whole.data, two); /* it is cut off, and no line says so */
    mend(&p);
    assert_mended(&p, 3, rests, rest_sizes, 1);

    mended = read_bytes(p.path);
    for (size_t cut = two + 1; cut < mended.size; cut++) { /* the line that says so is cut off */
        overwrite(p.path, mended.data, cut);
        rests[1] = mended.data + two;
        rest_sizes[1] = cut - two;
        mend(&p);
        if (memcmp(rests[0], rests[1], rest_sizes[1] < 20 ? rest_sizes[1] : 20) == 0 &&
            rest_sizes[1] == 20) {
            assert_mended(&p, 3, rests, rest_sizes, 1);
            continue;
        }
        assert_mended(&p, 3, rests, rest_sizes, 2);
        assert_int_equal(remove(second), 0);
    }
    pp_buf_done(&mended);
    pp_buf_done(&whole);
    end(&p);
}

static void nothing_is_appended_behind_a_cut_line(void **state)
{
    place p = begin();
    pp_error err = {0};
    pp_journal *journal;
    pp_buf whole;

    (void)state;
    write_three(&p);
    whole = read_bytes(p.path);
    overwrite(p.path, whole.data, whole.size - 3);
    journal = open_again(&p);
    assert_int_equal(pp_journal_append(journal, &p.arena, "end", NULL, &err), PP_ERR_BUG);
    assert_ok(pp_journal_mend(journal, &p.arena, &err), err);
    assert_ok(pp_journal_append(journal, &p.arena, "end", NULL, &err), err);
    pp_journal_free(journal);
    pp_buf_done(&whole);
    end(&p);
}

static void a_journal_whose_whole_lines_are_no_chain_is_not_opened(void **state)
{
    place p = begin();
    pp_journal *journal = NULL;
    pp_error err = {0};
    pp_buf whole, bytes;

    (void)state;
    write_three(&p);
    whole = read_bytes(p.path);
    whole.data[10] ^= 1;
    overwrite(p.path, whole.data, whole.size);
    pp_buf_init(&bytes, 65536);
    assert_int_not_equal(pp_journal_open(p.path, &bytes, &journal, &err), PP_OK);
    assert_contains(err.text, p.path);
    assert_contains(err.text, "line ");
    pp_buf_done(&bytes);
    pp_buf_done(&whole);
    end(&p);
}

/* ---- full disks --------------------------------------------------------------------------------
 */

static void what_does_not_fit_is_taken_back(void **state)
{
    place p = begin();
    struct rlimit all;
    pp_journal *journal;
    pp_error err = {0};
    pp_buf before, after;

    (void)state;
    write_three(&p);
    before = read_bytes(p.path);
    journal = open_again(&p);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &all), 0);
    (void)signal(SIGXFSZ, SIG_IGN);
    for (size_t room = 0; room < 100; room += 33) {
        const struct rlimit little = {.rlim_cur = before.size + room, .rlim_max = all.rlim_max};

        assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
        err = (pp_error){0};
        assert_int_equal(pp_journal_append(journal, &p.arena, "end", NULL, &err), PP_ERR_IO);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &all), 0);
        assert_contains(err.text, p.path);
        after = read_bytes(p.path);
        assert_int_equal(after.size, before.size);
        pp_buf_done(&after);
    }
    assert_ok(pp_journal_append(journal, &p.arena, "end", NULL, &err), err);
    pp_journal_free(journal);
    journal = open_again(&p); /* the chain holds */
    pp_journal_free(journal);
    pp_buf_done(&before);
    end(&p);
}

/* ---- one at a time -----------------------------------------------------------------------------
 */

static void a_journal_has_one_holder(void **state)
{
    place p = begin();
    pp_journal *first, *second = NULL;
    pp_error err = {0};
    bool held = true;
    pp_buf bytes;

    (void)state;
    pp_buf_init(&bytes, 65536);
    write_three(&p);
    assert_ok(pp_journal_is_held(p.path, &held, &err), err);
    assert_false(held);
    first = open_again(&p);
    assert_ok(pp_journal_is_held(p.path, &held, &err), err);
    assert_true(held);
    assert_ok(pp_journal_is_held(p.path, &held, &err), err); /* asking let nobody in */
    assert_true(held);
    assert_int_equal(pp_journal_open(p.path, &bytes, &second, &err), PP_ERR_DOMAIN);
    assert_contains(err.text, "another process works on this study");
    pp_journal_free(first);
    assert_ok(pp_journal_is_held(p.path, &held, &err), err);
    assert_false(held);
    second = open_again(&p);
    pp_journal_free(second);
    pp_buf_done(&bytes);
    end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_line_carries_the_hash_of_the_line_before),
        cmocka_unit_test(a_line_cut_at_any_byte_is_put_aside),
        cmocka_unit_test(a_crash_while_mending_is_mended),
        cmocka_unit_test(nothing_is_appended_behind_a_cut_line),
        cmocka_unit_test(a_journal_whose_whole_lines_are_no_chain_is_not_opened),
        cmocka_unit_test(what_does_not_fit_is_taken_back),
        cmocka_unit_test(a_journal_has_one_holder),
    };

    if (access("/dev/shm", W_OK) == 0) /* hundreds of crashes, each with five syncs */
        (void)setenv("TMPDIR", "/dev/shm", 0);
    return cmocka_run_group_tests_name("study/journal", tests, NULL, NULL);
}
