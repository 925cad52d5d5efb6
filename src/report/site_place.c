/* What makes two bundles comparable: the recorded facts of machine, models and work. */
#include <math.h>
#include <stdlib.h>

#include "digest/sha256.h"
#include "report/lookup.h"
#include "report/number_text.h"
#include "report/site.h"

#define MODELS_SHOWN     4
#define MODEL_CHARACTERS 80

typedef struct fact_list {
    pp_arena *arena;
    pp_site_fact *items;
    size_t count;
} fact_list;

static void add(fact_list *list, const char *name, pp_text text)
{
    PP_ASSERT(list->count < PP_SITE_MAX_FACTS);
    list->items[list->count++] = (pp_site_fact){name, text};
}

static void add_printed(fact_list *list, const char *name, const char *text)
{
    add(list, name, pp_text_of(text == NULL ? "" : text)); /* the arena remembers */
}

static void add_text(fact_list *list, const char *name, const pp_json *object, const char *key)
{
    pp_text text;

    if (pp_lookup_text(object, key, &text))
        add(list, name, text);
}

static void add_number(fact_list *list, const char *name, const pp_json *object, const char *key,
                       const char *unit)
{
    char text[PP_FIGURE_TEXT_MAX];
    double value;

    if (pp_lookup_number(object, key, &value))
        add_printed(list, name,
                    pp_arena_printf(list->arena, "%s%s", pp_figure_text(value, text), unit));
}

/* ---- machine --------------------------------------------------------------------------------- */

/* Kernels give a little more or less of the same memory. */
static void add_memory(fact_list *list, const pp_json *memory)
{
    char text[PP_FIGURE_TEXT_MAX];
    double bytes;

    if (pp_lookup_number(memory, "total_bytes", &bytes))
        add_printed(list, "Memory",
                    pp_arena_printf(list->arena, "%s GiB",
                                    pp_figure_text(floor(bytes / 1073741824.0 + 0.5), text)));
}

static bool is_emulated(const pp_json *platform)
{
    const pp_json *value = platform == NULL ? NULL : pp_json_find(platform, "emulated");

    return value != NULL && value->kind == PP_JSON_BOOL && value->boolean;
}

static void add_host(fact_list *list, const pp_json *host)
{
    const pp_json *cpu = pp_lookup_object(host, "cpu");
    const pp_json *platform = pp_lookup_object(host, "platform");

    add_text(list, "CPU", cpu, "model");
    add_text(list, "Architecture", host, "architecture");
    add_number(list, "Cores", cpu, "core_count", "");
    add_number(list, "CPUs online", cpu, "online_count", "");
    add_number(list, "CPUs allowed", cpu, "allowed_count", "");
    add_number(list, "CPU quota", pp_lookup_object(host, "cgroup"), "cpu_quota_cores", " cores");
    add_memory(list, pp_lookup_object(host, "memory"));
    add_text(list, "System", host, "os_name");
    add_text(list, "Virtualisation", platform, "virtualisation");
    if (is_emulated(platform))
        add_printed(list, "Emulated", "yes");
}

static void add_runner(fact_list *list, const pp_json *runner)
{
    add_text(list, "CPU", runner, "cpu");
    add_text(list, "Architecture", runner, "architecture");
    add_number(list, "CPUs", runner, "cpu_count", "");
    add_text(list, "System", runner, "os");
}

/* The machine of a server that ran already is not recorded. */
static bool has_endpoint(const pp_benchmark_set *set)
{
    for (size_t i = 0; i < set->candidate_count; i++) {
        if (pp_lookup_object(set->candidates[i].parameters, "endpoint") != NULL)
            return true;
    }
    return false;
}

static void add_machine(fact_list *list, const pp_benchmark_set *set)
{
    const pp_json *host = pp_lookup_object(set->metadata, "host");
    const pp_json *source = pp_lookup_object(set->metadata, "source");

    if (host != NULL)
        add_host(list, host);
    else
        add_runner(list, pp_lookup_object(source, "runner"));
    if (list->count > 0 && has_endpoint(set))
        add_printed(list, "Servers", "ran already; where is not recorded");
}

/* ---- models ---------------------------------------------------------------------------------- */

static pp_text model_of(const pp_candidate *candidate)
{
    static const char *const keys[] = {"family", "name", "filename"};
    static const char *const endpoint_keys[] = {"model", "listed_model", "server"};
    const pp_json *model = pp_lookup_object(candidate->parameters, "model");
    const pp_json *endpoint = pp_lookup_object(candidate->parameters, "endpoint");
    pp_text text;

    for (size_t i = 0; i < PP_COUNT_OF(keys); i++) {
        if (pp_lookup_text(model, keys[i], &text))
            return text;
    }
    for (size_t i = 0; i < PP_COUNT_OF(endpoint_keys); i++) {
        if (pp_lookup_text(endpoint, endpoint_keys[i], &text))
            return text;
    }
    return pp_text_of("model not recorded");
}

static int by_bytes(const void *left, const void *right)
{
    return pp_text_compare(*(const pp_text *)left, *(const pp_text *)right);
}

/* Each once, sorted. */
static pp_text *list_models(pp_arena *arena, const pp_benchmark_set *set, size_t *ret_count)
{
    pp_text *all = PP_ARENA_NEW(arena, pp_text, set->candidate_count);
    size_t count = 0;

    *ret_count = 0;
    if (all == NULL)
        return NULL; /* the arena remembers */
    for (size_t i = 0; i < set->candidate_count; i++)
        all[i] = model_of(&set->candidates[i]);
    qsort(all, set->candidate_count, sizeof *all, by_bytes);
    for (size_t i = 0; i < set->candidate_count; i++) {
        if (i == 0 || !pp_text_equal(all[i], all[count - 1]))
            all[count++] = all[i];
    }
    *ret_count = count;
    return all;
}

/* The first few, none longer than a line. */
static pp_text models_text(pp_arena *arena, const pp_text *models, size_t count)
{
    const char *text = "";

    for (size_t i = 0; i < count && i < MODELS_SHOWN && text != NULL; i++) {
        pp_text head = pp_text_head(models[i], MODEL_CHARACTERS);

        text = pp_arena_printf(arena, "%s%s%.*s%s", text, i > 0 ? ", " : "", (int)head.size,
                               head.data, head.size < models[i].size ? "..." : "");
    }
    if (count > MODELS_SHOWN && text != NULL)
        text = pp_arena_printf(arena, "%s and %zu more", text, count - MODELS_SHOWN);
    return pp_text_of(text == NULL ? "" : text);
}

/* ---- work ------------------------------------------------------------------------------------ */

/* What was asked, not how often: passes and repetitions make figures firmer, not other ones. */
static void add_work(fact_list *list, const pp_benchmark_set *set)
{
    const pp_json *study = pp_lookup_object(set->metadata, "study");
    const pp_json *throughput = pp_lookup_object(study, "throughput");
    const pp_json *requests = pp_lookup_object(study, "requests");

    add_number(list, "Requests: prompt", requests, "prompt_tokens", " tokens");
    add_number(list, "Requests: output", requests, "output_tokens", " tokens");
    add_number(list, "Requests: seed", requests, "seed", "");
    add_number(list, "Throughput: prompt", throughput, "prompt_tokens", " tokens");
    add_number(list, "Throughput: generated", throughput, "generation_tokens", " tokens");
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* With its length, so that no two lists read alike. */
static void put_part(pp_sha256 *key, pp_text text)
{
    uint64_t size = text.size;
    unsigned char bytes[8];

    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(size >> (8 * i));
    pp_sha256_update(key, bytes, sizeof bytes);
    pp_sha256_update(key, text.data, text.size);
}

/* Facts; or the name alone, which no other bundle has. */
static void put_facts(pp_sha256 *key, const pp_site_fact *facts, size_t count, pp_text name)
{
    put_part(key, pp_text_of(count == 0 ? "not recorded" : "recorded"));
    for (size_t i = 0; i < count; i++) {
        put_part(key, pp_text_of(facts[i].name));
        put_part(key, facts[i].text);
    }
    if (count == 0)
        put_part(key, name);
    put_part(key, pp_text_of("")); /* no fact has an empty name */
}

static const char *take_digest(pp_arena *arena, pp_sha256 *key)
{
    char hex[PP_SHA256_HEX_SIZE];

    pp_sha256_finish(key, hex);
    pp_sha256_free(key);
    return pp_arena_dup(arena, hex, PP_SHA256_HEX_SIZE - 1);
}

static pp_status make_keys(pp_arena *arena, pp_site_place *place, const pp_text *models,
                           size_t model_count, pp_text name, pp_error *err)
{
    pp_sha256 *machine = pp_sha256_new();
    pp_sha256 *whole = pp_sha256_new();

    if (machine == NULL || whole == NULL) {
        pp_sha256_free(machine);
        pp_sha256_free(whole);
        return pp_fail(err, PP_ERR_MEMORY, "out of memory for a digest");
    }
    put_facts(machine, place->machine, place->machine_count, name);
    put_facts(whole, place->machine, place->machine_count, name);
    for (size_t i = 0; i < model_count; i++)
        put_part(whole, models[i]);
    put_facts(whole, place->work, place->work_count, name);
    place->machine_key = take_digest(arena, machine);
    place->key = take_digest(arena, whole);
    return pp_arena_check(arena, err);
}

pp_status pp_site_place_of(pp_arena *arena, const pp_benchmark_set *set, pp_text name,
                           pp_site_place *ret_place, pp_error *err)
{
    size_t model_count;
    const pp_text *models = list_models(arena, set, &model_count);
    pp_site_place place = {.models = models_text(arena, models, model_count)};
    fact_list machine = {arena, place.machine, 0};
    fact_list work = {arena, place.work, 0};
    pp_status st;

    add_machine(&machine, set);
    add_work(&work, set);
    place.machine_count = machine.count;
    place.work_count = work.count;
    st = make_keys(arena, &place, models, model_count, name, err);
    *ret_place = place;
    return st;
}
