#include "load/trace.h"

#include <string.h>

#include "base/clock.h"
#include "load/lengths.h"
#include "model/document_kinds.h"
#include "shared.h"

static pp_status parse(pp_arena *arena, const char *text, size_t size, double speed,
                       pp_trace *ret_trace, pp_error *err)
{
    return pp_trace_parse(arena, "t.jsonl", (pp_bytes){(const unsigned char *)text, size}, speed,
                          ret_trace, err);
}

static void lines_are_sorted_by_time_and_keep_their_order_else(void **state)
{
    static const char file[] = "{\"due_ms\":12.5,\"prompt_tokens\":128,\"output_tokens\":64}\n"
                               "{\"due_ms\":0,\"prompt\":\"\"}\n"
                               "{\"due_ms\":12.5,\"prompt\":\"b\"}\n"
                               "{\"due_ms\":0.000001,\"prompt_tokens\":1,\"output_tokens\":0}\n"
                               "{\"due_ms\":2592000000,\"prompt_tokens\":2}";
    pp_arena arena = {0};
    pp_trace trace = {0};
    pp_error err = {0};

    (void)state;
    assert_ok(parse(&arena, file, sizeof file - 1, 1, &trace, &err), err);
    assert_int_equal(trace.count, 5);
    assert_int_equal(trace.moved_count, 2);
    assert_int_equal(trace.entries[0].due_ns, 0);
    assert_non_null(trace.entries[0].prompt.data);
    assert_int_equal(trace.entries[0].prompt.size, 0);
    assert_false(trace.entries[0].output_tokens.known);
    assert_int_equal(trace.entries[1].due_ns, 1);
    assert_true(trace.entries[1].output_tokens.known && trace.entries[1].output_tokens.value == 0);
    assert_int_equal(trace.entries[2].due_ns, 12500000);
    assert_true(trace.entries[2].prompt_tokens.value == 128);
    assert_true(trace.entries[2].output_tokens.value == 64);
    assert_int_equal(trace.entries[3].due_ns, 12500000);
    assert_true(pp_text_is(trace.entries[3].prompt, "b"));
    assert_true(trace.entries[4].due_ns == 2592000000000000);
    pp_arena_done(&arena);
}

static void speed_divides_instants(void **state)
{
    static const char file[] = "{\"due_ms\":10,\"prompt\":\"\"}\n{\"due_ms\":25,\"prompt\":\"\"}\n";
    static const struct {
        double speed;
        int64_t want; /* of the second; -1: refused */
    } rows[] = {{1, 25000000}, {2, 12500000}, {0.5, 50000000}, {3, 8333333},   {1000, 25000},
                {0, -1},       {-1, -1},      {1001, -1},      {1.0 / 0.0, -1}};

    (void)state;
    for (size_t r = 0; r < PP_COUNT_OF(rows); r++) {
        pp_arena arena = {0};
        pp_trace trace = {0};
        pp_error err = {0};
        pp_status st = parse(&arena, file, sizeof file - 1, rows[r].speed, &trace, &err);

        assert_int_equal(st, rows[r].want < 0 ? PP_ERR_RANGE : PP_OK);
        if (st == PP_OK)
            assert_true(trace.entries[1].due_ns == rows[r].want);
        pp_arena_done(&arena);
    }
}

static void what_is_wrong_is_named_with_its_line(void **state)
{
    static const struct {
        const char *name;
        const char *file;
        pp_status want;
        const char *says[2];
    } rows[] = {
        {"no file", "", PP_ERR_SCHEMA, {"empty file"}},
        {"no instant", "{\"prompt\":\"a\"}\n", PP_ERR_SCHEMA, {"line 1", "due_ms"}},
        {"below 0",
         "{\"due_ms\":0,\"prompt\":\"\"}\n{\"due_ms\":-1,\"prompt\":\"\"}\n",
         PP_ERR_SCHEMA,
         {"line 2", "$.due_ms"}},
        {"beyond 30 days", "{\"due_ms\":1e300,\"prompt\":\"\"}\n", PP_ERR_SCHEMA, {"$.due_ms"}},
        {"a text", "{\"due_ms\":\"5\",\"prompt\":\"\"}\n", PP_ERR_SCHEMA, {"$.due_ms"}},
        {"neither", "{\"due_ms\":5}\n", PP_ERR_SCHEMA, {"line 1", "neither"}},
        {"both", "{\"due_ms\":5,\"prompt\":\"\",\"prompt_tokens\":1}\n", PP_ERR_SCHEMA, {"both"}},
        {"no prompt tokens",
         "{\"due_ms\":5,\"prompt_tokens\":0}\n",
         PP_ERR_SCHEMA,
         {"$.prompt_tokens"}},
        {"half a token",
         "{\"due_ms\":5,\"prompt_tokens\":1.5}\n",
         PP_ERR_SCHEMA,
         {"$.prompt_tokens"}},
        {"too many tokens",
         "{\"due_ms\":5,\"prompt_tokens\":1048577}\n",
         PP_ERR_SCHEMA,
         {"$.prompt_tokens"}},
        {"unknown member",
         "{\"due_ms\":5,\"prompt\":\"\",\"at\":1}\n",
         PP_ERR_SCHEMA,
         {"line 1", "at"}},
        {"a blank line", "{\"due_ms\":5,\"prompt\":\"\"}\n \n", PP_ERR_SCHEMA, {"line 2"}},
        {"cut", "{\"due_ms\":5,\"prompt\":\"\"}\n{\"due_ms\":5,", PP_ERR_SYNTAX, {"line 2"}},
        {"no object", "[1]\n", PP_ERR_SCHEMA, {"line 1"}},
        {"twice", "{\"due_ms\":5,\"due_ms\":6,\"prompt\":\"\"}\n", PP_ERR_SYNTAX, {"line 1"}},
    };

    (void)state;
    for (size_t r = 0; r < PP_COUNT_OF(rows); r++) {
        pp_arena arena = {0};
        pp_trace trace = {0};
        pp_error err = {0};
        pp_status st = parse(&arena, rows[r].file, strlen(rows[r].file), 1, &trace, &err);

        if (st != rows[r].want)
            fail_msg("%s: %s '%s'", rows[r].name, pp_status_name(st), err.text);
        assert_contains(err.text, "t.jsonl");
        for (size_t i = 0; i < 2 && rows[r].says[i] != NULL; i++)
            assert_contains(err.text, rows[r].says[i]);
        pp_arena_done(&arena);
    }
}

/* 100,000 lines backwards; quadratic work would take hours. */
static void long_traces_are_read_fast(void **state)
{
    pp_arena arena = {0};
    pp_trace trace = {0};
    pp_error err = {0};
    pp_buf file;
    int64_t began_ns;

    (void)state;
    pp_buf_init(&file, (size_t)64 << 20);
    for (int i = 100000; i > 0; i--)
        pp_buf_printf(&file, "{\"due_ms\":%d.25,\"prompt_tokens\":%d}\n", i, 1 + i % 100);
    began_ns = pp_clock_now_ns();
    assert_ok(parse(&arena, pp_buf_text(&file), file.size, 1, &trace, &err), err);
    assert_true(pp_clock_now_ns() - began_ns < 20000000000);
    assert_int_equal(trace.count, 100000);
    assert_int_equal(trace.moved_count, 99999);
    for (size_t i = 0; i < trace.count; i++)
        assert_true(trace.entries[i].due_ns == (int64_t)(i + 1) * 1000000 + 250000);
    pp_buf_done(&file);
    pp_arena_done(&arena);
}

/* The table in model/ repeats ceilings of this module. */
static void the_table_has_our_ceilings(void **state)
{
    const pp_fields *fields = pp_document_kind_find("load-trace")->root.fields;

    (void)state;
    for (size_t i = 0; i < fields->row_count; i++) {
        if (strcmp(fields->rows[i].key, "due_ms") == 0)
            assert_true(fields->rows[i].type.max == PP_TRACE_MAX_MS);
        if (strcmp(fields->rows[i].key, "output_tokens") == 0)
            assert_true(fields->rows[i].type.max_int == PP_LENGTHS_MAX);
    }
}

static pp_status parse_once(const void *context, pp_error *err)
{
    pp_arena arena = {0};
    pp_trace trace;
    pp_status st = parse(&arena, context, strlen(context), 1, &trace, err);

    pp_arena_done(&arena);
    return st;
}

static void missing_memory_is_said(void **state)
{
    (void)state;
    assert_true(check_missing_memory(parse_once, "{\"due_ms\":5,\"prompt\":\"a\"}\n"
                                                 "{\"due_ms\":4,\"prompt\":\"a\"}\n") > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_sorted_by_time_and_keep_their_order_else),
        cmocka_unit_test(speed_divides_instants),
        cmocka_unit_test(what_is_wrong_is_named_with_its_line),
        cmocka_unit_test(long_traces_are_read_fast),
        cmocka_unit_test(the_table_has_our_ceilings),
        cmocka_unit_test(missing_memory_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
