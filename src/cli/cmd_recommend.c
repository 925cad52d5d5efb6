#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "cli/command.h"
#include "cli/table.h"
#include "decide/details.h"
#include "version.h"

/* A table of thousands of rows helps nobody; --details has them all. */
#define MAX_TABLE_ROWS 40
#define MAX_NOTES      20
#define ID_COLUMNS     28
#define HEADER_COLUMNS 12

static const pp_option options[] = {
    {"constraints", 'c', "FILE", NULL, "limits, objective and preferences", true, false},
    {"output", 'o', "FILE", NULL, "write recommendation.json here; never replaces a file", false,
     false},
    {"details", 0, "FILE", NULL, "write decision-details.json here: every miss, with its size",
     false, false},
    {"json", 0, NULL, NULL, "print the recommendation document instead of the table", false, false},
};

/* Everything one run needs; the inputs are parsed from the bytes that are hashed. */
typedef struct run {
    pp_arena arena;
    pp_benchmark_set set;
    pp_constraints constraints;
    pp_decision decision;
    char benchmarks_sha256[PP_SHA256_HEX_SIZE];
    char constraints_sha256[PP_SHA256_HEX_SIZE];
} run;

static pp_fingerprints fingerprints_of(const run *r)
{
    return (pp_fingerprints){r->benchmarks_sha256, r->constraints_sha256};
}

/* ---- the table ----------------------------------------------------------------------------- */

static const char *shown(run *r, pp_text text, size_t columns)
{
    const char *cell = pp_table_cell_text(&r->arena, text, columns);

    return cell == NULL ? "" : cell;
}

static const char *shown_id(run *r, size_t candidate)
{
    return shown(r, r->set.candidates[candidate].id, ID_COLUMNS);
}

/* "e2e_latency_ms_p95" over several lines, broken at underscores, the unit last */
static const char *metric_header(run *r, pp_text metric)
{
    const char *name = shown(r, metric, 4 * HEADER_COLUMNS);
    const char *unit = pp_metric_unit(metric);
    pp_buf out;
    const char *header;
    size_t column = 0;

    pp_buf_init(&out, 512);
    while (*name != '\0') {
        size_t word = strcspn(name, "_");

        word += name[word] == '_';
        if (column > 0 && column + word > HEADER_COLUMNS) {
            pp_buf_append_char(&out, '\n');
            column = 0;
        }
        pp_buf_append(&out, name, word);
        column += word;
        name += word;
    }
    if (unit[0] != '\0')
        pp_buf_printf(&out, "\n(%s)", unit);
    header = pp_arena_dup(&r->arena, pp_buf_text(&out), out.size);
    pp_buf_done(&out);
    return header;
}

static const run *sorted_run; /* qsort has no argument for it; one command runs at a time */

static int compare_for_table(const void *a, const void *b)
{
    size_t x = *(const size_t *)a;
    size_t y = *(const size_t *)b;
    const pp_verdict *verdicts = sorted_run->decision.verdicts;

    if (verdicts[x].standing != verdicts[y].standing)
        return verdicts[x].standing > verdicts[y].standing ? -1 : 1;
    return (x > y) - (x < y);
}

/* Selected first, rejected last, document order among equals. NULL when memory is short. */
static size_t *table_order(run *r)
{
    size_t *order = PP_ARENA_NEW(&r->arena, size_t, r->set.candidate_count);

    for (size_t i = 0; order != NULL && i < r->set.candidate_count; i++)
        order[i] = i;
    sorted_run = r;
    if (order != NULL)
        qsort(order, r->set.candidate_count, sizeof *order, compare_for_table);
    return order;
}

/* The objective, then the other frontier metrics in document order. */
static pp_text column_metric(const run *r, size_t column)
{
    const pp_constraints *c = &r->constraints;
    size_t seen = 0;

    if (column == 0)
        return c->objective.metric;
    for (size_t i = 0; i < c->frontier_metric_count; i++) {
        pp_text metric = c->frontier_metrics[i].metric;

        if (!pp_text_equal(metric, c->objective.metric) && ++seen == column)
            return metric;
    }
    return (pp_text){0};
}

static const char *metric_cell(run *r, size_t candidate, pp_text metric)
{
    const double *value = pp_candidate_find_metric(&r->set.candidates[candidate], metric);

    return value == NULL ? "not measured" : pp_number_text(&r->arena, *value);
}

static void fill_table(run *r, const size_t *order, size_t n_metrics, pp_table *table)
{
    pp_table_init(table, &r->arena);
    pp_table_add_column(table, "candidate", PP_ALIGN_LEFT);
    pp_table_add_column(table, "status", PP_ALIGN_LEFT);
    for (size_t i = 0; i < n_metrics; i++)
        pp_table_add_column(table, metric_header(r, column_metric(r, i)), PP_ALIGN_RIGHT);
    for (size_t i = 0; i < r->set.candidate_count && i < MAX_TABLE_ROWS; i++) {
        if (!pp_table_add_row(table))
            return;
        pp_table_set(table, 0, shown_id(r, order[i]));
        pp_table_set(table, 1, pp_standing_name(r->decision.verdicts[order[i]].standing));
        for (size_t j = 0; j < n_metrics; j++)
            pp_table_set(table, 2 + j, metric_cell(r, order[i], column_metric(r, j)));
    }
}

static void print_table(run *r, const size_t *order, FILE *out)
{
    size_t all = r->constraints.frontier_metric_count;
    size_t n_metrics = all < PP_TABLE_MAX_COLUMNS - 2 ? all : PP_TABLE_MAX_COLUMNS - 2;
    pp_table table;

    fill_table(r, order, n_metrics, &table);
    while (n_metrics > 1 && pp_table_width(&table) > PP_TERMINAL_COLUMNS)
        fill_table(r, order, --n_metrics, &table);
    pp_table_print(&table, out);
    if (r->set.candidate_count > MAX_TABLE_ROWS)
        fprintf(out, "... and %zu more candidates; --details FILE lists all\n",
                r->set.candidate_count - MAX_TABLE_ROWS);
    if (n_metrics < all)
        fprintf(out, "... and %zu more metrics; --json prints all of the selected candidate\n",
                all - n_metrics);
}

/* ---- the lines below it -------------------------------------------------------------------- */

/* "label     text", text wrapped at the terminal's width */
static void print_line(const char *label, const char *text, FILE *out)
{
    size_t column = (size_t)fprintf(out, "%-10s", label);
    const char *word = text == NULL ? "out of memory" : text;

    while (*word != '\0') {
        size_t size = strcspn(word, " ");
        char cut[1024];

        (void)snprintf(cut, sizeof cut, "%.*s", (int)size, word);
        if (column > 10 && column + 1 + pp_text_columns(cut) > PP_TERMINAL_COLUMNS)
            column = (size_t)fprintf(out, "\n%-10s", "") - 1;
        column += (size_t)fprintf(out, "%s%s", column > 10 ? " " : "", cut);
        word += size + strspn(word + size, " ");
    }
    (void)fputc('\n', out);
}

static const char *percent_text(run *r, bool known, double percent)
{
    return known ? pp_arena_printf(&r->arena, " (%s %%)", pp_number_text(&r->arena, percent)) : "";
}

static const char *violation_text(run *r, const pp_violation *v)
{
    pp_arena *arena = &r->arena;
    const char *name = shown(r, v->metric, 40);

    if (v->kind == PP_VIOLATION_MISSING_METRIC)
        return pp_arena_printf(arena, "%s was not measured", name);
    return pp_arena_printf(
        arena, "%s %s, %s %s, missed by %s%s", name, pp_metric_text(arena, v->metric, v->value),
        v->kind == PP_VIOLATION_ABOVE_MAXIMUM       ? "at most"
        : v->kind == PP_VIOLATION_QUALITY_RETENTION ? "quality floor"
                                                    : "at least",
        pp_metric_text(arena, v->metric, v->limit), pp_metric_text(arena, v->metric, -v->slack),
        percent_text(r, v->has_slack_percent, -v->slack_percent));
}

static const char *rejection_text(run *r, size_t candidate)
{
    const pp_violations *violations = &r->decision.verdicts[candidate].violations;
    const char *text = shown_id(r, candidate);

    for (size_t i = 0; text != NULL && i < violations->count; i++)
        text = pp_arena_printf(&r->arena, "%s%s %s", text, i == 0 ? ":" : ";",
                               violation_text(r, &violations->items[i]));
    return text;
}

static const char *note_text(run *r, size_t candidate)
{
    const pp_verdict *verdict = &r->decision.verdicts[candidate];

    if (verdict->standing == PP_STANDING_REJECTED)
        return rejection_text(r, candidate);
    return pp_arena_printf(&r->arena, "%s by %s", shown_id(r, candidate),
                           shown_id(r, verdict->dominated_by));
}

static void print_notes(run *r, const size_t *order, FILE *out)
{
    size_t printed = 0;
    size_t left_out = 0;

    for (size_t i = 0; i < r->set.candidate_count; i++) {
        pp_standing standing = r->decision.verdicts[order[i]].standing;

        if (standing > PP_STANDING_DOMINATED)
            continue;
        if (printed++ < MAX_NOTES)
            print_line(pp_standing_name(standing), note_text(r, order[i]), out);
        else
            left_out++;
    }
    if (left_out > 0)
        fprintf(out, "... and %zu more; --details FILE lists all\n", left_out);
}

static void print_winner(run *r, FILE *out)
{
    const pp_decision *d = &r->decision;
    const pp_candidate *winner = &r->set.candidates[d->selected];
    const pp_goal *goal = &r->constraints.objective;
    const char *reason = pp_decision_reason(&r->arena, d);

    print_line("selected",
               pp_arena_printf(&r->arena, "%s (%s)%s", shown_id(r, d->selected),
                               shown(r, winner->label, 60),
                               d->selected == r->set.baseline_index ? ", the baseline" : ""),
               out);
    print_line("reason", reason == NULL ? NULL : shown(r, pp_text_of(reason), 1000), out);
    if (d->near_miss == PP_NOT_FOUND)
        return;
    print_line("near miss",
               pp_arena_printf(
                   &r->arena, "%s: %s is %s%s outside the cutoff %s", shown_id(r, d->near_miss),
                   shown(r, goal->metric, 40),
                   pp_metric_text(&r->arena, goal->metric, d->verdicts[d->near_miss].shortfall),
                   percent_text(r, d->verdicts[d->near_miss].has_shortfall_percent,
                                d->verdicts[d->near_miss].shortfall_percent),
                   pp_metric_text(&r->arena, goal->metric, d->cutoff)),
               out);
}

static void print_caveats(run *r, FILE *out)
{
    if (r->set.origin != PP_ORIGIN_MEASURED)
        print_line("origin",
                   pp_arena_printf(&r->arena, "%s: %s", pp_origin_name(r->set.origin),
                                   pp_origin_meaning(r->set.origin)),
                   out);
    if (r->constraints.quality_not_measurable)
        print_line("quality", "quality not judged: the constraints call it not measurable", out);
    if (r->decision.dominance == PP_DOMINANCE_EXACT)
        print_line("near ties",
                   "candidates that nearly tie beat each other in a circle; they were compared "
                   "exactly",
                   out);
}

static pp_status print_for_people(run *r, FILE *out, pp_error *err)
{
    const size_t *order = table_order(r);

    if (order == NULL)
        return pp_arena_check(&r->arena, err);
    print_table(r, order, out);
    (void)fputc('\n', out);
    if (r->decision.has_winner)
        print_winner(r, out);
    print_notes(r, order, out);
    print_caveats(r, out);
    return pp_arena_check(&r->arena, err);
}

/* ---- the command --------------------------------------------------------------------------- */

static pp_status refuse_taken(const char *path, pp_error *err)
{
    if (path != NULL && pp_path_exists(path))
        return pp_fail(err, PP_ERR_EXISTS, "'%s' exists already; nothing is overwritten", path);
    return PP_OK;
}

static pp_status check_outputs(const pp_args *args, pp_error *err)
{
    const char *output = pp_args_value(args, "output");
    const char *details = pp_args_value(args, "details");
    pp_status st = refuse_taken(output, err);

    if (st == PP_OK)
        st = refuse_taken(details, err);
    if (st == PP_OK && output != NULL && details != NULL && strcmp(output, details) == 0)
        return pp_fail(err, PP_ERR_USAGE, "recommend: --output and --details name the same file");
    return st;
}

static pp_status load_and_decide(const pp_args *args, run *r, pp_error *err)
{
    pp_status st =
        pp_benchmark_set_load(&r->arena, args->positionals[0], &r->set, r->benchmarks_sha256, err);

    if (st == PP_OK)
        st = pp_constraints_load(&r->arena, pp_args_value(args, "constraints"), &r->constraints,
                                 r->constraints_sha256, err);
    if (st == PP_OK)
        st = pp_wrap(err, pp_decide(&r->arena, &r->set, &r->constraints, &r->decision, err),
                     "deciding");
    return st;
}

static pp_status print_json(const pp_json *document, pp_error *err)
{
    pp_buf text;
    pp_status st;

    pp_buf_init(&text, PP_JSON_MAX_BYTES);
    st = pp_json_write(document, PP_JSON_ASCII, &text, err);
    if (st == PP_OK)
        (void)fwrite(text.data, 1, text.size, stdout); /* main checks stdout */
    pp_buf_done(&text);
    return st;
}

static pp_status save(const pp_args *args, run *r, const pp_json *recommendation,
                      const pp_json *details, pp_error *err)
{
    const char *output = pp_args_value(args, "output");
    const char *details_path = pp_args_value(args, "details");
    pp_status st = pp_arena_check(&r->arena, err);

    if (st == PP_OK && output != NULL)
        st = pp_json_save_new(recommendation, output, err);
    if (st == PP_OK && details_path != NULL)
        st = pp_json_save_new(details, details_path, err);
    return st;
}

static pp_status fail_no_winner(const pp_args *args, run *r, pp_error *err)
{
    pp_status st;

    if (pp_args_has(args, "json"))
        st = print_json(
            pp_decision_details_to_json(&r->arena, &r->decision, PP_VERSION, fingerprints_of(r)),
            err);
    else
        st = print_for_people(r, stdout, err);
    if (st != PP_OK)
        return st;
    return pp_fail(err, PP_ERR_NO_WINNER,
                   "no candidate is eligible: all %zu violate a limit; nothing was written",
                   r->set.candidate_count);
}

static pp_status report(const pp_args *args, run *r, pp_error *err)
{
    pp_json *recommendation;
    pp_json *details;
    pp_status st;

    if (!r->decision.has_winner)
        return fail_no_winner(args, r, err);
    recommendation =
        pp_recommendation_to_json(&r->arena, &r->decision, PP_VERSION, fingerprints_of(r));
    details = pp_decision_details_to_json(&r->arena, &r->decision, PP_VERSION, fingerprints_of(r));
    st = save(args, r, recommendation, details, err);
    if (st != PP_OK)
        return st;
    return pp_args_has(args, "json") ? print_json(recommendation, err)
                                     : print_for_people(r, stdout, err);
}

static pp_status run_recommend(const pp_args *args, pp_exit *ret_exit, pp_error *err)
{
    run r = {0};
    pp_status st = check_outputs(args, err);

    (void)ret_exit; /* follows from the status */
    if (st == PP_OK)
        st = load_and_decide(args, &r, err);
    if (st == PP_OK)
        st = report(args, &r, err);
    pp_arena_done(&r.arena);
    return st;
}

const pp_command pp_command_recommend = {
    .group = "Decide",
    .name = "recommend",
    .positionals = "SET",
    .min_positionals = 1,
    .max_positionals = 1,
    .options = options,
    .n_options = PP_COUNT_OF(options),
    .summary = "apply the limits and pick one candidate",
    .detail = "Reads a benchmark set and constraints, drops every candidate that misses a limit,\n"
              "keeps those that no other beats in all frontier metrics, and picks one within the\n"
              "tolerance of the best objective by the preference order. Says what each other\n"
              "candidate missed, and by how much.\n"
              "\n"
              "Exit 1: no candidate is eligible; then no file is written.\n",
    .example = "paretopilot recommend examples/recommend/benchmarks.json --constraints "
               "examples/recommend/constraints.json",
    .run = run_recommend,
};
