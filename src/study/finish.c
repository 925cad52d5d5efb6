#include "evidence/checksums.h"
#include "study/context.h"

/* The checksums come last: where they are, and the journal has ended, the bundle is complete. */
pp_status pp_study_finish(pp_study *study, pp_error *err)
{
    pp_status st = pp_journal_append(study->journal, study->arena, "end", NULL, err);

    if (st == PP_OK)
        st = pp_study_write_status(study, true, "every planned run was carried out and recorded",
                                   err);
    if (st == PP_OK)
        st = pp_checksums_write(study->folder, err);
    if (st == PP_OK)
        pp_study_report(study, PP_STUDY_ASSEMBLE, "documents", "report and checksums written");
    return st;
}

void pp_study_close_partial(pp_study *study, const pp_error *cause)
{
    pp_json *fields = pp_json_new_object(study->arena);

    pp_json_set_string(study->arena, fields, "reason", cause->text);
    pp_ignore(pp_journal_append(study->journal, study->arena, "stopped", fields, NULL));
    pp_ignore(pp_study_write_status(study, false, cause->text, NULL));
    pp_ignore(pp_checksums_write(study->folder, NULL));
}
