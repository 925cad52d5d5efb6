#include "load/server_idle.h"

#include "shared.h"

enum { BUSY, IDLE, UNTOLD };

static void assert_idle(pp_maybe_bool got, int want)
{
    assert_int_equal(got.known, want != UNTOLD);
    if (got.known)
        assert_int_equal(got.value, want == IDLE);
}

static void b050_slots_tell_whether_one_works(void **state)
{
    static const struct {
        const char *body;
        int want;
    } rows[] = {
        {"[{\"id\":0,\"is_processing\":false}]", IDLE},
        {"[{\"id\":0,\"is_processing\":false},{\"id\":1,\"is_processing\":true}]", BUSY},
        {"[]", UNTOLD},
        {"{\"error\":{\"code\":501}}", UNTOLD},
        {"[{\"id\":0}]", UNTOLD},
        {"[{\"is_processing\":1}]", UNTOLD},
        {"[null]", UNTOLD},
        {"<html>", UNTOLD},
        {"", UNTOLD},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_arena arena = {0};

        print_message("# %s\n", rows[i].body);
        assert_idle(pp_server_idle_by_slots(&arena, pp_text_of(rows[i].body)), rows[i].want);
        pp_arena_done(&arena);
    }
}

static void b050_gauges_tell_it_where_slots_do_not(void **state)
{
    static const struct {
        const char *text;
        int want;
    } rows[] = {
        {"# TYPE x gauge\nllamacpp:requests_processing 0\nllamacpp:requests_deferred 0\n", IDLE},
        {"llamacpp:requests_deferred 0\nllamacpp:requests_processing 2\n", BUSY},
        {"llamacpp:requests_processing 0\nllamacpp:requests_deferred 1", BUSY},
        {"llamacpp:requests_processing 0\n", UNTOLD},
        {"llamacpp:requests_processing nan\nllamacpp:requests_deferred 0\n", UNTOLD},
        {"llamacpp:requests_processing\nllamacpp:requests_deferred 0\n", UNTOLD},
        {"llamacpp:requests_processing \n0\nllamacpp:requests_deferred 0\n", UNTOLD},
        {"llamacpp:requests_processing_seconds 0\nllamacpp:requests_deferred 0\n", UNTOLD},
        {"# llamacpp:requests_processing 0\nllamacpp:requests_deferred 0\n", UNTOLD},
        {"vllm:num_requests_running{engine=\"0\",model_name=\"m\"} 0.0\n"
         "vllm:num_requests_waiting{engine=\"0\",model_name=\"m\"} 0.0\n",
         IDLE},
        {"vllm:num_requests_running{engine=\"0\"} 0.0\nvllm:num_requests_running{engine=\"1\"} "
         "2.0\n"
         "vllm:num_requests_waiting{engine=\"0\"} 0.0\n",
         BUSY},
        {"vllm:num_requests_running 0\nvllm:num_requests_waiting 1\n", BUSY},
        {"vllm:num_requests_running{model_name=\"a } 1\\\"} 1\"} 0.0\nvllm:num_requests_waiting "
         "0\n",
         IDLE},
        {"vllm:num_requests_running{model_name=\"m\"} NaN\nvllm:num_requests_waiting 0\n", UNTOLD},
        {"vllm:num_requests_running{model_name=\"m\n\"} 0\nvllm:num_requests_waiting 0\n", UNTOLD},
        {"vllm:num_requests_running{model_name=\"m\"}0\nvllm:num_requests_waiting 0\n", UNTOLD},
        {"vllm:num_requests_running{", UNTOLD},
        {"vllm:num_requests_running{engine=\"0\"} 0.0\n", UNTOLD},
        {"", UNTOLD},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        print_message("# %zu\n", i);
        assert_idle(pp_server_idle_by_gauges(rows[i].text), rows[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(b050_slots_tell_whether_one_works),
        cmocka_unit_test(b050_gauges_tell_it_where_slots_do_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
