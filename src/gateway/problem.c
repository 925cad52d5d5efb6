#include "gateway/problem.h"

#include <string.h>

#include "base/clock.h"
#include "json/json.h"

/* Types as OpenAI and llama-server name them; SDKs decide by status and code. */
#define INVALID    "invalid_request_error"
#define AUTH       "authentication_error"
#define RATE_LIMIT "rate_limit_error"
#define OVERLOADED "overloaded_error"
#define UPSTREAM   "upstream_error"
#define TIMEOUT    "timeout_error"
#define SERVER     "server_error"

typedef struct problem_row {
    pp_problem problem; /* equal to the index */
    int status;
    int64_t retry_after_s; /* 0: none */
    bool takes_detail;     /* the request is at fault, and a detail says where */
    const char *type, *code, *message;
} problem_row;

static const problem_row rows[PP_PROBLEM_COUNT] = {
    {PP_PROBLEM_BAD_REQUEST, 400, 0, true, INVALID, "bad_request", "the request is not valid"},
    {PP_PROBLEM_NO_KEY, 401, 0, false, AUTH, "missing_api_key",
     "an API key is needed: Authorization: Bearer KEY"},
    {PP_PROBLEM_BAD_KEY, 401, 0, true, AUTH, "invalid_api_key", "the API key is not accepted"},
    {PP_PROBLEM_UNKNOWN_MODEL, 404, 0, true, INVALID, "model_not_found",
     "this model is not served here (GET /v1/models lists those that are)"},
    {PP_PROBLEM_NOT_FOUND, 404, 0, false, INVALID, "not_found", "nothing is served at this path"},
    {PP_PROBLEM_METHOD, 405, 0, false, INVALID, "method_not_allowed",
     "this path does not take this method"},
    {PP_PROBLEM_TOO_LARGE, 413, 0, true, INVALID, "request_too_large", "the request is too large"},
    {PP_PROBLEM_HEADERS, 431, 0, true, INVALID, "headers_too_large",
     "the headers of the request are too many or too long"},
    {PP_PROBLEM_RATE, 429, 1, true, RATE_LIMIT, "rate_limit_exceeded", "too many requests"},
    {PP_PROBLEM_QUEUE_FULL, 429, 1, false, OVERLOADED, "queue_full",
     "too many requests are waiting for this model"},
    {PP_PROBLEM_QUEUE_TIMEOUT, 429, 1, false, OVERLOADED, "queue_timeout",
     "no server became free for this request in time"},
    {PP_PROBLEM_UPSTREAM_REFUSED, 502, 1, false, UPSTREAM, "upstream_refused",
     "the server of this model did not accept the connection"},
    {PP_PROBLEM_UPSTREAM_BROKE, 502, 0, false, UPSTREAM, "upstream_broke",
     "the server of this model ended its answer short of its length or its end"},
    {PP_PROBLEM_UPSTREAM_INVALID, 502, 0, false, UPSTREAM, "upstream_invalid",
     "the server of this model gave an answer that is none"},
    {PP_PROBLEM_UPSTREAM_LOADING, 503, 2, false, UPSTREAM, "model_loading",
     "the server of this model is still loading it"},
    {PP_PROBLEM_NO_BACKEND, 503, 2, false, UPSTREAM, "no_backend",
     "no server of this model can answer now"},
    {PP_PROBLEM_CONNECT_TIMEOUT, 504, 1, false, TIMEOUT, "connect_timeout",
     "no connection to the server of this model came about in time"},
    {PP_PROBLEM_FIRST_BYTE_TIMEOUT, 504, 0, false, TIMEOUT, "first_byte_timeout",
     "the server of this model did not begin to answer in time"},
    {PP_PROBLEM_IDLE_TIMEOUT, 504, 0, false, TIMEOUT, "idle_timeout",
     "the server of this model fell silent within its answer"},
    {PP_PROBLEM_TOTAL_TIMEOUT, 504, 0, false, TIMEOUT, "total_timeout",
     "the answer took longer than a request may"},
    {PP_PROBLEM_DRAINING, 503, 5, false, OVERLOADED, "draining",
     "this server is stopping and takes no new requests"},
    {PP_PROBLEM_MEMORY, 503, 5, false, SERVER, "out_of_memory",
     "this server has no memory for the request"},
    {PP_PROBLEM_INTERNAL, 500, 0, false, SERVER, "internal_error",
     "this server made a mistake with the request"},
};

static const problem_row *row_of(pp_problem problem)
{
    PP_ASSERT(problem < PP_PROBLEM_COUNT && rows[problem].problem == problem);
    return &rows[problem];
}

int pp_problem_status(const pp_problem_report *report)
{
    return report->status != 0 ? report->status : row_of(report->problem)->status;
}

const char *pp_problem_code(pp_problem problem)
{
    return row_of(problem)->code;
}

pp_maybe_int pp_problem_retry_after_s(const pp_problem_report *report)
{
    const int64_t usual_s = row_of(report->problem)->retry_after_s;

    if (report->retry_after_s.known)
        return pp_known_int(report->retry_after_s.value < 0 ? 0 : report->retry_after_s.value);
    return usual_s > 0 ? pp_known_int(usual_s) : (pp_maybe_int){0};
}

int64_t pp_retry_after_of_ns(int64_t wait_ns)
{
    if (wait_ns <= PP_NS_PER_S)
        return 1;
    return (wait_ns - 1) / PP_NS_PER_S + 1;
}

/* Text of the client's may hold anything; what it cannot do is end the string or the terminal. */
static void set_text(pp_arena *arena, pp_json *object, const char *key, const char *text)
{
    char clean[PP_PROBLEM_TEXT_MAX];

    pp_text_escape_controls(text, strlen(text), clean, sizeof clean);
    pp_json_set_string(arena, object, key, clean);
}

static void set_message(pp_arena *arena, pp_json *object, const pp_problem_report *report)
{
    const problem_row *row = row_of(report->problem);
    const char *message = row->message;

    if (row->takes_detail && report->detail != NULL && report->detail[0] != '\0')
        message = pp_arena_printf(arena, "%s: %s", row->message, report->detail);
    if (message != NULL)
        set_text(arena, object, "message", message);
}

static pp_json *error_object(pp_arena *arena, const pp_problem_report *report)
{
    pp_json *root = pp_json_new_object(arena);
    pp_json *error = pp_json_new_object(arena);

    set_message(arena, error, report);
    pp_json_set_string(arena, error, "type", row_of(report->problem)->type);
    if (report->param != NULL && report->param[0] != '\0')
        set_text(arena, error, "param", report->param);
    else
        pp_json_set_null(arena, error, "param");
    pp_json_set_string(arena, error, "code", pp_problem_code(report->problem));
    pp_json_set(arena, root, "error", error);
    return root;
}

/* Made without memory of its own, for when there is none. */
static void append_bare(const pp_problem_report *report, pp_buf *out)
{
    const problem_row *row = row_of(report->problem);

    pp_buf_printf(out, "{\"error\":{\"code\":\"%s\",\"message\":\"%s\",\"param\":null,", row->code,
                  row->message);
    pp_buf_printf(out, "\"type\":\"%s\"}}", row->type);
}

void pp_problem_body(const pp_problem_report *report, pp_buf *out)
{
    const size_t before = out->size;
    pp_arena arena = {0};
    pp_status st = pp_json_write(error_object(&arena, report), PP_JSON_COMPACT, out, NULL);

    if (st != PP_OK && out->status == PP_OK) {
        out->size = before; /* what came before memory ran out */
        append_bare(report, out);
    }
    pp_arena_done(&arena);
}

void pp_problem_event(const pp_problem_report *report, pp_buf *out)
{
    pp_buf_append_text(out, "data: ");
    pp_problem_body(report, out);
    pp_buf_append_text(out, "\n\n");
}
