#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "intake/llama_bench.h"
#include "shared.h"

static pp_status parse(pp_arena *arena, const char *text, pp_bench_rows *rows, pp_error *err)
{
    return pp_bench_parse(arena, "t.jsonl", text, strlen(text), rows, err);
}

static void rates_come_from_exact_samples(void **state)
{
    static const char text[] =
        "build: 1\n"
        "{\"n_prompt\":512,\"n_gen\":0,\"samples_ns\":[1000000000,2000000000],\"avg_ts\":nan}\r\n"
        "\n"
        "warning: {odd}\n"
        "{\"n_prompt\":0,\"n_gen\":8,\"n_depth\":4,\"samples_ns\":[4],\"new_field\":"
        "\"\xe2\x80\xa8\"}\n"
        "{\"n_prompt\":2,\"n_gen\":1,\"samples_ns\":[3],\"model_filename\":\"inf nan\"}\n"
        "{\"n_prompt\":512,\"n_g";
    pp_arena arena = {0};
    pp_error err = {0};
    pp_bench_rows rows;

    (void)state;
    assert_ok(parse(&arena, text, &rows, &err), err);
    assert_int_equal(rows.count, 3);
    assert_int_equal(rows.other_line_count, 2);
    assert_true(rows.truncated);
    assert_int_equal(rows.items[0].kind, PP_BENCH_PP);
    assert_int_equal(rows.items[0].line, 2);
    assert_int_equal(rows.items[0].n_depth, PP_BENCH_UNKNOWN);
    assert_true(pp_bench_rate(&rows.items[0], 1) == 256.0);
    assert_int_equal(rows.items[1].kind, PP_BENCH_TG);
    assert_int_equal(rows.items[1].n_depth, 4);
    assert_int_equal(rows.items[2].kind, PP_BENCH_PG);
    assert_true(pp_text_is(rows.items[2].model_filename, "inf nan"));
    assert_true(pp_bench_rate(&rows.items[2], 0) == 1e9);
    pp_arena_done(&arena);
}

static const struct {
    const char *name;
    const char *text;
    const char *want;
} refused[] = {
    {"no samples", "x\n{\"n_prompt\":1,\"n_gen\":0,\"samples_ns\":[]}\n",
     "t.jsonl:2: $.samples_ns"},
    {"samples that are not whole", "{\"n_prompt\":1,\"n_gen\":0,\"samples_ns\":[1.5]}\n",
     "$.samples_ns[0]: expected an integer"},
    {"nan as a sample", "{\"n_prompt\":1,\"n_gen\":0,\"samples_ns\":[nan]}\n", "got null"},
    {"zero time", "{\"n_prompt\":1,\"n_gen\":0,\"samples_ns\":[0]}\n", "got 0"},
    {"no tokens", "{\"n_prompt\":0,\"n_gen\":0,\"samples_ns\":[1]}\n", "both 0"},
    {"a boolean is no number", "{\"n_prompt\":true,\"n_gen\":0,\"samples_ns\":[1]}\n",
     "$.n_prompt: expected an integer, got boolean"},
    {"broken in the middle", "{\"n_prompt\":1,\n{}\n", "t.jsonl:1:"},
    {"duplicate key", "{\"n_prompt\":1,\"n_prompt\":2}\n", "t.jsonl:1:"},
};

static void bad_rows_name_source_and_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(refused); i++) {
        pp_arena arena = {0};
        pp_error err = {0};
        pp_bench_rows rows;

        if (parse(&arena, refused[i].text, &rows, &err) == PP_OK)
            fail_msg("%s: accepted", refused[i].name);
        assert_contains(err.text, refused[i].want);
        pp_arena_done(&arena);
    }
}

static void rows_pool_only_when_their_set_up_is_equal(void **state)
{
    static const char text[] =
        "{\"n_prompt\":0,\"n_gen\":10,\"n_depth\":0,\"samples_ns\":[1000000000],\"test_time\":"
        "\"1\"}\n"
        "{\"n_prompt\":0,\"n_gen\":10,\"n_depth\":4096,\"samples_ns\":[2500000000]}\n"
        "{\"n_gen\":10,\"n_prompt\":0,\"n_depth\":0,\"samples_ns\":[2000000000],\"avg_ns\":7}\n"
        "{\"n_prompt\":0,\"n_gen\":10,\"n_depth\":0,\"samples_ns\":[1],\"future_switch\":1}\n";
    pp_arena arena = {0};
    pp_error err = {0};
    pp_bench_rows rows;
    pp_bench_pool *pools;
    size_t count;

    (void)state;
    assert_ok(parse(&arena, text, &rows, &err), err);
    assert_ok(pp_bench_pool_rows(&arena, rows.items, rows.count, &pools, &count, &err), err);
    assert_int_equal(count, 3);
    assert_int_equal(pools[0].row_count, 2);
    assert_int_equal(pools[0].sample_count, 2);
    assert_true(pools[0].duration_ns_median == 1.5e9);
    assert_true(pools[0].tokens_per_second_median == 7.5); /* of 10 and 5 */
    assert_int_equal(pools[1].first->n_depth, 4096);
    assert_true(pools[1].tokens_per_second_median == 4.0);
    pp_arena_done(&arena);
}

/* Same model, same test, another way of loading or repacking: two set-ups, old and new name. */
static void b133_load_modes_are_never_pooled(void **state)
{
    static const char text[] =
        "{\"n_prompt\":0,\"n_gen\":10,\"use_mmap\":true,\"samples_ns\":[1000000000]}\n"
        "{\"n_prompt\":0,\"n_gen\":10,\"use_mmap\":false,\"samples_ns\":[1000000000]}\n"
        "{\"n_prompt\":0,\"n_gen\":10,\"load_mode\":\"mlock\",\"samples_ns\":[1000000000]}\n"
        "{\"n_prompt\":0,\"n_gen\":10,\"load_mode\":\"dio\",\"samples_ns\":[1000000000]}\n"
        "{\"n_prompt\":0,\"n_gen\":10,\"use_mmap\":true,\"repack\":false,"
        "\"samples_ns\":[1000000000]}\n"
        "{\"n_prompt\":0,\"n_gen\":10,\"use_mmap\":true,\"samples_ns\":[3000000000]}\n";
    pp_arena arena = {0};
    pp_error err = {0};
    pp_bench_rows rows;
    pp_bench_pool *pools;
    size_t count;

    (void)state;
    assert_ok(parse(&arena, text, &rows, &err), err);
    assert_ok(pp_bench_pool_rows(&arena, rows.items, rows.count, &pools, &count, &err), err);
    assert_int_equal(count, 5);
    assert_int_equal(pools[0].sample_count, 2);
    assert_true(pools[0].duration_ns_median == 2e9);
    pp_arena_done(&arena);
}

static bool same_row(const pp_bench_row *a, const pp_bench_row *b)
{
    return a->kind == b->kind && a->n_prompt == b->n_prompt && a->n_gen == b->n_gen &&
           a->n_depth == b->n_depth && a->sample_count == b->sample_count &&
           memcmp(a->samples_ns, b->samples_ns, a->sample_count * sizeof *a->samples_ns) == 0;
}

static void a_file_cut_anywhere_gives_no_wrong_number(void **state)
{
    pp_arena names = {0};
    pp_error err = {0};
    const char *path = shared_path_or_skip(&names, "samples/llama-bench.jsonl");
    pp_bench_rows whole;
    pp_buf bytes;

    (void)state;
    pp_buf_init(&bytes, PP_BENCH_MAX_BYTES);
    assert_ok(pp_file_read(path, &bytes, &err), err);
    assert_ok(pp_bench_parse(&names, path, bytes.data, bytes.size, &whole, &err), err);
    assert_int_equal(whole.count, 16);
    for (size_t cut = 0; cut < bytes.size; cut++) {
        pp_arena arena = {0};
        pp_bench_rows rows;
        char *copy = malloc(cut + 1); /* of its own, so that reading past the end is found */

        assert_non_null(copy);
        memcpy(copy, bytes.data, cut);
        assert_ok(pp_bench_parse(&arena, path, copy, cut, &rows, &err), err);
        assert_int_equal(rows.other_line_count, 0);
        for (size_t i = 0; i < rows.count; i++) {
            if (!same_row(&rows.items[i], &whole.items[i]))
                fail_msg("cut at byte %zu: row %zu differs", cut, i);
        }
        if (cut > 0 && !rows.truncated && bytes.data[cut - 1] != '\n' && bytes.data[cut - 1] != '}')
            fail_msg("cut at byte %zu is not marked", cut);
        free(copy);
        pp_arena_done(&arena);
    }
    pp_buf_done(&bytes);
    pp_arena_done(&names);
}

/* llama-bench prints its own rates with six digits. */
static void rates_agree_with_the_printed_ones(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    const char *path = shared_path_or_skip(&arena, "samples/llama-bench.jsonl");
    pp_bench_rows rows;
    pp_buf bytes;

    (void)state;
    pp_buf_init(&bytes, PP_BENCH_MAX_BYTES);
    assert_ok(pp_file_read(path, &bytes, &err), err);
    assert_ok(pp_bench_parse(&arena, path, bytes.data, bytes.size, &rows, &err), err);
    for (size_t i = 0; i < rows.count; i++) {
        const pp_json *printed = pp_json_find(rows.items[i].fields, "samples_ts");

        for (size_t j = 0; j < rows.items[i].sample_count; j++) {
            double want;
            double got = pp_bench_rate(&rows.items[i], j);

            assert_ok(pp_json_get_number(printed->array.items[j], &want, &err), err);
            if (fabs(got - want) > 5e-6 * want)
                fail_msg("row %zu, sample %zu: %g, printed %g", i, j, got, want);
        }
    }
    pp_buf_done(&bytes);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_come_from_exact_samples),
        cmocka_unit_test(bad_rows_name_source_and_line),
        cmocka_unit_test(b133_load_modes_are_never_pooled),
        cmocka_unit_test(rows_pool_only_when_their_set_up_is_equal),
        cmocka_unit_test(a_file_cut_anywhere_gives_no_wrong_number),
        cmocka_unit_test(rates_agree_with_the_printed_ones),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
