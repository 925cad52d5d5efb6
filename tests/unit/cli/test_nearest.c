#include "cli/nearest.h"
#include "shared.h"

static const char *const words[] = {"sitting", "recommend", "report", "doctor", "root", "ab"};

static const struct {
    const char *typed;
    const char *want; /* NULL: none is near */
    size_t want_edits;
} rows[] = {
    {"doctor", "doctor", 0},
    {"recomend", "recommend", 1},   /* one letter lost */
    {"recommennd", "recommend", 1}, /* one too many */
    {"reqort", "report", 1},        /* one replaced */
    {"repotr", "report", 2},        /* two exchanged */
    {"kitten", NULL, 0},            /* 3 to "sitting", the textbook's pair */
    {"sittin", "sitting", 1},
    {"rot", "root", 1},
    {"ac", "ab", 1},
    {"xy", NULL, 0}, /* two edits would replace all of "ab" */
    {"", NULL, 0},
    {"recommend-recommend-recommend-recommend-recommend-recommend-recommend", NULL, 0},
};

static void the_word_with_fewest_edits_wins(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_nearest nearest = {.typed = rows[i].typed};

        for (size_t j = 0; j < PP_COUNT_OF(words); j++)
            pp_nearest_offer(&nearest, words[j]);
        if (rows[i].want == NULL) {
            if (nearest.word != NULL)
                fail_msg("'%s': got '%s', expected none", rows[i].typed, nearest.word);
            continue;
        }
        if (nearest.word == NULL)
            fail_msg("'%s': got none, expected '%s'", rows[i].typed, rows[i].want);
        assert_string_equal(nearest.word, rows[i].want);
        assert_int_equal(nearest.edits, rows[i].want_edits);
    }
}

static void the_first_of_equals_stays(void **state)
{
    pp_nearest nearest = {.typed = "plan"};

    (void)state;
    pp_nearest_offer(&nearest, "plane");
    pp_nearest_offer(&nearest, "plant");
    assert_string_equal(nearest.word, "plane");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_word_with_fewest_edits_wins),
        cmocka_unit_test(the_first_of_equals_stays),
    };

    return cmocka_run_group_tests_name("cli/nearest", tests, NULL, NULL);
}
