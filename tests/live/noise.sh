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
check "the terminal says disturbed, with share and limit" grep -qE 'disturbed: q[84], requests pass 1: foreign-cpu [0-9.]+ % of one core, limit 5; see experiment/candidates/q[84]/requests-run-pass-1.json' "$work/out"
check "the run's record says disturbed" grep -q '"verdict": "disturbed"' "$work/loud/experiment/candidates/q8/requests-run-pass-1.json"
measured() { grep -q '"foreign_percent_peak": [0-9]' "$1"; }
check "the run's record has the measured share" measured "$work/loud/experiment/candidates/q8/requests-run-pass-1.json"
check "the benchmark set says disturbed" grep -q '"verdict": "disturbed"' "$work/loud/experiment/benchmark-set.json"
# the word alone stands in every page: the style has it
check "the report marks the run" grep -q '<tr class="disturbed">' "$work/loud/experiment/report.html"
check "the report warns of it" grep -q 'disturbed\.</strong>' "$work/loud/experiment/report.html"

# ---- a small neighbour: 20 ms of every 100 ms, a fifth of one core ---------------------------------
small_neighbour() {
    local until
    while :; do
        until=$((${EPOCHREALTIME/[.,]/} + 20000))
        while ((${EPOCHREALTIME/[.,]/} < until)); do :; done
        sleep 0.08
    done
}
# One pass of ten requests: a few seconds for each candidate, ten in all where others compute as well.
sed 's/"measured": 60/"measured": 10/' "$plan" > "$work/small.json"
small_neighbour &
neighbours=($!)
check "a study beside a fifth of a core ends" run 0 "$paretopilot" study run "$work/small.json" --output-dir "$work/small" --model-dir "$work/models" --llama-dir "$llama"
quiet_down
small_seen() {
    local record share
    for record in "$work"/small/experiment/candidates/*/requests-run-pass-1.json; do
        share=$(sed -n 's/^ *"foreign_percent_peak": \([0-9.]*\),*$/\1/p' "$record")
        if ! grep -q '"cause": "foreign-cpu"' "$record" || ! awk -v share="$share" 'BEGIN { exit !(share > 5) }'; then
            echo "#   $record: peak ${share:-absent}"
            return 1
        fi
    done
}
check "every run of requests is flagged with a share above the limit" small_seen

# ---- the bandwidth probe beside the doctor's other facts -------------------------------------------
check "doctor measures bandwidth" run 0 "$paretopilot" doctor --bandwidth 64MiB --threads 1 --json
adds_up() { # the best rate is that of the fastest repeat, and there are seven
    awk '
        /"origin"/ { origin = /"measured"|"emulated"/ }
        /"duration_ns"/ && !watch { gsub(/[^0-9]/, ""); duration = $0 }
        /"read_bytes"/ { gsub(/[^0-9]/, ""); rate = $0 / duration * 1e9; best = rate > best ? rate : best; repeats++ }
        /"best_bytes_per_second"/ { gsub(/[^0-9.]/, ""); said = $0 }
        /"load_now"/ { watch = 1 }
        END { exit !(origin && repeats == 7 && said > 1e8 && said / best < 1.000001 && said / best > 0.999999) }
    ' "$work/out"
}
check "its best rate is that of the fastest of seven repeats" adds_up
check "a footprint that cannot fit: exit 3" run 3 "$paretopilot" doctor --bandwidth 60000GiB
check "a footprint that cannot fit: the reason" says err "a footprint of 6.144e+07 MiB: the machine's free memory leaves"
end
