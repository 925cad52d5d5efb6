#include "model/policy_set.h"

#include "model/document.h"
#include "model/tables.h"

const char *pp_profile_class_name(pp_profile_class class)
{
    return pp_words_profile_class[class];
}

static pp_status decode_profile(const pp_json *from, pp_profile *profile, pp_error *err)
{
    const pp_json *policy = pp_json_find(from, "preference_policy");
    bool canonical = pp_text_is(pp_checked_text(from, "classification"),
                                pp_profile_class_name(PP_PROFILE_CANONICAL));
    const char *fitting = canonical ? "canonical" : "none";

    if (!pp_text_is(policy->text, fitting))
        return pp_json_fail(policy, err, "expected \"%s\" for a %s profile, got \"%s\"", fitting,
                            canonical ? "canonical" : "derived", policy->text.data);
    *profile = (pp_profile){
        .id = pp_checked_text(from, "id"),
        .label = pp_checked_text(from, "label"),
        .description = pp_checked_text(from, "description"),
        .class = canonical ? PP_PROFILE_CANONICAL : PP_PROFILE_DERIVED,
        .objective = pp_goal_decode(pp_checked_object(from, "objective")),
        .objective_tolerance_percent = pp_checked_number(from, "objective_tolerance_percent"),
    };
    return PP_OK;
}

static pp_status check_unique(pp_arena *arena, const pp_json *list, const pp_policy_set *policies,
                              pp_error *err)
{
    pp_name_index ids;
    pp_status st = pp_name_index_init(arena, policies->profile_count, &ids, err);
    size_t twice;

    if (st != PP_OK)
        return st;
    for (size_t i = 0; i < policies->profile_count; i++)
        ids.entries[i] = (pp_name_entry){policies->profiles[i].id, i};
    pp_name_index_sort(&ids);
    twice = pp_name_index_duplicate(&ids);
    if (twice != PP_NOT_FOUND)
        return pp_json_fail(pp_json_find(list->array.items[twice], "id"), err,
                            "'%s' is there twice", policies->profiles[twice].id.data);
    return PP_OK;
}

static pp_status find_canonical(const pp_json *root, const pp_json *list, pp_policy_set *policies,
                                pp_error *err)
{
    const pp_json *named = pp_json_find(root, "canonical_profile_id");
    size_t count = 0;

    for (size_t i = 0; i < policies->profile_count; i++) {
        if (policies->profiles[i].class == PP_PROFILE_CANONICAL) {
            policies->canonical = i;
            count++;
        }
    }
    if (count != 1)
        return pp_json_fail(list, err, "expected exactly one canonical profile, got %zu", count);
    if (!pp_text_equal(named->text, policies->profiles[policies->canonical].id))
        return pp_json_fail(named, err, "expected the canonical profile '%s', got \"%s\"",
                            policies->profiles[policies->canonical].id.data, named->text.data);
    return PP_OK;
}

static pp_status decode_profiles(pp_arena *arena, const pp_json *list, pp_policy_set *policies,
                                 pp_error *err)
{
    pp_status st;

    policies->profile_count = list->array.count;
    policies->profiles = PP_ARENA_NEW(arena, pp_profile, policies->profile_count);
    st = pp_arena_check(arena, err);
    for (size_t i = 0; st == PP_OK && i < policies->profile_count; i++)
        st = decode_profile(list->array.items[i], &policies->profiles[i], err);
    return st == PP_OK ? check_unique(arena, list, policies, err) : st;
}

pp_status pp_policy_set_decode(pp_arena *arena, const pp_json *root, pp_policy_set *ret_policies,
                               pp_error *err)
{
    pp_policy_set policies = {0};
    const pp_json *list;
    pp_status st = pp_fields_check(root, &pp_policy_set_fields, err);

    if (st != PP_OK)
        return st;
    list = pp_checked_list(root, "profiles");
    st = decode_profiles(arena, list, &policies, err);
    if (st == PP_OK)
        st = find_canonical(root, list, &policies, err);
    if (st == PP_OK)
        *ret_policies = policies;
    return st;
}

pp_status pp_policy_set_load(pp_arena *arena, const char *path, pp_policy_set *ret_policies,
                             char ret_sha256[PP_SHA256_HEX_SIZE], pp_error *err)
{
    const pp_json *root;
    pp_status st = pp_document_read(arena, path, &root, ret_sha256, err);

    if (st == PP_OK)
        st = pp_policy_set_decode(arena, root, ret_policies, err);
    return pp_wrap(err, st, "reading policies '%s'", path);
}
