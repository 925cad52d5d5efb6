/* From the recorded replies of one candidate in one pass to results of cases and next tokens. */
#include <string.h>

#include "base/files.h"
#include "evidence/case_result.h"
#include "evidence/layout.h"
#include "evidence/quality_parts.h"
#include "intake/token_probs.h"
#include "model/suite_exchange.h"

/* ---- was it asked what the suite asks? --------------------------------------------------------
 */

static bool is_text(const pp_json *value, pp_text want)
{
    return value != NULL && value->kind == PP_JSON_STRING && pp_text_equal(value->text, want);
}

static bool is_number(const pp_json *value, double want)
{
    double number;

    return value != NULL && pp_json_get_number(value, &number, NULL) == PP_OK && number == want;
}

static bool is_message(const pp_json *message, const char *role, pp_text content)
{
    return is_text(pp_json_find(message, "role"), pp_text_of(role)) &&
           is_text(pp_json_find(message, "content"), content);
}

static bool asks_chat(const pp_json *request, bool has_system, pp_text system, pp_text prompt)
{
    const pp_json *messages = pp_json_find(request, "messages");
    size_t count = has_system ? 2 : 1;

    if (messages == NULL || messages->kind != PP_JSON_ARRAY || messages->array.count != count)
        return false;
    return (!has_system || is_message(messages->array.items[0], "system", system)) &&
           is_message(messages->array.items[count - 1], "user", prompt);
}

static bool asks_case(const pp_json *request, const pp_suite *suite, const pp_suite_case *c)
{
    return asks_chat(request, suite->has_system_prompt, suite->system_prompt, c->prompt) &&
           is_number(pp_json_find(request, "max_tokens"), (double)c->max_tokens) &&
           is_number(pp_json_find(request, "seed"), (double)suite->seed) &&
           is_number(pp_json_find(request, "temperature"), suite->temperature);
}

static bool asks_context(const pp_json *request, const pp_suite_context *context)
{
    const pp_json *prompt = pp_json_find(request, "prompt");

    return prompt != NULL ? is_text(prompt, context->prompt)
                          : asks_chat(request, false, (pp_text){0}, context->prompt);
}

static pp_status read_request(pp_arena *arena, const pp_suite_exchange *e, const pp_json **ret_root,
                              pp_error *err)
{
    return pp_json_parse(arena, "request", (const char *)e->request.data, e->request.size, ret_root,
                         err);
}

/* ---- places -----------------------------------------------------------------------------------
 */

/* One pass of one candidate while its lines are put into their places. */
typedef struct pass_reader {
    pp_arena *arena;
    const pp_suite *suite;
    pp_quality_candidate *out;
    size_t pass; /* from 0 */
    bool *cases_seen, *contexts_seen, props_seen;
} pass_reader;

static bool find_case(const pp_suite *suite, pp_text id, size_t *ret_number)
{
    for (*ret_number = 0; *ret_number < suite->case_count; (*ret_number)++)
        if (pp_text_equal(suite->cases[*ret_number].id, id))
            return true;
    return false;
}

static bool find_context(const pp_suite *suite, pp_text id, size_t *ret_number)
{
    for (*ret_number = 0; *ret_number < suite->context_count; (*ret_number)++)
        if (pp_text_equal(suite->contexts[*ret_number].id, id))
            return true;
    return false;
}

static pp_status refuse(const pp_suite_exchange *e, const char *what, pp_error *err)
{
    return pp_fail(err, PP_ERR_DOMAIN, "%s '%.80s' %s", pp_suite_subject_name(e->of), e->id.data,
                   what);
}

static pp_status take_case(pass_reader *r, const pp_suite_exchange *e, pp_error *err)
{
    const pp_json *request = NULL;
    size_t number;
    pp_status st;

    if (!find_case(r->suite, e->id, &number))
        return refuse(e, "is none of the suite", err);
    if (r->cases_seen[number])
        return refuse(e, "stands there twice", err);
    r->cases_seen[number] = true;
    st = read_request(r->arena, e, &request, err);
    if (st == PP_OK && !asks_case(request, r->suite, &r->suite->cases[number]))
        st = refuse(e, "was not asked as the suite asks it", err);
    if (st != PP_OK)
        return st;
    return pp_case_result_of(r->arena, &r->suite->cases[number], &e->exchange,
                             &r->out->results.results[r->pass * r->suite->case_count + number],
                             err);
}

static pp_status take_context(pass_reader *r, const pp_suite_exchange *e, pp_error *err)
{
    const pp_json *request = NULL;
    size_t number;
    pp_status st;

    if (!find_context(r->suite, e->id, &number))
        return refuse(e, "is none of the suite", err);
    if (r->contexts_seen[number])
        return refuse(e, "stands there twice", err);
    r->contexts_seen[number] = true;
    st = read_request(r->arena, e, &request, err);
    if (st == PP_OK && !asks_context(request, &r->suite->contexts[number]))
        st = refuse(e, "was not asked as the suite asks it", err);
    if (st != PP_OK)
        return st;
    return pp_token_probs_of_exchange(r->arena, &e->exchange, &r->out->answers[r->pass][number],
                                      err);
}

static pp_status take_props(pass_reader *r, const pp_suite_exchange *e, pp_error *err)
{
    if (r->props_seen)
        return refuse(e, "stands there twice", err);
    r->props_seen = true;
    if (r->suite->context_count > 0 && e->exchange.failure == PP_FAILURE_NONE)
        r->out->speculation[r->pass] = pp_props_speculation(r->arena, e->exchange.body);
    return pp_arena_check(r->arena, err);
}

static pp_status take_line(pass_reader *r, const pp_suite_exchange *e, pp_error *err)
{
    switch (e->of) {
    case PP_SUITE_ASKED_CASE:
        return take_case(r, e, err);
    case PP_SUITE_ASKED_CONTEXT:
        return take_context(r, e, err);
    default:
        return take_props(r, e, err);
    }
}

/* What has no line was never asked, which is a failed request. */
static pp_status fill_places(pass_reader *r, pp_error *err)
{
    static const pp_exchange never = {0};
    const pp_suite *suite = r->suite;
    pp_status st = PP_OK;

    for (size_t i = 0; st == PP_OK && i < suite->case_count; i++)
        st = pp_case_result_of(r->arena, &suite->cases[i], NULL,
                               &r->out->results.results[r->pass * suite->case_count + i], err);
    for (size_t i = 0; st == PP_OK && i < suite->context_count; i++)
        st = pp_token_probs_of_exchange(r->arena, &never, &r->out->answers[r->pass][i], err);
    return st;
}

static pp_status read_lines(pass_reader *r, const char *path, pp_error *err)
{
    pp_suite_exchange *lines = NULL;
    size_t count = 0;
    pp_buf bytes;
    pp_status st;

    pp_buf_init(&bytes, PP_SUITE_EXCHANGES_MAX_BYTES);
    st = pp_file_read(path, &bytes, err);
    if (st == PP_OK)
        st = pp_suite_exchanges_parse(
            r->arena, path, (pp_bytes){(const unsigned char *)pp_buf_text(&bytes), bytes.size},
            &lines, &count, err);
    for (size_t i = 0; st == PP_OK && i < count; i++)
        st = pp_wrap(err, take_line(r, &lines[i], err), "%s line %zu", path, i + 1);
    pp_buf_done(&bytes);
    return st;
}

pp_status pp_quality_read_pass(pp_arena *arena, const char *folder,
                               const pp_plan_candidate *candidate, int64_t pass,
                               const pp_suite *suite, pp_quality_candidate *out, pp_error *err)
{
    const char *path =
        pp_bundle_path(arena, folder, PP_BUNDLE_SUITE_REPLIES, candidate->id.data, (int)pass);
    pass_reader r = {
        .arena = arena,
        .suite = suite,
        .out = out,
        .pass = (size_t)pass - 1,
        .cases_seen = PP_ARENA_NEW(arena, bool, suite->case_count),
        .contexts_seen = PP_ARENA_NEW(arena, bool, suite->context_count),
    };
    pp_status st = pp_arena_check(arena, err);

    if (st == PP_OK)
        st = fill_places(&r, err);
    return st == PP_OK && pp_path_exists(path) ? read_lines(&r, path, err) : st;
}
