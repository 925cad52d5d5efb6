#include "shared.h"
#include "sim/words.h"

#include <string.h>

/* Cut by hand after the rule in words.h; '|' divides tokens. */
static const struct {
    const char *text, *tokens;
} cuts[] = {
    {"", ""},
    {"a", "a"},
    {"hello", "hel|lo"},
    {"hello world", "hel|lo| wo|rld"},
    {"  a", " | a"},
    {" ab cd", " ab| cd"},
    {"\xc3\xb6\xc3\xb6", "\xc3\xb6|\xc3\xb6"},    /* two bytes each: both do not fit */
    {"a\xe2\x82\xac", "a|\xe2\x82\xac"},          /* a character of three bytes */
    {"\xf0\x9f\x98\x80!", "\xf0|\x9f\x98\x80|!"}, /* of four: one and three */
    {"\n\n\n\n", "\n\n\n|\n"},
};

static void text_is_cut_as_declared(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(cuts); i++) {
        pp_text left = pp_text_of(cuts[i].text);
        char got[64] = "";
        int64_t n = 0;

        while (left.size > 0) {
            size_t size = pp_sim_token_size(left);

            assert_in_range(size, 1, PP_SIM_TOKEN_MAX_BYTES);
            if (n++ > 0)
                strcat(got, "|");
            strncat(got, left.data, size);
            left.data += size;
            left.size -= size;
        }
        if (strcmp(got, cuts[i].tokens) != 0)
            fail_msg("'%s' gave '%s', expected '%s'", cuts[i].text, got, cuts[i].tokens);
        assert_int_equal(pp_sim_token_count(pp_text_of(cuts[i].text)), n);
    }
}

static void every_id_has_its_bytes_and_every_token_its_id(void **state)
{
    (void)state;
    for (int64_t id = 0; id < PP_SIM_VOCABULARY; id += id < 70000 ? 1 : 4093) {
        char bytes[PP_SIM_TOKEN_MAX_BYTES];
        size_t size = pp_sim_token_bytes(id, bytes);

        assert_int_equal(pp_sim_token_id(bytes, size), id);
    }
    assert_int_equal(pp_sim_token_id("a", 1), 97);
    assert_int_equal(pp_sim_token_id("\xff\xff\xff", 3), PP_SIM_VOCABULARY - 1);
}

static void a_word_is_one_token_wherever_it_stands(void **state)
{
    char text[4096];
    size_t size = 0;

    (void)state;
    for (int64_t n = 0; n < 1000; n++) {
        pp_sim_word(1, 42, n, text + size);
        size += PP_SIM_TOKEN_MAX_BYTES;
    }
    assert_int_equal(pp_sim_token_count((pp_text){text, size}), 1000);
}

static void words_follow_from_seed_prompt_and_place(void **state)
{
    char a[3], b[3];
    int same_seed = 0, same_prompt = 0;

    (void)state;
    for (int64_t n = 0; n < 1000; n++) {
        pp_sim_word(1, 42, n, a);
        pp_sim_word(1, 42, n, b);
        assert_memory_equal(a, b, 3);
        pp_sim_word(2, 42, n, b);
        same_seed += memcmp(a, b, 3) == 0;
        pp_sim_word(1, 43, n, b);
        same_prompt += memcmp(a, b, 3) == 0;
    }
    /* of 676 words: by chance about 1.5 of 1,000 agree */
    assert_in_range(same_seed, 0, 12);
    assert_in_range(same_prompt, 0, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_cut_as_declared),
        cmocka_unit_test(every_id_has_its_bytes_and_every_token_its_id),
        cmocka_unit_test(a_word_is_one_token_wherever_it_stands),
        cmocka_unit_test(words_follow_from_seed_prompt_and_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
