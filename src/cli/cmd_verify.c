#include <stdio.h>
#include <string.h>

#include "cli/inputs.h"
#include "evidence/verify.h"
#include "version.h"

static const pp_option options[] = {
    {"json", 0, NULL, NULL, "print the document of docs/formats/verification.md instead of text",
     false, false},
};

static const pp_positional positionals[] = {
    {.value = PP_FOLDER("BUNDLE"), .help = "the folder of a study, docs/formats/bundle.md"},
};

static void print_finding(const pp_finding *finding)
{
    char text[4 * PP_ERROR_TEXT_MAX];

    pp_text_escape_controls(finding->path, strlen(finding->path), text, sizeof text);
    printf("%s  %s\n", pp_verify_rule_name(finding->rule), text);
    pp_text_escape_controls(finding->expected, strlen(finding->expected), text, sizeof text);
    printf("    expected  %s\n", text);
    pp_text_escape_controls(finding->found, strlen(finding->found), text, sizeof text);
    printf("    found     %s\n", text);
}

static void print_counts(const pp_verification *v)
{
    printf("files       %zu hashed, %zu listed in SHA256SUMS\n", v->hashed.count, v->listed_count);
    if (v->journal_line_count > 0)
        printf("journal     %zu lines, each with the hash of the one before\n",
               v->journal_line_count);
    printf("plan        %s\n", v->plan_sha256[0] == '\0' ? "not there" : v->plan_sha256);
    if (v->derived_count > 0)
        printf("derived     %zu files made again from the raw ones, rules %s\n", v->derived_count,
               v->derivation_version == NULL ? "unknown" : v->derivation_version);
    printf("checksums   %s\n", v->sums_sha256);
}

static void print_text(const pp_verification *v)
{
    const char *verdict = pp_verification_verdict(v);

    for (size_t i = 0; i < v->finding_count; i++)
        print_finding(&v->findings[i]);
    print_counts(v);
    if (v->finding_count > 0)
        printf("%s: %zu finding%s\n", verdict, v->finding_count, v->finding_count == 1 ? "" : "s");
    else if (v->complete && v->can_derive)
        printf("%s\n", verdict);
    else
        printf("%s: %s\n", verdict, pp_verification_why_undecided(v));
}

static pp_exit exit_of(const pp_verification *v)
{
    if (v->finding_count > 0)
        return PP_EXIT_NO;
    return v->complete && v->can_derive ? PP_EXIT_YES : PP_EXIT_COULD_NOT_TELL;
}

static pp_status run(const pp_args *args, pp_exit *ret_exit, pp_error *err)
{
    pp_arena arena = {0};
    pp_verification verification;
    pp_status st = pp_verify(&arena, args->positionals[0], &verification, err);

    if (st == PP_OK && pp_args_has(args, "json"))
        st = pp_print_json(pp_verification_to_json(&arena, &verification, PP_VERSION), err);
    else if (st == PP_OK)
        print_text(&verification);
    if (st == PP_OK)
        *ret_exit = exit_of(&verification);
    pp_arena_done(&arena);
    return st;
}

const pp_command pp_command_verify = {
    .group = "Prove",
    .name = "verify",
    .positionals = positionals,
    .n_positionals = PP_COUNT_OF(positionals),
    .options = options,
    .n_options = PP_COUNT_OF(options),
    .summary = "check the bundle of a study, and make its documents again",
    .detail =
        "Needs no network, no llama.cpp and no trust in the bundle: compares every file with\n"
        "SHA256SUMS, both ways; checks the hash chain of the journal, and that it began with the\n"
        "plan; makes benchmark set, decision and report again from the raw files and compares\n"
        "their bytes. All differences are printed, not only the first.\n"
        "\n"
        "Exit 1: something differs. Exit 2: this is no bundle. Exit 3: nothing differs, but\n"
        "nothing could be derived, because the study did not end or a newer program made it.\n",
    .example = "paretopilot verify build/demo",
    .run = run,
};
