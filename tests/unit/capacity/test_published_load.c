/* The load sweep that the original published: twelve levels recomputed from the 96 samples that its
 * page prints, and its document rebuilt byte for byte. Read in place from
 * "published/load-sweep.json". */
#include <math.h>
#include <string.h>

#include "capacity/load_check.h"
#include "capacity/load_evaluate.h"
#include "mask.h"
#include "published_load.h"
#include "shared.h"

#define COMBINED_SHA256 "923b3222440314644c5e87b326d7d7fb1a394b9d688262ffa636d6ef275e9dfd"

/* ---- printed figures ------------------------------------------------------------------------- */

static const pp_load_row *find_row(const published_load *s, const pp_json *level)
{
    for (size_t i = 0; i < s->count; i++) {
        const pp_load_evaluation *e = &s->evaluations[i];

        for (size_t j = 0; j < e->method.level_count; j++) {
            if (pp_text_equal(e->candidate_id, published_load_find(level, "candidate_id")->text) &&
                e->rows[j].concurrency == published_load_find(level, "concurrency")->integer)
                return &e->rows[j];
        }
    }
    fail_msg("a level is missing");
    return NULL;
}

static size_t check_printed(const pp_json *level, const pp_load_row *row)
{
    const struct {
        const char *key;
        double got;
    } figures[] = {
        {"requests_per_second", row->requests_per_second},
        {"generated_tokens_per_second", row->generated_tokens_per_second},
        {"ttft_ms_p50", row->ttft_ms_p50.value},
        {"ttft_ms_p95", row->ttft_ms_p95.value},
        {"e2e_latency_ms_p50", row->e2e_latency_ms_p50.value},
        {"e2e_latency_ms_p95", row->e2e_latency_ms_p95.value},
        {"completion_rate", row->completion_rate},
        {"error_rate", row->error_rate},
    };
    const pp_json *printed = published_load_find(level, "printed_values");

    for (size_t i = 0; i < PP_COUNT_OF(figures); i++) {
        double want;
        pp_error err = {0};

        assert_ok(pp_json_get_number(published_load_find(printed, figures[i].key), &want, &err),
                  err);
        if (!(fabs(figures[i].got - want) <= 5e-5))
            fail_msg("%s: %.17g, printed %.17g", figures[i].key, figures[i].got, want);
    }
    assert_int_equal(
        row->slo_failure_count == 0,
        pp_text_is(published_load_find(published_load_find(level, "printed"), "slo_status")->text,
                   "Met"));
    return PP_COUNT_OF(figures);
}

static void every_printed_figure_follows_from_the_samples(void **state)
{
    published_load s = {0};
    const pp_json *levels;
    size_t figures = 0;

    (void)state;
    published_load_build(&s);
    levels = published_load_find(s.figures, "levels");
    assert_int_equal(levels->array.count, 12);
    for (size_t i = 0; i < levels->array.count; i++)
        figures += check_printed(levels->array.items[i], find_row(&s, levels->array.items[i]));
    assert_int_equal(figures, 96);
    for (size_t i = 0; i < s.count; i++)
        assert_int_equal(
            s.evaluations[i].highest_slo_concurrency.value,
            published_load_find(published_load_find(published_load_find(s.figures, "candidates"),
                                                    s.evaluations[i].candidate_id.data),
                                "highest_slo_concurrency")
                ->integer);
    pp_arena_done(&s.arena);
}

static void the_published_document_is_rebuilt(void **state)
{
    published_load s = {0};
    pp_combined_load_evaluation combined;
    pp_json *document;
    pp_buf text;
    const pp_json *root;
    pp_error err = {0};

    (void)state;
    published_load_build(&s);
    assert_ok(pp_load_evaluations_combine(&s.arena, s.evaluations, s.count, &combined, &err), err);
    document = pp_combined_load_evaluation_to_json(&s.arena, &combined);
    assert_int_equal(canonical_size(document), 60978);
    assert_string_equal(canonical_sha256(&s.arena, document), COMBINED_SHA256);

    pp_buf_init(&text, PP_JSON_MAX_BYTES);
    assert_ok(pp_json_write(document, PP_JSON_FILE, &text, &err), err);
    assert_ok(pp_json_parse(&s.arena, "doc", pp_buf_text(&text), text.size, &root, &err), err);
    pp_buf_done(&text);
    assert_ok(pp_combined_load_evaluation_read(&s.arena, root, &combined, &err), err);
    assert_string_equal(
        canonical_sha256(&s.arena, pp_combined_load_evaluation_to_json(&s.arena, &combined)),
        COMBINED_SHA256);
    pp_arena_done(&s.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_printed_figure_follows_from_the_samples),
        cmocka_unit_test(the_published_document_is_rebuilt),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
