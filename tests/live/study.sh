#!/usr/bin/env bash
# The study from plan to bundle, with the real llama.cpp: complete runs, interrupted runs, wrong inputs.
set -u
# shellcheck source=tests/live/lib.sh
. "$PARETOPILOT_SOURCE/tests/live/lib.sh"
begin
plan=$work/plan.json
tiny_plan "$plan" || { echo "Bail out! the tiny models cannot be written"; exit 1; }

study() { "$paretopilot" study run "$1" --output-dir "$2" --model-dir "$work/models" --llama-dir "${3:-$llama}"; }

# ---- a complete study --------------------------------------------------------------------------
check "study run measures and decides" run 0 study "$plan" "$work/first"
check "the chosen candidate is printed" says out "selected"
check "the path of the report is printed" says out "$work/first/experiment/report.html"
checksums_hold() { (cd "$1" && sha256sum --quiet -c SHA256SUMS); }
check "sha256sum -c passes inside the bundle" checksums_hold "$work/first"
holds() {
    local file
    for file in plan.json status.json journal.jsonl environment/engine.json models/q8_0.json \
        preflight/q8/server.stderr.log experiment/benchmark-set.json experiment/constraints.json \
        experiment/recommendation.json experiment/decision-details.json experiment/report.html \
        experiment/candidates/q4/raw/pass-1.jsonl experiment/candidates/q4/server-pass-2.stderr.log \
        experiment/candidates/q4/samples-pass-2.jsonl experiment/candidates/q4/settings.json; do
        [ -s "$1/$file" ] || { echo "#   missing: $file"; return 1; }
    done
}
check "raw rows, logs, samples, decision and report are in the bundle" holds "$work/first"
sample_count() { [ "$(cat "$1"/experiment/candidates/*/samples-pass-*.jsonl | wc -l)" -eq 20 ]; }
check "every request left a sample, warm-up included" sample_count "$work/first"
check "the plan in the bundle is the plan, byte for byte" cmp "$plan" "$work/first/plan.json"
complete() { grep -q '"status": "complete"' "$1/status.json"; }
check "the status says complete" complete "$work/first"
marked() { grep -q '"synthetic_kind": "synthetic-weights"' "$1/experiment/benchmark-set.json" && grep -q 'synthetic-weights' "$1/experiment/report.html"; }
check "figures of random weights are marked in set and report" marked "$work/first"
by_phase() {
    local phase
    for phase in after_load after_warmup after_requests; do
        grep -q "\"phase\": \"$phase\"" "$1/experiment/benchmark-set.json" || { echo "#   no $phase"; return 1; }
    done
    grep -q 'Memory of the server by phase' "$1/experiment/report.html"
}
check "memory of the server is told by phase in set and report" by_phase "$work/first"
peak_is_vmhwm() { # the gate's figure is the largest peak_rss_bytes of the passes
    local bytes
    bytes=$(sed -n 's/^ *"peak_rss_bytes": \([0-9]*\),*$/\1/p' "$1"/experiment/candidates/q8/resource-measurement-pass-*.json | sort -n | tail -n 1)
    awk -v bytes="$bytes" '/"peak_rss_mib"/ { gsub(/[^0-9.]/, "", $2); if ($2 + 0 == bytes / 1048576) found = 1 } END { exit !found }' "$1/experiment/benchmark-set.json"
}
check "peak_rss_mib is the largest VmHWM of the passes" peak_is_vmhwm "$work/first"
no_script() { ! grep -qi '<script' "$1/experiment/report.html"; }
check "the report holds no script" no_script "$work/first"
again() { "$paretopilot" recommend "$1/experiment/benchmark-set.json" --constraints "$1/experiment/constraints.json" --output "$work/again.json" > /dev/null && cmp "$1/experiment/recommendation.json" "$work/again.json"; }
check "recommend on the bundle's documents gives the bundle's decision" again "$work/first"
check_documents=${PARETOPILOT_CHECK_DOCUMENTS:-${PARETOPILOT_BINARY%/src/cli/*}/tests/check_documents}
export PARETOPILOT_CHECK_DOCUMENTS=$check_documents
by_table() { find "$1" \( -name '*.json' -o -name '*.jsonl' \) ! -path '*/raw/*' -exec "$check_documents" {} +; }
check_schemas() { # NAME FOLDER - without a Python that has jsonschema there is nothing to ask
    local code=0
    "$PARETOPILOT_SOURCE/tests/support/schemas.sh" "$2" > "$work/out" 2> "$work/err" || code=$?
    if [ "$code" -eq 77 ]; then
        skip "$1" "$(cat "$work/out")"
    else
        check "$1" [ "$code" -eq 0 ]
    fi
}
check "the journal's lines are chained, from begin to end" run 0 "$paretopilot" validate "$work/first/journal.jsonl"
check "the journal ends" says out ", ended, "
check "every JSON file of the bundle is valid by its table" run 0 by_table "$work/first"
check_schemas "every JSON file of the bundle is valid by its schema" "$work/first"
check "no process is left" no_children_left

check "the same plan runs again" run 0 study "$plan" "$work/second"
same_files() { diff <(cd "$1" && find . -type f | sort) <(cd "$2" && find . -type f | sort); }
check "two runs leave the same set of files" same_files "$work/first" "$work/second"

# ---- study plan ------------------------------------------------------------------------------------
check "study plan prints the commands" run 0 "$paretopilot" study plan "$plan" --model-dir "$work/models" --llama-dir "$llama"
check "study plan names the bench" says out "llama-bench --model $work/models/tiny-q8_0.gguf --n-prompt 64"
mirrored() { [ "$(grep '^# requests' "$work/out" | sed 's/.*: //' | tr '\n' ' ')" = "q8 q4 q4 q8 " ]; }
check "study plan shows the mirrored order" mirrored

# ---- wrong inputs: exit 2, the reason, nothing written ----------------------------------------------
refused() { # NAME TEXT PLAN [LLAMA]
    check "$1: exit 2" run 2 study "$3" "$work/refused" "${4:-$llama}"
    check "$1: the reason" says err "$2"
    check "$1: nothing written" absent "$work/refused*"
}
sed 's/"passes": 2/"passes": 2, "colour": "red"/' "$plan" > "$work/unknown.json"
refused "unknown key" "loading plan '$work/unknown.json': \$: unknown key 'colour'" "$work/unknown.json"
sed 's/tiny-q4_0.gguf/gone.gguf/' "$plan" > "$work/gone.json"
refused "missing model" "\$.models[1] (q4_0): cannot open '$work/models/gone.gguf'" "$work/gone.json"
sed "s/$q4_sha/${q8_sha}/" "$plan" > "$work/digest.json"
refused "other digest" "tiny-q4_0.gguf': found SHA-256 $q4_sha, the plan says $q8_sha" "$work/digest.json"

mkdir "$work/mute"
# shellcheck disable=SC2016  # for the script that is written
printf '#!/bin/sh\necho "unknown argument $1" >&2\nexit 1\n' > "$work/mute/llama-server"
cp "$work/mute/llama-server" "$work/mute/llama-bench"
chmod +x "$work/mute"/*
refused "no --version" "'$work/mute/llama-server --version': expected exit code 0, got exit code 1; it said: unknown argument --version" "$plan" "$work/mute"

mkdir "$work/dying"
ln -s "$llama/llama-bench" "$work/dying/llama-bench"
cat > "$work/dying/llama-server" <<END
#!/bin/sh
case \$1 in --version | --help) exec "$llama/llama-server" "\$@" ;; esac
echo 'loading' >&2
echo 'the dog ate the weights' >&2
exit 3
END
chmod +x "$work/dying/llama-server"
refused "server that dies" "preflight of candidate 'q8'" "$plan" "$work/dying"
check "server that dies: its last log lines" says err "llama-server ended with exit code 3; its last log lines: loading | the dog ate the weights"

sed 's/"required": \["model buffer size"\]/"required": ["no such line"]/' "$plan" > "$work/marker.json"
refused "absent marker" "the required marker 'no such line' is absent" "$work/marker.json"

mkdir "$work/taken"
echo mine > "$work/taken/file"
check "existing output folder: exit 2" run 2 study "$plan" "$work/taken"
check "existing output folder: the reason" says err "output folder '$work/taken' exists already"
untouched() { [ "$(ls "$work/taken")" = file ] && [ "$(cat "$work/taken/file")" = mine ]; }
check "existing output folder: untouched" untouched

# ---- interruptions -----------------------------------------------------------------------------------
sed 's/"measured": 4/"measured": 300/; s/"output_tokens": 16/"output_tokens": 256/' "$plan" > "$work/long.json"
has_requests() { # a few requests are through
    local log=$1/experiment/candidates/q8/server-pass-1.stderr.log
    [ -s "$log" ] && [ "$(grep -c "release: id" "$log")" -ge 3 ]
}
start_long() { # FOLDER - in the background, as a child of this shell with signals as they come (K42)
    "$paretopilot" study run "$work/long.json" --output-dir "$1" --model-dir "$work/models" \
        --llama-dir "$llama" > "$work/out" 2> "$work/err" &
    runner=$!
    wait_for 60 has_requests "$1"
}
check "a long study reaches its requests" start_long "$work/stopped"
kill -INT "$runner"
code=0
wait "$runner" || code=$?
check "SIGINT: exit 130" test "$code" -eq 130
check "SIGINT: no process is left" no_children_left
check "SIGINT: throughput rows are kept" test -s "$work/stopped/experiment/candidates/q4/raw/pass-2.jsonl"
check "SIGINT: samples so far are kept" test -s "$work/stopped/experiment/candidates/q8/samples-pass-1.jsonl"
incomplete() { grep -q '"status": "incomplete"' "$1/status.json"; }
check "SIGINT: the status says incomplete" incomplete "$work/stopped"
check "SIGINT: checksums hold" checksums_hold "$work/stopped"
check "SIGINT: what is there is valid by its table" run 0 by_table "$work/stopped"
check_schemas "SIGINT: and by its schema" "$work/stopped"

check "another long study reaches its requests" start_long "$work/killed"
kill -KILL "$runner"
wait "$runner" 2> /dev/null
check "SIGKILL: no process is left" no_children_left
end
