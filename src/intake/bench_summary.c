#include "intake/bench_summary.h"

#include <stdlib.h>

#include "intake/bench_names.h"
#include "stats/summary.h"

typedef struct summary {
    pp_arena *arena;
    const pp_bench_artifact *artifacts;
    size_t n;
    const pp_json *settings;
} summary;

/* ---- equality ------------------------------------------------------------------------------ */

static bool numbers_equal(const pp_json *a, const pp_json *b)
{
    if (a->kind == PP_JSON_REAL && b->kind == PP_JSON_INTEGER)
        return numbers_equal(b, a);
    if (a->kind == PP_JSON_REAL)
        return a->real == b->real;
    if (b->kind == PP_JSON_INTEGER)
        return a->integer == b->integer;
    /* exact: 2^53 + 1 is not 2^53 */
    return b->real >= -0x1p63 && b->real < 0x1p63 && (double)(int64_t)b->real == b->real &&
           (int64_t)b->real == a->integer;
}

static bool is_number(const pp_json *value)
{
    return value->kind == PP_JSON_INTEGER || value->kind == PP_JSON_REAL;
}

static bool arrays_equal(const pp_json *a, const pp_json *b)
{
    if (a->array.count != b->array.count)
        return false;
    for (size_t i = 0; i < a->array.count; i++) {
        if (!pp_bench_values_equal(a->array.items[i], b->array.items[i]))
            return false;
    }
    return true;
}

static bool objects_equal(const pp_json *a, const pp_json *b)
{
    if (a->object.count != b->object.count)
        return false;
    for (size_t i = 0; i < a->object.count; i++) {
        const pp_json *other = pp_json_find_text(b, a->object.members[i].key);

        if (other == NULL || !pp_bench_values_equal(a->object.members[i].value, other))
            return false;
    }
    return true;
}

bool pp_bench_values_equal(const pp_json *a, const pp_json *b)
{
    if (is_number(a) && is_number(b))
        return numbers_equal(a, b);
    if (a->kind != b->kind)
        return false;
    if (a->kind == PP_JSON_ARRAY)
        return arrays_equal(a, b);
    if (a->kind == PP_JSON_OBJECT)
        return objects_equal(a, b);
    return pp_json_equal(a, b);
}

/* ---- one variant --------------------------------------------------------------------------- */

typedef struct place {
    const pp_bench_artifact *artifact;
    const pp_bench_record *record;
} place;

/* "pass-1 line 3" */
static const char *place_text(pp_arena *arena, place at)
{
    char label[96];

    pp_text_escape_controls(at.artifact->label.data, at.artifact->label.size, label, sizeof label);
    return pp_arena_printf(arena, "%s line %zu", label, at.record->line);
}

static pp_status differ(const summary *s, const char *what, place a, pp_text x, place b, pp_text y,
                        pp_error *err)
{
    char shown[2][96];
    const char *first = place_text(s->arena, a);
    const char *second = place_text(s->arena, b);

    if (first == NULL || second == NULL)
        return pp_arena_check(s->arena, err);
    pp_text_escape_controls(x.data, x.size, shown[0], sizeof shown[0]);
    pp_text_escape_controls(y.data, y.size, shown[1], sizeof shown[1]);
    return pp_fail(err, PP_ERR_DOMAIN, "%s: '%s' in %s, '%s' in %s; expected one", what, shown[0],
                   first, shown[1], second);
}

static bool is_setting(pp_text key)
{
    for (int i = 0; i < PP_BENCH_SETTING_COUNT; i++) {
        if (pp_text_is(key, pp_bench_setting_name((pp_bench_setting)i)))
            return true;
    }
    return false;
}

/* Judged by a rule of its own. */
static bool has_own_rule(pp_text key)
{
    return pp_bench_is_measure(key) || is_setting(key) || pp_text_is(key, "build_commit") ||
           pp_text_is(key, "model_filename") || pp_text_is(key, "synthetic_fixture") ||
           pp_text_is(key, "n_prompt") || pp_text_is(key, "n_gen");
}

static pp_text field_text(pp_arena *arena, const pp_json *fields, pp_text key)
{
    const pp_json *value = pp_json_find_text(fields, key);

    return value == NULL ? pp_text_of("absent") : pp_bench_value_text(arena, value);
}

/* Every field that a has, and the other way round. */
static pp_status check_fields(const summary *s, place a, place b, pp_error *err)
{
    const pp_json *both[] = {a.record->fields, b.record->fields};

    for (size_t side = 0; side < 2; side++) {
        for (size_t i = 0; i < both[side]->object.count; i++) {
            pp_text key = both[side]->object.members[i].key;
            pp_text x = field_text(s->arena, a.record->fields, key);
            pp_text y = field_text(s->arena, b.record->fields, key);
            char name[96];

            if (has_own_rule(key) || pp_text_equal(x, y))
                continue;
            pp_text_escape_controls(key.data, key.size, name, sizeof name);
            return differ(s, name, a, x, b, y, err);
        }
    }
    return PP_OK;
}

static pp_status check_shape(const summary *s, place a, place b, pp_error *err)
{
    const char *name = pp_bench_kind_name(a.record->kind);

    if (a.record->n_prompt != b.record->n_prompt || a.record->n_gen != b.record->n_gen)
        return pp_fail(err, PP_ERR_DOMAIN,
                       "%s: %lld prompt and %lld generated tokens in one row, %lld and %lld in "
                       "another; expected one shape",
                       name, (long long)a.record->n_prompt, (long long)a.record->n_gen,
                       (long long)b.record->n_prompt, (long long)b.record->n_gen);
    return check_fields(s, a, b, err);
}

static pp_status check_pair(const summary *s, place a, place b, pp_error *err)
{
    if (!pp_text_equal(a.record->build_commit, b.record->build_commit))
        return differ(s, "build_commit", a, a.record->build_commit, b, b.record->build_commit, err);
    if (!pp_bench_same_name(s->arena, a.record->model_filename, b.record->model_filename))
        return differ(s, "model_filename", a, a.record->model_filename, b, b.record->model_filename,
                      err);
    if (a.record->synthetic_fixture != b.record->synthetic_fixture)
        return differ(s, "synthetic_fixture", a,
                      pp_text_of(a.record->synthetic_fixture ? "true" : "false"), b,
                      pp_text_of(b.record->synthetic_fixture ? "true" : "false"), err);
    return PP_OK;
}

static pp_status check_kinds(const summary *s, const bool has[][PP_BENCH_PG + 1], pp_error *err)
{
    for (size_t i = 1; i < s->n; i++) {
        for (int kind = PP_BENCH_PP; kind <= PP_BENCH_PG; kind++) {
            char label[96];

            if (has[i][kind] == has[0][kind])
                continue;
            pp_text_escape_controls(s->artifacts[i].label.data, s->artifacts[i].label.size, label,
                                    sizeof label);
            return pp_fail(err, PP_ERR_DOMAIN, "%s %s rows of %s, the first artifact %s", label,
                           has[i][kind] ? "has" : "has no", pp_bench_kind_name((pp_bench_kind)kind),
                           has[0][kind] ? "does" : "none");
        }
    }
    return PP_OK;
}

static pp_status check_one_variant(const summary *s, pp_error *err)
{
    bool(*has)[PP_BENCH_PG + 1] =
        (bool(*)[PP_BENCH_PG + 1]) PP_ARENA_NEW(s->arena, bool, s->n *(PP_BENCH_PG + 1));
    place first = {&s->artifacts[0], &s->artifacts[0].records.items[0]};
    place first_of[PP_BENCH_PG + 1] = {{0}};
    pp_status st = pp_arena_check(s->arena, err);

    for (size_t i = 0; st == PP_OK && i < s->n; i++) {
        const pp_bench_records *records = &s->artifacts[i].records;

        for (size_t j = 0; st == PP_OK && j < records->count; j++) {
            place here = {&s->artifacts[i], &records->items[j]};
            place *same_kind = &first_of[here.record->kind];

            has[i][here.record->kind] = true;
            st = check_pair(s, first, here, err);
            if (same_kind->record == NULL)
                *same_kind = here;
            else if (st == PP_OK)
                st = check_shape(s, *same_kind, here, err);
        }
    }
    return st == PP_OK ? check_kinds(s, (const bool(*)[PP_BENCH_PG + 1]) has, err) : st;
}

/* ---- settings ------------------------------------------------------------------------------ */

static const struct {
    const char *key;
    const char *of_cpu_only; /* what "cpu_only": true stands for; NULL for nothing */
} setting_rows[PP_BENCH_SETTING_COUNT] = {
    [PP_BENCH_N_THREADS] = {"threads", NULL},    [PP_BENCH_N_BATCH] = {"batch_size", NULL},
    [PP_BENCH_N_UBATCH] = {"ubatch_size", NULL}, [PP_BENCH_N_GPU_LAYERS] = {"n_gpu_layers", "0"},
    [PP_BENCH_DEVICES] = {"devices", "none"},    [PP_BENCH_NO_OP_OFFLOAD] = {"no_op_offload", "1"},
};

/* The value that all rows report; NULL when none does. */
static pp_status reported_value(const summary *s, pp_bench_setting setting,
                                const pp_json **ret_value, pp_error *err)
{
    const char *name = pp_bench_setting_name(setting);
    const pp_json *value = NULL;
    bool undeclared = false;

    for (size_t i = 0; i < s->n; i++) {
        const pp_bench_records *records = &s->artifacts[i].records;

        for (size_t j = 0; j < records->count; j++) {
            const pp_json *here = records->items[j].settings[setting];

            undeclared = undeclared || here == NULL;
            if (here != NULL && value != NULL && !pp_bench_values_equal(here, value))
                return pp_fail(err, PP_ERR_DOMAIN, "%s: several values in the rows, expected one",
                               name);
            value = value == NULL ? here : value;
        }
    }
    if (value != NULL && undeclared)
        return pp_fail(err, PP_ERR_DOMAIN, "%s: some rows report it, others do not", name);
    *ret_value = value;
    return PP_OK;
}

static pp_status check_setting(const summary *s, pp_bench_setting setting, pp_error *err)
{
    const char *key = setting_rows[setting].key;
    const pp_json *declared = pp_json_find(s->settings, key);
    const pp_json *cpu_only = pp_json_find(s->settings, "cpu_only");
    const pp_json *value = NULL;
    pp_status st = reported_value(s, setting, &value, err);
    bool equal;

    if (st != PP_OK || value == NULL)
        return st;
    if (declared == NULL || declared->kind == PP_JSON_NULL) {
        bool implied = cpu_only != NULL && cpu_only->kind == PP_JSON_BOOL && cpu_only->boolean &&
                       setting_rows[setting].of_cpu_only != NULL;

        if (!implied)
            return pp_fail(err, PP_ERR_DOMAIN, "settings: '%s' is missing, but the rows report %s",
                           key, pp_bench_setting_name(setting));
        equal = pp_text_is(pp_bench_value_text(s->arena, value), setting_rows[setting].of_cpu_only);
    } else {
        equal = pp_bench_values_equal(declared, value);
    }
    if (!equal)
        return pp_fail(err, PP_ERR_DOMAIN, "settings: '%s' is not the %s of the rows", key,
                       pp_bench_setting_name(setting));
    return PP_OK;
}

static pp_status check_settings(const summary *s, pp_error *err)
{
    pp_status st = pp_json_expect(s->settings, PP_JSON_OBJECT, err);

    for (int i = 0; st == PP_OK && i < PP_BENCH_SETTING_COUNT; i++)
        st = check_setting(s, (pp_bench_setting)i, err);
    return st;
}

/* ---- the document -------------------------------------------------------------------------- */

static pp_json *figures_to_json(pp_arena *arena, const pp_summary *figures)
{
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_int(arena, out, "sample_count", (int64_t)figures->sample_count);
    pp_json_set_real(arena, out, "mean", figures->mean);
    pp_json_set_real(arena, out, "median", figures->median);
    pp_json_set_real(arena, out, "sample_stdev", figures->sample_stdev);
    pp_json_set_real(arena, out, "min", figures->min);
    pp_json_set_real(arena, out, "max", figures->max);
    return out;
}

static size_t sample_count(const summary *s, pp_bench_kind kind)
{
    size_t count = 0;

    for (size_t i = 0; i < s->n; i++) {
        for (size_t j = 0; j < s->artifacts[i].records.count; j++) {
            const pp_bench_record *record = &s->artifacts[i].records.items[j];

            count += record->kind == kind ? record->sample_count : 0;
        }
    }
    return count;
}

/* All samples of a kind, in the order of artifacts and rows. */
static pp_status pool(const summary *s, pp_bench_kind kind, bool rates, pp_json **ret_figures,
                      pp_error *err)
{
    size_t count = sample_count(s, kind);
    double *values = PP_ARENA_NEW(s->arena, double, count);
    size_t at = 0;
    pp_summary figures;
    pp_status st = pp_arena_check(s->arena, err);

    for (size_t i = 0; st == PP_OK && i < s->n; i++) {
        for (size_t j = 0; j < s->artifacts[i].records.count; j++) {
            const pp_bench_record *record = &s->artifacts[i].records.items[j];

            for (size_t k = 0; record->kind == kind && k < record->sample_count; k++)
                values[at++] = rates ? record->samples_ts[k] : record->samples_ns[k];
        }
    }
    if (st == PP_OK)
        st = pp_wrap(err, pp_summary_of(values, count, &figures, err), "%s",
                     pp_bench_kind_name(kind));
    if (st == PP_OK)
        *ret_figures = figures_to_json(s->arena, &figures);
    return st;
}

static void set_sources(const summary *s, pp_json *object)
{
    pp_json *files = pp_json_new_array(s->arena);
    pp_json *labels = pp_json_new_array(s->arena);

    for (size_t i = 0; i < s->n; i++) {
        pp_json_add(s->arena, files, pp_json_new_text(s->arena, s->artifacts[i].path));
        pp_json_add(s->arena, labels, pp_json_new_text(s->arena, s->artifacts[i].label));
    }
    pp_json_set(s->arena, object, "source_files", files);
    pp_json_set(s->arena, object, "source_labels", labels);
}

static const pp_bench_record *first_of_kind(const summary *s, pp_bench_kind kind)
{
    const pp_bench_records *records = &s->artifacts[0].records;

    for (size_t i = 0; i < records->count; i++) {
        if (records->items[i].kind == kind)
            return &records->items[i];
    }
    return NULL;
}

static pp_status set_test(const summary *s, pp_bench_kind kind, pp_json *tests, pp_error *err)
{
    const pp_bench_record *record = first_of_kind(s, kind);
    pp_json *test = pp_json_new_object(s->arena);
    pp_json *rates = NULL;
    pp_json *durations = NULL;
    pp_status st;

    if (record == NULL)
        return PP_OK;
    st = pool(s, kind, true, &rates, err);
    if (st == PP_OK)
        st = pool(s, kind, false, &durations, err);
    if (st != PP_OK)
        return st;
    pp_json_set_string(s->arena, test, "test_kind", pp_bench_kind_name(kind));
    pp_json_set_int(s->arena, test, "n_prompt", record->n_prompt);
    pp_json_set_int(s->arena, test, "n_gen", record->n_gen);
    pp_json_set(s->arena, test, "tokens_per_second", rates);
    pp_json_set(s->arena, test, "duration_ns", durations);
    set_sources(s, test);
    pp_json_set(s->arena, tests, pp_bench_kind_name(kind), test);
    return PP_OK;
}

static pp_json *fingerprints(const summary *s, const char *settings_sha256)
{
    pp_json *out = pp_json_new_object(s->arena);
    pp_json *artifacts = pp_json_new_object(s->arena);

    for (size_t i = 0; i < s->n; i++)
        pp_json_set_text_key(s->arena, artifacts, s->artifacts[i].label,
                             pp_json_new_string(s->arena, s->artifacts[i].sha256));
    pp_json_set_string(s->arena, out, "settings_sha256", settings_sha256);
    pp_json_set(s->arena, out, "artifacts_sha256", artifacts);
    return out;
}

static pp_status check_samples(const summary *s, pp_error *err)
{
    for (size_t i = 0; i < s->n; i++) {
        pp_bench_format format = s->artifacts[i].records.format;
        char label[96];

        if (format == PP_BENCH_FORMAT_JSONL || format == PP_BENCH_FORMAT_JSON)
            continue;
        pp_text_escape_controls(s->artifacts[i].label.data, s->artifacts[i].label.size, label,
                                sizeof label);
        return pp_fail(err, PP_ERR_DOMAIN, "%s: %s holds no samples; use -o jsonl", label,
                       pp_bench_format_name(format));
    }
    return PP_OK;
}

pp_status pp_bench_summarize(pp_arena *arena, pp_text label, const pp_bench_artifact *artifacts,
                             size_t n, const pp_json *settings, const char *settings_sha256,
                             pp_json **ret_document, pp_error *err)
{
    summary s = {arena, artifacts, n, settings};
    const pp_bench_record *first = &artifacts[0].records.items[0];
    pp_json *out = pp_json_new_object(arena);
    pp_json *tests = pp_json_new_object(arena);
    pp_status st = check_samples(&s, err);

    if (st == PP_OK)
        st = check_one_variant(&s, err);
    if (st == PP_OK)
        st = check_settings(&s, err);
    for (int kind = PP_BENCH_PP; st == PP_OK && kind <= PP_BENCH_PG; kind++)
        st = set_test(&s, (pp_bench_kind)kind, tests, err);
    if (st != PP_OK)
        return st;
    pp_json_set_string(arena, out, "schema_version", "1.0");
    pp_json_set_text(arena, out, "label", label);
    pp_json_set_text(arena, out, "build_commit", first->build_commit);
    pp_json_set_text(arena, out, "model_filename", first->model_filename);
    pp_json_set(arena, out, "settings", settings);
    pp_json_set_bool(arena, out, "synthetic_fixture", first->synthetic_fixture);
    set_sources(&s, out);
    pp_json_set(arena, out, "tests", tests);
    pp_json_set(arena, out, "input_fingerprints", fingerprints(&s, settings_sha256));
    *ret_document = out;
    return pp_arena_check(arena, err);
}
