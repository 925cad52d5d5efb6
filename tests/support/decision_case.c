#include "decision_case.h"

#include <string.h>

#include "mask.h"
#include "original_cases.h"
#include "shared.h"

static pp_status decide_case(decision_case *c)
{
    const pp_json *root;
    pp_status st = pp_json_parse(c->arena, "benchmarks", c->benchmarks_text.data,
                                 c->benchmarks_text.size, &root, &c->err);

    if (st == PP_OK)
        st = pp_benchmark_set_decode(c->arena, root, &c->set, &c->err);
    if (st == PP_OK)
        st = pp_json_parse(c->arena, "constraints", c->constraints_text.data,
                           c->constraints_text.size, &root, &c->err);
    if (st == PP_OK)
        st = pp_constraints_decode(c->arena, root, &c->constraints, &c->err);
    if (st == PP_OK)
        st = pp_decide(c->arena, &c->set, &c->constraints, &c->decision, &c->err);
    if (st == PP_OK && !c->decision.has_winner)
        st = pp_fail(&c->err, PP_ERR_NO_WINNER, "nothing eligible");
    return st;
}

typedef struct visit {
    const char *command;
    void (*check)(decision_case *c, void *context);
    void *context;
} visit;

static void read_case(pp_arena *arena, const char *id, const pp_json *row, void *context)
{
    const visit *v = context;
    const pp_json *inputs = pp_json_find(row, "inputs");
    decision_case c = {.arena = arena, .id = id, .row = row};

    c.expected = pp_json_find(pp_json_find(row, "expected"), v->command);
    c.readable = case_input(arena, pp_json_find(inputs, "benchmarks"), &c.benchmarks_text) &&
                 case_input(arena, pp_json_find(inputs, "constraints"), &c.constraints_text);
    c.status = c.readable ? decide_case(&c) : PP_ERR_IO;
    v->check(&c, v->context);
}

size_t each_decision_case(const char *command, void (*check)(decision_case *c, void *context),
                          void *context)
{
    visit v = {command, check, context};

    return original_cases_each("decision.jsonl.gz", read_case, &v);
}

bool case_is_accepted(const decision_case *c)
{
    return pp_json_find(c->expected, "error") == NULL;
}

static pp_status status_of_class(pp_text class, pp_text reason)
{
    if (pp_text_is(class, "JSON"))
        return PP_ERR_SYNTAX;
    if (pp_text_is(class, "DOMAIN"))
        return pp_text_is(reason, "nothing-eligible") ? PP_ERR_NO_WINNER : PP_ERR_DOMAIN;
    return PP_ERR_SCHEMA;
}

void check_case_refusal(const decision_case *c, pp_status st)
{
    const pp_json *error = pp_json_find(c->expected, "error");
    pp_text class = pp_json_find(error, "class")->text;
    pp_text reason = pp_json_find(error, "reason")->text;

    if (c->err.text[0] == '\0')
        fail_msg("%s: refused without a word", c->id);
    if (st == status_of_class(class, reason))
        return;
    /* read more strictly: docs/formats/json.md; a list on top is a wrong document, not wrong JSON
     */
    if (pp_text_is(reason, "integer-out-of-range") || pp_text_is(reason, "lone-surrogate") ||
        pp_text_is(reason, "too-deep") || pp_text_is(reason, "top-level"))
        return;
    fail_msg("%s: %s/%s refused as %s: %s", c->id, class.data, reason.data, pp_status_name(st),
             c->err.text);
}

bool is_declared_refusal(const decision_case *c)
{
    static const char *const words[] = {"integer", "invalid Unicode", "nested deeper",
                                        "maximum parsing depth", "NUL byte in object key"};

    for (size_t i = 0; i < PP_COUNT_OF(words); i++) {
        if (strstr(c->err.text, words[i]) != NULL)
            return true;
    }
    return false;
}

static const char *sha256_text(decision_case *c, pp_text bytes)
{
    char hex[PP_SHA256_HEX_SIZE];

    assert_ok(pp_sha256_of(bytes.data, bytes.size, hex, &c->err), c->err);
    return pp_arena_dup(c->arena, hex, strlen(hex));
}

void case_fingerprints(decision_case *c, const char **ret_benchmarks, const char **ret_constraints)
{
    *ret_benchmarks = sha256_text(c, c->benchmarks_text);
    *ret_constraints = sha256_text(c, c->constraints_text);
}
