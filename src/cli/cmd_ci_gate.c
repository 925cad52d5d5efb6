#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "base/new_folder.h"
#include "base/units.h"
#include "cli/decision_table.h"
#include "cli/gate_files.h"
#include "cli/table.h"
#include "evidence/layout.h"
#include "model/document.h"
#include "version.h"

static const pp_positional positionals[] = {
    {.value = PP_FILE("SET"),
     .help = "the benchmark set, docs/formats/benchmark-set.md, or the folder of a bundle"},
};

static const pp_option options[] = {
    {"constraints", 'c', PP_FILE("FILE"), NULL,
     "limits, objective and preferences, docs/formats/constraints.md; a bundle brings its own",
     false, false},
    {"output-dir", 'o', PP_FOLDER("DIR"), NULL,
     "new or empty folder for the files of a passed gate; all of them are written, or none", true,
     false},
    {"allow-synthetic", 0, NULL, NULL, "let figures pass that are not measured", false, false},
    {"expect-selected-id", 0, PP_TEXT("ID"), NULL, "miss the gate when another one is selected",
     false, false},
    {"require-arm64-provenance", 0, NULL, NULL,
     "miss the gate unless the evidence is attributed to an Arm64 machine", false, false},
    {"against", 0, PP_FILE("FILE"), NULL,
     "an earlier decision, docs/formats/recommendation.md; needs --max-regression", false, false},
    {"max-regression", 0, PP_TEXT("PERCENT"), NULL,
     "how much worse a metric may be than in the earlier decision, such as 3%", false, false},
    {"failure-report", 0, PP_FILE("FILE"), NULL,
     "write the document of docs/formats/gate-failure.md when the gate is missed", false, false},
    {"json", 0, NULL, NULL, "print gate.json with its own digest, or the failure, as ASCII JSON",
     false, false},
};

typedef struct gate_run {
    const pp_args *args;
    const char *set, *constraints; /* paths */
    pp_inputs inputs;
    pp_gate_rules rules;
    pp_earlier earlier;
    char earlier_sha256[PP_SHA256_HEX_SIZE];
    pp_gate gate;
} gate_run;

/* ---- command line ---------------------------------------------------------------------------- */

/* A folder is a bundle; constraints from the command line come first. */
static pp_status find_inputs(gate_run *r, pp_error *err)
{
    pp_arena *arena = &r->inputs.arena;

    r->set = r->args->positionals[0];
    r->constraints = pp_args_value(r->args, "constraints");
    if (pp_path_is_folder(r->set)) {
        const char *bundle = r->set;

        r->set = pp_bundle_path(arena, bundle, PP_BUNDLE_BENCHMARK_SET);
        if (r->constraints == NULL)
            r->constraints = pp_bundle_path(arena, bundle, PP_BUNDLE_CONSTRAINTS);
        return pp_arena_check(arena, err);
    }
    if (r->constraints == NULL)
        return pp_fail(err, PP_ERR_USAGE,
                       "ci-gate: --constraints is required unless SET is the folder of a bundle");
    return PP_OK;
}

static pp_status read_rules(gate_run *r, pp_error *err)
{
    const char *expected = pp_args_value(r->args, "expect-selected-id");
    const char *against = pp_args_value(r->args, "against");
    const char *most = pp_args_value(r->args, "max-regression");

    if (expected != NULL && pp_text_is_blank(pp_text_of(expected)))
        return pp_fail(err, PP_ERR_USAGE, "ci-gate: --expect-selected-id: expected an id, got '%s'",
                       expected);
    if ((against == NULL) != (most == NULL))
        return pp_fail(err, PP_ERR_USAGE,
                       "ci-gate: --against and --max-regression are given together or not at all");
    r->rules.expected_id = expected;
    r->rules.allow_synthetic = pp_args_has(r->args, "allow-synthetic");
    r->rules.require_arm64_provenance = pp_args_has(r->args, "require-arm64-provenance");
    if (most == NULL)
        return PP_OK;
    return pp_parse_percent(most, "ci-gate: --max-regression", &r->rules.max_regression_percent,
                            err);
}

static pp_status check_outputs(const gate_run *r, pp_error *err)
{
    const char *folder = pp_args_value(r->args, "output-dir");
    const char *failure = pp_args_value(r->args, "failure-report");
    pp_status st = pp_new_folder_check(folder, err);

    if (st == PP_OK)
        st = pp_output_check_free(failure, err);
    if (st == PP_OK && failure != NULL && strcmp(failure, folder) == 0)
        st = pp_fail(err, PP_ERR_USAGE,
                     "ci-gate: --output-dir and --failure-report name the same file");
    return pp_wrap(err, st, "ci-gate");
}

/* ---- judging --------------------------------------------------------------------------------- */

static pp_status load_earlier(gate_run *r, pp_error *err)
{
    const char *path = pp_args_value(r->args, "against");
    const pp_json *root;
    pp_status st;

    if (path == NULL)
        return PP_OK;
    st = pp_document_read(&r->inputs.arena, path, &root, r->earlier_sha256, err);
    if (st == PP_OK)
        st = pp_wrap(err, pp_earlier_decode(root, &r->earlier, err),
                     "loading the earlier decision '%s'", path);
    r->rules.earlier = &r->earlier;
    return st;
}

static pp_status judge(gate_run *r, pp_error *err)
{
    pp_arena *arena = &r->inputs.arena;
    const pp_decision *d = &r->inputs.decision;
    pp_json *passport = NULL;
    pp_status st = pp_inputs_decide_files(r->set, r->constraints, &r->inputs, err);

    if (st == PP_OK)
        st = load_earlier(r, err);
    if (st == PP_OK && d->has_winner)
        st = pp_passport_make(arena, d, PP_VERSION, pp_inputs_fingerprints(&r->inputs), &passport,
                              err);
    if (st == PP_OK)
        st = pp_gate_judge(arena, d, passport, &r->rules, &r->gate, err);
    return st;
}

/* ---- what people read ------------------------------------------------------------------------ */

static const char *shown(gate_run *r, const char *text, size_t columns)
{
    return text == NULL ? NULL : pp_table_cell_text(&r->inputs.arena, pp_text_of(text), columns);
}

static const char *metric_value(gate_run *r, const pp_regression *item, bool known, double value)
{
    return known ? pp_metric_text(&r->inputs.arena, item->metric, value) : "not measured";
}

static void print_regressions(gate_run *r)
{
    pp_arena *arena = &r->inputs.arena;

    for (size_t i = 0; i < r->gate.regressions.count; i++) {
        const pp_regression *item = &r->gate.regressions.items[i];
        const char *percent = item->has_percent && item->has_now && item->has_earlier
                                  ? pp_arena_printf(arena, " (%s %% worse)",
                                                    pp_number_text(arena, item->worse_percent))
                                  : "";

        if (item->is_missed)
            pp_note_print(
                "worse",
                pp_arena_printf(arena, "%s: %s, was %s%s", shown(r, item->metric.data, 40),
                                metric_value(r, item, item->has_now, item->now),
                                metric_value(r, item, item->has_earlier, item->earlier), percent),
                stdout);
    }
}

static void print_passed(gate_run *r)
{
    pp_arena *arena = &r->inputs.arena;
    const pp_decision *d = &r->inputs.decision;

    pp_note_print("gate", "passed", stdout);
    pp_decision_print_selected(arena, d, stdout);
    pp_note_print("compared",
                  pp_arena_printf(arena,
                                  "%zu candidates, %zu inside the limits, %zu on the frontier",
                                  d->set->candidate_count, d->eligible.count, d->frontier.count),
                  stdout);
    pp_note_print("evidence", pp_passport_grade_text(r->gate.passport), stdout);
    if (r->rules.earlier != NULL)
        pp_note_print("earlier",
                      pp_arena_printf(arena, "%s; none of %zu metrics is worse by more than %g %%",
                                      shown(r, r->earlier.selected_id.data, 40),
                                      r->gate.regressions.count, r->rules.max_regression_percent),
                      stdout);
    pp_note_print("written", shown(r, pp_args_value(r->args, "output-dir"), 80), stdout);
}

static pp_status print_missed(gate_run *r, pp_error *err)
{
    pp_arena *arena = &r->inputs.arena;

    if (!r->inputs.decision.has_winner) {
        pp_status st = pp_decision_table_print(arena, &r->inputs.decision, stdout, err);

        if (st != PP_OK)
            return st;
        (void)fputc('\n', stdout);
    }
    pp_note_print("gate", "missed", stdout);
    for (size_t i = 0; i < r->gate.miss_count; i++)
        pp_note_print("missed",
                      pp_arena_printf(arena, "%s: %s", pp_gate_miss_name(r->gate.misses[i].kind),
                                      shown(r, r->gate.misses[i].text, 1500)),
                      stdout);
    print_regressions(r);
    return pp_arena_check(arena, err);
}

/* ---- both outcomes --------------------------------------------------------------------------- */

static pp_json *summary_of(pp_arena *arena, const pp_gate_files *files)
{
    pp_json *out = pp_json_new_object(arena);

    for (size_t i = 0; files->document != NULL && i < files->document->object.count; i++) {
        const pp_json_member *member = &files->document->object.members[i];

        pp_json_set_text_key(arena, out, member->key, member->value);
    }
    pp_json_set_string(arena, out, "receipt", files->gate_path);
    pp_json_set_string(arena, out, "receipt_sha256", files->gate_sha256);
    return out;
}

static pp_status pass(gate_run *r, pp_error *err)
{
    const char *folder = pp_args_value(r->args, "output-dir");
    pp_gate_files files;
    pp_status st =
        pp_gate_files_make(&r->inputs, &r->gate, folder,
                           r->rules.earlier == NULL ? NULL : r->earlier_sha256, &files, err);

    if (st == PP_OK)
        st = pp_gate_files_write(&r->inputs.arena, &files, folder, err);
    if (st == PP_OK && pp_args_has(r->args, "json"))
        st = pp_print_json(summary_of(&r->inputs.arena, &files), err);
    else if (st == PP_OK)
        print_passed(r);
    pp_gate_files_done(&files);
    return st == PP_OK ? pp_arena_check(&r->inputs.arena, err) : st;
}

static pp_status fail(gate_run *r, pp_exit *ret_exit, pp_error *err)
{
    const char *path = pp_args_value(r->args, "failure-report");
    pp_json *failure = pp_gate_failure_to_json(&r->inputs.arena, &r->gate, PP_VERSION,
                                               pp_inputs_fingerprints(&r->inputs));
    pp_status st = path == NULL ? PP_OK : pp_json_save_new(failure, path, err);

    if (st == PP_OK)
        st = pp_args_has(r->args, "json") ? pp_print_json(failure, err) : print_missed(r, err);
    if (st != PP_OK)
        return st;
    *ret_exit = PP_EXIT_NO;
    return pp_fail(err, PP_ERR_NO_WINNER, "gate missed: %s%s; %s", r->gate.misses[0].text,
                   r->gate.miss_count > 1 ? ", and more" : "",
                   path == NULL ? "nothing was written" : "only the failure report was written");
}

static pp_status run_ci_gate(const pp_args *args, pp_exit *ret_exit, pp_error *err)
{
    gate_run r = {.args = args};
    pp_status st = find_inputs(&r, err);

    if (st == PP_OK)
        st = read_rules(&r, err);
    if (st == PP_OK)
        st = check_outputs(&r, err);
    if (st == PP_OK)
        st = judge(&r, err);
    if (st == PP_OK)
        st = r.gate.miss_count == 0 ? pass(&r, err) : fail(&r, ret_exit, err);
    pp_inputs_done(&r.inputs);
    return st;
}

const pp_command pp_command_ci_gate = {
    .group = "Decide",
    .name = "ci-gate",
    .positionals = positionals,
    .n_positionals = PP_COUNT_OF(positionals),
    .options = options,
    .n_options = PP_COUNT_OF(options),
    .summary = "decide, write all documents, and say by exit code whether it may pass",
    .detail = "Decides as recommend does and asks every rule given: only measured figures (unless\n"
              "allowed), the expected candidate, attributed evidence, no regression against an\n"
              "earlier decision. Passed, the folder gets recommendation.json, report.html,\n"
              "decision-passport.json, optimization-receipt.md and gate.json, all or none.\n"
              "\n"
              "Exit 1: a rule is missed, or no candidate is eligible; the folder is not created.\n",
    .example = "paretopilot ci-gate examples/recommend/benchmarks.json --constraints "
               "examples/recommend/constraints.json --allow-synthetic --output-dir gate",
    .run = run_ci_gate,
};
