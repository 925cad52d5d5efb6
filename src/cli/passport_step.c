#include "cli/passport_step.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "cli/table.h"
#include "decide/passport.h"
#include "model/fields.h"
#include "version.h"

#define ID_COLUMNS    40
#define LABEL_COLUMNS 60
#define MAX_ISSUES    6

/* ---- for people ------------------------------------------------------------------------------ */

static const char *shown(pp_arena *arena, const pp_text text, size_t columns)
{
    const char *cell = pp_table_cell_text(arena, text, columns);

    return cell == NULL ? "" : cell;
}

/* At most `most` issues; the file lists all. */
static void print_evidence(pp_passport_step *step, size_t most)
{
    pp_arena *arena = &step->inputs.arena;
    const pp_json *issues = pp_passport_issues(step->passport);
    size_t count = issues->array.count;

    pp_note_print("evidence", pp_passport_grade_text(step->passport), stdout);
    for (size_t i = 0; i < count && i < most; i++)
        pp_note_print(i == 0 ? "issues" : "", shown(arena, issues->array.items[i]->text, 300),
                      stdout);
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

static void print_selected(pp_arena *arena, const pp_decision *d)
{
    const pp_goal *goal = &d->constraints->objective;
    const pp_candidate *winner = &d->set->candidates[d->selected];

    pp_note_print("selected",
                  pp_arena_printf(arena, "%s (%s)%s", shown(arena, winner->id, ID_COLUMNS),
                                  shown(arena, winner->label, LABEL_COLUMNS),
                                  d->selected == d->set->baseline_index ? ", the baseline" : ""),
                  stdout);
    if (!isfinite(d->cutoff))
        return;
    pp_note_print("cutoff",
                  pp_arena_printf(arena, "%s %s %s, room %s",
                                  shown(arena, goal->metric, ID_COLUMNS),
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
        pp_arena_printf(arena, "%s (%s)",
                        shown(arena, pp_checked_text(section, "candidate_id"), ID_COLUMNS),
                        shown(arena, pp_checked_text(section, "label"), LABEL_COLUMNS)),
        stdout);
}

static void print_summary(pp_passport_step *step, const pp_passport_file *file, const char *path,
                          const char *sha256)
{
    pp_arena *arena = &step->inputs.arena;

    print_selected(arena, &step->inputs.decision);
    print_named(arena, "near miss", pp_json_find(step->passport, "closest_outside_shortlist"));
    print_named(arena, "smaller", pp_json_find(step->passport, "resource_alternative"));
    print_evidence(step, MAX_ISSUES);
    pp_note_print(
        "written",
        pp_arena_printf(arena, "%s, the %s", shown(arena, pp_text_of(path), 300), file->what),
        stdout);
    pp_note_print("sha256", sha256, stdout);
}

/* ---- as a document --------------------------------------------------------------------------- */

/* Path and digest are NULL when nothing was written. */
static pp_status print_document(pp_passport_step *step, const pp_passport_file *file,
                                const char *path, const char *sha256, pp_error *err)
{
    pp_arena *arena = &step->inputs.arena;
    const pp_decision *d = &step->inputs.decision;
    pp_json *out = pp_json_new_object(arena);

    pp_json_set_bool(arena, out, "valid", path != NULL);
    pp_json_set_string(arena, out, "evidence_grade", pp_passport_grade_text(step->passport));
    pp_json_set_text(arena, out, "selected_id", d->set->candidates[d->selected].id);
    pp_json_set_string(arena, out, file->path_key, path);
    pp_json_set_string(arena, out, file->sha256_key, sha256);
    if (path == NULL)
        pp_json_set(arena, out, "issues", pp_passport_issues(step->passport));
    return pp_print_json(out, err);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static pp_status refuse_grade(const pp_args *args, const pp_passport_file *file,
                              pp_passport_step *step, pp_error *err)
{
    if (pp_args_has(args, "json"))
        return print_document(step, file, NULL, NULL, err);
    print_evidence(step, SIZE_MAX);
    pp_note_print("written", "nothing: the evidence is not arm64-attributed, as was required",
                  stdout);
    return pp_arena_check(&step->inputs.arena, err);
}

pp_status pp_passport_step_make(const pp_args *args, const pp_passport_file *file,
                                pp_passport_step *step, pp_exit *ret_exit, pp_error *err)
{
    pp_inputs *inputs = &step->inputs;
    pp_status st = pp_output_check_free(pp_args_value(args, "output"), err);

    if (st == PP_OK)
        st = pp_inputs_decide(args, inputs, err);
    if (st == PP_OK && !inputs->decision.has_winner)
        return pp_inputs_fail_no_winner(args, inputs, err);
    if (st == PP_OK)
        st = pp_passport_make(&inputs->arena, &inputs->decision, PP_VERSION,
                              pp_inputs_fingerprints(inputs), &step->passport, err);
    if (st != PP_OK || !pp_args_has(args, "require-arm64-provenance") ||
        pp_passport_grade(step->passport) == PP_GRADE_ARM64_ATTRIBUTED)
        return st;
    *ret_exit = PP_EXIT_NO;
    st = refuse_grade(args, file, step, err);
    step->passport = NULL;
    return st;
}

pp_status pp_passport_step_write(const pp_args *args, const pp_passport_file *file,
                                 pp_passport_step *step, const pp_buf *bytes, pp_error *err)
{
    pp_arena *arena = &step->inputs.arena;
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
        return print_document(step, file, path, sha256, err);
    print_summary(step, file, path, sha256);
    return pp_arena_check(arena, err);
}

void pp_passport_step_done(pp_passport_step *step)
{
    pp_inputs_done(&step->inputs);
}
