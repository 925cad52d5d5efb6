/* The study that the original published: its documents rebuilt from the published figures, and what
 * we decide over them. */
#include <string.h>

#include "decide/passport.h"
#include "decide/profiles.h"
#include "decide/recommendation.h"
#include "decide/what_if.h"
#include "mask.h"
#include "published_study.h"
#include "shared.h"

typedef struct scene {
    pp_arena arena;
    pp_benchmark_set set;
    pp_constraints constraints;
    pp_decision decision;
} scene;

static void decide_fixtures(scene *s)
{
    char hex[PP_SHA256_HEX_SIZE];
    pp_error err = {0};

    assert_ok(pp_benchmark_set_load(&s->arena,
                                    fixture_path(&s->arena, "published/benchmark-set.json"),
                                    &s->set, hex, &err),
              err);
    assert_string_equal(hex, PUBLISHED_SET_SHA256);
    assert_ok(pp_constraints_load(&s->arena, fixture_path(&s->arena, "published/constraints.json"),
                                  &s->constraints, hex, &err),
              err);
    assert_string_equal(hex, PUBLISHED_CONSTRAINTS_SHA256);
    assert_ok(pp_decide(&s->arena, &s->set, &s->constraints, &s->decision, &err), err);
}

static void assert_digest(pp_arena *arena, const pp_json *document, size_t size, const char *sha256)
{
    pp_error err = {0};
    pp_buf text;

    pp_buf_init(&text, PP_JSON_MAX_BYTES);
    assert_ok(pp_json_write(document, PP_JSON_FILE, &text, &err), err);
    assert_int_equal(text.size, size);
    pp_buf_done(&text);
    assert_string_equal(canonical_sha256(arena, document), sha256);
}

static void the_manifest_follows_from_the_published_figures(void **state)
{
    pp_arena arena = {0};
    published_study study;

    (void)state;
    published_study_build(&arena, &study);
    assert_digest(&arena, study.manifest, 18537, PUBLISHED_MANIFEST_SHA256);
    pp_arena_done(&arena);
}

static void the_benchmark_set_follows_from_the_published_figures(void **state)
{
    pp_arena arena = {0};
    published_study study;
    char hex[PP_SHA256_HEX_SIZE];
    pp_error err = {0};

    (void)state;
    published_study_build(&arena, &study);
    assert_digest(&arena, study.benchmark_set, 27855, PUBLISHED_SET_SHA256);
    assert_ok(pp_sha256_of(study.constraints.data, study.constraints.size, hex, &err), err);
    assert_string_equal(hex, PUBLISHED_CONSTRAINTS_SHA256);
    pp_arena_done(&arena);
}

/* A double written through our own set and back: nothing of the published bytes is lost. */
static void the_benchmark_set_survives_reading_and_writing(void **state)
{
    scene s = {0};

    (void)state;
    decide_fixtures(&s);
    assert_digest(&s.arena, pp_benchmark_set_to_json(&s.arena, &s.set), 27855,
                  PUBLISHED_SET_SHA256);
    pp_arena_done(&s.arena);
}

static void the_published_decision_is_reproduced(void **state)
{
    scene s = {0};

    (void)state;
    decide_fixtures(&s);
    assert_string_equal(s.set.candidates[s.decision.selected].id.data, "q8-generic");
    assert_string_equal(s.set.candidates[s.decision.near_miss].id.data, "q4-kleidiai");
    assert_string_equal(pp_reason_code(s.decision.reason), "R1");
    /* cutoff_exact of the published figures */
    assert_true(s.decision.cutoff == 2254.252197690048);
    assert_int_equal(s.decision.eligible.count, 4);
    assert_int_equal(s.decision.frontier.count, 4);
    assert_int_equal(s.decision.shortlist.count, 1);
    assert_digest(&s.arena,
                  mask_recommendation(
                      &s.arena,
                      pp_recommendation_to_json(&s.arena, &s.decision, "0", (pp_fingerprints){0}),
                      false),
                  24453, "c84d6b75b281dcdc57ede92373eb205adfbedd98ea79ad27a69d3ef9192785f8");
    pp_arena_done(&s.arena);
}

static void the_published_profiles_are_reproduced(void **state)
{
    static const char *const want[] = {"q8-generic", "q4-generic", "q4-kleidiai-tuned",
                                       "q4-kleidiai-tuned", "q8-generic"};
    scene s = {0};
    const char *path = shared_path_or_skip(&s.arena, "original/configs/policies.arm64.json");
    char hex[PP_SHA256_HEX_SIZE];
    pp_policy_set policies;
    pp_profiles profiles;
    pp_error err = {0};

    (void)state;
    decide_fixtures(&s);
    assert_ok(pp_policy_set_load(&s.arena, path, &policies, hex, &err), err);
    assert_string_equal(hex, PUBLISHED_POLICIES_SHA256);
    assert_ok(pp_profiles_decide(&s.arena, &s.set, &s.constraints, &policies, &profiles, &err),
              err);
    assert_int_equal(profiles.count, PP_COUNT_OF(want));
    for (size_t i = 0; i < profiles.count; i++)
        assert_string_equal(s.set.candidates[profiles.items[i].decision.selected].id.data, want[i]);
    assert_digest(&s.arena,
                  mask_profiles(&s.arena,
                                pp_profiles_to_json(&s.arena, &profiles, "0", (pp_fingerprints){0}),
                                false),
                  143149, "9bbba852e50bc10a054700c0062e2f7f2e2d7af998a0254389b3cc663df26427");
    pp_arena_done(&s.arena);
}

/* The published profiles have no tolerance and no preferences; those whose metric is none of the
 * frontier cannot be asked for. */
static void other_objectives_select_what_the_published_profiles_do(void **state)
{
    static const struct {
        const char *metric, *selected;
    } want[] = {
        {"peak_rss_mib", "q4-generic"},
        {"ttft_ms_p95", "q4-kleidiai-tuned"},
        {"generation_tps", "q8-generic"},
    };
    scene s = {0};
    pp_what_if w;
    pp_error err = {0};
    size_t found = 0;

    (void)state;
    decide_fixtures(&s);
    assert_ok(pp_what_if_find(&s.arena, &s.decision, &w, &err), err);
    for (size_t i = 0; i < w.objective_count; i++) {
        for (size_t j = 0; j < PP_COUNT_OF(want); j++) {
            if (!pp_text_is(w.objectives[i].objective.metric, want[j].metric))
                continue;
            found++;
            assert_string_equal(s.set.candidates[w.objectives[i].best].id.data, want[j].selected);
        }
    }
    assert_int_equal(found, PP_COUNT_OF(want));
    pp_arena_done(&s.arena);
}

static void the_passport_has_the_published_digest(void **state)
{
    scene s = {0};
    pp_fingerprints none = {0};
    pp_json *passport;
    pp_error err = {0};

    (void)state;
    decide_fixtures(&s);
    assert_ok(pp_passport_make(&s.arena, &s.decision, "1.4.1", none, &passport, &err), err);
    assert_digest(&s.arena, mask_passport(&s.arena, passport, false), 12779,
                  "ce0dfaaaaea569baa663d6452d15e4143dc853aa8181309aaf76946d9cde4b1a");
    pp_arena_done(&s.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_manifest_follows_from_the_published_figures),
        cmocka_unit_test(the_benchmark_set_follows_from_the_published_figures),
        cmocka_unit_test(the_benchmark_set_survives_reading_and_writing),
        cmocka_unit_test(the_published_decision_is_reproduced),
        cmocka_unit_test(the_published_profiles_are_reproduced),
        cmocka_unit_test(other_objectives_select_what_the_published_profiles_do),
        cmocka_unit_test(the_passport_has_the_published_digest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
