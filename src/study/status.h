/* status.h - how far a study is, read from its folder.
 *
 * Changes nothing and disturbs nobody: works beside a running study, on one that was killed and on
 * a complete bundle. */
#ifndef PP_STUDY_STATUS_H
#define PP_STUDY_STATUS_H

#include "evidence/step_log.h"

typedef enum pp_study_standing {
    PP_STUDY_RUNNING,
    PP_STUDY_COMPLETE,
    PP_STUDY_STOPPED, /* by a signal or a failure, which it said */
    PP_STUDY_KILLED   /* it said nothing */
} pp_study_standing;

/** "running", "complete", "stopped", "killed" */
const char *pp_study_standing_name(pp_study_standing standing);

typedef struct pp_study_status {
    pp_study_plan plan;
    pp_study_steps steps;
    pp_step_log log;
    pp_study_standing standing;
    int64_t elapsed_ns;   /* of all sessions; of a running one up to now, by the wall clock */
    int64_t remaining_ns; /* estimate; -1 while unknown */
} pp_study_status;

/**
 * Read a study's folder. Everything lives in `arena`.
 *
 * now_unix_ms   wall clock, for a running study
 * Fails with PP_ERR_IO when no study is there, PP_ERR_SYNTAX, PP_ERR_SCHEMA or PP_ERR_DOMAIN when
 * plan and journal are damaged or do not belong together.
 */
PP_MUST_CHECK pp_status pp_study_status_read(pp_arena *arena, const char *folder,
                                             int64_t now_unix_ms, pp_study_status *ret_status,
                                             pp_error *err);

/* ---- of one step ------------------------------------------------------------------------------
 */

typedef enum pp_step_standing {
    PP_STEP_IS_WAITING,
    PP_STEP_IS_RUNNING,
    PP_STEP_IS_DONE,
    PP_STEP_HAS_FAILED, /* the measured program; it is not measured again */
    PP_STEP_IS_CUT_OFF  /* begun, and not ended by itself */
} pp_step_standing;

/** "waiting", "running", "done", "failed", "cut-off" */
const char *pp_step_standing_name(pp_step_standing standing);

pp_step_standing pp_study_status_of_step(const pp_study_status *status, size_t step);

#endif
