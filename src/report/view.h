/* view.h - inside report/ only: what every section reads, and the few ways in which it writes.
 *
 * Markup is appended by pp_put, which must only ever get literals of ours; everything that comes
 * from a document goes through the functions below it, which escape. */
#ifndef PP_REPORT_VIEW_H
#define PP_REPORT_VIEW_H

#include "base/maybe.h"
#include "decide/change.h"
#include "report/change.h"
#include "report/escape.h"
#include "report/html.h"
#include "report/lookup.h"

typedef struct pp_view {
    pp_arena *arena;
    pp_buf *out;
    const pp_report_input *input;
    const pp_benchmark_set *set;
    const pp_constraints *constraints;
    const pp_decision *decision;
    const pp_json *metadata; /* NULL when there is none */
    const pp_json *study;    /* metadata.study, NULL when there is none */
    pp_text *metrics;        /* in the order of tables */
    size_t metric_count;
    size_t *shown; /* candidates that tables name, in the order of the document */
    size_t shown_count;
    const pp_json *passport; /* NULL when nothing is eligible */
    size_t alternative;      /* its resource alternative, or PP_NOT_FOUND */
} pp_view;

/** Everything that sections share, worked out once; `out` is the page. */
PP_MUST_CHECK pp_status pp_view_make(pp_arena *arena, const pp_report_input *input, pp_buf *out,
                                     pp_view *ret_view, pp_error *err);

void pp_put(const pp_view *v, const char *markup);
void pp_put_text(const pp_view *v, pp_text text);
void pp_put_string(const pp_view *v, const char *text);
void pp_put_count(const pp_view *v, size_t count);

/** A number without a unit, by pp_figure_text. */
void pp_put_number(const pp_view *v, double value);

/** A figure with its unit or sign; a line never ends between them. */
void pp_put_figure(const pp_view *v, const char *text);

/** A value of a metric with its unit; NULL reads "not measured". */
void pp_put_value(const pp_view *v, pp_text metric, const double *value);

/** <td> of a table with the class "stack": on a phone its cells stand below each other, each behind
 * the title of its column. cell_class may be NULL. */
void pp_put_cell_open(const pp_view *v, const char *cell_class, const char *head);

/** <td class="num"> with a number and its unit; what is not known reads "not measured". */
void pp_put_real_cell(const pp_view *v, pp_maybe_real value, const char *unit);

/** Title of a metric, or its name where it is none of the known ones. */
void pp_put_metric(const pp_view *v, pp_text metric);

/** Title, and the name as code behind it. */
void pp_put_metric_full(const pp_view *v, pp_text metric);

/** Label of a candidate; the id follows as code where it differs. */
void pp_put_candidate(const pp_view *v, size_t candidate);
void pp_put_label(const pp_view *v, size_t candidate);

/** "1,700 ms (48.57 %)" */
void pp_put_miss(const pp_view *v, pp_text metric, double amount, bool has_percent, double percent);

/** A candidate by its id, which may be none of the set's: its label, or the id. */
void pp_put_label_of(const pp_view *v, pp_text id);

/** "3.55 % higher", "equal"; a difference in the metric's unit where no percentage can say it. */
void pp_put_higher(const pp_view *v, pp_text metric, double from, double to);

/** "+3.55 %" with two decimals always, as figures that are compared by eye need. */
void pp_put_signed_percent(const pp_view *v, double percent);

/** The same without a sign. */
void pp_put_percent(const pp_view *v, double percent);

/** Better, Tradeoff, Changed, Held, as a word with its colour. */
void pp_put_effect(const pp_view *v, pp_effect effect);

/** A paragraph that says why a section has nothing to show, and the command that would bring it;
 * command may be NULL. Both are ours. */
void pp_put_missing(const pp_view *v, const char *why, const char *command);

/** A digest as code; NULL reads "not recorded". */
void pp_put_hash(const pp_view *v, const char *sha256);

/** Where a table does not name all candidates: a paragraph that says which it names. */
void pp_put_shown_note(const pp_view *v);

/** <th scope="col">, for numbers aligned right. The title is ours. */
void pp_put_column(const pp_view *v, const char *title, bool is_number);

/** A row of a two-column table, head first: <tr><th scope="row">head</th><td> ... </td></tr> */
void pp_put_row_open(const pp_view *v, const char *head);
void pp_put_row_close(const pp_view *v);

/** A scroll region a keyboard can reach, and the table inside it. */
void pp_put_table_open(const pp_view *v, const char *caption, const char *table_class);
void pp_put_table_close(const pp_view *v);

/** <section> with a heading; `id` names both. */
void pp_put_section_open(const pp_view *v, const char *id, const char *title);
void pp_put_section_close(const pp_view *v);

/** A section of the numbered walk through the decision: "00" stands before its title. */
void pp_put_step_open(const pp_view *v, const char *number, const char *id, const char *title);

/** Value of a metric of a candidate, NULL when not measured. */
const double *pp_view_value(const pp_view *v, size_t candidate, pp_text metric);
bool pp_view_is_shown(const pp_view *v, size_t candidate);
bool pp_view_is_selected(const pp_view *v, size_t candidate);
const pp_json *pp_view_parameters(const pp_view *v, size_t candidate, const char *member);
/** "selected", "inside the cutoff", "frontier", "dominated", "rejected" */
const char *pp_view_standing(const pp_view *v, size_t candidate);
/** What `verify` said of the bundle, NULL on a page about documents alone. */
const pp_report_verification *pp_view_verification(const pp_view *v);
/** "verified" or "not verified" */
const char *pp_view_evidence(const pp_view *v);

/* ---- sections, in the order of the page --------------------------------------------------------
 */

void pp_section_banners(const pp_view *v);
void pp_section_verdict(const pp_view *v);
void pp_section_brief(const pp_view *v);
void pp_section_steps(const pp_view *v);
PP_MUST_CHECK pp_status pp_section_rule(const pp_view *v, pp_error *err);
void pp_section_tradeoffs(const pp_view *v);
void pp_section_crossover(const pp_view *v);
void pp_section_priorities(const pp_view *v);
/** The rules of style that show one panel at a time, for the head of the page. */
void pp_priorities_style(const pp_view *v);
PP_MUST_CHECK pp_status pp_section_load(const pp_view *v, pp_error *err);
void pp_section_repeat(const pp_view *v);
void pp_section_verification(const pp_view *v);
void pp_section_comparison(const pp_view *v);
PP_MUST_CHECK pp_status pp_section_charts(const pp_view *v, pp_error *err);
void pp_section_others(const pp_view *v);
void pp_section_guardrails(const pp_view *v);
void pp_section_measured(const pp_view *v);
PP_MUST_CHECK pp_status pp_section_samples(const pp_view *v, pp_error *err);
void pp_section_quality(const pp_view *v);
void pp_section_runs(const pp_view *v);
PP_MUST_CHECK pp_status pp_section_timeline(const pp_view *v, pp_error *err);
void pp_section_machine(const pp_view *v);
void pp_section_models(const pp_view *v);
PP_MUST_CHECK pp_status pp_section_deployment(const pp_view *v, pp_error *err);
PP_MUST_CHECK pp_status pp_section_provenance(const pp_view *v, pp_error *err);

PP_MUST_CHECK pp_status pp_chart_scatter(const pp_view *v, pp_error *err);
PP_MUST_CHECK pp_status pp_chart_dots(const pp_view *v, pp_error *err);

extern const char *const pp_report_style[];

#endif
