#include "shared.h"
#include "sim/tape.h"

#include <stdio.h>
#include <string.h>

static pp_sim_tape parse(pp_arena *arena, const char *text)
{
    pp_sim_tape tape;
    pp_error err = {0};

    assert_ok(pp_sim_tape_parse(arena, "t", pp_text_of(text), &tape, &err), err);
    return tape;
}

/* The steps of a section in the order in which they are played, at most 40. */
static void play(const pp_sim_tape_section *section, char *out, size_t size)
{
    static const char *const acts[] = {"", "pause", "", "", "close", "reset", "hold"};
    pp_sim_tape_place place = {0};
    const pp_sim_tape_step *step;
    size_t at = 0;

    out[0] = '\0';
    for (int i = 0; i < 40 && (step = pp_sim_tape_next(section, &place)) != NULL; i++) {
        if (step->act == PP_SIM_TAPE_SEND)
            at += (size_t)snprintf(out + at, size - at, "[%.*s]", (int)step->bytes.size,
                                   (const char *)step->bytes.data);
        else if (step->act == PP_SIM_TAPE_PAUSE)
            at += (size_t)snprintf(out + at, size - at, "%lldms ",
                                   (long long)(step->number / 1000000));
        else
            at += (size_t)snprintf(out + at, size - at, "%s", acts[step->act]);
    }
}

static const struct {
    const char *tape, *want;
} plays[] = {
    {"send \"a\"", "[a]"},
    {"  send \"a\" \"b\"  # note\r\n\n# note\nclose\n", "[ab]close"},
    {"send \"\\x41\\n\\r\\t\\\\\\\"\"", "[A\n\r\t\\\"]"},
    {"chunk \"0123456789abcdef\"\nlast-chunk", "[10\r\n0123456789abcdef\r\n][0\r\n\r\n]"},
    {"pause 20ms\nsend \"a\"\nreset", "20ms [a]reset"},
    {"repeat 3\nsend \"a\"\nend\nhold", "[a][a][a]hold"},
    {"repeat 2\nsend \"a\"\nrepeat 2\nsend \"b\"\nend\nend\nsend \"c\"", "[a][b][b][a][b][b][c]"},
    {"send \"#\"", "[#]"},
};

static void steps_are_played_in_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(plays); i++) {
        pp_arena arena = {0};
        pp_sim_tape tape = parse(&arena, plays[i].tape);
        char got[512];

        assert_int_equal(tape.section_count, 1);
        play(&tape.sections[0], got, sizeof got);
        assert_string_equal(got, plays[i].want);
        pp_arena_done(&arena);
    }
}

static void a_zero_byte_is_sent(void **state)
{
    pp_arena arena = {0};
    pp_sim_tape tape = parse(&arena, "send \"a\\0b\"");

    (void)state;
    assert_int_equal(tape.sections[0].steps[0].bytes.size, 3);
    assert_memory_equal(tape.sections[0].steps[0].bytes.data, "a\0b", 3);
    pp_arena_done(&arena);
}

static const struct {
    const char *path;
    bool is_answer;
    int64_t request;
    const char *want;
} finds[] = {
    {"/completion", true, 1, "[each]"},
    {"/completion", true, 2, "[two]"},
    {"/metrics", false, 1, "[metrics]"},
    {"/metrics", false, 3, "[third]"},
    {"/slots", false, 1, ""},
};

static void the_narrowest_section_answers(void **state)
{
    pp_arena arena = {0};
    pp_sim_tape tape = parse(&arena, "send \"each\"\n"
                                     "for request 2\nsend \"two\"\n"
                                     "for path /metrics\nsend \"metrics\"\n"
                                     "for path /metrics request 3\nsend \"third\"\n");

    (void)state;
    assert_int_equal(tape.section_count, 4);
    for (size_t i = 0; i < PP_COUNT_OF(finds); i++) {
        const pp_sim_tape_section *section = pp_sim_tape_find(&tape, pp_text_of(finds[i].path),
                                                              finds[i].is_answer, finds[i].request);
        char got[64] = "";

        if (section != NULL)
            play(section, got, sizeof got);
        assert_string_equal(got, finds[i].want);
    }
    pp_arena_done(&arena);
}

static const struct {
    const char *tape, *needle;
} refusals[] = {
    {"", "t: no step in it"},
    {"# only a note\n", "t: no step in it"},
    {"\nsned \"a\"", "t: line 2: expected send"},
    {"send", "line 1: expected a string"},
    {"send a", "line 1: expected a string"},
    {"send \"\"", "line 1: expected at least one byte"},
    {"send \"a", "line 1: the string has no end"},
    {"send \"a\\", "line 1: the string has no end"},
    {"send \"\\q\"", "line 1: there is no escape '\\q'"},
    {"send \"\\x4\"", "line 1: expected two hexadecimal digits"},
    {"send \"\\xg0\"", "line 1: expected two hexadecimal digits"},
    {"send \"a\" b", "line 1: expected the end of the line, got 'b'"},
    {"chunk \"\"", "line 1: a chunk without bytes"},
    {"last-chunk 1", "line 1: expected the end of the line"},
    {"pause", "line 1: pause: expected a number"},
    {"pause 1", "line 1: pause: expected a number with its unit"},
    {"repeat 0\nsend \"a\"\nend", "line 1: repeat"},
    {"repeat 2\nend", "line 2: nothing to repeat"},
    {"repeat 2\nsend \"a\"", "line 2: a repeat without its end"},
    {"send \"a\"\nend", "line 2: 'end' without a repeat"},
    {"repeat 2\nclose\nend", "line 2: close, reset and hold cannot be repeated"},
    {"close\nsend \"a\"", "line 2: nothing can follow close"},
    {"for each request\nfor request 1\nsend \"a\"", "line 2: a section without any step"},
    {"for each request\nsend \"a\"\nfor each request\nsend \"a\"",
     "line 3: there is a section for this already"},
    {"for request 0\nsend \"a\"", "line 1: request"},
    {"for path x\nsend \"a\"", "line 1: expected a path"},
    {"for all\nsend \"a\"", "line 1: expected 'for each request'"},
    {"for", "line 1: expected 'for each request'"},
    {"repeat 1\nrepeat 1\nrepeat 1\nrepeat 1\nrepeat 1\nrepeat 1\nrepeat 1\nrepeat 1\nrepeat 1\n",
     "line 9: more than 8 repeats"},
};

static void what_is_no_tape_is_refused_with_its_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(refusals); i++) {
        pp_arena arena = {0};
        pp_sim_tape tape;
        pp_error err = {0};

        if (pp_sim_tape_parse(&arena, "t", pp_text_of(refusals[i].tape), &tape, &err) !=
            PP_ERR_SYNTAX)
            fail_msg("not refused: %s", refusals[i].tape);
        assert_contains(err.text, refusals[i].needle);
        pp_arena_done(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_played_in_order),
        cmocka_unit_test(a_zero_byte_is_sent),
        cmocka_unit_test(the_narrowest_section_answers),
        cmocka_unit_test(what_is_no_tape_is_refused_with_its_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
