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

/* ---- what differs on purpose ---------------------------------------------------------------- */

/* What the original refuses and we decide, every time. */
static const struct {
    const char *class, *reason;
    const char *id; /* NULL: every case */
    const char *because;
} decided_anyway[] = {
    {"CRASH", "ValueError", NULL, "near ties in a circle are decided: docs/method/decision.md"},
    {"OUTPUT", "non-finite", NULL,
     "a figure that no number can hold is null: docs/formats/passport.md"},
    {"RECEIPT", "revalidation", "d0007",
     "a chosen value a last digit behind the boundary counts as inside everywhere"},
    {"RECEIPT", "revalidation", "d0020", "a metric's name may be a blank; it reads (blank)"},
    {"RECEIPT", "revalidation", "d0021", "ids are compared as they are, outer blanks included"},
};

static bool is_decided_anyway(const decision_case *c)
{
    const pp_json *error = pp_json_find(c->expected, "error");

    for (size_t i = 0; i < PP_COUNT_OF(decided_anyway); i++) {
        if (pp_text_is(pp_json_find(error, "class")->text, decided_anyway[i].class) &&
            pp_text_is(pp_json_find(error, "reason")->text, decided_anyway[i].reason) &&
            (decided_anyway[i].id == NULL || strcmp(decided_anyway[i].id, c->id) == 0))
            return true;
    }
    return false;
}

/* What we read more strictly, whatever becomes of it in the original: docs/formats/json.md. */
typedef struct strict_reading {
    const char *id;
    pp_status status;
    const char *word; /* of our refusal */
} strict_reading;

static const strict_reading strict_readings[] = {
    {"d0014", PP_ERR_SYNTAX, "too big integer"},
    {"d0682", PP_ERR_LIMIT, "nested deeper"},
    {"d0683", PP_ERR_SYNTAX, "too big negative integer"},
    {"d0739", PP_ERR_SYNTAX, "too big integer"},
    {"d0758", PP_ERR_SYNTAX, "too big integer"},
    {"d0870", PP_ERR_SYNTAX, "invalid Unicode"},
    {"d0871", PP_ERR_SYNTAX, "invalid Unicode"},
    {"d0872", PP_ERR_SYNTAX, "invalid Unicode"},
    {"d0874", PP_ERR_SYNTAX, "invalid Unicode"},
};

static const strict_reading *find_strict_reading(const char *id)
{
    for (size_t i = 0; i < PP_COUNT_OF(strict_readings); i++) {
        if (strcmp(strict_readings[i].id, id) == 0)
            return &strict_readings[i];
    }
    return NULL;
}

/* ---- every case ------------------------------------------------------------------------------ */

typedef struct tally {
    const case_replay *replay;
    size_t equal, refused, improved, declared, unreadable;
} tally;

static pp_status status_of_class(pp_text class, pp_text reason)
{
    if (pp_text_is(class, "JSON") && !pp_text_is(reason, "top-level"))
        return PP_ERR_SYNTAX; /* a list on top is good JSON and the wrong document */
    if (pp_text_is(class, "DOMAIN"))
        return pp_text_is(reason, "nothing-eligible") ? PP_ERR_NO_WINNER : PP_ERR_DOMAIN;
    return PP_ERR_SCHEMA;
}

static void check_refusal(const decision_case *c, pp_status want, const char *word)
{
    if (c->status != want)
        fail_msg("%s: want %s, ended as %s: %s", c->id, pp_status_name(want),
                 pp_status_name(c->status), c->err.text);
    if (c->err.text[0] == '\0')
        fail_msg("%s: refused without a word", c->id);
    assert_contains(c->err.text, word);
}

static void check_refusal_alike(const decision_case *c)
{
    const pp_json *error = pp_json_find(c->expected, "error");

    check_refusal(
        c, status_of_class(pp_json_find(error, "class")->text, pp_json_find(error, "reason")->text),
        "");
}

static void check_decided(const decision_case *c)
{
    if (c->status != PP_OK)
        fail_msg("%s: refused: %s", c->id, c->err.text);
}

static void check_unreadable(const decision_case *c)
{
    const pp_json *error = pp_json_find(c->expected, "error");

    if (error == NULL || !pp_text_is(pp_json_find(error, "class")->text, "IO"))
        fail_msg("%s: the original reads what we have no bytes of", c->id);
}

static void replay_case(decision_case *c, void *context)
{
    tally *t = context;
    const strict_reading *strict = find_strict_reading(c->id);

    if (!c->readable) { /* absent or a folder: test_files covers that */
        check_unreadable(c);
        t->unreadable++;
    } else if (strict != NULL) {
        check_refusal(c, strict->status, strict->word);
        t->declared++;
    } else if (pp_json_find(c->expected, "error") == NULL) {
        check_decided(c);
        t->replay->compare(c);
        t->equal++;
    } else if (is_decided_anyway(c)) {
        check_decided(c);
        t->replay->make(c);
        t->improved++;
    } else {
        check_refusal_alike(c);
        t->refused++;
    }
}

void replay_decision_cases(const case_replay *replay)
{
    tally t = {.replay = replay};

    assert_int_equal(each_decision_case(replay->command, replay_case, &t), 883);
    print_message("# equal %zu, refused alike %zu, decided where the original fails %zu, "
                  "refused as declared %zu, no file %zu\n",
                  t.equal, t.refused, t.improved, t.declared, t.unreadable);
}

/* ---- inputs ---------------------------------------------------------------------------------- */

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
