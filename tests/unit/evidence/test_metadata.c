/* What a set says of a candidate's memory: the three phases of its last measured pass. Expected
 * values are the bytes below divided by 1,048,576 by hand. */
#include <string.h>

#include "base/files.h"
#include "evidence/layout.h"
#include "evidence/metadata.h"
#include "shared.h"

static const pp_json *parse(pp_arena *arena, const char *text)
{
    const pp_json *root = NULL;
    pp_error err = {0};

    assert_ok(pp_json_parse(arena, "text", text, strlen(text), &root, &err), err);
    return root;
}

#define FIRST                                                                                      \
    "{\"pass\":1,\"after_load\":{\"anon_bytes\":1},\"after_warmup\":null,"                         \
    "\"after_requests\":{\"anon_bytes\":2}}"
#define SECOND                                                                                     \
    "{\"pass\":2,\"after_load\":{\"anon_bytes\":1048576,\"file_bytes\":524288,"                    \
    "\"pss_bytes\":null,\"peak_rss_bytes\":1572864},"                                              \
    "\"after_warmup\":{\"anon_bytes\":2097152,\"swap_bytes\":0,\"hugetlb_bytes\":4194304,"         \
    "\"cgroup_peak_bytes\":8388608,\"cgroup_peak_file\":\"memory.peak\"},"                         \
    "\"after_requests\":{\"anon_bytes\":3145728,\"rss_bytes\":3670016,\"shmem_bytes\":524288}}"
#define OLD "{\"after_load\":{\"anon_bytes\":1048576},\"after_requests\":{\"anon_bytes\":2097152}}"

/* measurement.memory_by_phase of a candidate with these documents, one for each pass */
static const pp_json *phases_of(pp_arena *arena, const char *const *documents_of_passes, size_t n)
{
    pp_plan_model model = {.id = pp_text_of("m"), .path = pp_text_of("m.gguf")};
    pp_plan_candidate candidate = {.id = pp_text_of("c")};
    pp_study_plan plan = {.models = &model,
                          .model_count = 1,
                          .candidates = &candidate,
                          .candidate_count = 1,
                          .passes = (int64_t)n};
    const pp_json *model_document = parse(arena, "{}");
    const pp_study_documents documents = {.models = &model_document};
    pp_pass_figures passes[3] = {0};
    pp_figures all = {0};
    const pp_json *parameters;

    for (size_t i = 0; i < n; i++)
        passes[i].resources =
            documents_of_passes[i] == NULL ? NULL : parse(arena, documents_of_passes[i]);
    parameters = pp_candidate_parameters(arena, &plan, &documents, &candidate, passes, &all);
    return pp_json_find(pp_json_find(parameters, "measurement"), "memory_by_phase");
}

static void assert_mib(const pp_json *row, const char *key, double want)
{
    const pp_json *value = pp_json_find(row, key);

    if (value == NULL || value->kind != PP_JSON_REAL || value->real != want)
        fail_msg("%s: expected %g", key, want);
}

static void assert_absent(const pp_json *row, const char *key)
{
    const pp_json *value = pp_json_find(row, key);

    if (value == NULL || value->kind != PP_JSON_NULL)
        fail_msg("%s: expected null", key);
}

static void phases_are_those_of_the_last_measured_pass(void **state)
{
    static const char *const passes[] = {FIRST, SECOND, NULL}; /* the third failed */
    pp_arena arena = {0};
    const pp_json *phases = phases_of(&arena, passes, 3);
    const pp_json *const *rows;

    (void)state;
    assert_int_equal(phases->array.count, 3);
    rows = (const pp_json *const *)phases->array.items;
    assert_string_equal(pp_json_find(rows[0], "phase")->text.data, "after_load");
    assert_string_equal(pp_json_find(rows[1], "phase")->text.data, "after_warmup");
    assert_string_equal(pp_json_find(rows[2], "phase")->text.data, "after_requests");
    for (int i = 0; i < 3; i++)
        assert_int_equal(pp_json_find(rows[i], "pass")->integer, 2);
    assert_mib(rows[0], "anon_mib", 1);
    assert_mib(rows[0], "file_mib", 0.5);
    assert_mib(rows[0], "peak_rss_mib", 1.5);
    assert_absent(rows[0], "pss_mib");
    assert_absent(rows[0], "swap_mib"); /* absent is not 0 */
    assert_absent(rows[0], "cgroup_peak_file");
    assert_mib(rows[1], "swap_mib", 0);
    assert_mib(rows[1], "hugetlb_mib", 4);
    assert_mib(rows[1], "cgroup_peak_mib", 8);
    assert_string_equal(pp_json_find(rows[1], "cgroup_peak_file")->text.data, "memory.peak");
    assert_mib(rows[2], "rss_mib", 3.5);
    assert_mib(rows[2], "shmem_mib", 0.5);
    pp_arena_done(&arena);
}

static void a_phase_that_was_not_recorded_has_no_row(void **state)
{
    static const char *const without_warmup[] = {FIRST};
    static const char *const older[] = {OLD};
    static const char *const none[] = {NULL};
    pp_arena arena = {0};
    const pp_json *phases;

    (void)state;
    phases = phases_of(&arena, without_warmup, 1);
    assert_int_equal(phases->array.count, 2);
    assert_string_equal(pp_json_find(phases->array.items[1], "phase")->text.data, "after_requests");
    phases = phases_of(&arena, older, 1);
    assert_int_equal(phases->array.count, 2);
    assert_mib(phases->array.items[0], "anon_mib", 1);
    assert_absent(phases->array.items[0], "pass");
    assert_int_equal(phases_of(&arena, none, 1)->array.count, 0);
    pp_arena_done(&arena);
}

/* ---- joules -------------------------------------------------------------------------------------
 */

static void put_file(pp_arena *arena, const char *path, const char *text)
{
    const char *folder = pp_path_folder(arena, path);
    pp_error err = {0};

    if (!pp_path_is_folder(folder))
        assert_ok(pp_folder_create(folder, true, &err), err);
    assert_ok(pp_file_write_new(path, text, strlen(text), &err), err);
}

static void put_pass(pp_arena *arena, const char *folder, int pass, const char *resources)
{
    put_file(arena, pp_bundle_path(arena, folder, PP_BUNDLE_SERVER_RUN, "c", pass),
             "{\"outcome\":\"complete\"}");
    if (resources != NULL)
        put_file(arena, pp_bundle_path(arena, folder, PP_BUNDLE_RESOURCES, "c", pass), resources);
}

typedef struct energy_pass {
    const char *resources; /* NULL: none */
    int64_t tokens;
    bool lacks_tokens, endpoint;
} energy_pass;

/* `measurement` of a candidate whose passes are read from files, as a study leaves them */
static const pp_json *measurement_of(pp_arena *arena, const energy_pass *given, size_t n)
{
    const char *folder = make_temp_folder(arena);
    pp_plan_model model = {.id = pp_text_of("m"), .path = pp_text_of("m.gguf")};
    pp_plan_candidate candidate = {.id = pp_text_of("c")};
    pp_study_plan plan = {.models = &model,
                          .model_count = 1,
                          .candidates = &candidate,
                          .candidate_count = 1,
                          .passes = (int64_t)n};
    const pp_json *model_document = parse(arena, "{}");
    const pp_study_documents documents = {.models = &model_document};
    pp_pass_figures passes[3] = {0};
    pp_figures all = {0};
    pp_error err = {0};

    for (size_t i = 0; i < n; i++) {
        put_pass(arena, folder, (int)i + 1, given[i].resources);
        assert_ok(pp_pass_figures_load(arena, folder, &candidate, (int64_t)i + 1, false, &passes[i],
                                       &err),
                  err);
        passes[i].generated_tokens = given[i].tokens;
        passes[i].lacks_tokens = given[i].lacks_tokens;
        passes[i].endpoint = given[i].endpoint ? model_document : NULL;
    }
    remove_folder(folder);
    return pp_json_find(pp_candidate_parameters(arena, &plan, &documents, &candidate, passes, &all),
                        "measurement");
}

#define JOULES(n)                                                                                  \
    "{\"pass\":1,\"peak_rss_bytes\":null,\"energy\":{\"joules\":" n ",\"absent_because\":null}}"
#define NO_JOULES                                                                                  \
    "{\"pass\":1,\"peak_rss_bytes\":null,"                                                         \
    "\"energy\":{\"joules\":null,\"absent_because\":\"no readable energy counter\"}}"

static void joules_of_all_passes_are_divided_by_their_tokens(void **state)
{
    static const energy_pass passes[] = {{JOULES("6.5"), 10, false, false},
                                         {JOULES("5"), 13, false, false}};
    pp_arena arena = {0};
    const pp_json *measurement = measurement_of(&arena, passes, 2);

    (void)state;
    assert_mib(measurement, "joules_per_token", 0.5); /* 11.5 / 23 */
    assert_null(pp_json_find(measurement, "joules_absent_because"));
    pp_arena_done(&arena);
}

static void joules_that_are_absent_have_a_reason(void **state)
{
    static const struct {
        energy_pass second;
        const char *why;
    } rows[] = {
        {{NO_JOULES, 13, false, false}, "no readable energy counter"},
        {{FIRST, 13, false, false}, "not recorded"},
        {{NULL, 13, false, false}, "a pass has no record of resources"},
        {{NULL, 13, false, true}, "the study did not start this server"},
        {{JOULES("5"), 13, true, false}, "a request failed, or its tokens are not known"},
        {{JOULES("-5"), 13, false, false}, "not recorded"},
        {{JOULES("\"5\""), 13, false, false}, "not recorded"},
        {{JOULES("5"), 0, false, false}, "no tokens were generated"},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        const energy_pass passes[] = {{JOULES("6.5"), 0, false, false}, rows[i].second};
        pp_arena arena = {0};
        const pp_json *measurement = measurement_of(&arena, passes, 2);

        assert_absent(measurement, "joules_per_token");
        assert_string_equal(pp_json_find(measurement, "joules_absent_because")->text.data,
                            rows[i].why);
        pp_arena_done(&arena);
    }
}

/* ---- client against server ----------------------------------------------------------------------
 */

static void contradictions_of_all_passes_are_counted(void **state)
{
    pp_plan_model model = {.id = pp_text_of("m"), .path = pp_text_of("m.gguf")};
    pp_plan_candidate candidate = {.id = pp_text_of("c")};
    pp_study_plan plan = {.models = &model,
                          .model_count = 1,
                          .candidates = &candidate,
                          .candidate_count = 1,
                          .passes = 2};
    pp_arena arena = {0};
    const pp_json *model_document = parse(&arena, "{}");
    const pp_study_documents documents = {.models = &model_document};
    pp_sample sample = {.ttft_ns = pp_known_int(1000000), .stream_end_ns = 2000000};
    pp_pass_figures passes[2] = {0};
    pp_figures all = {0};
    const pp_json *checks;

    (void)state;
    sample.server_predicted_ms = pp_known_real(2);
    pp_pass_figures_add_sample(&arena, &passes[0], &sample);
    sample.server_prompt_ms = pp_known_real(7);
    sample.id.index = 4;
    pp_pass_figures_add_sample(&arena, &passes[1], &sample);
    checks = pp_json_find(
        pp_json_find(pp_candidate_parameters(&arena, &plan, &documents, &candidate, passes, &all),
                     "measurement"),
        "cross_checks");
    /* 7 ms of prompt in 1 ms; and with 2 ms of answer 9 ms in 2 ms: more than 5 ms too much */
    assert_int_equal(pp_json_find(checks, "checked")->integer, 4);
    assert_int_equal(pp_json_find(checks, "contradicted")->integer, 2);
    assert_string_equal(pp_json_find(checks, "first")->text.data,
                        "measured request 4: the server says 7.0 ms for the prompt, the client saw "
                        "the first token after 1.0 ms");
    passes[1] = (pp_pass_figures){0};
    checks = pp_json_find(
        pp_json_find(pp_candidate_parameters(&arena, &plan, &documents, &candidate, passes, &all),
                     "measurement"),
        "cross_checks");
    assert_int_equal(pp_json_find(checks, "checked")->integer, 1);
    assert_absent(checks, "first");
    pp_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phases_are_those_of_the_last_measured_pass),
        cmocka_unit_test(a_phase_that_was_not_recorded_has_no_row),
        cmocka_unit_test(joules_of_all_passes_are_divided_by_their_tokens),
        cmocka_unit_test(joules_that_are_absent_have_a_reason),
        cmocka_unit_test(contradictions_of_all_passes_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
