#include "evidence/page_facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "evidence/figures.h"
#include "evidence/layout.h"
#include "evidence/step_files.h"
#include "evidence/steps.h"
#include "model/document_kinds.h"
#include "model/sample.h"

#define SAMPLES_MAX_BYTES ((size_t)256 << 20)

typedef struct facts {
    pp_arena *arena;
    const char *folder;
    const pp_verification *verification;
    const pp_study_plan *plan;
    pp_report_run *runs;
    size_t count, capacity;
    const char *unread;
    pp_error changed; /* the first file whose bytes are not those that were hashed */
} facts;

/* The first one stays, as it is called in the bundle: the page must not depend on where that is. */
static void note_unread(facts *f, const char *path)
{
    size_t size = strlen(f->folder);

    if (f->unread != NULL || path == NULL)
        return;
    f->unread = strncmp(path, f->folder, size) == 0 && path[size] == '/' ? path + size + 1 : path;
}

/* The page says of what it shows that it was checked, so it shows no other bytes. */
static void hold_against_check(facts *f, const char *path, const pp_buf *bytes)
{
    char sha256[PP_SHA256_HEX_SIZE];
    pp_status st;

    if (f->changed.status != PP_OK)
        return;
    st = pp_sha256_of(bytes->data, bytes->size, sha256, &f->changed);
    if (st == PP_OK)
        st = pp_verification_check_read(f->verification, path, sha256, &f->changed);
    pp_ignore(st); /* `changed` holds it */
}

/* NULL when it is none that can be read. */
static const pp_json *read_document(facts *f, const char *path)
{
    const pp_json *root = NULL;
    pp_error why = {0};
    pp_buf bytes;

    pp_buf_init(&bytes, PP_JSON_MAX_BYTES);
    if (pp_json_read_file(f->arena, path, &bytes, &root, &why) == PP_OK)
        hold_against_check(f, path, &bytes);
    else
        root = NULL;
    pp_buf_done(&bytes);
    return root;
}

/* ---- samples --------------------------------------------------------------------------------- */

static double milliseconds(const pp_sample *sample, pp_maybe_int ns)
{
    return pp_sample_is_ok(sample) && ns.known ? (double)ns.value / 1e6 : NAN;
}

static void keep_requests(facts *f, const pp_sample *samples, size_t count, pp_report_run *run)
{
    pp_report_request *requests = PP_ARENA_NEW(f->arena, pp_report_request, count);

    if (requests == NULL)
        return; /* the arena remembers */
    run->requests = requests;
    for (size_t i = 0; i < count; i++) {
        const pp_sample *sample = &samples[i];

        if (sample->id.phase == PP_PHASE_MEASURED)
            requests[run->request_count++] =
                (pp_report_request){milliseconds(sample, sample->ttft_ns),
                                    milliseconds(sample, sample->e2e_ns), !pp_sample_is_ok(sample)};
    }
}

/* A line has hundreds of gaps: they end with their file. */
static void read_requests(facts *f, const char *path, pp_report_run *run)
{
    pp_arena lines = {0};
    pp_error why = {0};
    pp_sample *samples = NULL;
    size_t count = 0;
    pp_status st;
    pp_buf bytes;

    if (path == NULL || !pp_path_exists(path))
        return;
    pp_buf_init(&bytes, SAMPLES_MAX_BYTES);
    st = pp_file_read(path, &bytes, &why);
    if (st == PP_OK)
        st = pp_samples_parse(&lines, path,
                              (pp_bytes){(const unsigned char *)pp_buf_text(&bytes), bytes.size},
                              &samples, &count, &why);
    if (st == PP_OK) {
        hold_against_check(f, path, &bytes);
        keep_requests(f, samples, count, run);
    } else {
        note_unread(f, path);
    }
    pp_buf_done(&bytes);
    pp_arena_done(&lines);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static const char *run_pattern(pp_study_phase phase)
{
    switch (phase) {
    case PP_STUDY_THROUGHPUT:
        return PP_BUNDLE_BENCH_RUN;
    case PP_STUDY_REQUESTS:
        return PP_BUNDLE_SERVER_RUN;
    case PP_STUDY_LOAD:
        return PP_BUNDLE_LOAD_RUN;
    case PP_STUDY_LOAD_PLAN:
        return PP_BUNDLE_PLAN_RUN;
    case PP_STUDY_VERIFY:
    case PP_STUDY_PREFLIGHT:
    case PP_STUDY_ASSEMBLE:
    case PP_STUDY_PHASE_COUNT:
        break;
    }
    return NULL;
}

static void append(facts *f, pp_report_run run)
{
    if (f->count == f->capacity) {
        size_t capacity = f->capacity == 0 ? 32 : 2 * f->capacity;
        pp_report_run *runs = PP_ARENA_NEW(f->arena, pp_report_run, capacity);

        if (runs == NULL)
            return; /* the arena remembers */
        if (f->count > 0)
            memcpy(runs, f->runs, f->count * sizeof *runs);
        f->runs = runs;
        f->capacity = capacity;
    }
    f->runs[f->count++] = run;
}

static int64_t whole(const pp_json *record, const char *key, int64_t otherwise)
{
    const pp_json *value = pp_json_find(record, key);

    return value != NULL && value->kind == PP_JSON_INTEGER ? value->integer : otherwise;
}

/* `record` has been checked by its table. */
static pp_report_run run_of(const pp_json *record, bool counts)
{
    return (pp_report_run){
        .candidate_id = pp_json_find(record, "candidate_id")->text,
        .phase = pp_json_find(record, "phase")->text,
        .pass = whole(record, "pass", 0),
        .attempt = whole(record, "attempt", 1),
        .counts = counts,
        .failed = pp_text_is(pp_json_find(record, "outcome")->text, "failed"),
        .started_unix_ms = whole(record, "started_unix_ms", 0),
        .duration_ns = whole(record, "duration_ns", 0),
        .watch = pp_json_find(record, "watch"),
    };
}

/* The record of an attempt below `folder`, the bundle's or that of one put aside; NULL when there
 * is none. */
static const pp_json *read_record(facts *f, const char *folder, const pp_study_step *step)
{
    const char *id = f->plan->candidates[step->candidate].id.data;
    const char *path = pp_bundle_fill(f->arena, folder, run_pattern(step->phase), id, step->pass);
    const pp_json *record;
    pp_error why = {0};

    if (path == NULL || !pp_path_exists(path))
        return NULL;
    record = read_document(f, path);
    if (record != NULL &&
        pp_document_check(pp_document_kind_find("study-run"), record, &why) == PP_OK)
        return record;
    note_unread(f, path);
    return NULL;
}

static void add_attempt(facts *f, const char *folder, const pp_study_step *step, bool counts,
                        const pp_json *record)
{
    const char *id = f->plan->candidates[step->candidate].id.data;
    pp_report_run run;

    if (record == NULL)
        return;
    run = run_of(record, counts);
    if (step->phase == PP_STUDY_REQUESTS)
        read_requests(f, pp_bundle_fill(f->arena, folder, PP_BUNDLE_SAMPLES, id, step->pass), &run);
    append(f, run);
}

/* The last attempt, and those before it where they stand aside. */
static void add_step(facts *f, const pp_study_step *step)
{
    const pp_json *record = read_record(f, f->folder, step);

    for (int64_t n = 1; n < whole(record, "attempt", 1); n++) {
        const char *aside = pp_step_attempt_folder(f->arena, step, n);
        const char *folder = aside == NULL ? NULL : pp_path_join(f->arena, f->folder, aside);

        /* a number that somebody made up ends at the first folder that is not there */
        if (folder == NULL || !pp_path_is_folder(folder))
            break;
        add_attempt(f, folder, step, false, read_record(f, folder, step));
    }
    add_attempt(f, f->folder, step, true, record);
}

static int by_start(const void *left, const void *right)
{
    const pp_report_run *a = left;
    const pp_report_run *b = right;

    if (a->started_unix_ms != b->started_unix_ms)
        return a->started_unix_ms < b->started_unix_ms ? -1 : 1;
    if (a->duration_ns != b->duration_ns)
        return a->duration_ns < b->duration_ns ? -1 : 1;
    if (!pp_text_equal(a->phase, b->phase))
        return pp_text_compare(a->phase, b->phase);
    if (!pp_text_equal(a->candidate_id, b->candidate_id))
        return pp_text_compare(a->candidate_id, b->candidate_id);
    return a->pass != b->pass ? (a->pass < b->pass ? -1 : 1)
                              : (a->attempt > b->attempt) - (a->attempt < b->attempt);
}

static void read_runs(facts *f)
{
    pp_study_steps steps = {0};
    pp_error why = {0};

    if (pp_study_steps_list(f->arena, f->plan, &steps, &why) != PP_OK)
        return; /* no memory, and the arena remembers */
    for (size_t i = 0; i < steps.count; i++) {
        if (run_pattern(steps.items[i].phase) != NULL)
            add_step(f, &steps.items[i]);
    }
    if (f->count > 1)
        qsort(f->runs, f->count, sizeof *f->runs, by_start);
}

static void read_plan(facts *f)
{
    const char *path = pp_bundle_path(f->arena, f->folder, PP_BUNDLE_PLAN);
    pp_study_plan *plan = PP_ARENA_NEW(f->arena, pp_study_plan, 1);
    const pp_json *root;
    pp_error why = {0};

    if (path == NULL || plan == NULL)
        return; /* the arena remembers */
    root = read_document(f, path);
    if (root != NULL && pp_study_plan_decode(f->arena, root, plan, &why) == PP_OK)
        f->plan = plan;
    else
        note_unread(f, path);
}

/* ---- verification ---------------------------------------------------------------------------- */

static const char *or_null(const char *sha256)
{
    return sha256[0] == '\0' ? NULL : sha256;
}

static void take_verification(pp_arena *arena, const pp_verification *v,
                              pp_report_verification *out)
{
    pp_report_finding *findings = PP_ARENA_NEW(arena, pp_report_finding, v->finding_count);
    const char *verdict = pp_verification_verdict(v);

    *out = (pp_report_verification){
        .is_verified = strcmp(verdict, "verified") == 0,
        .verdict = verdict,
        .why = pp_verification_why_undecided(v),
        .sums_sha256 = v->sums_sha256,
        .plan_sha256 = or_null(v->plan_sha256),
        .journal_sha256 = or_null(v->journal_sha256),
        .derivation_version = v->derivation_version,
        .listed_count = v->listed_count,
        .hashed_count = v->hashed.count,
        .journal_line_count = v->journal_line_count,
        .derived_count = v->derived_count,
        .findings = findings,
        .finding_count = findings == NULL ? 0 : v->finding_count,
    };
    for (size_t i = 0; i < out->finding_count; i++)
        findings[i] =
            (pp_report_finding){pp_verify_rule_name(v->findings[i].rule), v->findings[i].path,
                                v->findings[i].expected, v->findings[i].found};
}

pp_status pp_page_facts_read(pp_arena *arena, pp_text name, const pp_verification *verification,
                             pp_report_bundle *ret_bundle, pp_error *err)
{
    facts f = {.arena = arena, .folder = verification->folder, .verification = verification};

    read_plan(&f);
    if (f.plan != NULL)
        read_runs(&f);
    *ret_bundle = (pp_report_bundle){
        .name = name,
        .plan = f.plan,
        .runs = f.runs,
        .run_count = f.count,
        .unread = f.unread,
    };
    take_verification(arena, verification, &ret_bundle->verification);
    if (f.changed.status != PP_OK) {
        *err = f.changed;
        return f.changed.status;
    }
    return pp_arena_check(arena, err);
}
