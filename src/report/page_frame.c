#include "report/page_frame.h"

#include "report/page_policy.h"

#define STYLE_MAX_BYTES  ((size_t)1 << 20)
#define POLICY_MAX_BYTES 512

static void collect_style(const pp_buf *more, pp_buf *style)
{
    pp_buf_append_char(style, '\n');
    for (size_t i = 0; pp_report_style[i] != NULL; i++)
        pp_buf_append_text(style, pp_report_style[i]);
    if (more != NULL && more->size > 0)
        pp_buf_append(style, more->data, more->size);
}

static void put_head(const pp_view *v, pp_text title, const char *suffix, const pp_buf *style,
                     const pp_buf *policy)
{
    pp_put(v, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
              "<meta http-equiv=\"Content-Security-Policy\" content=\"");
    pp_buf_append(v->out, policy->data, policy->size); /* ours: no quote, no ampersand */
    pp_put(v, "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
              "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    pp_put_text(v, title);
    pp_put(v, suffix);
    pp_put(v, "</title>\n<style>");
    pp_buf_append(v->out, style->data, style->size);
    pp_put(v, "</style>\n</head>\n<body>\n"
              "<a class=\"skip\" href=\"#content\">Skip to the content</a>\n");
}

pp_status pp_frame_open(const pp_view *v, pp_text title, const char *suffix, const pp_buf *more,
                        pp_error *err)
{
    pp_buf style, policy;
    pp_status st;

    pp_buf_init(&style, STYLE_MAX_BYTES);
    pp_buf_init(&policy, POLICY_MAX_BYTES);
    collect_style(more, &style);
    st = pp_buf_check(&style, "the style of the page", err);
    if (st == PP_OK)
        st = pp_page_policy(style.data, style.size, &policy, err);
    if (st == PP_OK)
        st = pp_buf_check(&policy, "the policy of the page", err);
    if (st == PP_OK)
        put_head(v, title, suffix, &style, &policy);
    pp_buf_done(&policy);
    pp_buf_done(&style);
    return st;
}

void pp_frame_put_footer(const pp_view *v, const char *tool_version, const char *more)
{
    pp_put(v, "</main>\n<footer>\n<p>Made by ParetoPilot ");
    pp_put_string(v, tool_version);
    pp_put(v, ". This page holds no script and loads nothing; the same input gives the same "
              "bytes. Shown numbers are rounded, the documents hold full precision.");
    pp_put(v, more);
    pp_put(v, "</p>\n</footer>\n");
}

void pp_frame_close(const pp_view *v)
{
    pp_put(v, "</body>\n</html>\n");
}
