#include "evidence/verify.h"

#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "evidence/checksum_list.h"
#include "evidence/checksums.h"
#include "evidence/derived_files.h"
#include "evidence/layout.h"
#include "evidence/verify_journal.h"
#include "model/document_kinds.h"

#define LIST_MAX_BYTES ((size_t)64 << 20)

static const char *const rule_names[PP_VERIFY_RULE_COUNT] = {
    "file-missing",      "file-unlisted",   "file-unfounded",  "file-digest",
    "journal-chain",     "journal-file",    "plan-digest",     "status",
    "derivation-failed", "derived-missing", "derived-differs", "derived-unfounded",
};

const char *pp_verify_rule_name(pp_verify_rule rule)
{
    return rule_names[rule];
}

void pp_verify_add(pp_verify_run *run, pp_verify_rule rule, const char *path, const char *expected,
                   const char *found)
{
    pp_verification *out = run->out;

    if (out->finding_count == run->finding_capacity) {
        size_t capacity = run->finding_capacity == 0 ? 32 : 2 * run->finding_capacity;
        pp_finding *findings = PP_ARENA_NEW(run->arena, pp_finding, capacity);

        if (findings == NULL)
            return; /* the arena remembers */
        if (out->finding_count > 0)
            memcpy(findings, out->findings, out->finding_count * sizeof *findings);
        out->findings = findings;
        run->finding_capacity = capacity;
    }
    out->findings[out->finding_count++] = (pp_finding){rule, path, expected, found};
}

const pp_checksum *pp_verify_find(const pp_checksum_list *list, const char *path)
{
    size_t low = 0;
    size_t high = list->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(list->items[middle].path, path);

        if (order == 0)
            return &list->items[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* ---- files ------------------------------------------------------------------------------------
 */

static pp_status read_list(pp_verify_run *run, pp_error *err)
{
    const char *path = pp_bundle_path(run->arena, run->folder, PP_CHECKSUMS_NAME);
    pp_buf bytes;
    pp_status st;

    pp_buf_init(&bytes, LIST_MAX_BYTES);
    st = path == NULL ? pp_arena_check(run->arena, err) : pp_file_read(path, &bytes, err);
    if (st == PP_OK)
        st = pp_sha256_of(bytes.data, bytes.size, run->out->sums_sha256, err);
    if (st == PP_OK)
        st = pp_wrap(
            err,
            pp_checksum_list_parse(run->arena, pp_buf_text(&bytes), bytes.size, &run->listed, err),
            "'%s'", path);
    pp_buf_done(&bytes);
    run->out->listed_count = run->listed.count;
    return st;
}

static pp_status hash_file(pp_verify_run *run, const char *name, pp_error *err)
{
    const char *path = pp_path_join(run->arena, run->folder, name);
    pp_checksum *item = &run->present.items[run->present.count];

    if (path == NULL)
        return pp_arena_check(run->arena, err);
    item->path = name;
    run->present.count++;
    return pp_sha256_file(path, item->sha256, NULL, err);
}

static pp_status hash_all(pp_verify_run *run, pp_error *err)
{
    const char *const *paths = NULL;
    size_t count = 0;
    pp_status st = pp_bundle_list(run->arena, run->folder, &paths, &count, err);

    if (st != PP_OK)
        return st;
    run->present.items = PP_ARENA_NEW(run->arena, pp_checksum, count + 1);
    st = pp_arena_check(run->arena, err);
    for (size_t i = 0; st == PP_OK && i < count; i++)
        st = hash_file(run, paths[i], err);
    run->out->hashed = run->present;
    return st;
}

static void compare_files(pp_verify_run *run)
{
    for (size_t i = 0; i < run->listed.count; i++) {
        const pp_checksum *listed = &run->listed.items[i];
        const pp_checksum *present = pp_verify_find(&run->present, listed->path);

        if (present == NULL)
            pp_verify_add(run, PP_VERIFY_FILE_MISSING, listed->path, listed->sha256,
                          "no such file");
        else if (strcmp(present->sha256, listed->sha256) != 0)
            pp_verify_add(run, PP_VERIFY_FILE_DIGEST, listed->path, listed->sha256,
                          present->sha256);
    }
    for (size_t i = 0; i < run->present.count; i++) {
        const pp_checksum *present = &run->present.items[i];

        if (pp_verify_find(&run->listed, present->path) == NULL)
            pp_verify_add(run, PP_VERIFY_FILE_UNLISTED, present->path,
                          "a line in " PP_CHECKSUMS_NAME, present->sha256);
    }
}

/* ---- status -----------------------------------------------------------------------------------
 */

static pp_status read_status(pp_verify_run *run, pp_error *err)
{
    const char *path = pp_bundle_path(run->arena, run->folder, PP_BUNDLE_STATUS);
    const pp_json *root;
    pp_status st = path == NULL ? pp_arena_check(run->arena, err)
                                : pp_json_read_file(run->arena, path, NULL, &root, err);

    if (st == PP_OK)
        st = pp_wrap(err, pp_document_check(pp_document_kind_find("status"), root, err), "'%s'",
                     path);
    if (st == PP_OK)
        run->out->complete = pp_text_is(pp_json_find(root, "status")->text, "complete");
    return st;
}

static void compare_status(pp_verify_run *run)
{
    bool ended = run->journal.ending == PP_JOURNAL_ENDED;

    if (run->out->journal_line_count == 0 || ended == run->out->complete)
        return;
    pp_verify_add(run, PP_VERIFY_STATUS, PP_BUNDLE_STATUS,
                  ended ? "complete, for the journal ends with \"end\""
                        : "incomplete, for the journal does not end with \"end\"",
                  run->out->complete ? "complete" : "incomplete");
}

/* ---- derived files ----------------------------------------------------------------------------
 */

/* A member of a JSON file of the bundle, by names from the root; NULL when there is none. */
static const char *find_text(pp_verify_run *run, const char *name, const char *const *keys)
{
    const char *path = pp_bundle_path(run->arena, run->folder, "%s", name);
    const pp_json *at = NULL;

    if (path == NULL || pp_json_read_file(run->arena, path, NULL, &at, NULL) != PP_OK)
        return NULL;
    for (; *keys != NULL && at != NULL; keys++)
        at = at->kind == PP_JSON_OBJECT ? pp_json_find(at, *keys) : NULL;
    return at != NULL && at->kind == PP_JSON_STRING ? at->text.data : NULL;
}

static void note_derivation(pp_verify_run *run)
{
    static const char *const rules[] = {"metadata", "study", "derivation_version", NULL};
    static const char *const program[] = {"paretopilot_version", NULL};

    run->out->derivation_version = find_text(run, PP_BUNDLE_BENCHMARK_SET, rules);
    run->out->can_derive = run->out->derivation_version != NULL &&
                           strcmp(run->out->derivation_version, PP_DERIVATION_VERSION) == 0;
    run->tool_version = find_text(run, PP_BUNDLE_DETAILS, program);
}

static const pp_derived_file *find_derived(const pp_derived_files *files, const char *path)
{
    for (size_t i = 0; i < files->count; i++) {
        if (strcmp(files->items[i].path, path) == 0)
            return &files->items[i];
    }
    return NULL;
}

/* "line 12 is different: `...`" is left to diff; the digest says that it differs. */
static pp_status compare_derived(pp_verify_run *run, const char *path,
                                 const pp_derived_file *derived, pp_error *err)
{
    const pp_checksum *present = pp_verify_find(&run->present, path);
    char *sha256;
    pp_status st;

    if (derived == NULL) {
        if (present != NULL)
            pp_verify_add(run, PP_VERIFY_DERIVED_UNFOUNDED, path, "no such file", present->sha256);
        return PP_OK;
    }
    sha256 = PP_ARENA_NEW(run->arena, char, PP_SHA256_HEX_SIZE);
    if (sha256 == NULL)
        return pp_arena_check(run->arena, err);
    st = pp_sha256_of(derived->bytes, derived->size, sha256, err);
    if (st != PP_OK)
        return st;
    run->out->derived_count++;
    if (present == NULL)
        pp_verify_add(run, PP_VERIFY_DERIVED_MISSING, path, sha256, "no such file");
    else if (strcmp(present->sha256, sha256) != 0)
        pp_verify_add(run, PP_VERIFY_DERIVED_DIFFERS, path, sha256, present->sha256);
    return PP_OK;
}

/* Everything else is what the bundle holds, or lacks. */
static bool is_ours(pp_status st)
{
    return st == PP_ERR_MEMORY || st == PP_ERR_BUG;
}

static pp_status derive_again(pp_verify_run *run, pp_error *err)
{
    pp_derived *derived = PP_ARENA_NEW(run->arena, pp_derived, 1);
    pp_derived_files files = {0};
    pp_error why = {0};
    pp_status st = pp_arena_check(run->arena, err);

    if (st != PP_OK)
        return st;
    st = pp_derive(run->arena, run->folder, run->tool_version, derived, &why);
    if (st == PP_OK)
        st = pp_derived_files_make(run->arena, derived, run->tool_version, &files, &why);
    if (is_ours(st)) {
        if (err != NULL)
            *err = why;
        return st;
    }
    if (st != PP_OK) {
        pp_verify_add(run, PP_VERIFY_DERIVATION_FAILED, PP_BUNDLE_BENCHMARK_SET,
                      "raw files that the figures follow from",
                      pp_text_without_folder(run->arena, why.text, run->folder));
        return pp_arena_check(run->arena, err);
    }
    for (size_t i = 0; st == PP_OK && i < files.count; i++)
        st = compare_derived(run, files.items[i].path, &files.items[i], err);
    for (size_t i = 0; st == PP_OK && run->assembled != NULL && i < run->assembled->array.count;
         i++) {
        const char *path = pp_json_find(run->assembled->array.items[i], "path")->text.data;

        if (find_derived(&files, path) == NULL)
            st = compare_derived(run, path, NULL, err);
    }
    return st;
}

/* ---- all --------------------------------------------------------------------------------------
 */

static int compare_findings(const void *a, const void *b)
{
    const pp_finding *left = a;
    const pp_finding *right = b;

    if (left->rule != right->rule)
        return left->rule < right->rule ? -1 : 1;
    return strcmp(left->path, right->path);
}

pp_status pp_verify(pp_arena *arena, const char *folder, pp_verification *ret_verification,
                    pp_error *err)
{
    pp_verify_run run = {.arena = arena, .folder = folder, .out = ret_verification};
    pp_status st;

    memset(ret_verification, 0, sizeof *ret_verification);
    ret_verification->folder = folder;
    if (!pp_path_is_folder(folder))
        return pp_fail(err, PP_ERR_IO, "'%s': expected the folder of a bundle", folder);
    st = read_list(&run, err);
    if (st == PP_OK)
        st = hash_all(&run, err);
    if (st == PP_OK) {
        compare_files(&run);
        st = read_status(&run, err);
    }
    if (st == PP_OK)
        st = pp_verify_journal(&run, err);
    if (st == PP_OK) {
        compare_status(&run);
        note_derivation(&run);
        if (run.out->complete && (run.out->can_derive || run.out->derivation_version == NULL))
            st = derive_again(&run, err);
    }
    if (st == PP_OK)
        st = pp_arena_check(arena, err);
    if (st == PP_OK && run.out->finding_count > 1)
        qsort(run.out->findings, run.out->finding_count, sizeof *run.out->findings,
              compare_findings);
    return pp_wrap(err, st, "verifying '%s'", folder);
}

pp_json *pp_verification_to_json(pp_arena *arena, const pp_verification *v,
                                 const char *tool_version)
{
    pp_json *out = pp_json_new_object(arena);
    pp_json *findings = pp_json_new_array(arena);

    for (size_t i = 0; i < v->finding_count; i++) {
        pp_json *finding = pp_json_new_object(arena);

        pp_json_set_string(arena, finding, "rule", pp_verify_rule_name(v->findings[i].rule));
        pp_json_set_string(arena, finding, "path", v->findings[i].path);
        pp_json_set_string(arena, finding, "expected", v->findings[i].expected);
        pp_json_set_string(arena, finding, "found", v->findings[i].found);
        pp_json_add(arena, findings, finding);
    }
    pp_json_set_string(arena, out, "schema_version", "1.0");
    pp_json_set_string(arena, out, "document", "verification");
    pp_json_set_string(arena, out, "paretopilot_version", tool_version);
    pp_json_set_string(arena, out, "verdict", pp_verification_verdict(v));
    pp_json_set_bool(arena, out, "complete", v->complete);
    pp_json_set_string(arena, out, "checksums_sha256", v->sums_sha256);
    if (v->plan_sha256[0] == '\0')
        pp_json_set_null(arena, out, "plan_sha256");
    else
        pp_json_set_string(arena, out, "plan_sha256", v->plan_sha256);
    pp_json_set_int(arena, out, "listed_count", (int64_t)v->listed_count);
    pp_json_set_int(arena, out, "hashed_count", (int64_t)v->hashed.count);
    pp_json_set_int(arena, out, "journal_line_count", (int64_t)v->journal_line_count);
    pp_json_set_int(arena, out, "derived_count", (int64_t)v->derived_count);
    if (v->derivation_version == NULL)
        pp_json_set_null(arena, out, "derivation_version");
    else
        pp_json_set_string(arena, out, "derivation_version", v->derivation_version);
    pp_json_set(arena, out, "findings", findings);
    return out;
}

pp_status pp_verification_check_read(const pp_verification *v, const char *path, const char *sha256,
                                     pp_error *err)
{
    const size_t size = strlen(v->folder);
    const bool is_inside = strncmp(path, v->folder, size) == 0 && path[size] == '/';
    const pp_checksum *hashed = is_inside ? pp_verify_find(&v->hashed, path + size + 1) : NULL;

    if (hashed != NULL && strcmp(hashed->sha256, sha256) == 0)
        return PP_OK;
    return pp_fail(err, PP_ERR_DOMAIN, "'%s' was changed while the bundle was read", path);
}

const char *pp_verification_verdict(const pp_verification *v)
{
    if (v->finding_count > 0)
        return "differs";
    return v->complete && v->can_derive ? "verified" : "undecided";
}

const char *pp_verification_why_undecided(const pp_verification *v)
{
    if (v->finding_count > 0 || (v->complete && v->can_derive))
        return NULL;
    if (!v->complete)
        return "the study did not end, so nothing was derived";
    return "its figures follow by rules that this program lacks";
}
