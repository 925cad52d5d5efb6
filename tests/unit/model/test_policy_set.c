#include "model/policy_set.h"

#include <string.h>

#include "shared.h"

#define PROFILE(id, class, policy, more)                                                           \
    "{\"id\":\"" id                                                                                \
    "\",\"label\":\"L\",\"description\":\"D\",\"classification\":\"" class "\",\"preference_"      \
                                                                           "policy\":\"" policy    \
                                                                           "\",\"objective\":{"    \
                                                                           "\"metric\":\"lat_"     \
                                                                           "ms\",\"direction\":"   \
                                                                           "\"min\"}" more "}"
#define TOLERANCE ",\"objective_tolerance_percent\":1"
#define SET(named, profiles)                                                                       \
    "{\"schema_version\":\"1.0\",\"canonical_profile_id\":\"" named "\",\"profiles\":[" profiles   \
    "]}"
#define MAIN PROFILE("main", "canonical", "canonical", TOLERANCE)
#define MEM  PROFILE("mem", "derived-non-canonical", "none", TOLERANCE)
#define ID64 "0123456789012345678901234567890123456789012345678901234567890123"

static pp_status decode(pp_arena *arena, const char *text, pp_policy_set *ret, pp_error *err)
{
    const pp_json *root;
    pp_status st = pp_json_parse(arena, "p", text, strlen(text), &root, err);

    return st == PP_OK ? pp_policy_set_decode(arena, root, ret, err) : st;
}

static void a_policy_set_is_read_in_its_order(void **state)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_policy_set set;

    (void)state;
    assert_ok(decode(&arena, SET("main", MEM "," MAIN), &set, &err), err);
    assert_int_equal(set.profile_count, 2);
    assert_int_equal(set.canonical, 1);
    assert_string_equal(set.profiles[0].id.data, "mem");
    assert_string_equal(pp_profile_class_name(set.profiles[0].class), "derived-non-canonical");
    assert_string_equal(pp_profile_class_name(set.profiles[1].class), "canonical");
    assert_string_equal(set.profiles[1].label.data, "L");
    assert_string_equal(set.profiles[1].description.data, "D");
    assert_string_equal(set.profiles[1].objective.metric.data, "lat_ms");
    assert_int_equal(set.profiles[1].objective.direction, PP_DIRECTION_MIN);
    assert_true(set.profiles[1].objective_tolerance_percent == 1.0);
    pp_arena_done(&arena);
}

static const struct {
    const char *name;
    const char *text;
    const char *says; /* NULL: accepted */
} rows[] = {
    {"hyphens may repeat and end an id",
     SET("a--b-", PROFILE("a--b-", "canonical", "canonical", TOLERANCE)), NULL},
    {"an id of 64", SET(ID64, PROFILE(ID64, "canonical", "canonical", TOLERANCE)), NULL},
    {"an id of 65", SET("main", PROFILE(ID64 "a", "canonical", "canonical", TOLERANCE)),
     "$.profiles[0].id: expected 1 to 64"},
    {"an empty id", SET("main", PROFILE("", "canonical", "canonical", TOLERANCE)),
     "$.profiles[0].id: expected 1 to 64"},
    {"an id with a capital", SET("main", PROFILE("Main", "canonical", "canonical", TOLERANCE)),
     "$.profiles[0].id: expected 1 to 64"},
    {"an id that begins with a hyphen",
     SET("main", PROFILE("-a", "canonical", "canonical", TOLERANCE)),
     "$.profiles[0].id: expected 1 to 64"},
    {"an id with a NUL", SET("main", PROFILE("a\\u0000", "canonical", "canonical", TOLERANCE)),
     "$.profiles[0].id: expected 1 to 64"},
    {"an unknown key",
     SET("main", PROFILE("main", "canonical", "canonical", TOLERANCE ",\"weight\":1")), "weight"},
    {"no tolerance", SET("main", PROFILE("main", "canonical", "canonical", "")),
     "objective_tolerance_percent"},
    {"a tolerance above 100",
     SET("main",
         PROFILE("main", "canonical", "canonical", ",\"objective_tolerance_percent\":100.5")),
     "$.profiles[0].objective_tolerance_percent: expected 0 to 100, got 100.5"},
    {"a tolerance as text",
     SET("main",
         PROFILE("main", "canonical", "canonical", ",\"objective_tolerance_percent\":\"1\"")),
     "$.profiles[0].objective_tolerance_percent: expected a number"},
    {"another classification", SET("main", PROFILE("main", "best", "canonical", TOLERANCE)),
     "$.profiles[0].classification: expected \"canonical\" or \"derived-non-canonical\""},
    {"a canonical profile without preferences",
     SET("main", PROFILE("main", "canonical", "none", TOLERANCE)),
     "$.profiles[0].preference_policy: expected \"canonical\" for a canonical profile"},
    {"a derived profile with preferences",
     SET("main", MAIN "," PROFILE("mem", "derived-non-canonical", "canonical", TOLERANCE)),
     "$.profiles[1].preference_policy: expected \"none\" for a derived profile"},
    {"an id twice", SET("main", MAIN "," MEM "," MEM), "$.profiles[2].id: 'mem' is there twice"},
    {"no canonical profile", SET("main", MEM),
     "$.profiles: expected exactly one canonical profile, got 0"},
    {"two canonical profiles",
     SET("main", MAIN "," PROFILE("other", "canonical", "canonical", TOLERANCE)),
     "$.profiles: expected exactly one canonical profile, got 2"},
    {"another canonical id", SET("mem", MAIN "," MEM),
     "$.canonical_profile_id: expected the canonical profile 'main', got \"mem\""},
    {"no profiles", SET("main", ""), "$.profiles: expected 1 to 32 items, got 0"},
    {"another version",
     "{\"schema_version\":\"2.0\",\"canonical_profile_id\":\"main\","
     "\"profiles\":[" MAIN "]}",
     "$.schema_version: expected \"1.0\""},
    {"a list", "[]", "$: expected object, got array"},
};

static void each_rule_of_the_format_is_checked(void **state)
{
    (void)state;
    for (size_t i = 0; i < PP_COUNT_OF(rows); i++) {
        pp_arena arena = {0};
        pp_error err = {0};
        pp_policy_set set;
        pp_status st = decode(&arena, rows[i].text, &set, &err);

        if (st != (rows[i].says == NULL ? PP_OK : PP_ERR_SCHEMA))
            fail_msg("%s: %s: %s", rows[i].name, pp_status_name(st), err.text);
        if (rows[i].says != NULL)
            assert_contains(err.text, rows[i].says);
        pp_arena_done(&arena);
    }
}

static void thirty_two_profiles_are_the_most(void **state)
{
    (void)state;
    for (size_t count = 32; count <= 33; count++) {
        pp_arena arena = {0};
        pp_error err = {0};
        pp_policy_set set;
        const char *list = MAIN;
        pp_status st;

        for (size_t i = 1; i < count; i++)
            list = pp_arena_printf(
                &arena, "%s," PROFILE("p%zu", "derived-non-canonical", "none", TOLERANCE), list, i);
        st = decode(&arena, pp_arena_printf(&arena, SET("main", "%s"), list), &set, &err);
        assert_int_equal(st, count == 32 ? PP_OK : PP_ERR_SCHEMA);
        if (count == 33)
            assert_contains(err.text, "$.profiles: expected 1 to 32 items, got 33");
        pp_arena_done(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_policy_set_is_read_in_its_order),
        cmocka_unit_test(each_rule_of_the_format_is_checked),
        cmocka_unit_test(thirty_two_profiles_are_the_most),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
