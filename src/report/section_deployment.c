#include "report/view.h"

#include "report/launch_command.h"

pp_status pp_section_deployment(const pp_view *v, pp_error *err)
{
    pp_buf command;
    const char *fault;
    pp_status st;

    if (!v->decision->has_winner)
        return PP_OK;
    pp_buf_init(&command, (size_t)8 * PP_LAUNCH_MAX_CHARS);
    fault = pp_launch_command(v->set->candidates[v->decision->selected].parameters, &command);
    pp_put_section_open(v, "deployment", "Deployment command");
    if (fault != NULL) {
        pp_put(v, "<p>");
        pp_put(v, fault);
        pp_put(v, " None is made up here.</p>\n");
    } else {
        pp_put(v, "<p>As it was run for ");
        pp_put_candidate(v, v->decision->selected);
        pp_put(v, ", quoted for a POSIX shell.</p>\n<pre class=\"command\" tabindex=\"0\" "
                  "role=\"region\" aria-label=\"The command\"><code>");
        pp_html_lines(v->out, (pp_text){pp_buf_text(&command), command.size});
        pp_put(v, "</code></pre>\n");
    }
    pp_put_section_close(v);
    st = pp_buf_check(&command, "the deployment command", err);
    pp_buf_done(&command);
    return st;
}
