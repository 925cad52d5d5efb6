#include "cli/suite_fidelity.h"

#include "base/secret.h"
#include "cli/table.h"
#include "intake/token_probs.h"
#include "load/fidelity_ask.h"

#define NAME_COLUMNS 20
#define WHY_COLUMNS  200

/* ---- asking ---------------------------------------------------------------------------------- */

typedef struct progress {
    pp_suite_session *session;
    size_t place;
} progress;

static void tell(void *user, size_t done, size_t total)
{
    const progress *p = user;
    const pp_suite_session *s = p->session;

    if (!s->view.quiet && done == total)
        fprintf(s->view.out, "fidelity: %s was asked about %zu contexts\n",
                s->command.places[p->place].name.data, total);
}

static pp_fidelity_ask_options options_of(pp_suite_session *s, size_t place, progress *p)
{
    pp_suite_ask_options ask = pp_suite_session_options(s, place);
    pp_fidelity_ask_options options;

    pp_fidelity_ask_options_default(&options);
    options.root = ask.base_url;
    options.headers = ask.headers;
    options.header_count = ask.header_count;
    options.kind = ask.voice.kind;
    options.model = ask.voice.model;
    options.limits = ask.limits;
    options.progress = tell;
    options.user = p;
    return options;
}

/* A kind of request that one server cannot answer makes all be asked the other way, because only
 * like is compared with like. */
static bool all_are_llama_servers(const pp_suite_session *s)
{
    for (size_t i = 0; i < s->command.place_count; i++)
        if (s->targets[i].kind != PP_SERVER_LLAMA_SERVER)
            return false;
    return true;
}

static pp_status decode(pp_suite_session *s, const pp_fidelity_answers *answers,
                        pp_agreement_side *side, pp_error *err)
{
    pp_next_token *tokens = PP_ARENA_NEW(&s->arena, pp_next_token, answers->count);
    pp_status st = pp_arena_check(&s->arena, err);

    for (size_t i = 0; st == PP_OK && i < answers->count; i++) {
        st = pp_token_probs_of_exchange(&s->arena, &answers->replies[i].exchange, &tokens[i], err);
        if (st == PP_OK)
            tokens[i].why = pp_secret_remove(&s->arena, tokens[i].why, s->command.key.key);
    }
    side->answers = tokens;
    side->speculation = pp_props_speculation(&s->arena, answers->props.exchange.body);
    return st;
}

static pp_status ask_place(pp_suite_session *s, pp_http_loop *loop, size_t place, bool chat,
                           pp_agreement_side *side, pp_error *err)
{
    progress p = {s, place};
    pp_fidelity_ask_options options = options_of(s, place, &p);
    pp_fidelity_answers answers;
    pp_status st;

    options.chat = chat;
    *side = (pp_agreement_side){.name = s->command.places[place].name,
                                .origin = s->targets[place].origin};
    st = pp_fidelity_ask(&s->arena, loop, &options, s->command.suite.contexts,
                         s->command.suite.context_count, &answers, err);
    if (st == PP_OK && answers.interrupted)
        st = pp_fail(err, PP_ERR_INTERRUPTED, "interrupted while asking about contexts");
    return st == PP_OK ? decode(s, &answers, side, err) : st;
}

static pp_status compare(pp_suite_session *s, const pp_agreement_side *sides, pp_agreement *out,
                         pp_error *err)
{
    const pp_suite_command *c = &s->command;
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < c->place_count; i++)
        if (i != c->reference)
            st = pp_agreement_of(&s->arena, c->suite.contexts, c->suite.context_count,
                                 &sides[c->reference], &sides[i], &out[i], err);
    return st;
}

pp_status pp_suite_fidelity_ask(pp_suite_session *s, pp_agreement **ret_agreements, pp_error *err)
{
    const pp_http_loop_options transport = {.ca_file = s->command.ask.ca_file,
                                            .insecure = s->command.ask.insecure_tls};
    size_t n = s->command.place_count;
    pp_agreement_side *sides = PP_ARENA_NEW(&s->arena, pp_agreement_side, n);
    pp_agreement *agreements = PP_ARENA_NEW(&s->arena, pp_agreement, n);
    bool chat = !all_are_llama_servers(s);
    pp_http_loop *loop = NULL;
    pp_status st = pp_arena_check(&s->arena, err);

    if (st == PP_OK)
        st = pp_http_loop_new(s->stop, &loop, err);
    if (st == PP_OK)
        st = pp_http_loop_configure(loop, &transport, err);
    for (size_t i = 0; st == PP_OK && i < n; i++)
        st = ask_place(s, loop, i, chat, &sides[i], err);
    pp_http_loop_free(loop);
    if (st == PP_OK)
        st = compare(s, sides, agreements, err);
    if (st == PP_OK)
        *ret_agreements = agreements;
    return st;
}

/* ---- the report ------------------------------------------------------------------------------ */

pp_status pp_suite_fidelity_put(pp_arena *arena, const pp_agreement *agreements,
                                pp_suite_report *report, pp_error *err)
{
    for (size_t i = 0; i < report->endpoint_count; i++)
        if (i != report->reference)
            report->endpoints[i].fidelity = pp_agreement_to_json(arena, &agreements[i]);
    return pp_arena_check(arena, err);
}

/* ---- the table ------------------------------------------------------------------------------- */

static const char *real_text(pp_arena *arena, pp_maybe_real value)
{
    return value.known ? pp_number_text(arena, value.value) : "-";
}

static const char *interval_text(pp_arena *arena, const pp_agreement *a)
{
    if (!a->top1_lower.known || !a->top1_upper.known)
        return "-";
    return pp_arena_printf(arena, "%.3f to %.3f", a->top1_lower.value, a->top1_upper.value);
}

static const char *farthest_text(pp_arena *arena, const pp_agreement *a)
{
    if (!a->kl_max_context.known)
        return "-";
    return pp_table_cell_text(arena, a->contexts[a->kl_max_context.value].id, NAME_COLUMNS);
}

static void set_row(pp_arena *arena, pp_table *table, pp_text name, const pp_agreement *a)
{
    pp_table_set(table, 0, pp_table_cell_text(arena, name, NAME_COLUMNS));
    pp_table_set(table, 1, real_text(arena, a->top1_agreement));
    pp_table_set(table, 2, interval_text(arena, a));
    pp_table_set(table, 3, real_text(arena, a->kl_nats_mean));
    pp_table_set(table, 4, real_text(arena, a->kl_nats_max));
    pp_table_set(table, 5, farthest_text(arena, a));
    pp_table_set(table, 6, pp_arena_printf(arena, "%zu/%zu", a->compared_count, a->context_count));
}

/* Of the first context that was refused; the whole server where none is named. */
static pp_text why_of(const pp_agreement *a)
{
    const pp_context_agreement *c;

    if (!a->gap_context.known)
        return (pp_text){0};
    c = &a->contexts[a->gap_context.value];
    return a->gap == PP_AGREEMENT_REFERENCE_REFUSED ? c->reference_why : c->candidate_why;
}

static void note_gap(pp_arena *arena, pp_text name, const pp_agreement *a, FILE *out)
{
    const char *refusal = pp_token_refusal_name(a->refusal);
    pp_text why = why_of(a);

    if (a->gap == PP_AGREEMENT_THERE)
        return;
    pp_note_print("fidelity",
                  pp_arena_printf(arena, "%s: no figures: %s%s%s%s%s",
                                  pp_table_cell_text(arena, name, NAME_COLUMNS),
                                  pp_agreement_gap_name(a->gap), refusal == NULL ? "" : ": ",
                                  refusal == NULL ? "" : refusal, why.size == 0 ? "" : ": ",
                                  why.size == 0 ? "" : pp_table_cell_text(arena, why, WHY_COLUMNS)),
                  out);
}

pp_status pp_suite_fidelity_print(pp_arena *arena, const pp_agreement *agreements,
                                  const pp_suite_report *report, FILE *out, pp_error *err)
{
    static const char *const headers[] = {"\nfidelity",      "same\nlikeliest", "\n95 % interval",
                                          "KL mean\n(nats)", "KL max\n(nats)",  "\nlargest at",
                                          "\ncontexts"};
    pp_table table;

    pp_table_init(&table, arena);
    for (size_t i = 0; i < PP_COUNT_OF(headers); i++)
        pp_table_add_column(&table, headers[i], i == 0 || i == 5 ? PP_ALIGN_LEFT : PP_ALIGN_RIGHT);
    for (size_t i = 0; i < report->endpoint_count; i++)
        if (i != report->reference && pp_table_add_row(&table))
            set_row(arena, &table, report->endpoints[i].name, &agreements[i]);
    fputc('\n', out);
    pp_table_print(&table, out);
    for (size_t i = 0; i < report->endpoint_count; i++)
        if (i != report->reference)
            note_gap(arena, report->endpoints[i].name, &agreements[i], out);
    return pp_arena_check(arena, err);
}
