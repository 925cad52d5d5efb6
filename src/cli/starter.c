/* The files of `init`. Short on purpose: each must be understood by somebody who has never seen the
 * program, and changed by them within the hour. */
#include "cli/starter.h"

#include <string.h>

static const char benchmark_set[] =
    "{\n"
    "  \"schema_version\": \"1.0\",\n"
    "  \"baseline_id\": \"q8\",\n"
    "  \"synthetic\": true,\n"
    "  \"metadata\": {\n"
    "    \"note\": \"Made-up figures: put your own measurements in their place. Nothing was "
    "measured.\"\n"
    "  },\n"
    "  \"candidates\": [\n"
    "    {\n"
    "      \"id\": \"q8\",\n"
    "      \"label\": \"Q8_0, 4 threads\",\n"
    "      \"parameters\": {\"quantization\": \"Q8_0\", \"threads\": 4},\n"
    "      \"metrics\": {\"ttft_ms_p95\": 640, \"e2e_latency_ms_p95\": 4100, \"generation_tps\": "
    "17.5, \"peak_rss_mib\": 2150, \"quality_score\": 0.92}\n"
    "    },\n"
    "    {\n"
    "      \"id\": \"q4\",\n"
    "      \"label\": \"Q4_0, 4 threads\",\n"
    "      \"parameters\": {\"quantization\": \"Q4_0\", \"threads\": 4},\n"
    "      \"metrics\": {\"ttft_ms_p95\": 410, \"e2e_latency_ms_p95\": 2650, \"generation_tps\": "
    "27.25, \"peak_rss_mib\": 1240, \"quality_score\": 0.89}\n"
    "    },\n"
    "    {\n"
    "      \"id\": \"q4-batch\",\n"
    "      \"label\": \"Q4_0, 4 threads, batch 512\",\n"
    "      \"parameters\": {\"quantization\": \"Q4_0\", \"threads\": 4, \"batch_size\": 512},\n"
    "      \"metrics\": {\"ttft_ms_p95\": 352, \"e2e_latency_ms_p95\": 2630, \"generation_tps\": "
    "26.75, \"peak_rss_mib\": 1390, \"quality_score\": 0.89}\n"
    "    },\n"
    "    {\n"
    "      \"id\": \"q2\",\n"
    "      \"label\": \"Q2_K, 4 threads\",\n"
    "      \"parameters\": {\"quantization\": \"Q2_K\", \"threads\": 4},\n"
    "      \"metrics\": {\"ttft_ms_p95\": 380, \"e2e_latency_ms_p95\": 2240, \"generation_tps\": "
    "31.5, \"peak_rss_mib\": 905, \"quality_score\": 0.61}\n"
    "    }\n"
    "  ]\n"
    "}\n";

static const char constraints[] =
    "{\n"
    "  \"min_quality_retention\": 0.95,\n"
    "  \"quality_metric\": \"quality_score\",\n"
    "  \"max_values\": {\"ttft_ms_p95\": 500, \"peak_rss_mib\": 1536},\n"
    "  \"objective\": {\"metric\": \"e2e_latency_ms_p95\", \"direction\": \"min\"},\n"
    "  \"objective_tolerance_percent\": 1,\n"
    "  \"preference_order\": [\"q8\", \"q4\", \"q4-batch\", \"q2\"],\n"
    "  \"frontier_metrics\": {\n"
    "    \"e2e_latency_ms_p95\": \"min\",\n"
    "    \"ttft_ms_p95\": \"min\",\n"
    "    \"generation_tps\": \"max\",\n"
    "    \"peak_rss_mib\": \"min\",\n"
    "    \"quality_score\": \"max\"\n"
    "  }\n"
    "}\n";

static const char workflow_head[] =
    "# Decides which configuration to deploy, and fails when the answer is not the expected one.\n"
    "name: deployment decision\n"
    "\n"
    "on:\n"
    "  push:\n"
    "  pull_request:\n"
    "\n"
    "permissions:\n"
    "  contents: read\n"
    "\n"
    "jobs:\n"
    "  decide:\n";

static const char workflow_binary[] =
    "    # A machine where `paretopilot --version` works; with an action reference any machine "
    "does.\n"
    "    runs-on: self-hosted\n"
    "    timeout-minutes: 15\n"
    "    steps:\n"
    "      - uses: actions/checkout@v4\n"
    "        with:\n"
    "          persist-credentials: false\n"
    "      # The example is made up. Remove --allow-synthetic when the figures are measured.\n"
    "      - name: Decide\n"
    "        run: >-\n"
    "          paretopilot ci-gate benchmarks/benchmark-set.json\n"
    "          --constraints constraints/deployment.json\n"
    "          --output-dir paretopilot-output\n"
    "          --allow-synthetic\n"
    "          --expect-selected-id q4\n";

static const char workflow_tail[] = "      - name: Keep the documents\n"
                                    "        uses: actions/upload-artifact@v4\n"
                                    "        with:\n"
                                    "          name: deployment-decision\n"
                                    "          path: paretopilot-output\n";

static const char readme[] =
    "# Which configuration do we deploy?\n"
    "\n"
    "The answer of this repository is checked by one command, here and in CI:\n"
    "\n"
    "    paretopilot ci-gate benchmarks/benchmark-set.json \\\n"
    "        --constraints constraints/deployment.json --output-dir paretopilot-output \\\n"
    "        --allow-synthetic --expect-selected-id q4\n"
    "\n"
    "It writes the decision, its passport, a receipt and a page into `paretopilot-output` and "
    "exits 0; it exits 1 when a\n"
    "rule is missed, and 2 when a document is wrong.\n"
    "\n"
    "| file | holds |\n"
    "| --- | --- |\n"
    "| `benchmarks/benchmark-set.json` | what was measured of each candidate; **made up here** |\n"
    "| `constraints/deployment.json` | your limits, your objective, your preferences |\n"
    "| `.github/workflows/paretopilot.yml` | the same command in CI |\n"
    "\n"
    "## Make it yours\n"
    "\n"
    "1. Write your limits into `constraints/deployment.json`.\n"
    "2. Measure: `paretopilot study run PLAN --output-dir study` leaves "
    "`study/experiment/benchmark-set.json`; or fill in\n"
    "   figures of your own and say `\"synthetic\": false` only when every one of them is "
    "measured.\n"
    "3. Look: `paretopilot recommend benchmarks/benchmark-set.json --constraints "
    "constraints/deployment.json --what-if`.\n"
    "4. Write the new answer into the workflow (and above), and let only measured figures pass: "
    "there the comment says which\n"
    "   line goes.\n"
    "5. Keep the `recommendation.json` of the last release and add `--against FILE "
    "--max-regression 3%`: then a candidate that\n"
    "   got slower is refused, too.\n";

static const char ignore[] = "paretopilot-output/\n"
                             "study/\n";

static const char workflow_action_head[] = "    runs-on: ubuntu-24.04\n"
                                           "    timeout-minutes: 15\n"
                                           "    steps:\n"
                                           "      - uses: actions/checkout@v4\n"
                                           "        with:\n"
                                           "          persist-credentials: false\n"
                                           "      - name: Decide\n";

static const char workflow_action_tail[] =
    "        with:\n"
    "          benchmarks: benchmarks/benchmark-set.json\n"
    "          constraints: constraints/deployment.json\n"
    "          output-dir: paretopilot-output\n"
    "          # The example is made up. Remove this line when the figures are measured.\n"
    "          require-measured: \"false\"\n"
    "          expected-selected-id: q4\n";

/* ---- the workflow ---------------------------------------------------------------------------- */

static const char *workflow(pp_arena *arena, const char *action_ref)
{
    if (action_ref == NULL)
        return pp_arena_printf(arena, "%s%s%s", workflow_head, workflow_binary, workflow_tail);
    return pp_arena_printf(arena, "%s%s        uses: %s\n%s%s", workflow_head, workflow_action_head,
                           action_ref, workflow_action_tail, workflow_tail);
}

static bool is_name(const char *text, size_t size)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";

    return size > 0 && strspn(text, allowed) >= size && !(size == 1 && text[0] == '.') &&
           !(size == 2 && text[0] == '.' && text[1] == '.');
}

pp_status pp_starter_check_action(const char *ref, pp_error *err)
{
    size_t owner = strcspn(ref, "/");
    const char *repository = ref + owner + (ref[owner] == '/');
    size_t name = strcspn(repository, "@");
    const char *commit = repository + name + (repository[name] == '@');

    if (is_name(ref, owner) && is_name(repository, name) && strlen(commit) == 40 &&
        strspn(commit, "0123456789abcdef") == 40)
        return PP_OK;
    return pp_fail(err, PP_ERR_USAGE,
                   "init: --action-ref: expected OWNER/REPO@ and the 40 hexadecimal digits of a "
                   "commit, got '%s'",
                   ref);
}

/* ---- all of them ----------------------------------------------------------------------------- */

pp_status pp_starter_make(pp_arena *arena, const char *action_ref,
                          pp_starter_file ret_files[PP_STARTER_FILE_COUNT], pp_error *err)
{
    const pp_starter_file files[PP_STARTER_FILE_COUNT] = {
        {".github/workflows/paretopilot.yml", workflow(arena, action_ref)},
        {".gitignore", ignore},
        {"README.md", readme},
        {PP_STARTER_BENCHMARKS, benchmark_set},
        {PP_STARTER_CONSTRAINTS, constraints},
    };

    memcpy(ret_files, files, sizeof files);
    return pp_arena_check(arena, err);
}
