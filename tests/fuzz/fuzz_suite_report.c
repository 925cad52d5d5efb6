#include <stdint.h>

#include "quality/suite_report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was accepted can be made anew; and what is made so follows from itself. */
static bool makes_itself(pp_arena *arena, const pp_json *root, const pp_suite_report *report)
{
    pp_json *again = NULL;
    pp_text *texts = NULL;
    size_t count = 1;
    pp_error err = {0};

    if (pp_suite_report_again(arena, root, NULL, &texts, &count, &err) != PP_OK)
        return false;
    if (pp_suite_report_to_json(arena, report, &again, &err) != PP_OK)
        return false;
    return pp_suite_report_again(arena, again, NULL, &texts, &count, &err) == PP_OK && count == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_suite_report report;
    const pp_json *root;

    if (pp_json_parse(&arena, "fuzz", (const char *)data, size, &root, &err) == PP_OK &&
        pp_suite_report_decode(&arena, root, &report, &err) == PP_OK)
        PP_ASSERT(makes_itself(&arena, root, &report));
    else
        PP_ASSERT(err.text[0] != '\0');
    pp_arena_done(&arena);
    return 0;
}
