/* Which servers answered the load: command lines, digests, and how they relate to the set's. */
#include "capacity/load_check.h"
#include "report/launch_command.h"
#include "report/load_parts.h"

/* ---- against the set ------------------------------------------------------------------------- */

static bool is_same_command(const pp_json *list, const pp_server_argv *argv)
{
    if (pp_lookup_count(list) != argv->count)
        return false;
    for (size_t i = 0; i < argv->count; i++) {
        const pp_json *item = list->array.items[i];

        if (item->kind != PP_JSON_STRING || !pp_text_equal(item->text, argv->items[i]))
            return false;
    }
    return true;
}

static void put_match(const pp_view *v, const pp_load_evaluation *e)
{
    size_t candidate = pp_benchmark_set_find(v->set, e->candidate_id);
    const pp_json *list =
        candidate == PP_NOT_FOUND
            ? NULL
            : pp_lookup_array(v->set->candidates[candidate].parameters, "deployment_argv");

    pp_put(v, "<td>");
    if (list == NULL)
        pp_put(v, "<span class=\"absent\">the set records none</span>");
    else if (is_same_command(list, &e->binding.server.canonical.argv))
        pp_put(v, "the same");
    else
        pp_put(v, "<strong>another one</strong>");
    pp_put(v, "</td>");
}

static void put_differences(const pp_view *v, const pp_server_configuration *server)
{
    pp_put(v, "<td>");
    if (server->differing_count == 0)
        pp_put(v, "nothing");
    for (size_t i = 0; i < server->differing_count; i++) {
        pp_put(v, i > 0 ? ", <code>" : "<code>");
        pp_put_string(v, server->differing[i]);
        pp_put(v, "</code>");
    }
    pp_put(v, "</td>");
}

/* ---- the table ------------------------------------------------------------------------------- */

static pp_status put_row(const pp_view *v, const pp_load_evaluation *e, pp_error *err)
{
    const pp_load_binding *b = &e->binding;
    bool proves;
    pp_status st = pp_load_binding_proves_argv(b, &proves, err);

    if (st != PP_OK)
        return st;
    pp_put(v, "<tr><th scope=\"row\">");
    pp_put_label_of(v, e->candidate_id);
    pp_put(v, "</th><td><code>");
    pp_put_text(v, b->request_base_url);
    pp_put(v, "</code></td><td class=\"num\">");
    pp_put_number(v, (double)b->server.load.parallel);
    pp_put(v, "</td>");
    put_differences(v, &b->server);
    put_match(v, e);
    pp_put(v, "<td>");
    pp_put_hash(v, b->server.load.command_sha256);
    pp_put(v, "</td><td>");
    pp_put_hash(v, b->server.canonical.command_sha256);
    pp_put(v, proves ? "</td><td>yes</td></tr>\n" : "</td><td>not shown</td></tr>\n");
    return PP_OK;
}

static void put_command(const pp_view *v, const char *title, const pp_server_side *side)
{
    pp_buf words;

    pp_buf_init(&words, (size_t)8 * PP_LAUNCH_MAX_CHARS);
    for (size_t i = 0; i < side->argv.count; i++) {
        if (i > 0)
            pp_buf_append_char(&words, ' ');
        pp_launch_quote(side->argv.items[i], &words);
    }
    pp_put(v, "<p>");
    pp_put_string(v, title);
    pp_put(v, ", ");
    pp_put_hash(v, side->command_sha256);
    pp_put(v, "</p>\n<pre tabindex=\"0\"><code>");
    pp_html_lines(v->out, (pp_text){pp_buf_text(&words), words.size});
    pp_put(v, "</code></pre>\n");
    pp_buf_done(&words);
}

static void put_exact(const pp_view *v, const pp_load_evaluation *e)
{
    pp_put(v, "<details><summary>Exact commands of ");
    pp_put_label_of(v, e->candidate_id);
    pp_put(v, "</summary>\n");
    put_command(v, "Answered the load", &e->binding.server.load);
    put_command(v, "Measured by the study", &e->binding.server.canonical);
    pp_put(v, "</details>\n");
}

pp_status pp_load_put_commands(const pp_view *v, const pp_combined_load_evaluation *load,
                               pp_error *err)
{
    pp_status st = PP_OK;

    if (!load->candidates[0].is_bound) {
        pp_put_missing(v,
                       "The evaluation is not bound to command lines, so nothing shows that the "
                       "server under load was the one that the study measured.",
                       "paretopilot load URL --load-command F --canonical-command F ...");
        return PP_OK;
    }
    pp_put(v, "<h3>Which servers answered</h3>\n");
    pp_put_table_open(v, "Command lines of the load against those of the study", "wide many");
    pp_put(v, "<thead><tr>");
    pp_put_column(v, "Candidate", false);
    pp_put_column(v, "Endpoint", false);
    pp_put_column(v, "Slots", true);
    pp_put_column(v, "Differs in", false);
    pp_put_column(v, "Study's command against the set's", false);
    pp_put_column(v, "Load command, SHA-256", false);
    pp_put_column(v, "Study's command, SHA-256", false);
    pp_put_column(v, "Digests prove the commands", false);
    pp_put(v, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; st == PP_OK && i < load->count; i++)
        st = put_row(v, &load->candidates[i], err);
    pp_put(v, "</tbody>\n");
    pp_put_table_close(v);
    for (size_t i = 0; i < load->count; i++)
        put_exact(v, &load->candidates[i]);
    return st;
}
