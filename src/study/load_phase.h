/* load_phase.h - inside study/ only: what else asks for the demands of a plan's load. */
#ifndef PP_STUDY_LOAD_PHASE_H
#define PP_STUDY_LOAD_PHASE_H

#include "capacity/slo.h"
#include "model/study_plan.h"

/** The demands of a load, which may be absent. Fails with PP_ERR_USAGE "$.load.slo[1]: ...". */
PP_MUST_CHECK pp_status pp_study_load_slos(pp_arena *arena, const pp_plan_load *plan,
                                           pp_slo **ret_slos, pp_error *err);

#endif
