/* tables.h - inside model/ and its tests only: the tables of every document, one file each group.
 */
#ifndef PP_MODEL_TABLES_H
#define PP_MODEL_TABLES_H

#include "model/fields.h"

/* Texts, numbers and ids as items of lists and maps. */
extern const pp_field_type pp_type_text, pp_type_filled, pp_type_number, pp_type_file_id,
    pp_type_direction, pp_type_any;
extern const char *const pp_words_origin[], *const pp_words_direction[], *const pp_words_1_0[];

/* tables_decision.c */
extern const pp_fields pp_benchmark_set_fields;
extern const pp_field_choice pp_constraints_choices[];
extern const pp_fields pp_constraints_1_0_fields, pp_constraints_2_0_fields;
extern const pp_fields pp_recommendation_fields, pp_decision_details_fields, pp_stability_fields;
extern const pp_fields pp_objective_fields, pp_profile_recommendation_fields;
extern const pp_fields pp_input_fingerprint_fields;

/* tables_passport.c */
extern const pp_fields pp_passport_fields, pp_passport_result_fields, pp_receipt_result_fields;

/* tables_fidelity.c: a part of suite-report and of studies */
extern const pp_fields pp_fidelity_fields;

/* tables_gate.c */
extern const pp_fields pp_gate_fields, pp_gate_failure_fields, pp_regression_fields, pp_init_fields;

/* tables_profiles.c */
extern const char *const pp_words_profile_class[];
extern const pp_fields pp_policy_set_fields, pp_profiles_fields;

/* tables_bench.c */
extern const pp_fields pp_bench_summary_fields, pp_bench_comparison_fields, pp_validation_fields;

/* tables_plan.c */
extern const pp_field_choice pp_study_plan_choices[];
extern const pp_fields pp_study_plan_1_0_fields, pp_study_plan_2_0_fields;
extern const pp_fields pp_settings_fields, pp_settings_document_fields;

/* tables_evaluation.c; words: modes in the order of pp_match_mode, and one each */
extern const char *const pp_words_evaluation_mode[], *const pp_words_evaluation_quality[],
                                                         *const pp_words_evaluation_latency[];
extern const pp_fields pp_server_evaluation_fields, pp_quality_binding_fields;

/* tables_load_report.c */
extern const pp_fields pp_load_report_fields;

/* tables_load.c */
extern const char *const pp_words_slo_failure[];
extern const pp_fields pp_load_plan_fields, pp_load_slo_fields, pp_load_sample_fields,
    pp_combined_load_evaluation_fields;
extern const pp_field_choice pp_load_evaluation_choices[];

/* tables_machine.c */
extern const pp_fields pp_doctor_fields, pp_host_document_fields, pp_watch_fields,
    pp_process_memory_fields;

/* tables_model.c */
extern const pp_fields pp_model_info_fields, pp_model_synth_fields, pp_model_table_fields;

/* tables_prompts.c */
extern const pp_fields pp_prompt_fields, pp_trace_fields;

/* tables_quality.c */
extern const char *const pp_words_match_mode[];
extern const pp_field_choice pp_suite_choices[];

/* tables_sample.c */
extern const pp_fields pp_sample_fields;
extern const pp_fields pp_suite_reply_fields;

/* tables_verification.c */
extern const pp_fields pp_verification_fields;

/* tables_serve.c */
extern const char *const pp_words_draft_type[];
extern const pp_fields pp_serve_config_fields, pp_serve_queue_fields, pp_serve_timeout_fields,
    pp_serve_breaker_fields, pp_serve_limit_fields, pp_serve_supervise_fields;
extern const pp_field_choice pp_access_log_choices[];

/* tables_sim.c */
extern const pp_fields pp_sim_answers_fields;
extern const pp_field_choice pp_sim_log_choices[];

/* tables_suite_report.c */
extern const pp_fields pp_suite_report_fields;

/* tables_study.c */
extern const pp_fields pp_status_fields, pp_study_run_fields, pp_resource_measurement_fields, pp_profile_run_fields,
    pp_server_command_fields, pp_bench_command_fields, pp_endpoint_fields, pp_engine_fields, pp_study_summary_fields,
    pp_study_status_fields;
extern const pp_field_choice pp_journal_choices[];

#endif
