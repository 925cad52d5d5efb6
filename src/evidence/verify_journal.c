/* The journal of a study, held against its bundle. */
#include "evidence/verify_journal.h"

#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "evidence/layout.h"
#include "evidence/steps.h"
#include "model/fields.h"

/* A bundle's largest journal, see study/journal.h. */
#define JOURNAL_MAX_BYTES ((size_t)512 << 20)

/* One ended attempt at a step. */
typedef struct attempt {
    struct attempt *before; /* in the journal's order */
    size_t position;        /* in that order, from 0 */
    const char *step;
    int64_t number;
    const pp_json *files;
    bool was_made_again; /* its files stand below attempts/ */
} attempt;

typedef struct reading {
    pp_verify_run *run;
    const char *plan_sha256; /* of the first line */
    attempt *last;
    size_t count;
} reading;

static pp_status read_line(void *user, const pp_json *line, pp_error *err)
{
    reading *r = user;
    pp_text event = pp_checked_text(line, "event");
    attempt *item;

    if (pp_text_is(event, "begin"))
        r->plan_sha256 = pp_checked_text(line, "plan_sha256").data;
    if (!pp_text_is(event, "step-end"))
        return PP_OK;
    item = PP_ARENA_NEW(r->run->arena, attempt, 1);
    if (item == NULL)
        return pp_arena_check(r->run->arena, err);
    *item = (attempt){.before = r->last,
                      .position = r->count++,
                      .step = pp_checked_text(line, "step").data,
                      .number = pp_checked_int(line, "attempt"),
                      .files = pp_checked_list(line, "files")};
    r->last = item;
    if (strcmp(item->step, pp_study_phase_name(PP_STUDY_ASSEMBLE)) == 0)
        r->run->assembled = item->files;
    return PP_OK;
}

static int compare_attempts(const void *a, const void *b)
{
    const attempt *left = *(attempt *const *)a;
    const attempt *right = *(attempt *const *)b;
    int order = strcmp(left->step, right->step);

    if (order != 0)
        return order;
    return left->position < right->position ? -1 : left->position > right->position;
}

/* All but the last one at each step. */
static pp_status mark_made_again(const reading *r, pp_error *err)
{
    attempt **sorted = PP_ARENA_NEW(r->run->arena, attempt *, r->count + 1);
    size_t n = 0;

    if (sorted == NULL)
        return pp_arena_check(r->run->arena, err);
    for (attempt *a = r->last; a != NULL; a = a->before)
        sorted[n++] = a;
    if (n > 1)
        qsort(sorted, n, sizeof *sorted, compare_attempts);
    for (size_t i = 1; i < n; i++)
        sorted[i - 1]->was_made_again = strcmp(sorted[i - 1]->step, sorted[i]->step) == 0;
    return PP_OK;
}

static const char *place_of(const reading *r, const attempt *which, const char *path)
{
    const char *folder;

    if (!which->was_made_again)
        return path;
    folder =
        pp_arena_printf(r->run->arena, PP_BUNDLE_ATTEMPT, which->step, (long long)which->number);
    return folder == NULL ? NULL : pp_path_join(r->run->arena, folder, path);
}

/* By the digests of what is there, made once for the whole bundle. */
static pp_status compare_step_files(const reading *r, const attempt *which, pp_error *err)
{
    for (size_t i = 0; i < which->files->array.count; i++) {
        const pp_json *file = which->files->array.items[i];
        const char *sha256 = pp_checked_text(file, "sha256").data;
        const char *place = place_of(r, which, pp_checked_text(file, "path").data);
        const pp_checksum *present;

        if (place == NULL)
            return pp_arena_check(r->run->arena, err);
        present = pp_verify_find(&r->run->present, place);
        if (present == NULL)
            pp_verify_add(r->run, PP_VERIFY_JOURNAL_FILE, place, sha256, "no such file");
        else if (strcmp(present->sha256, sha256) != 0)
            pp_verify_add(r->run, PP_VERIFY_JOURNAL_FILE, place, sha256, present->sha256);
        if (present != NULL)
            r->run->recorded[present - r->run->present.items] = true;
    }
    return PP_OK;
}

/* What no step writes: the records themselves, what a crash or a repetition put aside, and what
 * runs beside the study left. */
static bool is_no_steps(const char *path)
{
    static const char *const beginnings[] = {PP_BUNDLE_JOURNAL ".torn-", "attempts/", "context/"};

    if (strcmp(path, PP_BUNDLE_STATUS) == 0 || strcmp(path, PP_BUNDLE_JOURNAL) == 0)
        return true;
    for (size_t i = 0; i < PP_COUNT_OF(beginnings); i++) {
        if (strncmp(path, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    }
    return false;
}

/* A listed file that looks as if the study had written it. */
static void find_unfounded(pp_verify_run *run)
{
    for (size_t i = 0; i < run->present.count; i++) {
        const pp_checksum *present = &run->present.items[i];

        if (!run->recorded[i] && !is_no_steps(present->path))
            pp_verify_add(run, PP_VERIFY_FILE_UNFOUNDED, present->path,
                          "a step of the journal that wrote it", "none");
    }
}

static void compare_plan(const reading *r)
{
    const pp_checksum *plan = pp_verify_find(&r->run->present, PP_BUNDLE_PLAN);
    const char *said = r->plan_sha256;

    if (plan != NULL)
        memcpy(r->run->out->plan_sha256, plan->sha256, sizeof plan->sha256);
    if (said == NULL)
        pp_verify_add(r->run, PP_VERIFY_PLAN_DIGEST, PP_BUNDLE_JOURNAL,
                      "a first line with the digest of the plan", "none");
    else if (plan == NULL || strcmp(plan->sha256, said) != 0)
        pp_verify_add(r->run, PP_VERIFY_PLAN_DIGEST, PP_BUNDLE_PLAN, said,
                      plan == NULL ? "no such file" : plan->sha256);
}

static pp_status read_journal(reading *r, const char *path, pp_error *err)
{
    pp_verify_run *run = r->run;
    pp_error why = {0};
    pp_status st;
    pp_buf bytes;

    pp_buf_init(&bytes, JOURNAL_MAX_BYTES);
    st = pp_file_read(path, &bytes, err);
    if (st == PP_OK) {
        st = pp_journal_chain_read(run->arena, pp_buf_text(&bytes), bytes.size, read_line, r,
                                   &run->journal, &why);
        if (st == PP_ERR_SYNTAX || st == PP_ERR_SCHEMA) {
            pp_verify_add(run, PP_VERIFY_JOURNAL_CHAIN, PP_BUNDLE_JOURNAL, "an unbroken chain",
                          pp_arena_dup(run->arena, why.text, strlen(why.text)));
            run->journal = (pp_journal_chain){0};
            st = PP_OK;
        } else if (st != PP_OK && err != NULL) {
            *err = why;
        }
    }
    pp_buf_done(&bytes);
    return st;
}

pp_status pp_verify_journal(pp_verify_run *run, pp_error *err)
{
    reading r = {.run = run};
    const char *path = pp_bundle_path(run->arena, run->folder, PP_BUNDLE_JOURNAL);
    pp_status st;

    if (path == NULL)
        return pp_arena_check(run->arena, err);
    if (pp_verify_find(&run->present, PP_BUNDLE_JOURNAL) == NULL) {
        pp_verify_add(run, PP_VERIFY_JOURNAL_CHAIN, PP_BUNDLE_JOURNAL, "an unbroken chain",
                      "no such file");
        return PP_OK;
    }
    st = read_journal(&r, path, err);
    if (st != PP_OK)
        return st;
    compare_plan(&r);
    run->out->journal_line_count = run->journal.line_count;
    memcpy(run->out->journal_sha256, run->journal.last_sha256, sizeof run->out->journal_sha256);
    run->recorded = PP_ARENA_NEW(run->arena, bool, run->present.count + 1);
    st = run->recorded == NULL ? pp_arena_check(run->arena, err) : mark_made_again(&r, err);
    for (const attempt *a = r.last; st == PP_OK && a != NULL; a = a->before)
        st = compare_step_files(&r, a, err);
    /* a step that did not end has written files that no line tells of yet */
    if (st == PP_OK && run->journal.ending == PP_JOURNAL_ENDED && r.count > 0)
        find_unfounded(run);
    return st;
}
