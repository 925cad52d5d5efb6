#include <string.h>

#include "cli/command.h"
#include "shared.h"

static const char *colour_word(size_t n)
{
    static const char *const words[] = {"red", "green", "blue"};

    return n < PP_COUNT_OF(words) ? words[n] : NULL;
}

static const pp_option paint_options[] = {
    {"colour", 'c', PP_WORD("COLOUR", colour_word), "red", "which", false, false},
    {"output", 'o', PP_FILE("FILE"), NULL, "where to", true, false},
    {"layer", 0, PP_NUMBER("N"), NULL, "a layer", false, true},
    {"dry", 0, NULL, NULL, "nothing is painted", false, false},
};

static const pp_positional paint_positionals[] = {
    {.value = PP_FILE("WALL"), .help = "what to paint"},
    {.value = PP_WORD("SHADE", colour_word), .help = "and how", .optional = true},
};

static const pp_command paint = {
    .name = "paint",
    .positionals = paint_positionals,
    .n_positionals = PP_COUNT_OF(paint_positionals),
    .options = paint_options,
    .n_options = PP_COUNT_OF(paint_options),
};

static const pp_positional check_positionals[] = {
    {.value = PP_WORD("COLOUR", colour_word), .help = "which", .repeats = true},
};

static const pp_command check = {
    .name = "check",
    .positionals = check_positionals,
    .n_positionals = PP_COUNT_OF(check_positionals),
};

static const pp_command wait = {.name = "wait"};

#define MAX_WORDS 8

static pp_status parse(const pp_command *command, const char *const *words, pp_args *ret_args,
                       pp_error *err)
{
    char *argv[MAX_WORDS];
    int argc = 0;

    while (argc < MAX_WORDS && words[argc] != NULL) {
        argv[argc] = (char *)(uintptr_t)words[argc]; /* as main's, which nobody writes to */
        argc++;
    }
    return pp_args_parse(command, argc, argv, ret_args, err);
}

static const struct {
    const char *name;
    const pp_command *command;
    const char *words[MAX_WORDS];
    const char *want; /* part of the message; NULL when it is accepted */
} rows[] = {
    {"all there is", &paint, {"wall", "-c", "blue", "--output=x", "green", "--dry", NULL}, NULL},
    {"optional argument absent", &paint, {"wall", "-o", "x", NULL}, NULL},
    {"behind -- all is an argument", &check, {"--", "red", NULL}, NULL},
    {"repeated argument", &check, {"red", "blue", "red", NULL}, NULL},
    {"word not in the list",
     &paint,
     {"wall", "-o", "x", "--colour", "pink", NULL},
     "paint: --colour: unknown 'pink'; expected one of red, green, blue"},
    {"word by its letter, joined form",
     &paint,
     {"wall", "--colour=Red", NULL},
     "--colour: unknown 'Red'"},
    {"the start of a word is no word", &paint, {"wall", "-c", "gre", NULL}, "unknown 'gre'"},
    {"empty word", &paint, {"wall", "--colour=", NULL}, "unknown ''"},
    {"argument not in the list",
     &paint,
     {"wall", "pink", NULL},
     "paint: SHADE: unknown 'pink'; expected one of red, green, blue"},
    {"third of repeated arguments not in the list",
     &check,
     {"red", "blue", "pink", NULL},
     "COLOUR: unknown 'pink'"},
    {"required option", &paint, {"wall", NULL}, "paint: --output FILE is required"},
    {"required argument", &paint, {"-o", "x", NULL}, "paint: expected WALL"},
    {"repeated argument, none given", &check, {NULL}, "check: expected COLOUR"},
    {"argument too many", &paint, {"wall", "red", "blue", NULL}, "'blue' behind SHADE"},
    {"no argument expected", &wait, {"here", NULL}, "unexpected argument 'here'; expected none"},
    {"option twice",
     &paint,
     {"wall", "-o", "x", "--output", "y", NULL},
     "--output was given twice"},
    {"value absent", &paint, {"wall", "--output", NULL}, "--output needs a value: FILE"},
    {"value for a switch", &paint, {"wall", "--dry=1", NULL}, "--dry takes no value"},
    {"mistyped option", &paint, {"--outptu", NULL}, "'--outptu', did you mean --output?"},
    {"mistyped option with a value", &paint, {"--color=red", NULL}, "did you mean --colour?"},
    {"unknown option", &paint, {"--frobnicate", NULL}, "'--frobnicate'; see paretopilot paint"},
    {"unknown letter", &paint, {"-x", NULL}, "unknown option '-x'; see"},
    {"one letter lost", &paint, {"--ry", NULL}, "did you mean --dry?"},
    {"every letter would change", &paint, {"--x", NULL}, "'--x'; see"},
};

static void command_lines_are_accepted_or_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_args args;
        pp_error err = {0};
        pp_status st = parse(rows[i].command, rows[i].words, &args, &err);

        if (rows[i].want == NULL) {
            if (st != PP_OK)
                fail_msg("%s: refused: %s", rows[i].name, err.text);
        } else if (st != PP_ERR_USAGE || strstr(err.text, rows[i].want) == NULL) {
            fail_msg("%s: got '%s', expected '%s'", rows[i].name, err.text, rows[i].want);
        }
    }
}

static void values_are_found_by_name(void **state)
{
    static const char *const words[] = {"wall", "-o", "x", "--layer", "1", "--layer=2", NULL};
    pp_args args;
    pp_error err = {0};

    (void)state;
    assert_int_equal(parse(&paint, words, &args, &err), PP_OK);
    assert_string_equal(pp_args_value(&args, "output"), "x");
    assert_string_equal(pp_args_value_at(&args, "layer", 0), "1");
    assert_string_equal(pp_args_value_at(&args, "layer", 1), "2");
    assert_null(pp_args_value_at(&args, "layer", 2));
    assert_null(pp_args_value(&args, "colour"));
    assert_false(pp_args_has(&args, "dry"));
    assert_int_equal(args.positional_count, 1);
    assert_string_equal(args.positionals[0], "wall");
}

/* What each failure costs: docs/glossary.md lists what the codes mean. */
static void every_failure_has_its_exit_code(void **state)
{
    static const struct {
        pp_status status;
        int want;
    } costs[] = {
        {PP_OK, 0},          {PP_ERR_NO_WINNER, 1}, {PP_ERR_USAGE, 2},
        {PP_ERR_IO, 2},      {PP_ERR_SYNTAX, 2},    {PP_ERR_SCHEMA, 2},
        {PP_ERR_DOMAIN, 2},  {PP_ERR_RANGE, 2},     {PP_ERR_LIMIT, 2},
        {PP_ERR_EXISTS, 2},  {PP_ERR_PEER, 2},      {PP_ERR_UNAVAILABLE, 3},
        {PP_ERR_TIMEOUT, 3}, {PP_ERR_MEMORY, 3},    {PP_ERR_INTERRUPTED, 130},
        {PP_ERR_BUG, 4},
    };

    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(costs); i++) {
        if ((int)pp_exit_of(costs[i].status) != costs[i].want)
            fail_msg("%s: exit %d, expected %d", pp_status_name(costs[i].status),
                     (int)pp_exit_of(costs[i].status), costs[i].want);
    }
    assert_int_equal(PP_COUNT_OF(costs), PP_ERR_BUG + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(command_lines_are_accepted_or_refused),
        cmocka_unit_test(values_are_found_by_name),
        cmocka_unit_test(every_failure_has_its_exit_code),
    };

    return cmocka_run_group_tests_name("cli/args", tests, NULL, NULL);
}
