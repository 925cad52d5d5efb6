/* Stages of a study plan: what really differs between two candidates, against what the plan says.
 *
 * A difference has a name: "engine", "model", "settings.<name>", "extra_arguments", "endpoint",
 * "serve", "kind", or for command lines that are given word for word "argv.<option>", where an
 * option that a setting stands for has the name of the setting. In such a line the program, the
 * value of the model and the value of the port are not compared: engine and model say them. */
#include "model/study_plan_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/fields.h"

#define MAX_DIFFERENCES 64

typedef struct differences {
    pp_arena *arena;
    const char *names[MAX_DIFFERENCES]; /* all different */
    size_t count;
} differences;

static void add(differences *d, const char *name)
{
    for (size_t i = 0; i < d->count; i++) {
        if (strcmp(d->names[i], name) == 0)
            return;
    }
    if (d->count < MAX_DIFFERENCES)
        d->names[d->count++] = name;
}

/* ---- settings ---------------------------------------------------------------------------------
 */

static void compare_settings(differences *d, const pp_settings *a, const pp_settings *b)
{
    const pp_json *left = pp_settings_encode(d->arena, a);
    const pp_json *right = pp_settings_encode(d->arena, b);

    if (left == NULL || right == NULL)
        return; /* the arena remembers */
    for (size_t i = 0; i < left->object.count; i++) {
        const pp_json_member *member = &left->object.members[i];

        if (!pp_json_equal(member->value, pp_json_find(right, member->key.data)))
            add(d, pp_arena_printf(d->arena, "settings.%s", member->key.data));
    }
}

/* ---- words ------------------------------------------------------------------------------------
 */

static const struct {
    const char *option; /* of llama-server or llama-bench */
    const char *setting;
} spelled[] = {
    {"--threads", "threads"},
    {"-t", "threads"},
    {"--threads-batch", "threads_batch"},
    {"-tb", "threads_batch"},
    {"--batch-size", "batch_size"},
    {"-b", "batch_size"},
    {"--ubatch-size", "ubatch_size"},
    {"-ub", "ubatch_size"},
    {"--ctx-size", "context_size"},
    {"-c", "context_size"},
    {"--parallel", "parallel"},
    {"-np", "parallel"},
    {"--poll", "poll"},
    {"--cache-type-k", "cache_type_k"},
    {"-ctk", "cache_type_k"},
    {"--cache-type-v", "cache_type_v"},
    {"-ctv", "cache_type_v"},
    {"--flash-attn", "flash_attention"},
    {"-fa", "flash_attention"},
    {"--load-mode", "load_mode"},
};

static const char *setting_of(pp_text option)
{
    for (size_t i = 0; i < PP_COUNT_OF(spelled); i++) {
        if (pp_text_is(option, spelled[i].option))
            return spelled[i].setting;
    }
    return NULL;
}

static const char *name_of_option(differences *d, pp_text option)
{
    const char *setting = setting_of(option);

    return setting != NULL ? pp_arena_printf(d->arena, "settings.%s", setting)
                           : pp_arena_printf(d->arena, "argv.%s", option.data);
}

static bool is_option(pp_text word)
{
    return word.size > 1 && word.data[0] == '-' && !(word.data[1] >= '0' && word.data[1] <= '9');
}

/* Said by engine and model, or chosen when the server starts. */
static bool is_said_elsewhere(pp_text option)
{
    return pp_text_is(option, "--model") || pp_text_is(option, "-m") ||
           pp_text_is(option, "--port");
}

/* The options of a line with their values. An option that stands twice counts by its number. */
static bool find_option(const pp_plan_words *words, pp_text option, size_t nth, pp_text *ret_value)
{
    for (size_t i = 1; i < words->count; i++) {
        if (!pp_text_equal(words->words[i], option))
            continue;
        if (nth-- > 0)
            continue;
        *ret_value = i + 1 < words->count && !is_option(words->words[i + 1]) ? words->words[i + 1]
                                                                             : pp_text_of("");
        return true;
    }
    return false;
}

static size_t occurrences_before(const pp_plan_words *words, size_t at)
{
    size_t n = 0;

    for (size_t i = 1; i < at; i++)
        n += pp_text_equal(words->words[i], words->words[at]);
    return n;
}

/* Whether there was any. */
static bool compare_one_way(differences *d, const pp_plan_words *a, const pp_plan_words *b)
{
    bool differs = false;

    for (size_t i = 1; i < a->count; i++) {
        pp_text option = a->words[i];
        size_t nth = occurrences_before(a, i);
        pp_text left;
        pp_text right;

        if (!is_option(option) || is_said_elsewhere(option))
            continue;
        if (find_option(b, option, nth, &right) && find_option(a, option, nth, &left) &&
            pp_text_equal(left, right))
            continue;
        add(d, name_of_option(d, option));
        differs = true;
    }
    return differs;
}

/* Lines that hold the same options with the same values, but in another order or with further
 * words, differ as a whole. */
static void compare_lines(differences *d, const pp_plan_words *a, const pp_plan_words *b)
{
    bool differs = compare_one_way(d, a, b);

    differs = compare_one_way(d, b, a) || differs;
    if (differs)
        return;
    for (size_t i = 1; i < a->count && i < b->count; i++) {
        bool value = i > 1 && is_said_elsewhere(a->words[i - 1]);

        if (!value && !pp_text_equal(a->words[i], b->words[i]))
            add(d, "argv");
    }
    if (a->count != b->count)
        add(d, "argv");
}

/* ---- two candidates ---------------------------------------------------------------------------
 */

static void compare_extra(differences *d, const pp_plan_words *a, const pp_plan_words *b)
{
    bool same = a->count == b->count;

    for (size_t i = 0; same && i < a->count; i++)
        same = pp_text_equal(a->words[i], b->words[i]);
    if (!same)
        add(d, "extra_arguments");
}

static void compare_endpoints(differences *d, const pp_plan_endpoint *a, const pp_plan_endpoint *b)
{
    if (!pp_text_equal(a->url, b->url) || !pp_text_equal(a->server, b->server))
        add(d, "endpoint");
    if (!pp_text_equal(a->model, b->model))
        add(d, "model");
}

static void compare_serves(differences *d, const pp_plan_candidate *a, const pp_plan_candidate *b)
{
    if (!pp_text_equal(a->serve.path, b->serve.path) ||
        !pp_text_equal(a->serve.sha256, b->serve.sha256))
        add(d, "serve");
    if (!pp_text_equal(a->endpoint.model, b->endpoint.model))
        add(d, "model");
}

static void compare(differences *d, const pp_plan_candidate *a, const pp_plan_candidate *b)
{
    if (a->kind != b->kind) {
        add(d, "kind");
        return;
    }
    if (a->kind == PP_CANDIDATE_ENDPOINT) {
        compare_endpoints(d, &a->endpoint, &b->endpoint);
        return;
    }
    if (a->kind == PP_CANDIDATE_SERVE) {
        compare_serves(d, a, b);
        return;
    }
    if (a->engine_index != b->engine_index)
        add(d, "engine");
    if (a->model_index != b->model_index)
        add(d, "model");
    if (a->kind == PP_CANDIDATE_MANAGED) {
        compare_settings(d, &a->settings, &b->settings);
        compare_extra(d, &a->extra_arguments, &b->extra_arguments);
    } else {
        compare_lines(d, &a->server_argv, &b->server_argv);
        compare_lines(d, &a->throughput_argv, &b->throughput_argv);
        if (!pp_text_equal(a->working_directory, b->working_directory))
            add(d, "argv");
    }
}

/* "model, settings.threads" */
static const char *listed(const differences *d)
{
    const char *text = d->count == 0 ? "nothing" : d->names[0];

    for (size_t i = 1; i < d->count && text != NULL; i++)
        text = pp_arena_printf(d->arena, "%s, %s", text, d->names[i]);
    return text == NULL ? "" : text;
}

static pp_status check_stage(pp_arena *arena, const pp_study_plan *plan, const pp_json *from,
                             const pp_plan_stage *stage, pp_error *err)
{
    const pp_plan_candidate *candidate = &plan->candidates[stage->candidate_index];
    const pp_plan_candidate *against = &plan->candidates[stage->against_index];
    differences d = {.arena = arena};

    if (candidate == against)
        return pp_json_fail(pp_json_find(from, "against"), err,
                            "expected another candidate than '%s'", candidate->id.data);
    compare(&d, candidate, against);
    if (arena->failed)
        return pp_arena_check(arena, err);
    if (d.count == 1 && pp_text_is(stage->changes, d.names[0]))
        return PP_OK;
    return pp_json_fail(pp_json_find(from, "changes"), err,
                        "'%s' and '%s' differ in %s; expected a difference in %s alone",
                        candidate->id.data, against->id.data, listed(&d), stage->changes.data);
}

static pp_status find_candidate(const pp_study_plan *plan, const pp_json *from, const char *key,
                                size_t *ret_index, pp_error *err)
{
    pp_text id = pp_checked_text(from, key);

    for (size_t i = 0; i < plan->candidate_count; i++) {
        if (pp_text_equal(plan->candidates[i].id, id)) {
            *ret_index = i;
            return PP_OK;
        }
    }
    return pp_json_fail(pp_json_find(from, key), err,
                        "expected the id of an item of $.candidates, got '%s'", id.data);
}

pp_status pp_plan_decode_stages(pp_arena *arena, const pp_json *root, pp_study_plan *plan,
                                pp_error *err)
{
    const pp_json *list = plan->schema == 1 ? NULL : pp_json_find(root, "stages");
    pp_status st = PP_OK;

    if (list == NULL)
        return PP_OK;
    plan->stages = PP_ARENA_NEW(arena, pp_plan_stage, list->array.count);
    for (size_t i = 0; st == PP_OK && plan->stages != NULL && i < list->array.count; i++) {
        const pp_json *from = list->array.items[i];
        pp_plan_stage *stage = &plan->stages[plan->stage_count++];

        stage->name = pp_checked_text(from, "name");
        stage->changes = pp_checked_text(from, "changes");
        st = find_candidate(plan, from, "candidate", &stage->candidate_index, err);
        if (st == PP_OK)
            st = find_candidate(plan, from, "against", &stage->against_index, err);
        if (st == PP_OK)
            st = check_stage(arena, plan, from, stage, err);
    }
    return st == PP_OK ? pp_arena_check(arena, err) : st;
}

/* ---- what a line says --------------------------------------------------------------------------
 */

static bool is_count(pp_text value)
{
    for (size_t i = 0; i < value.size; i++) {
        if (value.data[i] < '0' || value.data[i] > '9')
            return false;
    }
    return value.size > 0 && value.size < 19;
}

pp_json *pp_plan_words_settings(pp_arena *arena, const pp_plan_words *words)
{
    pp_json *object = pp_json_new_object(arena);

    for (size_t i = 1; i + 1 < words->count; i++) {
        const char *setting = setting_of(words->words[i]);
        pp_text value = words->words[i + 1];

        if (setting == NULL || is_option(value))
            continue;
        if (is_count(value))
            pp_json_set_int(arena, object, setting, strtoll(value.data, NULL, 10));
        else
            pp_json_set_text(arena, object, setting, value);
    }
    return object;
}
