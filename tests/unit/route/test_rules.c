#include "route/rules.h"

#include <string.h>

#include "shared.h"

#define TEXT(literal)                                                                              \
    {                                                                                              \
        (literal), sizeof(literal) - 1                                                             \
    }
#define KNOWN(v)                                                                                   \
    {                                                                                              \
        true, (v)                                                                                  \
    }

/* ---- choosing ---------------------------------------------------------------------------------
 */

static pp_serve_model models[] = {
    {.name = TEXT("small")}, {.name = TEXT("org/big one")}, {.name = TEXT("auto")}};
static pp_route_rule_row rules[] = {
    {.name = TEXT("paid"),
     .header_name = TEXT("X-Tier"),
     .header_value = TEXT("high"),
     .model_index = 1},
    {.name = TEXT("middle"),
     .model = TEXT("auto"),
     .min_body_bytes = KNOWN(1000),
     .max_body_bytes = KNOWN(2000),
     .model_index = 0},
    {.name = TEXT("tools"), .has_tools = KNOWN(true), .endpoint = TEXT("chat"), .model_index = 1},
    {.name = TEXT("alias"), .model = TEXT("gpt-4"), .stream = KNOWN(false), .model_index = 1},
};
static const pp_serve_config config = {.models = models,
                                       .model_count = PP_COUNT_OF(models),
                                       .rules = rules,
                                       .rule_count = PP_COUNT_OF(rules)};

static const pp_route_pair tier_high[] = {{TEXT("Accept"), TEXT("*/*")},
                                          {TEXT("x-tier"), TEXT("high")}};
static const pp_route_pair tier_twice[] = {{TEXT("X-Tier"), TEXT("low")},
                                           {TEXT("X-TIER"), TEXT("high")}};
static const pp_route_pair tier_other[] = {{TEXT("X-Tier"), TEXT("High")},
                                           {TEXT("X-Tier2"), TEXT("high")}};

static const struct {
    const char *name;
    pp_route_ask ask;
    const char *trace;
} rows[] = {
    {"by its name", {.model = TEXT("small"), .endpoint = TEXT("chat")}, "model=small"},
    {"a name that needs quotes",
     {.model = TEXT("org/big one"), .endpoint = TEXT("text")},
     "model=\"org/big one\""},
    {"no name: the first model", {.endpoint = TEXT("chat")}, "model=small"},
    {"an unknown name", {.model = TEXT("nobody"), .endpoint = TEXT("chat")}, "model=?"},
    {"case counts in names", {.model = TEXT("Small"), .endpoint = TEXT("chat")}, "model=?"},
    {"a prefix is no name", {.model = TEXT("smal"), .endpoint = TEXT("chat")}, "model=?"},
    {"a header in any case of its name",
     {.model = TEXT("small"), .headers = tier_high, .header_count = 2},
     "rule=paid; model=\"org/big one\""},
    {"one of two headers of a name",
     {.model = TEXT("small"), .headers = tier_twice, .header_count = 2},
     "rule=paid; model=\"org/big one\""},
    {"case counts in the value, all of the name counts",
     {.model = TEXT("small"), .headers = tier_other, .header_count = 2},
     "model=small"},
    {"a rule before an unknown name",
     {.model = TEXT("nobody"), .headers = tier_high, .header_count = 2},
     "rule=paid; model=\"org/big one\""},
    {"below a tier", {.model = TEXT("auto"), .body_bytes = 999}, "model=auto"},
    {"a tier begins at its bound",
     {.model = TEXT("auto"), .body_bytes = 1000},
     "rule=middle; model=small"},
    {"a tier ends below its bound",
     {.model = TEXT("auto"), .body_bytes = 1999},
     "rule=middle; model=small"},
    {"at its end the next one begins", {.model = TEXT("auto"), .body_bytes = 2000}, "model=auto"},
    {"a body beyond int64", {.model = TEXT("auto"), .body_bytes = UINT64_MAX}, "model=auto"},
    {"the first rule that holds wins",
     {.model = TEXT("auto"), .endpoint = TEXT("chat"), .body_bytes = 1500, .has_tools = true},
     "rule=middle; model=small"},
    {"all conditions must hold",
     {.model = TEXT("small"), .endpoint = TEXT("text"), .has_tools = true},
     "model=small"},
    {"a rule that asks for no stream",
     {.model = TEXT("gpt-4"), .endpoint = TEXT("text")},
     "rule=alias; model=\"org/big one\""},
    {"the same with a stream",
     {.model = TEXT("gpt-4"), .endpoint = TEXT("text"), .stream = true},
     "model=?"},
};

static void each_request_finds_its_model(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_route_choice choice;
        pp_buf out;

        pp_buf_init(&out, 1024);
        pp_route_choose(&config, &rows[i].ask, &choice);
        pp_route_trace(&config, &choice, &out);
        if (strcmp(pp_buf_text(&out), rows[i].trace) != 0)
            fail_msg("%s: got %s, expected %s", rows[i].name, pp_buf_text(&out), rows[i].trace);
        pp_buf_done(&out);
    }
}

/* A header must stay one line of printable ASCII, and a quoted string must end where it ends. */
static void a_trace_holds_no_byte_that_a_header_may_not(void **state)
{
    static const struct {
        pp_text name;
        const char *trace;
    } names[] = {
        {TEXT("a\"b\\c"), "model=\"a%22b%5Cc\""},
        {TEXT("caf\xc3\xa9"), "model=\"caf%C3%A9\""},
        {TEXT("100%"), "model=\"100%25\""},
        {TEXT("a; model=b"), "model=\"a; model=b\""},
        {TEXT("a\r\nX: y"), "model=\"a%0D%0AX: y\""},
        {{"a\0b", 3}, "model=\"a%00b\""},
        {TEXT("qwen2.5-1.5b_q4"), "model=qwen2.5-1.5b_q4"},
        {TEXT("?"), "model=\"?\""}, /* not to be taken for one that was not found */
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(names); i++) {
        pp_serve_model one = {.name = names[i].name};
        const pp_serve_config other = {.models = &one, .model_count = 1};
        const pp_route_choice choice = {.found = true};
        pp_buf out;

        pp_buf_init(&out, 1024);
        pp_route_trace(&other, &choice, &out);
        assert_string_equal(pp_buf_text(&out), names[i].trace);
        pp_buf_done(&out);
    }
}

/* ---- rules against every request of a small world ---------------------------------------------
 * Three names, two endpoints, five sizes, tools, stream and a header: all 240 requests. */

#define WORLD 240

static pp_route_ask ask_number(size_t n)
{
    static const pp_text names[] = {{"", 0}, TEXT("a"), TEXT("b")};
    static const pp_text endpoints[] = {TEXT("chat"), TEXT("text")};
    pp_route_ask ask = {.headers = tier_high};

    ask.model = names[n % 3];
    ask.endpoint = endpoints[n / 3 % 2];
    ask.body_bytes = n / 6 % 5;
    ask.has_tools = n / 30 % 2 == 1;
    ask.stream = n / 60 % 2 == 1;
    ask.header_count = n / 120 == 1 ? 2 : 0;
    return ask;
}

static uint32_t draw(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 16) % below;
}

static pp_maybe_bool draw_bool(uint32_t *seed)
{
    uint32_t n = draw(seed, 4);

    return n < 2 ? (pp_maybe_bool){0} : pp_known_bool(n == 3);
}

static pp_route_rule_row draw_rule(uint32_t *seed)
{
    static const pp_text names[] = {{"", 0}, {"", 0}, TEXT("a"), TEXT("b")};
    static const pp_text endpoints[] = {{"", 0}, {"", 0}, TEXT("chat"), TEXT("text")};
    pp_route_rule_row rule = {.name = TEXT("r")};
    int64_t low = draw(seed, 4);

    rule.model = names[draw(seed, 4)];
    rule.endpoint = endpoints[draw(seed, 4)];
    if (draw(seed, 2) == 1)
        rule.min_body_bytes = pp_known_int(low);
    if (draw(seed, 2) == 1)
        rule.max_body_bytes = pp_known_int(low + 1 + draw(seed, (uint32_t)(4 - low)));
    rule.has_tools = draw_bool(seed);
    rule.stream = draw_bool(seed);
    if (draw(seed, 3) == 0) {
        rule.header_name = pp_text_of("X-TIER");
        rule.header_value = pp_text_of("high");
    }
    return rule;
}

static bool holds_for(pp_route_rule_row *rule, const pp_route_ask *ask)
{
    const pp_serve_config one = {
        .models = models, .model_count = 1, .rules = rule, .rule_count = 1};
    pp_route_choice choice;

    pp_route_choose(&one, ask, &choice);
    return choice.by_rule;
}

/* What is refused as a rule that can never hold is one, and whatever is let through can hold. */
static void a_covered_rule_is_one_that_never_holds(void **state)
{
    uint32_t seed = 7;
    size_t covered_count = 0;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        pp_route_rule_row first = draw_rule(&seed);
        pp_route_rule_row second = draw_rule(&seed);
        bool covered = pp_route_rule_covers(&first, &second);
        bool left = false;

        for (size_t n = 0; n < WORLD && !left; n++) {
            pp_route_ask ask = ask_number(n);

            left = holds_for(&second, &ask) && !holds_for(&first, &ask);
        }
        if (covered && left)
            fail_msg("round %d: refused, but some request is left to it", i);
        if (!covered && !left)
            fail_msg("round %d: let through, but no request is left to it", i);
        covered_count += covered;
    }
    assert_true(covered_count > 100);
}

/* Whatever the rules, a request gets the first one that holds for it alone, or its name. */
static void the_first_rule_that_holds_wins(void **state)
{
    uint32_t seed = 11;

    (void)state;
    for (int round = 0; round < 500; round++) {
        pp_route_rule_row list[4];
        const pp_serve_config c = {
            .models = models, .model_count = 3, .rules = list, .rule_count = PP_COUNT_OF(list)};

        for (size_t i = 0; i < PP_COUNT_OF(list); i++) {
            list[i] = draw_rule(&seed);
            list[i].model_index = draw(&seed, 3);
        }
        for (size_t n = 0; n < WORLD; n++) {
            pp_route_ask ask = ask_number(n);
            pp_route_choice choice;
            size_t first = 0;

            while (first < PP_COUNT_OF(list) && !holds_for(&list[first], &ask))
                first++;
            pp_route_choose(&c, &ask, &choice);
            assert_int_equal(choice.by_rule, first < PP_COUNT_OF(list));
            if (choice.by_rule) {
                assert_int_equal(choice.rule_index, first);
                assert_int_equal(choice.model_index, list[first].model_index);
            } else {
                assert_int_equal(choice.found, ask.model.size == 0); /* none is called a or b */
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_request_finds_its_model),
        cmocka_unit_test(a_trace_holds_no_byte_that_a_header_may_not),
        cmocka_unit_test(a_covered_rule_is_one_that_never_holds),
        cmocka_unit_test(the_first_rule_that_holds_wins),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
