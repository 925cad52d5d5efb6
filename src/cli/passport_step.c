#include "cli/passport_step.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "cli/decision_table.h"
#include "cli/table.h"
#include "decide/passport.h"
#include "model/fields.h"
#include "version.h"

#define ID_COLUMNS    40
#define LABEL_COLUMNS 60
#define MAX_ISSUES    6

/* A passport, or the answer that there is none to be had. */
typedef struct step {
    pp_inputs inputs;
    pp_json *passport; /* NULL when the command has answered "no" already */
} step;

/* ---- for people ------------------------------------------------------------------------------ */

/* At most `most` issues; the file lists all. */
static void print_evidence(step *s, size_t most)
{
    pp_arena *arena = &s->inputs.arena;
    const pp_json *issues = pp_passport_issues(s->passport);
    size_t count = issues->array.count;

    pp_note_print("evidence", pp_passport_grade_text(s->passport), stdout);
    for (size_t i = 0; i < count && i < most; i++)
        pp_note_print(i == 0 ? "issues" : "",
                      pp_table_cell_text(arena, issues->array.items[i]->text, 300), stdout);
    if (count > most)
        pp_note_print("", pp_arena_printf(arena, "... and %zu more", count - most), stdout);
}

/* Room to the cutoff that the choice applied. */
static double room_of(const pp_decision *d)
{
    const pp_goal *goal = &d->constraints->objective;
    double value = *pp_candidate_find_metric(&d->set->candidates[d->selected], goal->metric);
    double room = goal->direction == PP_DIRECTION_MIN ? d->cutoff - value : value - d->cutoff;

    return room > 0.0 ? room : 0.0; /* a value may be a last digit behind and counts as inside */
}

static void print_cutoff(pp_arena *arena, const pp_decision *d)
{
    const pp_goal *goal = &d->constraints->objective;

    if (!isfinite(d->cutoff))
        return;
    pp_note_print("cutoff",
                  pp_arena_printf(arena, "%s %s %s, room %s",
                                  pp_table_cell_text(arena, goal->metric, ID_COLUMNS),
                                  goal->direction == PP_DIRECTION_MIN ? "at most" : "at least",
                                  pp_metric_text(arena, goal->metric, d->cutoff),
                                  pp_metric_text(arena, goal->metric, room_of(d))),
                  stdout);
}

/* A candidate that a section of the passport names, when there is one. */
static void print_named(pp_arena *arena, const char *label, const pp_json *section)
{
    if (section->kind != PP_JSON_OBJECT)
        return;
    pp_note_print(
        label,
        pp_arena_printf(
            arena, "%s (%s)",
            pp_table_cell_text(arena, pp_checked_text(section, "candidate_id"), ID_COLUMNS),
            pp_table_cell_text(arena, pp_checked_text(section, "label"), LABEL_COLUMNS)),
        stdout);
}

static void print_summary(step *s, const pp_passport_file *file, const char *path,
                          const char *sha256)
{
    pp_arena *arena = &s->inputs.arena;

    pp_decision_print_selected(arena, &s->inputs.decision, stdout);
    print_cutoff(arena, &s->inputs.decision);
    print_named(arena, "near miss", pp_json_find(s->passport, "closest_outside_shortlist"));
    print_named(arena, "smaller", pp_json_find(s->passport, "resource_alternative"));
    print_evidence(s, MAX_ISSUES);
    pp_note_print("written",
                  pp_arena_printf(arena, "%s, the %s",
                                  pp_table_cell_text(arena, pp_text_of(path), 300), file->what),
                  stdout);
    pp_note_print("sha256", sha256, stdout);
}

/* ---- as a document --------------------------------------------------------------------------- */

/* Path and digest are NULL when nothing was written. */
static pp_status print_document(step *s, const pp_passport_file *file, const char *path,
                                const char *sha256, pp_error *err)
{
    pp_arena *arena = &s->inputs.arena;
    const pp_decision *d = &s->inputs.decision;
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_bool(arena, out, "valid", path != NULL);
    pp_json_set_string(arena, out, "evidence_grade", pp_passport_grade_text(s->passport));
    pp_json_set_text(arena, out, "selected_id", d->set->candidates[d->selected].id);
    pp_json_set_string(arena, out, file->path_key, path);
    pp_json_set_string(arena, out, file->sha256_key, sha256);
    if (path == NULL)
        pp_json_set(arena, out, "issues", pp_passport_issues(s->passport));
    return pp_print_json(out, err);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static pp_status refuse_grade(const pp_args *args, const pp_passport_file *file, step *s,
                              pp_error *err)
{
    if (pp_args_has(args, "json"))
        return print_document(s, file, NULL, NULL, err);
    print_evidence(s, SIZE_MAX);
    pp_note_print("written", "nothing: the evidence is not arm64-attributed, as was required",
                  stdout);
    return pp_arena_check(&s->inputs.arena, err);
}

static pp_status make_passport(const pp_args *args, const pp_passport_file *file, step *s,
                               pp_exit *ret_exit, pp_error *err)
{
    pp_inputs *inputs = &s->inputs;
    pp_status st = pp_output_check_free(pp_args_value(args, "output"), err);

    if (st == PP_OK)
        st = pp_inputs_decide(args, inputs, err);
    if (st == PP_OK && !inputs->decision.has_winner)
        return pp_inputs_fail_no_winner(args, inputs, err);
    if (st == PP_OK)
        st = pp_passport_make(&inputs->arena, &inputs->decision, PP_VERSION,
                              pp_inputs_fingerprints(inputs), &s->passport, err);
    if (st != PP_OK || !pp_args_has(args, "require-arm64-provenance") ||
        pp_passport_grade(s->passport) == PP_GRADE_ARM64_ATTRIBUTED)
        return st;
    *ret_exit = PP_EXIT_NO;
    st = refuse_grade(args, file, s, err);
    s->passport = NULL;
    return st;
}

static pp_status write_bytes(const pp_args *args, const pp_passport_file *file, step *s,
                             const pp_buf *bytes, pp_error *err)
{
    pp_arena *arena = &s->inputs.arena;
    const char *output = pp_args_value(args, "output");
    const char *path = pp_path_tidy(arena, output);
    char sha256[PP_SHA256_HEX_SIZE];
    pp_status st = pp_arena_check(arena, err);

    if (st == PP_OK)
        st = pp_sha256_of(bytes->data, bytes->size, sha256, err);
    if (st == PP_OK)
        st = pp_file_write_new(output, bytes->data, bytes->size, err);
    if (st != PP_OK)
        return st;
    if (pp_args_has(args, "json"))
        return print_document(s, file, path, sha256, err);
    print_summary(s, file, path, sha256);
    return pp_arena_check(arena, err);
}

static pp_status write_file(const pp_args *args, const pp_passport_file *file, step *s,
                            pp_error *err)
{
    pp_buf bytes;
    pp_status st;

    pp_buf_init(&bytes, file->max_bytes);
    st = file->write(s->passport, &bytes, err);
    if (st == PP_OK)
        st = write_bytes(args, file, s, &bytes, err);
    pp_buf_done(&bytes);
    return st;
}

pp_status pp_passport_step_run(const pp_args *args, const pp_passport_file *file, pp_exit *ret_exit,
                               pp_error *err)
{
    step s = {0};
    pp_status st = make_passport(args, file, &s, ret_exit, err);

    if (st == PP_OK && s.passport != NULL)
        st = write_file(args, file, &s, err);
    pp_inputs_done(&s.inputs);
    return st;
}
