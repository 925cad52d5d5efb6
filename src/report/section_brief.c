/* The answer at a glance: question, how sure, machine, origin, evidence, alternative. */
#include "decide/passport.h"
#include "report/view.h"

/* ---- rows ------------------------------------------------------------------------------------ */

static void put_question(const pp_view *v)
{
    const pp_constraints *c = v->constraints;
    size_t limits = c->max_value_count + c->min_value_count + (c->quality_not_measurable ? 0 : 1);

    pp_put_row_open(v, "Question");
    pp_put(v, "Which of ");
    pp_put_count(v, v->set->candidate_count);
    pp_put(v, v->set->candidate_count == 1 ? " candidate" : " candidates");
    pp_put(v, " has the ");
    pp_put(v, c->objective.direction == PP_DIRECTION_MIN ? "lowest " : "highest ");
    pp_put_metric(v, c->objective.metric);
    pp_put(v, " inside ");
    pp_put_count(v, limits);
    pp_put(v, limits == 1 ? " limit?" : " limits?");
    pp_put_row_close(v);
}

static void put_choice(const pp_view *v)
{
    pp_put_row_open(v, "Choice");
    if (!v->decision->has_winner) {
        pp_put(v, "none: no candidate respects every limit");
    } else {
        pp_put_candidate(v, v->decision->selected);
        pp_put(v, ": ");
        pp_put_string(v, pp_decision_reason(v->arena, v->decision));
    }
    pp_put_row_close(v);
}

static void put_machine_text(const pp_view *v, const pp_json *object, const char *key,
                             size_t *count)
{
    pp_text text;

    if (!pp_lookup_text(object, key, &text))
        return;
    pp_put(v, (*count)++ > 0 ? ", " : "");
    pp_put_text(v, text);
}

static void put_machine(const pp_view *v)
{
    const pp_json *runner = pp_lookup_object(pp_lookup_object(v->metadata, "source"), "runner");
    const pp_json *cpu = pp_lookup_object(pp_lookup_object(v->metadata, "host"), "cpu");
    size_t count = 0;
    double cores;

    pp_put_row_open(v, "Machine");
    put_machine_text(v, runner, "cpu", &count);
    if (count == 0)
        put_machine_text(v, cpu, "model", &count);
    if (pp_lookup_number(runner, "cpu_count", &cores) || pp_lookup_number(cpu, "cores", &cores)) {
        pp_put(v, count++ > 0 ? ", " : "");
        pp_put_number(v, cores);
        pp_put(v, cores == 1.0 ? " CPU" : " CPUs");
    }
    put_machine_text(v, runner, "architecture", &count);
    put_machine_text(v, runner, "os", &count);
    if (count == 0)
        pp_put(v, "<span class=\"absent\">not recorded</span>");
    pp_put_row_close(v);
}

static void put_why_not(const pp_view *v, const pp_report_verification *verification)
{
    if (verification->finding_count == 0) {
        pp_put_string(v, verification->why);
        return;
    }
    pp_put_count(v, verification->finding_count);
    pp_put(v, verification->finding_count == 1 ? " finding, " : " findings, the first ");
    pp_put_string(v, verification->findings[0].rule);
    pp_put(v, " <code>");
    pp_put_string(v, verification->findings[0].path);
    pp_put(v, "</code>");
}

static void put_evidence(const pp_view *v)
{
    const pp_report_verification *verification = pp_view_verification(v);

    pp_put_row_open(v, "Evidence");
    if (verification == NULL) {
        pp_put(v, "not verified; section <a href=\"#verification\">08</a> says how to");
    } else if (verification->is_verified) {
        pp_put(v, "<strong>verified</strong> with this page: ");
        pp_put_count(v, verification->hashed_count);
        pp_put(v, " files hashed, ");
        pp_put_count(v, verification->derived_count);
        pp_put(v,
               " documents made again; section <a href=\"#verification\">08</a> has the digests");
    } else {
        pp_put(v, "<strong>not verified</strong>: ");
        put_why_not(v, verification);
        pp_put(v, "; section <a href=\"#verification\">08</a>");
    }
    if (v->passport != NULL) {
        pp_put(v, "; grade <strong>");
        pp_put_string(v, pp_passport_grade_text(v->passport));
        pp_put(v, "</strong>");
    }
    pp_put_row_close(v);
}

static void put_alternative_fact(const pp_view *v, const char *name)
{
    pp_text metric = pp_text_of(name);
    const double *baseline = pp_view_value(v, v->set->baseline_index, metric);
    const double *value = pp_view_value(v, v->alternative, metric);

    if (baseline == NULL || value == NULL)
        return;
    pp_put(v, "; ");
    pp_put_metric(v, metric);
    pp_put(v, " ");
    pp_put_value(v, metric, value);
    pp_put(v, " (");
    pp_put_higher(v, metric, *baseline, *value);
    pp_put(v, ")");
}

static void put_alternative(const pp_view *v)
{
    pp_put_row_open(v, "Resource alternative");
    if (v->alternative == PP_NOT_FOUND) {
        pp_put(v, "none; section <a href=\"#tradeoffs\">02</a> says why");
    } else {
        pp_put_candidate(v, v->alternative);
        put_alternative_fact(v, "peak_rss_mib");
        put_alternative_fact(v, "model_size_mib");
        put_alternative_fact(v, v->constraints->objective.metric.data);
    }
    pp_put_row_close(v);
}

/* ---- how sure: what limits the answer -----------------------------------------------------------
 */

static void put_passes(const pp_view *v)
{
    double passes;

    pp_put(v, "<li>");
    if (pp_lookup_number(v->study, "passes", &passes)) {
        pp_put_number(v, passes);
        pp_put(v, passes == 1.0 ? " pass: nothing was repeated" : " passes");
    } else {
        pp_put(v, "number of passes not recorded");
    }
    pp_put(v, "</li>");
}

/* Fewest requests behind a candidate's percentiles. */
static void put_requests(const pp_view *v)
{
    double fewest = -1.0;
    double count;

    for (size_t i = 0; i < v->set->candidate_count; i++) {
        if (pp_lookup_number(pp_view_parameters(v, i, "measurement"), "request_count", &count) &&
            (fewest < 0.0 || count < fewest))
            fewest = count;
    }
    pp_put(v, "<li>");
    if (fewest < 0.0) {
        pp_put(v, "requests behind each figure not recorded</li>");
        return;
    }
    pp_put(v, "at least ");
    pp_put_number(v, fewest);
    pp_put(v, fewest == 1.0 ? " request" : " requests");
    pp_put(v, " for each candidate");
    /* 0.95^59 < 0.05: only then does the largest of n bound the 95th percentile with 95 % */
    if (fewest < 59.0)
        pp_put(v, ", fewer than the 59 from which their largest bounds a p95 with 95 % confidence");
    pp_put(v, "</li>");
}

static const pp_study_plan *plan_of(const pp_view *v)
{
    const pp_report_bundle *bundle = v->input->extras.bundle;

    return bundle == NULL ? NULL : bundle->plan;
}

static void put_step(const pp_view *v, const pp_plan_load_step *step)
{
    if (step->clients > 0) {
        pp_put_number(v, (double)step->clients);
        pp_put(v, step->clients == 1 ? " client" : " clients");
    } else {
        pp_put_number(v, step->rate_per_second);
        pp_put(v, " arrivals/s (");
        pp_put_text(v, step->arrivals);
        pp_put(v, ")");
    }
    pp_put(v, " x ");
    pp_put_number(v, (double)step->measured);
}

/* Steps of one loop, with the requests of each; or that this loop was not tried. */
static void put_loop(const pp_view *v, const pp_plan_load *load, bool open)
{
    size_t count = 0;

    pp_put(v, open ? "<li>load, open loop: " : "<li>load, closed loop: ");
    for (size_t i = 0; i < load->step_count; i++) {
        if ((load->steps[i].clients == 0) != open)
            continue;
        pp_put(v, count++ > 0 ? ", " : "");
        put_step(v, &load->steps[i]);
    }
    if (count == 0)
        pp_put(v, open ? "no rate of arrivals was tried" : "no number of clients was tried");
    else
        pp_put(v, count == 1 ? " requests of each candidate"
                             : " requests of each candidate, in "
                               "turn");
    pp_put(v, "</li>");
}

static void put_evaluation_limit(const pp_view *v, const pp_combined_load_evaluation *load)
{
    pp_put(v, "<li>load: closed loop, ");
    pp_put_number(v, (double)load->candidates[0].method.measured_count);
    pp_put(v, " requests for each level; no rate of arrivals was tried</li>");
}

static void put_load_limit(const pp_view *v)
{
    const pp_report_extras *e = &v->input->extras;
    const pp_study_plan *plan = plan_of(v);

    if (plan != NULL && plan->load.present) {
        put_loop(v, &plan->load, false);
        put_loop(v, &plan->load, true);
    }
    if (e->load != NULL && e->load->count > 0)
        put_evaluation_limit(v, e->load);
    else if (plan == NULL && e->load_document_count > 0)
        pp_put(v, "<li>load: reports of endpoints, which are not bound to a candidate</li>");
    else if (plan == NULL || !plan->load.present)
        pp_put(v, "<li>behaviour with several clients at once not measured</li>");
}

/* What the plan of a study leaves out; of a set alone nobody can say. */
static void put_left_out(const pp_view *v)
{
    const pp_study_plan *plan = plan_of(v);

    if (plan == NULL)
        return;
    if (!plan->has_requests)
        pp_put(v, "<li>latency of single requests not measured</li>");
    else
        pp_put(v, "<li>latency: one client, one request after the other, prompts and answers of "
                  "one length each</li>");
    if (!plan->has_throughput)
        pp_put(v, "<li>llama-bench was not run</li>");
    if (!plan->suite.present)
        pp_put(v, "<li>no answers were judged: the plan has no suite</li>");
    if (plan->noise.repeats == 0)
        pp_put(v, "<li>disturbed runs were not measured again</li>");
}

static void put_limits(const pp_view *v)
{
    pp_put_row_open(v, "How sure");
    pp_put(v, "<ul class=\"limits\">");
    put_passes(v);
    put_requests(v);
    put_load_limit(v);
    put_left_out(v);
    pp_put(v, "<li>capacity, server slots by clients, not measured</li>");
    pp_put(v, v->input->extras.stability == NULL
                  ? "<li>whether passes agree was not compared</li>"
                  : "<li>passes compared in section <a href=\"#repeatability\">05</a></li>");
    pp_put(v, v->constraints->quality_not_measurable
                  ? "<li>quality not judged</li>"
                  : "<li>quality judged by one suite; a score has no interval here</li>");
    pp_put(v, "<li>no interval on any difference: the tolerance is a choice, not a measured "
              "noise</li></ul>");
    pp_put_row_close(v);
}

void pp_section_brief(const pp_view *v)
{
    pp_put_section_open(v, "brief", "At a glance");
    pp_put_table_open(v, "The answer and how far it reaches", "facts-table");
    pp_put(v, "<tbody>\n");
    put_question(v);
    put_choice(v);
    put_limits(v);
    put_machine(v);
    pp_put_row_open(v, "Origin of the figures");
    pp_put(v, pp_origin_name(v->set->origin));
    pp_put(v, ": ");
    pp_put(v, pp_origin_meaning(v->set->origin));
    pp_put_row_close(v);
    put_evidence(v);
    put_alternative(v);
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
    pp_put_section_close(v);
}
