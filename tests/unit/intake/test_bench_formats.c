/* Every format of llama-bench: the same rows from each, and what is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "intake/bench_import.h"
#include "shared.h"

#define PM "\xc2\xb1"

static const char *const sample_files[] = {
    "samples/llama-bench.jsonl", "samples/llama-bench.json", "samples/llama-bench.csv",
    "samples/llama-bench.sql",   "samples/llama-bench.md",
};
static const pp_bench_format sample_formats[] = {
    PP_BENCH_FORMAT_JSONL, PP_BENCH_FORMAT_JSON,     PP_BENCH_FORMAT_CSV,
    PP_BENCH_FORMAT_SQL,   PP_BENCH_FORMAT_MARKDOWN,
};

static void read_sample(pp_arena *arena, size_t index, pp_buf *bytes)
{
    pp_error err = {0};

    pp_buf_init(bytes, PP_BENCH_MAX_BYTES);
    assert_ok(pp_file_read(shared_path_or_skip(arena, sample_files[index]), bytes, &err), err);
}

static pp_status parse(pp_arena *arena, const char *text, pp_bench_mode mode, pp_bench_rows *rows,
                       pp_error *err)
{
    return pp_bench_read(arena, "t", text, strlen(text), PP_BENCH_FORMAT_UNKNOWN, mode, rows, err);
}

/* ---- the recorded outputs -------------------------------------------------------------------- */

static void every_format_of_the_real_program_has_the_same_tests(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_bench_rows rows[5];

    (void)state;
    for (size_t i = 0; i < 5; i++) {
        pp_buf bytes;

        read_sample(&arena, i, &bytes);
        assert_int_equal(pp_bench_format_of(bytes.data, bytes.size), sample_formats[i]);
        assert_ok(pp_bench_read(&arena, sample_files[i], bytes.data, bytes.size,
                                PP_BENCH_FORMAT_UNKNOWN, PP_BENCH_STRICT, &rows[i], &err),
                  err);
        pp_buf_done(&bytes);
        assert_int_equal(rows[i].count, 16);
        for (size_t j = 0; j < 16; j++) {
            const pp_bench_row *got = &rows[i].items[j];
            const pp_bench_row *want = &rows[0].items[j];

            if (got->kind != want->kind || got->n_prompt != want->n_prompt ||
                got->n_gen != want->n_gen || got->n_depth != want->n_depth ||
                got->n_threads != want->n_threads || got->n_ubatch != want->n_ubatch ||
                got->build_number != want->build_number ||
                !pp_text_equal(got->build_commit, want->build_commit))
                fail_msg("%s: row %zu differs", sample_files[i], j);
            if ((got->sample_count == 3) != (i < 2) || got->tokens_per_second_mean.known != (i > 1))
                fail_msg("%s: row %zu: %zu samples", sample_files[i], j, got->sample_count);
        }
    }
    pp_arena_done(&arena);
}

/* JSONL and JSON, CSV and SQL have the same columns: as many pools as tests. */
static void a_row_has_one_identity_in_every_format_that_shows_all(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_bench_row all[64];
    pp_bench_pool *pools;
    size_t count;

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        pp_bench_rows rows;
        pp_buf bytes;

        read_sample(&arena, i, &bytes);
        assert_ok(pp_bench_read(&arena, "t", bytes.data, bytes.size, PP_BENCH_FORMAT_UNKNOWN,
                                PP_BENCH_STRICT, &rows, &err),
                  err);
        memcpy(all + 16 * i, rows.items, 16 * sizeof *all);
        pp_buf_done(&bytes);
    }
    assert_ok(pp_bench_pool_rows(&arena, all, 64, &pools, &count, &err), err);
    assert_int_equal(count, 16);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(pools[i].row_count, 4);
        assert_int_equal(pools[i].sample_count, 6);
    }
    pp_arena_done(&arena);
}

static bool same_figures(const pp_bench_row *a, const pp_bench_row *b)
{
    return a->kind == b->kind && a->n_prompt == b->n_prompt && a->n_gen == b->n_gen &&
           a->n_depth == b->n_depth && a->sample_count == b->sample_count &&
           a->tokens_per_second_mean.value == b->tokens_per_second_mean.value &&
           (a->sample_count == 0 ||
            memcmp(a->samples_ns, b->samples_ns, a->sample_count * sizeof *a->samples_ns) == 0);
}

static void check_cut(const pp_buf *bytes, size_t cut, pp_bench_format format,
                      const pp_bench_rows *whole)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_bench_rows rows;
    char *copy = malloc(cut + 1); /* of its own, so that reading past the end is found */

    assert_non_null(copy);
    memcpy(copy, bytes->data, cut);
    assert_ok(pp_bench_read(&arena, "cut", copy, cut, format, PP_BENCH_TOLERANT, &rows, &err), err);
    for (size_t i = 0; i < rows.count; i++) {
        if (!same_figures(&rows.items[i], &whole->items[i]))
            fail_msg("%s cut at byte %zu: row %zu differs", pp_bench_format_name(format), cut, i);
    }
    free(copy);
    pp_arena_done(&arena);
}

static void a_file_cut_anywhere_gives_no_wrong_number(void **state)
{
    (void)state;
    for (size_t i = 1; i < 5; i++) {
        pp_arena arena = {0};
        pp_error err = {0};
        pp_bench_rows whole;
        pp_buf bytes;

        read_sample(&arena, i, &bytes);
        assert_ok(pp_bench_read(&arena, "whole", bytes.data, bytes.size, sample_formats[i],
                                PP_BENCH_STRICT, &whole, &err),
                  err);
        for (size_t cut = 0; cut < bytes.size; cut++)
            check_cut(&bytes, cut, sample_formats[i], &whole);
        pp_buf_done(&bytes);
        pp_arena_done(&arena);
    }
}

/* ---- what is refused --------------------------------------------------------------------------
 */

#define ROW   "{\"n_prompt\":1,\"n_gen\":0,\"samples_ns\":[7]}"
#define CSV   "n_prompt,n_gen,avg_ts\n"
#define SQL   "INSERT INTO t (n_prompt, n_gen, avg_ts) VALUES "
#define TABLE "| model | test | t/s |\n| --- | ---: | ---: |\n"

static const struct {
    const char *name;
    const char *text;
    const char *want_strict;
    const char *want_tolerant; /* NULL: read */
} refused[] = {
    {"nothing", "", "nothing that llama-bench prints", "nothing that llama-bench prints"},
    {"prose", "hello\n", "nothing that llama-bench prints", "nothing that llama-bench prints"},
    {"jsonl: a log line", "log\n" ROW "\n", "t:1: expected a row", NULL},
    {"jsonl: broken off", ROW "\n{\"n_pr", "t:2: 'row'", NULL},
    {"jsonl: nan", "{\"n_prompt\":1,\"n_gen\":0,\"samples_ns\":[7],\"avg_ts\":nan}\n", "t:1: 'row'",
     NULL},
    {"json: a log line before", "log\n[\n" ROW "\n]\n", "t:1: expected a row", NULL},
    {"json: a log line between", "[\n" ROW ",\nlog\n" ROW "\n]\n", "t:3: expected a row", NULL},
    {"json: a log line inside", "[\n{\"n_prompt\":1,\nlog\n\"n_gen\":0}\n]\n", "t:2: 'row'",
     "t:2: 'row'"},
    {"json: not closed", "[\n" ROW "\n", "t:3: the file breaks off", NULL},
    {"json: no comma", "[\n" ROW "\n" ROW "]\n", "t:3: expected a comma", NULL},
    {"json: trailing comma", "[\n" ROW ",\n]\n", "t:3: expected a row", NULL},
    {"csv: too few values", CSV "\"1\",\"0\"\n", "t:2: expected 3 values, got 2",
     "t:2: expected 3 values, got 2"},
    {"csv: too many values", CSV "\"1\",\"0\",\"5\",\"6\"\n", "t:2: expected 3 values, got more",
     "t:2: expected 3 values, got more"},
    {"csv: text behind a quote", CSV "\"1\"x,\"0\",\"5\"\n", "t:2: expected a comma",
     "t:2: expected a comma"},
    {"csv: a word for a number", CSV "\"one\",\"0\",\"5\"\n",
     "t:2: column n_prompt: expected a number, got 'one'", "expected a number, got 'one'"},
    {"csv: broken off", CSV "\"1\",\"0\",\"5.2", "the file breaks off", NULL},
    {"sql: the same column twice",
     "INSERT INTO t (n_prompt, n_gen, n_gen) VALUES ('1', '0', '0');\n",
     "t:1: column 3 has the name of column 2", "t:1: column 3 has the name of column 2"},
    {"markdown: the same column twice", "| model | test | t/s | model |\n",
     "t:1: column 4 has the name of column 1", "t:1: column 4 has the name of column 1"},
    {"csv: the same column twice", "n_prompt,n_gen,n_gen\n", "t:1: column 3 has the name of",
     "t:1: column 3 has the name of"},
    {"csv: no rate", CSV "\"1\",\"0\",\"0\"\n", "t:2: $.avg_ts: expected a rate above 0, got 0",
     "expected a rate above 0"},
    {"csv: nan", CSV "\"1\",\"0\",\"nan\"\n", "expected a number, got 'nan'", "got null"},
    {"sql: a quote inside that looks like the end",
     "INSERT INTO t (n_prompt, n_gen, m) VALUES ('1', '0', 'a', 'b');\n",
     "t:1: 3 names, but 4 values", "t:1: 3 names, but 4 values"},
    {"sql: no semicolon", SQL "('1', '0', '5')\n", "t:1: expected INSERT", "t:1: expected INSERT"},
    {"sql: broken off", SQL "('1', '0', '5", "the file breaks off", NULL},
    {"sql: CREATE that does not end", "CREATE TABLE t (\n" SQL "('1', '0', '5');\n",
     "CREATE TABLE does not end", "CREATE TABLE does not end"},
    {"markdown: a cell less", TABLE "| m | pp1 |\n", "t:3: expected 3 cells", "t:3: expected 3"},
    {"markdown: another test", TABLE "| m | xx1 | 5 |\n", "t:3: test 'xx1': expected pp512",
     "t:3: test 'xx1'"},
    {"markdown: a word for a rate", TABLE "| m | pp1 | fast |\n", "column avg_ts", "column avg_ts"},
    {"markdown: broken off", TABLE "| m | pp1 | 5.1", "the file breaks off", NULL},
    {"both counts 0", CSV "\"0\",\"0\",\"5\"\n", "t:2: $: n_prompt and n_gen are both 0", "both 0"},
};

static void bad_files_are_refused_with_their_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(refused); i++) {
        for (int mode = PP_BENCH_TOLERANT; mode <= PP_BENCH_STRICT; mode++) {
            const char *want =
                mode == PP_BENCH_STRICT ? refused[i].want_strict : refused[i].want_tolerant;
            pp_arena arena = {0};
            pp_error err = {0};
            pp_bench_rows rows;
            pp_status st = parse(&arena, refused[i].text, (pp_bench_mode)mode, &rows, &err);

            if (want == NULL && st != PP_OK)
                fail_msg("%s: %s", refused[i].name, err.text);
            if (want != NULL && st == PP_OK)
                fail_msg("%s: accepted", refused[i].name);
            if (want != NULL && strstr(err.text, want) == NULL)
                fail_msg("%s: expected '%s' in '%s'", refused[i].name, want, err.text);
            pp_arena_done(&arena);
        }
    }
}

/* ---- particular rows --------------------------------------------------------------------------
 */

static void a_log_line_in_an_array_is_counted_and_the_rows_are_read(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_bench_rows rows;

    (void)state;
    assert_ok(parse(&arena, "ggml: loading\n[\n" ROW ",\n[info] tick\n" ROW "\n", PP_BENCH_TOLERANT,
                    &rows, &err),
              err);
    assert_int_equal(rows.count, 2);
    assert_int_equal(rows.items[0].line, 3);
    assert_int_equal(rows.items[1].line, 5);
    assert_int_equal(rows.other_line_count, 2);
    assert_true(rows.truncated);
    pp_arena_done(&arena);
}

static void quotes_and_commas_stay_inside_their_values(void **state)
{
    static const char csv[] =
        "gpu_info,tensor_split,model_filename,n_prompt,n_gen,avg_ts\r\n"
        "\"A, B\",\"5.00/5.00\",\"say \"\"hi\"\"\nagain\",\"1\",\"0\",\"2.5\"\r\n"
        "\"A, B\",\"5.00/5.00\",\"m\",\"1\",\"0\",\"4\"\r\n";
    static const char sql[] = "CREATE TABLE IF NOT EXISTS t (\n  x TEXT\n);\n\n"
                              "INSERT INTO t (model_filename, n_prompt, n_gen, avg_ts) VALUES "
                              "('it's, or 'not'.gguf', '1', '0', '2.5');\n";
    pp_arena arena = {0};
    pp_error err = {0};
    pp_bench_rows rows;

    (void)state;
    assert_ok(parse(&arena, csv, PP_BENCH_STRICT, &rows, &err), err);
    assert_int_equal(rows.count, 2);
    assert_int_equal(rows.items[1].line, 4);
    assert_true(pp_text_is(rows.items[0].model_filename, "say \"hi\"\nagain"));
    assert_true(pp_text_is(pp_json_find(rows.items[0].fields, "tensor_split")->text, "5.00/5.00"));
    assert_true(pp_text_is(pp_json_find(rows.items[0].fields, "gpu_info")->text, "A, B"));
    assert_true(rows.items[0].tokens_per_second_mean.value == 2.5);
    assert_ok(parse(&arena, sql, PP_BENCH_STRICT, &rows, &err), err);
    assert_int_equal(rows.count, 1);
    assert_true(pp_text_is(rows.items[0].model_filename, "it's, or 'not'.gguf"));
    pp_arena_done(&arena);
}

static void b171_markdown_says_depth_in_the_test_and_the_build_below(void **state)
{
    static const char text[] =
        "| model | threads | fa | test | t/s |\n| --- | --- | --- | --- | --- |\n"
        "| m Q8 | 4 | 1 | pp512 | 100.00 " PM " 1.50 |\n"
        "| m Q8 | 4 | 1 | pp512 @ d4096 | 50.00 " PM " 0.00 |\n"
        "| m Q8 | 4 | 1 | tg128 | 10.00 |\n"
        "| m Q8 | 4 | 1 | pp512+tg128 | 30.00 " PM " 0.10 |\n\nbuild: a1b2c3d (6123)\n";
    pp_arena arena = {0};
    pp_error err = {0};
    pp_bench_rows rows;

    (void)state;
    assert_ok(parse(&arena, text, PP_BENCH_STRICT, &rows, &err), err);
    assert_int_equal(rows.count, 4);
    assert_int_equal(rows.items[0].n_depth, 0);
    assert_int_equal(rows.items[1].n_depth, 4096);
    assert_int_equal(rows.items[2].kind, PP_BENCH_TG);
    assert_false(rows.items[2].tokens_per_second_stdev.known);
    assert_int_equal(rows.items[3].kind, PP_BENCH_PG);
    assert_true(rows.items[0].tokens_per_second_stdev.value == 1.5);
    assert_int_equal(rows.items[0].sample_count, 0);
    assert_null(rows.items[0].model_filename.data); /* the format does not say */
    for (size_t i = 0; i < 4; i++) {
        assert_true(pp_text_is(rows.items[i].build_commit, "a1b2c3d"));
        assert_int_equal(rows.items[i].build_number, 6123);
        assert_int_equal(pp_json_find(rows.items[i].fields, "flash_attn")->integer, 1);
    }
    pp_arena_done(&arena);
}

/* ---- import -----------------------------------------------------------------------------------
 */

static pp_status import(pp_arena *arena, const char *const *texts, size_t n,
                        pp_bench_import *ret_import, pp_error *err)
{
    pp_bench_source *sources = PP_ARENA_NEW(arena, pp_bench_source, n);

    for (size_t i = 0; i < n; i++) {
        sources[i].path = pp_text_of(i == 0 ? "a" : "b");
        assert_ok(parse(arena, texts[i], PP_BENCH_TOLERANT, &sources[i].rows, err), *err);
    }
    return pp_bench_import_rows(arena, sources, n, NULL, ret_import, err);
}

#define AT(model, set_up, test, samples)                                                           \
    "{\"model_filename\":\"" model "\"," set_up "," test ",\"samples_ns\":[" samples "]}\n"
#define PP512      "\"n_prompt\":512,\"n_gen\":0"
#define TG128      "\"n_prompt\":0,\"n_gen\":128"
#define MS(number) #number "000000"

static const struct {
    const char *name;
    const char *texts[2]; /* the second may be NULL */
    size_t want_candidates;
    const char *want; /* NULL: imported; else in the refusal */
} imports[] = {
    {"one configuration, two tests",
     {AT("m", "\"n_threads\":4", PP512, "1") AT("m", "\"n_threads\":4", TG128, "1")},
     1,
     NULL},
    {"two numbers of threads",
     {AT("m", "\"n_threads\":4", PP512, "1") AT("m", "\"n_threads\":8", PP512, "1")},
     2,
     NULL},
    {"an unknown column is set-up",
     {AT("m", "\"n_new\":1", PP512, "1") AT("m", "\"n_new\":2", PP512, "1")},
     2,
     NULL},
    {"use_mmap and load_mode are not called equal",
     {AT("m", "\"use_mmap\":true", PP512, "1") AT("m", "\"load_mode\":\"mmap\"", PP512, "1")},
     2,
     NULL},
    {"a boolean is 0 or 1 in other versions",
     {AT("m", "\"flash_attn\":true", PP512, "1") AT("m", "\"flash_attn\":1", PP512, "1")},
     1,
     NULL},
    {"four generations of columns",
     {AT("m", "\"f16_kv\":true", PP512, "1") AT("m", "\"use_mmap\":true", PP512, "1")
          AT("m", "\"use_mmap\":true,\"n_depth\":0", TG128, "1")
              AT("m", "\"load_mode\":\"auto\",\"n_depth\":0", PP512, "1")},
     3,
     NULL},
    {"depths are tests, not configurations",
     {AT("m", "\"n_depth\":0", TG128, "1") AT("m", "\"n_depth\":4096", TG128, "1")},
     1,
     NULL},
    {"depth 0 and no depth",
     {AT("m", "\"n_depth\":0", TG128, "1") AT("m", "\"x\":1", TG128, "1")},
     2,
     NULL},
    {"depth 0 and no depth in one configuration",
     {AT("m", "\"x\":1,\"n_depth\":0", TG128, "1") AT("m", "\"x\":1", TG128, "1")},
     0,
     "cannot be told apart"},
    {"a name garbled on one machine",
     {AT("mod\\uffff"
         "f\\uffff"
         "f",
         "\"x\":1", PP512, "1"),
      AT("mod\xc3\xa9", "\"x\":1", PP512, "2")},
     1,
     NULL},
    {"a name garbled beside a test that only one machine ran",
     {AT("mod\xc3\xa9", "\"x\":1", PP512, "1"),
      AT("mod\\uffff"
         "f\\uffff"
         "f",
         "\"x\":1", PP512, "2") AT("mod\\uffff"
                                   "f\\uffff"
                                   "f",
                                   "\"x\":1", TG128, "1")},
     1,
     NULL},
    {"a garbled name that may be that of two tests",
     {AT("mod\\uffff"
         "f\\uffff"
         "f",
         "\"x\":1", "\"n_prompt\":8,\"n_gen\":8", "1"),
      AT("mod\xc3\xa9", "\"x\":1", PP512, "2") AT("mod\xc3\xa8", "\"x\":1", TG128, "2")},
     0,
     "may be"},
    {"a garbled name that may be two",
     {AT("mod\\uffff"
         "f\\uffff"
         "f",
         "\"x\":1", PP512, "1"),
      AT("mod\xc3\xa9", "\"x\":1", PP512, "2") AT("mod\xc3\xa8", "\"x\":1", PP512, "2")},
     0,
     "may be"},
    {"a garbled name that may be two, where other settings hint at one",
     {AT("mod\\uffff"
         "f\\uffff"
         "f",
         "\"x\":1", PP512, "1"),
      AT("mod\xc3\xa9", "\"x\":1", PP512, "2") AT("mod\xc3\xa8", "\"x\":2", PP512, "2")},
     0,
     "a garbled model name may be 'mod\xc3\xa9' or 'mod\xc3\xa8'"},
    {"a garbled name beside two that it cannot be",
     {AT("net\\uffff"
         "f\\uffff"
         "f",
         "\"x\":1", PP512, "1"),
      AT("mod\xc3\xa9", "\"x\":1", PP512, "2") AT("mod\xc3\xa8", "\"x\":1", PP512, "2")},
     3,
     NULL},
    {"a garbled name and the readable one beside two others",
     {AT("net\\uffff"
         "f\\uffff"
         "f",
         "\"x\":1", PP512, "1") AT("net\xc3\xbc", "\"x\":1", TG128, "1"),
      AT("mod\xc3\xa9", "\"x\":1", PP512, "2") AT("mod\xc3\xa8", "\"x\":1", PP512, "2")},
     3,
     NULL},
    {"accents that nobody garbled",
     {AT("mod\xc3\xa9", "\"x\":1", PP512, "2") AT("mod\xc3\xa8", "\"x\":1", PP512, "2")},
     2,
     NULL},
    {"two rows without samples",
     {CSV "\"1\",\"0\",\"5\"\n\"1\",\"0\",\"6\"\n"},
     0,
     "a:2 and a:3 cannot be told apart"},
    {"the same row without samples in two files",
     {CSV "\"1\",\"0\",\"5\"\n", TABLE "| m | pp1 | 5 |\n| m | pp1 | 5 |\n"},
     0,
     "b:3 and b:4"},
    {"samples beside means",
     {ROW "\n", CSV "\"1\",\"2\",\"5\"\n"},
     0,
     "medians and means do not compare"},
};

static void rows_become_candidates_or_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(imports); i++) {
        pp_arena arena = {0};
        pp_error err = {0};
        pp_bench_import got;
        pp_status st =
            import(&arena, imports[i].texts, imports[i].texts[1] == NULL ? 1 : 2, &got, &err);

        if (imports[i].want == NULL && st != PP_OK)
            fail_msg("%s: %s", imports[i].name, err.text);
        if (imports[i].want != NULL && st == PP_OK)
            fail_msg("%s: imported", imports[i].name);
        if (imports[i].want != NULL && strstr(err.text, imports[i].want) == NULL)
            fail_msg("%s: expected '%s' in '%s'", imports[i].name, imports[i].want, err.text);
        if (st == PP_OK && got.set.candidate_count != imports[i].want_candidates)
            fail_msg("%s: %zu candidates", imports[i].name, got.set.candidate_count);
        if (st == PP_OK)
            assert_int_equal(got.set.origin, PP_ORIGIN_IMPORTED);
        pp_arena_done(&arena);
    }
}

static double metric(const pp_benchmark_set *set, size_t candidate, const char *name)
{
    const double *value = pp_candidate_find_metric(&set->candidates[candidate], pp_text_of(name));

    if (value == NULL)
        fail_msg("no metric %s", name);
    return *value;
}

static void b171_each_test_is_a_metric_of_its_own(void **state)
{
    static const char *const text[] = {
        AT("m", "\"n_depth\":0", PP512, MS(512) "," MS(256) "," MS(256)) /* 1000, 2000, 2000 */
        AT("m", "\"n_depth\":0", PP512, MS(1024))                        /* 500 */
        AT("m", "\"n_depth\":4096", TG128, MS(1280))                     /* 100 */
        AT("m", "\"n_depth\":0", "\"n_prompt\":512,\"n_gen\":128", MS(640))};
    pp_arena arena = {0};
    pp_error err = {0};
    pp_bench_import got;
    const pp_json *test;

    (void)state;
    assert_ok(import(&arena, text, 1, &got, &err), err);
    assert_int_equal(got.set.candidate_count, 1);
    assert_true(metric(&got.set, 0, "pp512_tokens_per_second") == 1500.0); /* of 500 to 2000 */
    assert_true(metric(&got.set, 0, "prompt_tokens_per_second") == 1500.0);
    assert_true(metric(&got.set, 0, "tg128_d4096_tokens_per_second") == 100.0);
    assert_true(metric(&got.set, 0, "generation_tokens_per_second") == 100.0);
    assert_true(metric(&got.set, 0, "pp512_tg128_tokens_per_second") == 1000.0);
    assert_int_equal(got.set.candidates[0].metric_count, 5);
    test = pp_json_find(pp_json_find(got.set.candidates[0].parameters, "tests"), "pp512");
    assert_int_equal(pp_json_find(test, "sample_count")->integer, 4);
    /* the first repetition took twice as long */
    assert_true(pp_json_find(test, "first_repetition_longer_percent")->real == 100.0);
    pp_arena_done(&arena);
}

/* The garbled name is the same model, so it tells no configuration apart. */
static void b169_a_garbled_name_is_no_difference_between_configurations(void **state)
{
    static const char *const text[] = {AT("mod\xc3\xa9", "\"x\":1", PP512, "1")
                                           AT("mod\\uffff"
                                              "f\\uffff"
                                              "f",
                                              "\"x\":2", PP512, "1")};
    pp_arena arena = {0};
    pp_error err = {0};
    pp_bench_import got;

    (void)state;
    assert_ok(import(&arena, text, 1, &got, &err), err);
    assert_int_equal(got.set.candidate_count, 2);
    assert_string_equal(got.set.candidates[0].id.data, "x=1");
    assert_string_equal(got.set.candidates[1].id.data, "x=2");
    pp_arena_done(&arena);
}

/* The readable name is the one that is shown. */
static void configurations_are_called_by_the_readable_name(void **state)
{
    static const char *const text[] = {AT("net\\uffff"
                                          "f\\uffff"
                                          "f",
                                          "\"x\":1", PP512, "1")
                                           AT("net\xc3\xbc", "\"x\":1", TG128, "1")
                                               AT("mod", "\"x\":1", TG128, "1")};
    pp_arena arena = {0};
    pp_error err = {0};
    pp_bench_import got;

    (void)state;
    assert_ok(import(&arena, text, 1, &got, &err), err);
    assert_int_equal(got.set.candidate_count, 2);
    assert_string_equal(got.set.candidates[0].id.data, "model_filename=net\xc3\xbc");
    assert_string_equal(got.set.candidates[1].id.data, "model_filename=mod");
    pp_arena_done(&arena);
}

/* Squares of nanoseconds overflow 64 bits above about four seconds. */
static void b168_an_overflown_deviation_is_computed_anew(void **state)
{
    static const char *const text[] = {"{" PP512 ",\"stddev_ns\":18446744073,\"samples_ns\":[" MS(
        5000) "," MS(9000) "]}\n"
                           "{" TG128 ",\"stddev_ns\":2828427125,\"samples_ns\":[" MS(5000) "," MS(
                               9000) "]}\n"};
    pp_arena arena = {0};
    pp_error err = {0};
    pp_bench_import got;

    (void)state;
    assert_ok(import(&arena, text, 1, &got, &err), err);
    assert_int_equal(got.odd_deviation_count, 1); /* sqrt(8) s is right in the second row */
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_of_the_real_program_has_the_same_tests),
        cmocka_unit_test(a_row_has_one_identity_in_every_format_that_shows_all),
        cmocka_unit_test(a_file_cut_anywhere_gives_no_wrong_number),
        cmocka_unit_test(bad_files_are_refused_with_their_line),
        cmocka_unit_test(a_log_line_in_an_array_is_counted_and_the_rows_are_read),
        cmocka_unit_test(quotes_and_commas_stay_inside_their_values),
        cmocka_unit_test(b171_markdown_says_depth_in_the_test_and_the_build_below),
        cmocka_unit_test(rows_become_candidates_or_are_refused),
        cmocka_unit_test(b171_each_test_is_a_metric_of_its_own),
        cmocka_unit_test(b169_a_garbled_name_is_no_difference_between_configurations),
        cmocka_unit_test(configurations_are_called_by_the_readable_name),
        cmocka_unit_test(b168_an_overflown_deviation_is_computed_anew),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
