#include "published_load.h"

#include "capacity/load_check.h"
#include "capacity/load_evaluate.h"
#include "capacity/server_argv.h"
#include "shared.h"

#define PLAN_SHA256 "b10f61b7093f58ad6d142deafd7d6befe600d1d54a433b59c101131dd8c2d9bb"

const pp_json *published_load_find(const pp_json *object, const char *key)
{
    const pp_json *value = pp_json_find(object, key);

    if (value == NULL)
        fail_msg("load-sweep.json: '%s' is missing", key);
    return value;
}

static void read_plan(published_load *s)
{
    pp_text text = published_load_find(s->figures, "load_plan_text")->text;
    char hex[PP_SHA256_HEX_SIZE];
    const pp_json *root;
    pp_error err = {0};

    assert_ok(pp_sha256_of(text.data, text.size, hex, &err), err);
    assert_string_equal(hex, PLAN_SHA256);
    assert_ok(pp_json_parse(&s->arena, "plan", text.data, text.size, &root, &err), err);
    assert_ok(pp_load_plan_decode(&s->arena, root, &s->plan, &err), err);
}

static pp_measured_level level_of(published_load *s, const pp_json *from,
                                  const pp_load_sample *warmup)
{
    const pp_json *list = published_load_find(from, "samples");
    pp_load_sample *samples = PP_ARENA_NEW(&s->arena, pp_load_sample, list->array.count);
    pp_error err = {0};

    for (size_t i = 0; i < list->array.count; i++)
        assert_ok(pp_load_sample_decode(list->array.items[i], s->plan.method.output_tokens,
                                        &samples[i], &err),
                  err);
    return (pp_measured_level){
        .concurrency = published_load_find(from, "concurrency")->integer,
        .warmup = warmup,
        .warmup_count = (size_t)s->plan.method.warmup_count,
        .measured = samples,
        .measured_count = list->array.count,
    };
}

/* The page prints no warm-up: what was sent then is in no figure. */
static const pp_load_sample *unseen_warmup(published_load *s)
{
    int64_t count = s->plan.method.warmup_count;
    pp_load_sample *samples = PP_ARENA_NEW(&s->arena, pp_load_sample, count);

    for (int64_t i = 0; i < count; i++)
        samples[i] = (pp_load_sample){
            .completed = true,
            .ttft_ms = pp_known_real(1.0),
            .e2e_latency_ms = 1000.0,
            .generated_tokens = s->plan.method.output_tokens,
            .finished_at_seconds = 1.0,
        };
    return samples;
}

static void bind(published_load *s, const pp_json *from, pp_load_evaluation *e)
{
    const char *keys[2] = {"load_server_argv", "canonical_server_argv"};
    pp_load_binding_source source = {
        .plan_sha256 = PLAN_SHA256,
        .request_base_url = published_load_find(from, "request_base_url")->text,
        .load_command_sha256 = published_load_find(from, "load_server_command_sha256")->text.data,
        .canonical_command_sha256 =
            published_load_find(from, "canonical_server_command_sha256")->text.data,
    };
    pp_server_argv *argv[2] = {&source.load_argv, &source.canonical_argv};
    const char *digests[2] = {source.load_command_sha256, source.canonical_command_sha256};
    pp_error err = {0};
    bool proves;

    for (size_t i = 0; i < 2; i++) {
        pp_json *command = pp_json_new_object(&s->arena);
        char hex[PP_SHA256_HEX_SIZE];

        pp_json_set_string(&s->arena, command, "schema_version", "1.0");
        pp_json_set(&s->arena, command, "argv", published_load_find(from, keys[i]));
        assert_ok(pp_server_command_decode(&s->arena, command, argv[i], &err), err);
        assert_ok(pp_server_command_sha256(argv[i], hex, &err), err);
        assert_string_equal(hex, digests[i]); /* the published one */
    }
    assert_ok(pp_load_evaluation_bind(&s->arena, &source, e, &err), err);
    assert_ok(pp_load_binding_proves_argv(&e->binding, &proves, &err), err);
    assert_true(proves);
}

static void build(published_load *s, pp_text id, const pp_json *from, pp_load_evaluation *e)
{
    const pp_json *levels = published_load_find(s->figures, "levels");
    const pp_load_sample *warmup = unseen_warmup(s);
    pp_measured_level own[PP_LOAD_MAX_LEVELS];
    size_t count = 0;
    pp_error err = {0};

    for (size_t i = 0; i < levels->array.count; i++) {
        if (!pp_text_equal(published_load_find(levels->array.items[i], "candidate_id")->text, id))
            continue;
        assert_true(count < PP_COUNT_OF(own));
        own[count++] = level_of(s, levels->array.items[i], warmup);
    }
    assert_ok(pp_load_evaluation_build(&s->arena, &s->plan, id, false, own, count, e, &err), err);
    bind(s, from, e);
}

void published_load_build(published_load *s)
{
    const char *path = shared_path_or_skip(&s->arena, "published/load-sweep.json");
    const pp_json *candidates;
    pp_error err = {0};

    assert_ok(pp_json_read_file(&s->arena, path, NULL, &s->figures, &err), err);
    read_plan(s);
    candidates = published_load_find(s->figures, "candidates");
    assert_int_equal(candidates->object.count, PP_COUNT_OF(s->evaluations));
    for (size_t i = 0; i < candidates->object.count; i++) {
        const pp_json_member *member = &candidates->object.members[i];

        build(s, member->key, member->value, &s->evaluations[s->count++]);
    }
}
