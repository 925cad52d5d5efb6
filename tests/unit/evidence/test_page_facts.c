/* The plan of tests/fixtures/study/plan.json as the only file of a bundle. */
#include "evidence/page_facts.h"

#include <string.h>

#include "base/files.h"
#include "evidence/layout.h"
#include "shared.h"

typedef struct bundle {
    pp_arena arena;
    pp_checksum hashed[1];
    pp_verification verification;
    pp_report_bundle read;
    pp_error err;
} bundle;

static const char *plan_path(bundle *b)
{
    return pp_path_join(&b->arena, b->verification.folder, PP_BUNDLE_PLAN);
}

/* As pp_verify leaves it behind when the plan holds these bytes. */
static void check(bundle *b, const char *bytes, size_t size)
{
    b->hashed[0].path = PP_BUNDLE_PLAN;
    assert_ok(pp_sha256_of(bytes, size, b->hashed[0].sha256, &b->err), b->err);
    b->verification = (pp_verification){.folder = make_temp_folder(&b->arena),
                                        .hashed = {b->hashed, PP_COUNT_OF(b->hashed)}};
    assert_ok(pp_file_write_new(plan_path(b), bytes, size, &b->err), b->err);
}

static void check_plan(bundle *b)
{
    pp_buf bytes;

    pp_buf_init(&bytes, PP_JSON_MAX_BYTES);
    assert_ok(pp_file_read(fixture_path(&b->arena, "study/plan.json"), &bytes, &b->err), b->err);
    check(b, pp_buf_text(&bytes), bytes.size);
    pp_buf_done(&bytes);
}

static pp_status read_facts(bundle *b)
{
    return pp_page_facts_read(&b->arena, pp_text_of("demo"), &b->verification, &b->read, &b->err);
}

static void done(bundle *b)
{
    remove_folder(b->verification.folder);
    pp_arena_done(&b->arena);
}

static void the_plan_that_was_hashed_is_shown(void **state)
{
    bundle b = {0};

    (void)state;
    check_plan(&b);
    assert_ok(read_facts(&b), b.err);
    assert_non_null(b.read.plan);
    assert_int_equal(b.read.plan->candidate_count, 3);
    assert_null(b.read.unread);
    done(&b);
}

/* One blank more: the same plan, but not the file that the page says was checked. */
static void a_file_that_changed_after_the_check_is_refused(void **state)
{
    bundle b = {0};
    pp_buf bytes;

    (void)state;
    check_plan(&b);
    pp_buf_init(&bytes, PP_JSON_MAX_BYTES);
    assert_ok(pp_file_read(plan_path(&b), &bytes, &b.err), b.err);
    pp_buf_append_char(&bytes, ' ');
    assert_ok(pp_file_replace(plan_path(&b), bytes.data, bytes.size, &b.err), b.err);
    pp_buf_done(&bytes);
    assert_int_equal(read_facts(&b), PP_ERR_DOMAIN);
    assert_contains(b.err.text, "/plan.json' was changed while the bundle was read");
    done(&b);
}

static void a_file_that_came_after_the_check_is_refused(void **state)
{
    bundle b = {0};

    (void)state;
    check_plan(&b);
    b.verification.hashed.count = 0;
    assert_int_equal(read_facts(&b), PP_ERR_DOMAIN);
    assert_contains(b.err.text, "/plan.json' was changed while the bundle was read");
    done(&b);
}

static void a_broken_file_is_named(void **state)
{
    bundle b = {0};

    (void)state;
    check(&b, "{", 1);
    assert_ok(read_facts(&b), b.err);
    assert_null(b.read.plan);
    assert_string_equal(b.read.unread, "plan.json");
    done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_plan_that_was_hashed_is_shown),
        cmocka_unit_test(a_file_that_changed_after_the_check_is_refused),
        cmocka_unit_test(a_file_that_came_after_the_check_is_refused),
        cmocka_unit_test(a_broken_file_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
