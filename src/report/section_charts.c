#include "report/view.h"

pp_status pp_section_charts(const pp_view *v, pp_error *err)
{
    pp_status st;

    pp_put_section_open(v, "charts", "Charts");
    st = pp_chart_scatter(v, err);
    if (st == PP_OK)
        st = pp_chart_dots(v, err);
    pp_put_section_close(v);
    return st;
}
