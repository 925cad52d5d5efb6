#!/usr/bin/env bash
# Loud neighbours: what others compute while a study measures must show on the terminal, in the
# documents and in the report.
set -u
# shellcheck source=tests/live/lib.sh
. "$PARETOPILOT_SOURCE/tests/live/lib.sh"
begin
plan=$work/plan.json
tiny_plan "$plan" || { echo "Bail out! the tiny models cannot be written"; exit 1; }
# one thread, because a barrier between two beside busy loops costs a factor of fifty; long enough for the
# two-second window
sed -i 's/"measured": 4/"measured": 60/; s/"output_tokens": 16/"output_tokens": 256/; s/"passes": 2/"passes": 1/; s/"threads": 2/"threads": 1/; s/"threads_batch": 2/"threads_batch": 1/' "$plan"

neighbours=()
for _ in $(seq "$(nproc)"); do
    sh -c 'while :; do :; done' &
    neighbours+=($!)
done
quiet_down() {
    kill "${neighbours[@]}" 2> /dev/null
    wait "${neighbours[@]}" 2> /dev/null
    neighbours=()
}
trap 'quiet_down; rm -rf "$work"' EXIT

check "a study beside busy loops ends" run 0 "$paretopilot" study run "$plan" --output-dir "$work/loud" --model-dir "$work/models" --llama-dir "$llama"
quiet_down
check "the terminal says disturbed, with share and limit" grep -qE 'disturbed: q[84], requests pass 1: foreign-cpu [0-9.]+ % of one core, limit 5' "$work/out"
check "the run's record says disturbed" grep -q '"verdict": "disturbed"' "$work/loud/experiment/candidates/q8/requests-run-pass-1.json"
measured() { grep -q '"foreign_percent_peak": [0-9]' "$1"; }
check "the run's record has the measured share" measured "$work/loud/experiment/candidates/q8/requests-run-pass-1.json"
check "the benchmark set says disturbed" grep -q '"verdict": "disturbed"' "$work/loud/experiment/benchmark-set.json"
check "the report says disturbed" grep -qi 'disturbed' "$work/loud/experiment/report.html"
end
