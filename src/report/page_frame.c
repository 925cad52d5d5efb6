#include "report/page_frame.h"

#include "digest/sha256.h"

#define STYLE_MAX_BYTES ((size_t)1 << 20)

static void collect_style(const pp_buf *more, pp_buf *style)
{
    pp_buf_append_char(style, '\n');
    for (size_t i = 0; pp_report_style[i] != NULL; i++)
        pp_buf_append_text(style, pp_report_style[i]);
    if (more != NULL && more->size > 0)
        pp_buf_append(style, more->data, more->size);
}

static void put_policy(const pp_view *v, const char *style_base64)
{
    pp_put(v, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
              "style-src 'sha256-");
    pp_put(v, style_base64);
    pp_put(v, "'; base-uri 'none'; form-action 'none'\">\n");
}

static void put_head(const pp_view *v, pp_text title, const char *suffix, const pp_buf *style,
                     const char *style_base64)
{
    pp_put(v, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    put_policy(v, style_base64);
    pp_put(v, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
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
    char base64[PP_SHA256_BASE64_SIZE];
    pp_buf style;
    pp_status st;

    pp_buf_init(&style, STYLE_MAX_BYTES);
    collect_style(more, &style);
    st = pp_buf_check(&style, "the style", err);
    if (st == PP_OK)
        st = pp_sha256_base64_of(style.data, style.size, base64, err);
    if (st == PP_OK)
        put_head(v, title, suffix, &style, base64);
    pp_buf_done(&style);
    return st;
}

void pp_frame_put_footer(const pp_view *v, const char *tool_version)
{
    pp_put(v, "</main>\n<footer>\n<p>Made by ParetoPilot ");
    pp_put_string(v, tool_version);
    pp_put(v, ". This page holds no script and loads nothing; the same input gives the same "
              "bytes. Shown numbers are rounded, the documents hold full precision."
              "</p>\n</footer>\n");
}

void pp_frame_close(const pp_view *v)
{
    pp_put(v, "</body>\n</html>\n");
}
