#include "quality/evaluation_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/tables.h"
#include "quality/evaluation.h"
#include "stats/close.h"

/* ---- differences ------------------------------------------------------------------------------
 */

typedef struct checker {
    pp_arena *arena;
    pp_evaluation_differences *out;
} checker;

/* As it stands in a document. */
static const char *shown(pp_arena *arena, const pp_json *value)
{
    pp_error ignored = {0};
    char out[120];
    pp_buf text;

    pp_buf_init(&text, 8 << 20);
    if (pp_json_write(value, PP_JSON_COMPACT, &text, &ignored) == PP_OK)
        pp_text_escape_controls(pp_buf_text(&text), text.size, out, sizeof out);
    else
        (void)snprintf(out, sizeof out, "a %s that cannot be written", pp_json_kind_name(value));
    pp_buf_done(&text);
    return pp_arena_dup(arena, out, strlen(out));
}

static void grow(checker *c)
{
    pp_evaluation_differences *out = c->out;
    size_t capacity = out->capacity == 0 ? 8 : out->capacity * 2;
    pp_evaluation_difference *items = PP_ARENA_NEW(c->arena, pp_evaluation_difference, capacity);

    if (items == NULL)
        return;
    if (out->count > 0)
        memcpy(items, out->items, out->count * sizeof *items);
    out->items = items;
    out->capacity = capacity;
}

static void differ(checker *c, const pp_json *found, const char *expected)
{
    pp_evaluation_differences *out = c->out;
    char path[PP_JSON_PATH_MAX];

    if (out->count == out->capacity)
        grow(c);
    if (out->count == out->capacity)
        return; /* memory is short, and the arena knows */
    pp_json_path(found, path);
    out->items[out->count++] = (pp_evaluation_difference){
        pp_arena_dup(c->arena, path, strlen(path)), expected, shown(c->arena, found)};
}

static void expect(checker *c, const pp_json *found, const pp_json *want)
{
    if (!pp_json_equal(found, want))
        differ(c, found, shown(c->arena, want));
}

static void expect_int(checker *c, const pp_json *object, const char *key, int64_t want)
{
    expect(c, pp_json_find(object, key), pp_json_new_int(c->arena, want));
}

static void expect_real(checker *c, const pp_json *object, const char *key, double want,
                        double slack)
{
    const pp_json *found = pp_json_find(object, key);

    if (!pp_close(pp_checked_real(found), want, 0, slack))
        differ(c, found, shown(c->arena, pp_json_new_real(c->arena, want)));
}

/* ---- parts ------------------------------------------------------------------------------------
 */

static void check_suite(checker *c, const pp_json *suite, const pp_server_evaluation *made)
{
    expect_int(c, suite, "quality_case_count", (int64_t)made->case_count);
    expect_int(c, suite, "performance_repetitions", (int64_t)made->sample_count);
}

static void check_quality(checker *c, const pp_json *quality, const pp_server_evaluation *made)
{
    const pp_json *cases = pp_json_find(quality, "cases");

    expect_real(c, quality, "score", made->score, PP_EVALUATION_SCORE_SLACK);
    expect_int(c, quality, "passed", (int64_t)made->passed_count);
    expect_int(c, quality, "total", (int64_t)made->case_count);
    for (size_t i = 0; i < made->case_count; i++) {
        const pp_json *from = cases->array.items[i];
        const pp_evaluation_case *want = &made->cases[i];

        expect(c, pp_json_find(from, "matched"), pp_json_new_bool(c->arena, want->matched));
        expect(c, pp_json_find(from, "matched_answer"),
               want->matched ? pp_json_new_text(c->arena, want->matched_answer)
                             : pp_json_new_null(c->arena));
    }
}

static void check_sample(checker *c, const pp_json *from, const pp_evaluation_sample *sample,
                         int64_t generation_tokens)
{
    if (sample->e2e_latency_ms < sample->ttft_ms)
        differ(c, pp_json_find(from, "e2e_latency_ms"),
               pp_arena_printf(c->arena, "at least ttft_ms, %s",
                               shown(c->arena, pp_json_find(from, "ttft_ms"))));
    expect_int(c, from, "predicted_tokens", generation_tokens);
}

static void check_latency(checker *c, const pp_json *latency, const pp_server_evaluation *made)
{
    const pp_json *samples = pp_json_find(latency, "samples");
    const double slack = PP_EVALUATION_PERCENTILE_SLACK_MS;

    expect_real(c, latency, "ttft_ms_p50", made->ttft_ms_p50, slack);
    expect_real(c, latency, "ttft_ms_p95", made->ttft_ms_p95, slack);
    expect_real(c, latency, "e2e_latency_ms_p50", made->e2e_latency_ms_p50, slack);
    expect_real(c, latency, "e2e_latency_ms_p95", made->e2e_latency_ms_p95, slack);
    for (size_t i = 0; i < made->sample_count; i++) {
        expect_int(c, samples->array.items[i], "index", (int64_t)i + 1);
        check_sample(c, samples->array.items[i], &made->samples[i], made->generation_tokens);
    }
}

/* ---- the suite that was asked -----------------------------------------------------------------
 */

static pp_json *case_of_suite(pp_arena *arena, const pp_json *from)
{
    static const char *const keys[] = {"id", "prompt", "accepted_answers", "match_mode"};
    pp_json *out = pp_json_new_object(arena);

    for (size_t i = 0; i < PP_COUNT_OF(keys); i++)
        pp_json_set(arena, out, keys[i], pp_json_find(from, keys[i]));
    return out;
}

/* Only the cases count: the prompt of the latencies is not kept, and pooling counts their number
 * anew. */
static pp_json *performance_of_suite(pp_arena *arena)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_string(arena, out, "prompt", "not kept");
    pp_json_set_int(arena, out, "generation_tokens", 8);
    pp_json_set_int(arena, out, "repetitions", 5);
    pp_json_set_int(arena, out, "warmups", 1);
    return out;
}

/* The suite's own decoder says whether its cases can be matched; values know where they were read,
 * so its messages name places of the evaluation. */
static pp_status decode_suite(pp_arena *arena, const pp_json *root, pp_suite *ret_suite,
                              pp_error *err)
{
    const pp_json *suite = pp_json_find(root, "suite");
    const pp_json *cases = pp_json_find(pp_json_find(root, "quality"), "cases");
    pp_json *out = pp_json_new_object(arena);
    pp_json *list = pp_json_new_array(arena);
    pp_status st;

    for (size_t i = 0; i < cases->array.count; i++)
        pp_json_add(arena, list, case_of_suite(arena, cases->array.items[i]));
    pp_json_set_string(arena, out, "schema_version", "1.0");
    pp_json_set(arena, out, "id", pp_json_find(suite, "id"));
    pp_json_set(arena, out, "license", pp_json_find(suite, "license"));
    pp_json_set(arena, out, "quality_cases", list);
    pp_json_set(arena, out, "performance", performance_of_suite(arena));
    st = pp_arena_check(arena, err);
    return st == PP_OK ? pp_suite_decode(arena, out, ret_suite, err) : st;
}

/* ---------------------------------------------------------------------------------------------- */

/* Cases of their own, so that what is written stays beside what is made again. */
static pp_status make_again(pp_arena *arena, const pp_json *root, const pp_server_evaluation *e,
                            pp_server_evaluation *ret_made, pp_error *err)
{
    pp_suite suite;
    pp_status st = decode_suite(arena, root, &suite, err);

    if (st != PP_OK)
        return st;
    *ret_made = *e;
    ret_made->cases = PP_ARENA_NEW(arena, pp_evaluation_case, e->case_count);
    st = pp_arena_check(arena, err);
    if (st != PP_OK)
        return st;
    memcpy(ret_made->cases, e->cases, e->case_count * sizeof *e->cases);
    return pp_evaluation_derive(arena, &suite, ret_made, err);
}

pp_status pp_server_evaluation_check(pp_arena *arena, const pp_json *root,
                                     pp_server_evaluation *ret_evaluation,
                                     pp_evaluation_differences *ret_differences, pp_error *err)
{
    checker c = {arena, ret_differences};
    pp_server_evaluation e;
    pp_server_evaluation made;
    pp_status st = pp_server_evaluation_decode(arena, root, &e, err);

    *ret_differences = (pp_evaluation_differences){0};
    if (st == PP_OK)
        st = make_again(arena, root, &e, &made, err);
    if (st != PP_OK)
        return st;
    check_suite(&c, pp_json_find(root, "suite"), &made);
    check_quality(&c, pp_json_find(root, "quality"), &made);
    check_latency(&c, pp_json_find(root, "latency"), &made);
    *ret_evaluation = e;
    return pp_arena_check(arena, err);
}

static pp_status fail_different(pp_arena *arena, const pp_evaluation_differences *differences,
                                pp_error *err)
{
    const char *text = "";
    pp_status st;

    for (size_t i = 0; text != NULL && i < differences->count; i++) {
        const pp_evaluation_difference *d = &differences->items[i];

        text = pp_arena_printf(arena, "%s%s%s: expected %s, got %s", text, i == 0 ? "" : "; ",
                               d->path, d->expected, d->found);
    }
    st = pp_arena_check(arena, err);
    if (st != PP_OK)
        return st;
    if (differences->count == 1)
        return pp_fail(err, PP_ERR_SCHEMA, "%s", text);
    return pp_fail(err, PP_ERR_SCHEMA, "%zu differences: %s", differences->count, text);
}

pp_status pp_server_evaluation_read(pp_arena *arena, const pp_json *root,
                                    pp_server_evaluation *ret_evaluation, pp_error *err)
{
    pp_evaluation_differences differences;
    pp_server_evaluation e;
    pp_status st = pp_server_evaluation_check(arena, root, &e, &differences, err);

    if (st == PP_OK && differences.count > 0)
        st = fail_different(arena, &differences, err);
    if (st == PP_OK)
        *ret_evaluation = e;
    return st;
}
