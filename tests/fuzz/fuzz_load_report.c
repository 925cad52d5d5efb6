#include <stdint.h>

#include "capacity/load_report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whatever was accepted can be made anew without samples, unless the document says why not; and
 * what is made so is accepted and makes itself. */
static bool makes_itself(pp_arena *arena, const pp_json *root)
{
    pp_json *again = NULL;
    pp_json *third = NULL;
    pp_error err = {0};

    if (pp_load_report_again(arena, root, NULL, 0, &again, &err) != PP_OK)
        return err.text[0] != '\0';
    return pp_load_report_again(arena, again, NULL, 0, &third, &err) == PP_OK &&
           pp_json_equal(again, third);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pp_arena arena = {0};
    pp_error err = {0};
    pp_load_report report;
    const pp_json *root;

    if (pp_json_parse(&arena, "fuzz", (const char *)data, size, &root, &err) == PP_OK &&
        pp_load_report_decode(&arena, root, &report, &err) == PP_OK)
        PP_ASSERT(makes_itself(&arena, root));
    else
        PP_ASSERT(err.text[0] != '\0');
    pp_arena_done(&arena);
    return 0;
}
