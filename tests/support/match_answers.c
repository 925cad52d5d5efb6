/* match_answers - which answers the cases of a suite accept, for tests that know it by other means.
 *
 * match_answers SUITE ANSWERS   ANSWERS: a file with a JSON array of texts
 *
 * Prints a line for each answer: a JSON object with the ids of the cases that accept it, and the
 * accepted answer that it matches; exit 2 with the reason when something cannot be read. */
#include <stdio.h>

#include "quality/match.h"

static pp_status print_line(pp_arena *arena, const pp_suite *suite, pp_text answer, pp_error *err)
{
    pp_json *line = pp_json_new_object(arena);
    pp_status st = PP_OK;
    pp_buf out;

    for (size_t i = 0; st == PP_OK && i < suite->case_count; i++) {
        const pp_suite_case *c = &suite->cases[i];
        pp_match match;

        st = pp_match_answer(arena, c, answer, &match, err);
        if (st == PP_OK && match.matched)
            pp_json_set_text_key(arena, line, c->id, pp_json_new_text(arena, match.matched_answer));
    }
    pp_buf_init(&out, PP_JSON_MAX_BYTES);
    if (st == PP_OK)
        st = pp_json_write(line, PP_JSON_COMPACT, &out, err);
    if (st == PP_OK)
        printf("%s\n", pp_buf_text(&out));
    pp_buf_done(&out);
    return st;
}

static pp_status print_lines(const pp_suite *suite, const pp_json *answers, pp_error *err)
{
    pp_status st = pp_json_expect(answers, PP_JSON_ARRAY, err);

    for (size_t i = 0; st == PP_OK && i < answers->array.count; i++) {
        pp_arena scratch = {0};
        pp_text answer;

        st = pp_json_get_text(answers->array.items[i], &answer, err);
        if (st == PP_OK)
            st = print_line(&scratch, suite, answer, err);
        pp_arena_done(&scratch);
    }
    return st;
}

int main(int argc, char **argv)
{
    char sha256[PP_SHA256_HEX_SIZE], content_sha256[PP_SHA256_HEX_SIZE];
    const pp_json *answers;
    pp_arena arena = {0};
    pp_error err = {0};
    pp_suite suite;
    pp_status st;

    if (argc != 3)
        return 4;
    st = pp_suite_load(&arena, argv[1], &suite, sha256, content_sha256, &err);
    if (st == PP_OK)
        st = pp_json_read_file(&arena, argv[2], NULL, &answers, &err);
    if (st == PP_OK)
        st = print_lines(&suite, answers, &err);
    if (st != PP_OK)
        fprintf(stderr, "match_answers: %s\n", err.text);
    pp_arena_done(&arena);
    return st == PP_OK ? 0 : 2;
}
