#include "route/rules.h"

#include <string.h>

/* A header that came several times counts with each of its values. */
static bool has_header(const pp_route_ask *ask, pp_text name, pp_text value)
{
    for (size_t i = 0; i < ask->header_count; i++) {
        if (pp_text_equal_ascii_case(ask->headers[i].name, name) &&
            pp_text_equal(ask->headers[i].value, value))
            return true;
    }
    return false;
}

static bool holds(const pp_route_rule_row *rule, const pp_route_ask *ask)
{
    if (rule->model.size > 0 && !pp_text_equal(rule->model, ask->model))
        return false;
    if (rule->endpoint.size > 0 && !pp_text_equal(rule->endpoint, ask->endpoint))
        return false;
    if (rule->min_body_bytes.known && ask->body_bytes < (uint64_t)rule->min_body_bytes.value)
        return false;
    if (rule->max_body_bytes.known && ask->body_bytes >= (uint64_t)rule->max_body_bytes.value)
        return false;
    if (rule->has_tools.known && rule->has_tools.value != ask->has_tools)
        return false;
    if (rule->stream.known && rule->stream.value != ask->stream)
        return false;
    return rule->header_name.size == 0 || has_header(ask, rule->header_name, rule->header_value);
}

void pp_route_choose(const pp_serve_config *config, const pp_route_ask *ask,
                     pp_route_choice *ret_choice)
{
    *ret_choice = (pp_route_choice){0};
    for (size_t i = 0; i < config->rule_count; i++) {
        if (holds(&config->rules[i], ask)) {
            *ret_choice = (pp_route_choice){true, config->rules[i].model_index, true, i};
            return;
        }
    }
    for (size_t i = 0; i < config->model_count; i++) {
        if (ask->model.size == 0 || pp_text_equal(config->models[i].name, ask->model)) {
            *ret_choice = (pp_route_choice){.found = true, .model_index = i};
            return;
        }
    }
}

/* ---- trace ------------------------------------------------------------------------------------
 */

static bool is_token_char(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c != '\0' && strchr("!#$&'*+-.^_`|~", c) != NULL);
}

static bool is_token(pp_text text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (!is_token_char(text.data[i]))
            return false;
    }
    return text.size > 0;
}

static void append_value(pp_buf *out, pp_text text)
{
    if (is_token(text)) {
        pp_buf_append(out, text.data, text.size);
        return;
    }
    pp_buf_append_text(out, "\"");
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];

        if (c < ' ' || c >= 0x7f || c == '"' || c == '\\' || c == '%')
            pp_buf_printf(out, "%%%02X", c);
        else
            pp_buf_append(out, text.data + i, 1);
    }
    pp_buf_append_text(out, "\"");
}

void pp_route_trace(const pp_serve_config *config, const pp_route_choice *choice, pp_buf *out)
{
    if (!choice->found) {
        pp_buf_append_text(out, "model=?");
        return;
    }
    if (choice->by_rule) {
        pp_buf_append_text(out, "rule=");
        append_value(out, config->rules[choice->rule_index].name);
        pp_buf_append_text(out, "; ");
    }
    pp_buf_append_text(out, "model=");
    append_value(out, config->models[choice->model_index].name);
}
