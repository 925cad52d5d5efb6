#include "report/view.h"

pp_status pp_section_charts(const pp_view *v, pp_error *err)
{
    pp_status st;

    pp_put_step_open(v, "06", "charts", "The objective against another metric");
    st = pp_chart_scatter(v, err);
    pp_put_section_close(v);
    return st;
}
