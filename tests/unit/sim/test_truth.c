#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/files.h"
#include "shared.h"
#include "sim/truth.h"

static const struct {
    const char *name, *want;
    pp_sim_record record;
} lines[] = {
    {"arrival",
     "{\"asked_tokens\":null,\"at_ns\":7,\"connection\":2,\"connection_request\":3,"
     "\"log\":\"arrival\",\"path\":\"/completion\",\"prompt_tokens\":0,\"request\":1,"
     "\"request_sha256\":null}\n",
     {.at_ns = 7,
      .request = 1,
      .path = "/completion",
      .kind = PP_SIM_RECORD_ARRIVAL,
      .connection = 2,
      .connection_request = 3,
      .asked_tokens = -1}},
    {"arrival with a digest",
     "{\"asked_tokens\":4,\"at_ns\":7,\"connection\":2,\"connection_request\":3,"
     "\"log\":\"arrival\",\"path\":\"/completion\",\"prompt_tokens\":0,\"request\":1,"
     "\"request_sha256\":"
     "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"}\n",
     {.at_ns = 7,
      .request = 1,
      .path = "/completion",
      .kind = PP_SIM_RECORD_ARRIVAL,
      .connection = 2,
      .connection_request = 3,
      .asked_tokens = 4,
      .request_sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}},
};

static void lines_have_sorted_keys(void **state)
{
    const pp_sim_record others[] = {
        pp_sim_record_start(9, 1, 0),
        pp_sim_record_event(INT64_MAX, 1, 5, 2, 4, 1048575),
        pp_sim_record_end(11, 1, PP_SIM_OUTCOME_GONE, 0, 5, 4),
        pp_sim_record_end(12, 2, PP_SIM_OUTCOME_COMPLETE, 200, 5, 4),
    };
    static const char want[] =
        "{\"at_ns\":9,\"log\":\"start\",\"request\":1,\"slot\":0}\n"
        "{\"at_ns\":9223372036854775807,\"bytes\":1048575,\"event\":5,\"events\":2,"
        "\"log\":\"event\",\"request\":1,\"tokens\":4}\n"
        "{\"at_ns\":11,\"events\":5,\"log\":\"end\",\"outcome\":\"gone\",\"request\":1,"
        "\"status\":null,\"tokens\":4}\n"
        "{\"at_ns\":12,\"events\":5,\"log\":\"end\",\"outcome\":\"complete\",\"request\":2,"
        "\"status\":200,\"tokens\":4}\n";
    pp_buf out;

    (void)state;
    pp_buf_init(&out, 4096);
    for (size_t i = 0; i < PP_COUNT_OF(others); i++)
        pp_sim_record_format(&others[i], &out);
    assert_string_equal(pp_buf_text(&out), want);
    for (size_t i = 0; i < PP_COUNT_OF(lines); i++) {
        pp_buf_clear(&out);
        pp_sim_record_format(&lines[i].record, &out);
        assert_string_equal(pp_buf_text(&out), lines[i].want);
    }
    pp_buf_done(&out);
}

/* As many records as a second of 150,000 events has, and 1,000 more than the memory holds: what is
 * not written is counted, never forgotten. */
static void every_record_is_written_or_counted(void **state)
{
    const uint64_t n = PP_SIM_TRUTH_RECORDS + 1000;
    pp_arena arena = {0};
    const char *folder = make_temp_folder(&arena);
    char *path = pp_path_join(&arena, folder, "log");
    pp_sim_truth *truth;
    pp_sim_truth_counts counts;
    pp_error err = {0};
    pp_buf file;
    uint64_t line_count = 0;

    (void)state;
    assert_ok(pp_sim_truth_open(path, "first", &truth, &err), err);
    for (uint64_t i = 0; i < n; i++) {
        pp_sim_record record = pp_sim_record_start((int64_t)i, 1, 0);

        pp_sim_truth_add(truth, &record);
    }
    assert_ok(pp_sim_truth_finish(truth, &counts, &err), err);
    assert_ok(pp_sim_truth_close(truth, "last", &err), err);
    assert_int_equal(counts.written + counts.dropped, n);
    pp_buf_init(&file, (size_t)1 << 30);
    assert_ok(pp_file_read(path, &file, &err), err);
    for (size_t i = 0; i < file.size; i++)
        line_count += file.data[i] == '\n';
    assert_int_equal(line_count, counts.written + 2);
    assert_int_equal(strncmp(file.data, "first\n{\"at_ns\":0,", 17), 0);
    assert_string_equal(file.data + file.size - 5, "last\n");
    pp_buf_done(&file);
    remove_folder(folder);
    pp_arena_done(&arena);
}

static void nothing_is_overwritten_and_a_missing_folder_is_said(void **state)
{
    pp_arena arena = {0};
    const char *folder = make_temp_folder(&arena);
    char *path = pp_path_join(&arena, folder, "log");
    pp_sim_truth *truth;
    pp_error err = {0};

    (void)state;
    assert_ok(pp_file_write_new(path, "x", 1, &err), err);
    assert_int_equal(pp_sim_truth_open(path, "first", &truth, &err), PP_ERR_EXISTS);
    assert_contains(err.text, "log");
    err = (pp_error){0};
    assert_int_equal(pp_sim_truth_open(pp_path_join(&arena, folder, "no/log"), "", &truth, &err),
                     PP_ERR_IO);
    remove_folder(folder);
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_have_sorted_keys),
        cmocka_unit_test(every_record_is_written_or_counted),
        cmocka_unit_test(nothing_is_overwritten_and_a_missing_folder_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
