/* Every recorded load row, sweep and combination of the original: figures and documents byte for
 * byte, refusals for the same class of reason. */
#include <stdlib.h>
#include <string.h>

#include "capacity/load_check.h"
#include "capacity/load_evaluate.h"
#include "capacity/load_row.h"
#include "original_cases.h"
#include "shared.h"

#define PROMPT_SHA256 "0000000000000000000000000000000000000000000000000000000000000000"

/* What our refusal says where the original's has this code. Each needle of one row will do. */
static const original_class classes[] = {
    {"above-maximum", {"expected 0 to 1"}},
    {"candidate-id", {"candidate id"}},
    {"completed-type", {"completed: expected true or false"}},
    {"duplicate-candidate", {"is there twice"}},
    {"e2e-clock-mismatch", {"expected the time from start to finish"}},
    {"error-missing", {"expected why the request failed", "$.error"}},
    {"error-not-null", {"expected null in a completed request", "$.error"}},
    {"error-too-long", {"at most 512 characters"}},
    {"execution-order", {"execution order"}},
    {"fields", {"required key", "unknown key"}},
    {"finish-before-start", {"an instant after started_at_seconds"}},
    {"input-count", {"expected 2 to 32 evaluations"}},
    {"levels", {"$.concurrency_levels"}},
    {"methodology-differs", {"differ in methodology"}},
    {"negative", {"expected at least 0", "expected 0 to 1"}},
    {"not-a-number", {"expected a number"}},
    {"not-divisible", {"expected a multiple of the level"}},
    {"not-positive", {"expected more than 0"}},
    {"output-tokens", {"$.output_tokens"}},
    {"prompts", {"$.prompts"}},
    {"prompts-unique", {"this prompt is there twice"}},
    {"request-count", {"the largest level"}},
    {"slo-differs", {"differ in limits"}},
    {"slo-order", {"expected at most max_e2e_latency_ms_p95"}},
    {"token-count", {"tokens in a completed request"}},
    {"token-range", {"expected 0 to", "expected an integer"}},
    {"ttft-above-e2e", {"expected at most e2e_latency_ms"}},
    {"warmup-failed", {"warm-up request"}},
};

/* What a sweep became, for the combinations that follow. */
typedef struct made {
    const char *id;
    const char *text;
} made;

typedef struct replay {
    pp_arena kept;
    made sweeps[64];
    size_t sweep_count;
    size_t equal, refused;
} replay;

static const pp_json *member(const pp_json *row, const char *key)
{
    const pp_json *value = pp_json_find(row, key);

    if (value == NULL)
        fail_msg("%s: no '%s'", pp_json_find(row, "id")->text.data, key);
    return value;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

/* Recorded samples come without index and prompt. */
static const pp_json *whole_sample(pp_arena *arena, const pp_json *from)
{
    pp_json *out = pp_json_new_object(arena);

    for (size_t i = 0; i < from->object.count; i++)
        pp_json_set_text_key(arena, out, from->object.members[i].key,
                             from->object.members[i].value);
    pp_json_set_int(arena, out, "index", 1);
    pp_json_set_int(arena, out, "prompt_index", 1);
    pp_json_set_string(arena, out, "prompt_sha256", PROMPT_SHA256);
    return out;
}

static const pp_json *read_back(pp_arena *arena, const pp_json *value)
{
    const pp_json *root;
    pp_error err = {0};
    pp_buf text;

    pp_buf_init(&text, PP_JSON_MAX_BYTES);
    assert_ok(pp_json_write(value, PP_JSON_COMPACT, &text, &err), err);
    assert_ok(pp_json_parse(arena, "value", pp_buf_text(&text), text.size, &root, &err), err);
    pp_buf_done(&text);
    return root;
}

static pp_status read_samples(pp_arena *arena, const pp_json *list, int64_t output_tokens,
                              pp_load_sample **ret_samples, size_t *ret_count, pp_error *err)
{
    pp_status st = PP_OK;

    *ret_count = list->array.count;
    *ret_samples = PP_ARENA_NEW(arena, pp_load_sample, *ret_count + 1);
    for (size_t i = 0; st == PP_OK && i < *ret_count; i++)
        st = pp_load_sample_decode(read_back(arena, whole_sample(arena, list->array.items[i])),
                                   output_tokens, &(*ret_samples)[i], err);
    return st;
}

static pp_maybe_real maybe_number(const pp_json *value)
{
    return value->kind == PP_JSON_NULL ? (pp_maybe_real){0} : pp_known_real(value->real);
}

/* ---- outcomes -------------------------------------------------------------------------------- */

static const char *canonical(pp_arena *arena, const pp_json *document)
{
    const char *out;
    pp_error err = {0};
    pp_buf text;

    pp_buf_init(&text, PP_JSON_MAX_BYTES);
    assert_ok(pp_json_write(document, PP_JSON_FILE, &text, &err), err);
    out = pp_arena_dup(arena, pp_buf_text(&text), text.size);
    pp_buf_done(&text);
    return out;
}

/* True when the case was refused, as it should be. */
static bool check_refusal(replay *r, const pp_json *row, pp_status st, const pp_error *err)
{
    const char *id = member(row, "id")->text.data;

    if (member(row, "accepted")->boolean) {
        if (st != PP_OK)
            fail_msg("%s: refused: %s", id, err->text);
        r->equal++;
        return false;
    }
    if (st == PP_OK)
        fail_msg("%s: accepted, the original refuses it: %s", id, member(row, "error")->text.data);
    original_class_check(classes, PP_COUNT_OF(classes), id, member(row, "error")->text.data,
                         err->text);
    r->refused++;
    return true;
}

static void check_artifact(const pp_json *row, const char *got)
{
    pp_text want = member(row, "artifact")->text;

    if (!pp_text_is(want, got))
        fail_msg("%s differs:\n%s\nexpected:\n%s", member(row, "id")->text.data, got, want.data);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static pp_status derive_row(pp_arena *arena, const pp_json *from, pp_load_evaluation *e,
                            pp_error *err)
{
    pp_load_row *row = &e->rows[0];
    pp_status st = pp_load_slo_decode(read_back(arena, member(from, "slo")), &e->slo, err);

    if (st == PP_OK)
        st = read_samples(arena, member(from, "samples"), member(from, "output_tokens")->integer,
                          &row->samples, &row->sample_count, err);
    if (st != PP_OK)
        return st;
    row->concurrency = member(from, "concurrency")->integer;
    row->peak_rss_mib = maybe_number(member(from, "peak_rss_mib"));
    return pp_load_row_derive(row, &e->slo, err);
}

static void replay_row(replay *r, pp_arena *arena, const pp_json *from)
{
    pp_load_prompt prompt = {pp_text_of("x"), PROMPT_SHA256};
    pp_load_evaluation e = {
        .candidate_id = pp_text_of("c"),
        .method = {.prompts = &prompt, .prompt_count = 1, .level_count = 1},
    };
    pp_error err = {0};
    pp_maybe_int highest;
    const pp_json *want;
    const pp_json *got;

    if (check_refusal(r, from, derive_row(arena, from, &e, &err), &err))
        return;
    want = member(from, "row");
    got = pp_json_find(pp_load_evaluation_to_json(arena, &e), "rows")->array.items[0];
    assert_int_equal(want->object.count, 16);
    for (size_t i = 0; i < want->object.count; i++) {
        const pp_json_member *figure = &want->object.members[i];

        if (!pp_json_equal(figure->value, pp_json_find(got, figure->key.data)))
            fail_msg("%s: %s differs: %s", member(from, "id")->text.data, figure->key.data,
                     canonical(arena, got));
    }
    highest = pp_load_highest_slo_concurrency(e.rows, 1);
    want = member(from, "highest_slo_concurrency");
    assert_int_equal(highest.known, want->kind == PP_JSON_INTEGER);
    if (highest.known)
        assert_int_equal(highest.value, want->integer);
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

static pp_status read_plan(pp_arena *arena, const pp_json *from, pp_load_plan *ret_plan,
                           pp_error *err)
{
    static const char *const keys[] = {"prompts",
                                       "output_tokens",
                                       "warmup_requests_per_level",
                                       "measured_requests_per_level",
                                       "concurrency_levels",
                                       "slo"};
    pp_json *plan = pp_json_new_object(arena);

    for (size_t i = 0; i < PP_COUNT_OF(keys); i++)
        pp_json_set(arena, plan, keys[i], member(from, keys[i]));
    pp_json_set_string(arena, plan, "schema_version", "1.0");
    pp_json_set_real(arena, plan, "timeout_seconds", 180.0);
    return pp_load_plan_decode(arena, read_back(arena, plan), ret_plan, err);
}

static const pp_json *find_result(const pp_json *from, int64_t concurrency)
{
    const pp_json *results = member(from, "results");

    for (size_t i = 0; i < results->array.count; i++) {
        if (pp_json_find(results->array.items[i], "concurrency")->integer == concurrency)
            return results->array.items[i];
    }
    fail_msg("%s: no level %lld", member(from, "id")->text.data, (long long)concurrency);
    return NULL;
}

static pp_status read_level(pp_arena *arena, const pp_json *from, const pp_load_plan *plan,
                            int64_t concurrency, pp_measured_level *level, pp_error *err)
{
    const pp_json *result = find_result(from, concurrency);
    int64_t tokens = plan->method.output_tokens;
    pp_load_sample *warmup;
    pp_load_sample *measured;
    pp_status st = read_samples(arena, pp_json_find(result, "warmup"), tokens, &warmup,
                                &level->warmup_count, err);

    if (st == PP_OK)
        st = read_samples(arena, pp_json_find(result, "measured"), tokens, &measured,
                          &level->measured_count, err);
    if (st != PP_OK)
        return st;
    level->concurrency = concurrency;
    level->warmup = warmup;
    level->measured = measured;
    level->peak_rss_mib = maybe_number(member(from, "peak_rss_mib"));
    return PP_OK;
}

static pp_status build(pp_arena *arena, const pp_json *from, pp_load_evaluation *ret_evaluation,
                       pp_error *err)
{
    const pp_json *order = member(from, "execution_order");
    pp_measured_level levels[8] = {{0}};
    pp_load_plan plan;
    pp_status st = read_plan(arena, from, &plan, err);
    size_t count;

    if (st != PP_OK)
        return st;
    count = order->kind == PP_JSON_NULL ? plan.method.level_count : order->array.count;
    assert_true(count <= PP_COUNT_OF(levels));
    for (size_t i = 0; st == PP_OK && i < count; i++)
        st = read_level(arena, from, &plan,
                        order->kind == PP_JSON_NULL ? plan.method.levels[i]
                                                    : order->array.items[i]->integer,
                        &levels[i], err);
    if (st != PP_OK)
        return st;
    return pp_load_evaluation_build(arena, &plan, member(from, "candidate_id")->text,
                                    member(from, "synthetic")->boolean, levels, count,
                                    ret_evaluation, err);
}

static void read_evaluation(pp_arena *arena, const char *text, pp_load_evaluation *ret_evaluation)
{
    const pp_json *root;
    pp_error err = {0};

    assert_ok(pp_json_parse(arena, "artifact", text, strlen(text), &root, &err), err);
    assert_ok(pp_load_evaluation_read(arena, root, ret_evaluation, &err), err);
}

static void replay_sweep(replay *r, pp_arena *arena, const pp_json *from)
{
    pp_load_evaluation e;
    pp_error err = {0};
    const char *text;

    if (check_refusal(r, from, build(arena, from, &e, &err), &err))
        return;
    text = canonical(arena, pp_load_evaluation_to_json(arena, &e));
    check_artifact(from, text);
    read_evaluation(arena, text, &e);
    check_artifact(from, canonical(arena, pp_load_evaluation_to_json(arena, &e)));
    assert_true(r->sweep_count < PP_COUNT_OF(r->sweeps));
    r->sweeps[r->sweep_count].id = pp_text_dup(&r->kept, member(from, "id")->text).data;
    r->sweeps[r->sweep_count++].text = pp_arena_dup(&r->kept, text, strlen(text));
}

/* ---- combinations ---------------------------------------------------------------------------- */

static const char *find_sweep(const replay *r, const char *id)
{
    for (size_t i = 0; i < r->sweep_count; i++) {
        if (strcmp(r->sweeps[i].id, id) == 0)
            return r->sweeps[i].text;
    }
    fail_msg("no sweep '%s'", id);
    return NULL;
}

static void replay_combination(replay *r, pp_arena *arena, const pp_json *from)
{
    const pp_json *inputs = member(from, "inputs");
    pp_load_evaluation *list = PP_ARENA_NEW(arena, pp_load_evaluation, inputs->array.count);
    pp_combined_load_evaluation combined;
    const pp_json *root;
    pp_error err = {0};
    const char *text;
    pp_status st;

    for (size_t i = 0; i < inputs->array.count; i++)
        read_evaluation(arena, find_sweep(r, inputs->array.items[i]->text.data), &list[i]);
    st = pp_load_evaluations_combine(arena, list, inputs->array.count, &combined, &err);
    if (check_refusal(r, from, st, &err))
        return;
    text = canonical(arena, pp_combined_load_evaluation_to_json(arena, &combined));
    check_artifact(from, text);
    assert_ok(pp_json_parse(arena, "artifact", text, strlen(text), &root, &err), err);
    assert_ok(pp_combined_load_evaluation_read(arena, root, &combined, &err), err);
    check_artifact(from, canonical(arena, pp_combined_load_evaluation_to_json(arena, &combined)));
}

/* ---------------------------------------------------------------------------------------------- */

static void replay_case(pp_arena *arena, const char *id, const pp_json *row, void *context)
{
    pp_text kind = member(row, "kind")->text;

    (void)id;
    if (pp_text_is(kind, "row"))
        replay_row(context, arena, row);
    else if (pp_text_is(kind, "sweep"))
        replay_sweep(context, arena, row);
    else
        replay_combination(context, arena, row);
}

static void every_recorded_load_has_its_outcome(void **state)
{
    replay r = {0};

    (void)state;
    assert_int_equal(original_cases_each("load-rows.jsonl", replay_case, &r), 342);
    print_message("# equal %zu, refused alike %zu, otherwise on purpose 0\n", r.equal, r.refused);
    assert_int_equal(r.equal + r.refused, 342);
    pp_arena_done(&r.kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_recorded_load_has_its_outcome),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
