#include "report/site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "digest/sha256.h"

#define SLUG_MAX   40
#define KEY_DIGITS 16

const char *pp_site_evidence_name(pp_site_evidence evidence)
{
    switch (evidence) {
    case PP_SITE_VERIFIED:
        return "verified";
    case PP_SITE_DIFFERS:
        return "differs";
    case PP_SITE_UNDECIDED:
    case PP_SITE_UNCHECKED:
        return "not verified";
    }
    return "";
}

/* ---- file names ------------------------------------------------------------------------------ */

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* Lower case; a run of anything else becomes one '-', and none stands at the ends. */
static void make_slug(pp_text name, char slug[SLUG_MAX + 1])
{
    size_t size = 0;

    for (size_t i = 0; i < name.size && size < SLUG_MAX; i++) {
        char c = name.data[i];

        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if (is_plain(c))
            slug[size++] = c;
        else if (size > 0 && slug[size - 1] != '-')
            slug[size++] = '-';
    }
    while (size > 0 && slug[size - 1] == '-')
        size--;
    slug[size] = '\0';
}

pp_status pp_site_page_name(pp_text name, const char *end, char ret_name[PP_SITE_NAME_MAX],
                            pp_error *err)
{
    char slug[SLUG_MAX + 1];
    char hex[PP_SHA256_HEX_SIZE];
    pp_status st = pp_sha256_of(name.data, name.size, hex, err);

    make_slug(name, slug);
    if (st == PP_OK)
        snprintf(ret_name, PP_SITE_NAME_MAX, "%s-%.*s%s", slug[0] == '\0' ? "bundle" : slug,
                 KEY_DIGITS, hex, end);
    return st;
}

/* ---- groups ---------------------------------------------------------------------------------- */

typedef struct placed {
    const pp_site_bundle *bundle;
    pp_site_place place;
    size_t number; /* keeps the order of the bundles */
} placed;

static pp_text machine_title(const pp_site_place *place)
{
    return place->machine_count > 0 ? place->machine[0].text : pp_text_of("");
}

/* For people by what they read first; then whatever tells groups apart. */
static int by_group(const void *left, const void *right)
{
    const placed *a = left;
    const placed *b = right;
    int order = pp_text_compare(machine_title(&a->place), machine_title(&b->place));

    if (order == 0)
        order = strcmp(a->place.machine_key, b->place.machine_key);
    if (order == 0)
        order = pp_text_compare(a->place.models, b->place.models);
    if (order == 0)
        order = strcmp(a->place.key, b->place.key);
    return order != 0 ? order : (a->number > b->number) - (a->number < b->number);
}

static pp_status place_all(pp_arena *arena, const pp_site *site, placed *all, size_t *ret_count,
                           pp_error *err)
{
    pp_status st = PP_OK;
    size_t count = 0;

    for (size_t i = 0; st == PP_OK && i < site->bundle_count; i++) {
        const pp_site_bundle *bundle = &site->bundles[i];

        if (bundle->input == NULL)
            continue;
        all[count].bundle = bundle;
        all[count].number = i;
        st = pp_site_place_of(arena, bundle->input->set, bundle->name, &all[count].place, err);
        count++;
    }
    *ret_count = count;
    return st;
}

static void add_to_groups(pp_site *site, const placed *all, size_t count,
                          const pp_site_bundle **members)
{
    for (size_t i = 0; i < count; i++) {
        pp_site_group *group = &site->groups[site->group_count];

        members[i] = all[i].bundle;
        if (i > 0 && strcmp(all[i].place.key, all[i - 1].place.key) == 0) {
            group[-1].member_count++;
            continue;
        }
        *group = (pp_site_group){.place = all[i].place, .members = &members[i], .member_count = 1};
        snprintf(group->page, sizeof group->page, "group-%.*s.html", KEY_DIGITS, group->place.key);
        site->machine_count +=
            i == 0 || strcmp(all[i].place.machine_key, all[i - 1].place.machine_key) != 0;
        site->group_count++;
    }
}

pp_status pp_site_make(pp_arena *arena, const pp_site_bundle *bundles, size_t count,
                       const char *tool_version, pp_site *ret_site, pp_error *err)
{
    pp_site site = {.bundles = bundles, .bundle_count = count, .tool_version = tool_version};
    placed *all = PP_ARENA_NEW(arena, placed, count);
    const pp_site_bundle **members = PP_ARENA_NEW(arena, const pp_site_bundle *, count);
    size_t placed_count;
    pp_status st;

    site.groups = PP_ARENA_NEW(arena, pp_site_group, count);
    st = pp_arena_check(arena, err);
    if (st == PP_OK)
        st = place_all(arena, &site, all, &placed_count, err);
    if (st != PP_OK)
        return st;
    qsort(all, placed_count, sizeof *all, by_group);
    add_to_groups(&site, all, placed_count, members);
    *ret_site = site;
    return PP_OK;
}
