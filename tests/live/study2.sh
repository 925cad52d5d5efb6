#!/usr/bin/env bash
# Study plans of version 2.0 with the real llama.cpp: several builds, given lines, orders, waits; and servers that lie, hang, die or are late.
set -u
# shellcheck source=tests/live/lib.sh
. "$PARETOPILOT_SOURCE/tests/live/lib.sh"
begin
tiny_plan "$work/one.json" || { echo "Bail out! the tiny models cannot be written"; exit 1; }
plan=$work/plan.json
sed -e "s/@q8_size@/$q8_size/; s/@q4_size@/$q4_size/; s/@q8_sha@/$q8_sha/; s/@q4_sha@/$q4_sha/" \
    "$PARETOPILOT_SOURCE/tests/live/tiny-plan-2.json.in" > "$plan"
mkdir -p "$work/engines/plain" "$work/engines/other" "$work/engines/fake"
for engine in plain other; do
    ln -s "$llama/llama-server" "$work/engines/$engine/llama-server"
    ln -s "$llama/llama-bench" "$work/engines/$engine/llama-bench"
done
ln -s "$PARETOPILOT_SOURCE/tests/support/fake_engine.py" "$work/engines/fake/llama-server"
ln -s "$llama/llama-bench" "$work/engines/fake/llama-bench"
check_documents=${PARETOPILOT_CHECK_DOCUMENTS:-${PARETOPILOT_BINARY%/src/cli/*}/tests/check_documents}

edit() { "$PARETOPILOT_SOURCE/tests/support/edit_json.py" "$@"; }
study() { "$paretopilot" study run "$1" --output-dir "$2"; }
member() { # FILE PATH - the JSON value at a path of keys and indexes with dots between them
    python3 - "$1" "$2" << 'PY'
import json, sys
value = json.load(open(sys.argv[1]))
for key in sys.argv[2].split("."):
    value = value[int(key)] if isinstance(value, list) else value[key]
print(json.dumps(value))
PY
}
is() { # FILE PATH JSON
    local found
    found=$(member "$1" "$2") || return 1
    [ "$found" = "$3" ] || { echo "#   $2 is $found, expected $3"; return 1; }
}

# ---- a whole study -------------------------------------------------------------------------------
bundle=$work/bundle
edit "$plan" "$work/whole.json" 'load={"steps": [{"loop": "closed", "clients": 2, "measured": 6}, {"loop": "open", "rate_per_second": 8.0, "arrivals": "poisson", "measured": 6}], "warmup": 1, "prompt_tokens": 32, "output_tokens": 8, "seed": 3, "slo": ["e2e.p50<=20s"]}'
whole() { FAKE_NOTE=ours LLAMA_ARG_CTX_SIZE=99 run 0 study "$work/whole.json" "$bundle"; }
check "a study of two builds and a given line measures and decides" whole
check "all runs were made" says out "runs        20, of which"
check "none failed" says out "and 0 failed"
order() { [ "$(grep -o '"step-begin".*"step":"[a-z]*/[^"]*/pass-[12]"' "$bundle/journal.jsonl" | sed 's/.*"step":"//; s/"$//' | tr '\n' ' ')" = "$1" ]; }
mirrored=
for phase in throughput requests; do
    for step in q8/pass-1 q4/pass-1 q4-other/pass-1 q4-given/pass-1 q4-given/pass-2 q4-other/pass-2 q4/pass-2 q8/pass-2; do mirrored+="$phase/$step "; done
done
check "the order is mirrored in both phases" order "$mirrored"
check "each build is recorded" is "$bundle/environment/engines/other/engine.json" id '"other"'
check "with the variables that the plan gives it" is "$bundle/environment/engines/other/engine.json" environment '{"FAKE_NOTE": "given"}'
check "and those that were taken out" is "$bundle/environment/engines/plain/engine.json" cleared_environment '["LLAMA_ARG_CTX_SIZE"]'
digest() { is "$bundle/environment/engines/plain/engine.json" server.sha256 "\"$(sha256sum < "$llama/llama-server" | cut -c1-64)\""; }
check "and the program's digest" digest
command=$bundle/experiment/candidates/q4-given/server-command-pass-1.json
check "a given line is run word for word" is "$command" argv.0 '"engines/plain/llama-server"'
check "where the plan stands" is "$command" working_directory "\"$work\""
check "what its server says of itself is kept" is "$command" readback.total_slots 2
check "no settings are claimed for it" absent "$bundle/experiment/candidates/q4-given/settings.json"
given_settings() { is "$bundle/experiment/benchmark-set.json" candidates.3.parameters.configuration '{"context_size": 1024, "parallel": 2, "threads": 2}'; }
check "the set has those that the line names" given_settings
extra() { is "$bundle/experiment/candidates/q4-other/server-command-pass-2.json" argv.-2 '"--slot-prompt-similarity"'; }
check "further arguments stand at the end" extra
check "the bundle is verified" run 0 "$paretopilot" verify "$bundle"
check "reports of the load, passport, receipt, pass sets and stability are made again" says out "derived     13 files made again"
core_seconds() { # CPU time of both passes over their tokens, and no more than both threads could have used
    python3 - "$bundle" << 'PY'
import json, sys
folder = sys.argv[1] + "/experiment/"
found = json.load(open(folder + "benchmark-set.json"))["candidates"][0]
cpu = tokens = wall = 0
for number in (1, 2):
    cpu += json.load(open(f"{folder}candidates/q8/resource-measurement-pass-{number}.json"))["cpu_ns"]
    samples = [json.loads(line) for line in open(f"{folder}candidates/q8/samples-pass-{number}.jsonl")]
    measured = [sample for sample in samples if sample["phase"] == "measured"]
    tokens += sum(sample["tokens"]["generated"] for sample in measured)
    wall += json.load(open(f"{folder}candidates/q8/requests-run-pass-{number}.json"))["duration_ns"]
value = found["metrics"]["core_seconds_per_token"]
same = abs(value - cpu / 1e9 / tokens) < 1e-12 and value == found["parameters"]["measurement"]["core_seconds_per_token"]
sys.exit(not (same and tokens == 128 and 1e6 < cpu < 4 * wall))
PY
}
check "core-seconds for each token are those of the measured requests" core_seconds
joules() { # of both passes over their tokens, or null with a reason
    python3 - "$bundle" << 'PY'
import json, sys
folder = sys.argv[1] + "/experiment/"
measurement = json.load(open(folder + "benchmark-set.json"))["candidates"][0]["parameters"]["measurement"]
passes = [json.load(open(f"{folder}candidates/q8/resource-measurement-pass-{n}.json"))["energy"] for n in (1, 2)]
for one in passes:
    assert (one["joules"] is None) == (one["absent_because"] is not None) and (one["joules"] is None or one["joules"] > 0), one
lacks = [one["absent_because"] for one in passes if one["joules"] is None]
if lacks:
    assert measurement["joules_per_token"] is None and measurement["joules_absent_because"] == lacks[0], measurement
else:
    want = sum(one["joules"] for one in passes) / 128
    assert abs(measurement["joules_per_token"] - want) < 1e-9 * want, measurement
PY
}
check "joules for each token, or the reason why there are none" joules
fits() { # prompt time, generation time and tokens of 8 requests at least, as a real server says them
    local found=candidates.0.parameters.measurement.cross_checks
    is "$bundle/experiment/benchmark-set.json" $found.contradicted 0 && [ "$(member "$bundle/experiment/benchmark-set.json" $found.checked)" -ge 24 ]
}
check "what the server says fits what the client saw" fits
loaded() { # with the memory of the server that was loaded
    local report=$bundle/experiment/candidates/q4-given/load-report.json
    is "$report" levels.0.asked.clients 2 && is "$report" levels.1.counts.issued 6 && is "$report" run.origin '"synthetic-weights"' &&
        [ "$(member "$report" levels.1.observed.server.rss_peak_bytes)" -gt 1000000 ]
}
check "a given line was loaded in both loops" loaded
stage() { is "$bundle/experiment/benchmark-set.json" candidates.1.parameters.configuration.attribution_stage '"quantization"' && grep -q quantization "$bundle/extensions/decision-passport.json"; }
check "a stage of the plan stands in set and passport" stage
by_table() { find "$1" \( -name '*.json' -o -name '*.jsonl' \) ! -path '*/raw/*' -exec "$check_documents" {} +; }
check "its documents are valid by their tables" run 0 by_table "$bundle"

# ---- orders and phases ---------------------------------------------------------------------------
planned() { "$paretopilot" study plan "$1" | grep '^# requests' | sed 's/.*: //; s/,.*//' | tr '\n' ' '; }
williams() { # with four candidates each comes directly after each other one once in four passes
    edit "$plan" "$work/williams.json" 'order={"kind": "williams", "seed": 3}' passes=4
    planned "$work/williams.json" | python3 -c '
import sys
words = sys.stdin.read().split()
rows = [words[i:i + 4] for i in range(0, 16, 4)]
pairs = {pair for row in rows for pair in zip(row, row[1:])}
sys.exit(not (len(words) == 16 and all(len(set(row)) == 4 for row in rows) and len(pairs) == 12))'
}
check "the Williams order is what study plan prints" williams
blocks() {
    edit "$plan" "$work/blocks.json" 'order={"kind": "blocks", "seed": 3}' passes=8
    planned "$work/blocks.json" | python3 -c '
import sys
words = sys.stdin.read().split()
rows = [tuple(words[i:i + 4]) for i in range(0, 32, 4)]
sys.exit(not (all(len(set(row)) == 4 for row in rows) and len(set(rows)) > 2))'
}
check "the shuffled order is what study plan prints" blocks
only_requests() {
    edit "$plan" "$work/requests.json" throughput=null passes=1 'candidates=[]' 'constraints.preference_order=["q4-given"]' baseline_id='"q4-given"' 'stages=[]' \
        "candidates=[$(member "$plan" candidates.3)]" 'pause={"kind": "idle", "cpu_percent": 0.0001, "max_wait_ms": 2500}'
    run 0 study "$work/requests.json" "$work/requests" && ! ls "$work/requests"/experiment/candidates/*/raw/*.jsonl 2> /dev/null
}
check "a study without throughput has no rows of llama-bench" only_requests
pause=$work/requests/experiment/candidates/q4-given/requests-run-pass-1.json
waited() { is "$pause" pause.gave_up true && [ "$(member "$pause" pause.waited_ms)" -ge 2500 ] && [ "$(member "$pause" pause.waited_ms)" -lt 4000 ]; }
check "a machine that never is idle is waited for as long as the plan says" waited
idle() {
    edit "$work/requests.json" "$work/idle.json" 'pause={"kind": "idle", "cpu_percent": 100000, "max_wait_ms": 60000}'
    run 0 study "$work/idle.json" "$work/idle" || return 1
    pause=$work/idle/experiment/candidates/q4-given/requests-run-pass-1.json
    is "$pause" pause.gave_up false && [ "$(member "$pause" pause.waited_ms)" -ge 1990 ] && [ "$(member "$pause" pause.waited_ms)" -lt 20000 ]
}
check "an idle machine is waited for two seconds" idle
only_bench() {
    edit "$plan" "$work/bench.json" requests=null passes=1 "candidates=[$(member "$plan" candidates.3)]" 'stages=[]' baseline_id='"q4-given"' \
        'constraints={"schema_version": "2.0", "quality": "not-measurable", "objective": {"metric": "generation_tokens_per_second", "direction": "max"}, "objective_tolerance_percent": 1.0, "frontier_metrics": {"generation_tokens_per_second": "max"}, "preference_order": ["q4-given"]}'
    run 0 study "$work/bench.json" "$work/bench" && absent "$work/bench/experiment/candidates/*/samples*" && run 0 "$paretopilot" verify "$work/bench"
}
check "a study without requests has no samples, and decides by throughput" only_bench

# ---- refused before anything is written ------------------------------------------------------------
refused() { # NAME TEXT CHANGE...
    local name=$1 text=$2
    shift 2
    edit "$plan" "$work/refused.json" "$@"
    check "$name: exit 2" run 2 study "$work/refused.json" "$work/refused"
    check "$name: the reason" says err "$text"
    check "$name: nothing written" absent "$work/refused"
}
refused "another build's program in a given line" "candidate 'q4-given': the command line has '$work/models/tiny-q8_0.gguf' as its model; the plan says '$work/models/tiny-q4_0.gguf'" 'candidates.3.argv.server.2="models/tiny-q8_0.gguf"'
cp "$llama/llama-server" "$work/engines/copy" 2> /dev/null || true
refused "a copy of the program in a given line" "has '$work/engines/copy' as its program; the plan says '$work/engines/plain/llama-server'" 'candidates.3.argv.server.0="engines/copy"'
refused "a required marker that is absent" "the required marker 'no such line' is absent" 'engines.0.log_markers.required=["no such line"]'
check "a required marker that is absent: candidate, step and pass" says err "preflight of candidate 'q8': '"
check "a required marker that is absent: step, pass and the log" says err "the required marker 'no such line' is absent; step 'preflight/q8', before pass 1; the server's log ends: "
refused "a forbidden marker that is there" "the forbidden marker 'model buffer size' stands in the line: " 'engines.1.log_markers.forbidden=["model buffer size"]'
refused "an argument that the build does not know" "does not know the option '--no-such-option'" 'candidates.2.extra_arguments=["--no-such-option"]'
refused "an engine that is not there" "engine 'other': llama.cpp folder '$work/gone': expected a folder" 'engines.1.path="gone"'
all_named() { run 2 "$paretopilot" study run "$plan" --output-dir "$work/refused" --llama-dir "$llama" && says err "--llama-dir: the plan says of each of its 2 engines where it is"; }
check "--llama-dir that no engine needs is refused" all_named

# ---- servers that misbehave ------------------------------------------------------------------------
fake() { # FILE MODE CHANGE... - one candidate, on the fake server
    local file=$1 mode=$2
    shift 2
    edit "$plan" "$file" throughput=null passes=1 "candidates=[$(member "$plan" candidates.1)]" 'stages=[]' baseline_id='"q4"' 'constraints.preference_order=["q4"]' \
        "engines.0={\"id\": \"plain\", \"path\": \"engines/fake\", \"environment\": {\"REAL_LLAMA\": \"$llama\", \"FAKE_MODE\": \"$mode\", \"FAKE_STATE\": \"$work/state-$mode\"}, \"log_markers\": {\"required\": [\"model buffer size\"], \"forbidden\": []}}" "$@"
}
fake "$work/lies.json" lies
check "a server that runs with other slots is refused" run 2 study "$work/lies.json" "$work/refused"
check "... naming candidate and setting" says err "preflight of candidate 'q4': starting llama-server with model '$work/models/tiny-q4_0.gguf': reading settings back: llama-server runs with total_slots 3, asked was 2"
check "... and step and pass" says err "; step 'preflight/q4', before pass 1; the server's log ends: "
check "... and nothing is written" absent "$work/refused"

fake "$work/drift.json" drift
check "a server that runs with other slots in a pass fails this run" run 1 study "$work/drift.json" "$work/drift"
check "... naming candidate, phase, pass, setting and file" says out "failed: q4, requests pass 1: starting llama-server with model '$work/models/tiny-q4_0.gguf': reading settings back: llama-server runs with total_slots 3, asked was 2; see experiment/candidates/q4/requests-run-pass-1.json"
check "... and that file says it" is "$work/drift/experiment/candidates/q4/requests-run-pass-1.json" outcome '"failed"'

fake "$work/crash.json" crash
check "a server that dies in the middle of a pass leaves no winner" run 1 study "$work/crash.json" "$work/crash"
check "... naming candidate, phase, pass, cause and file" says out "failed: q4, requests pass 1: llama-server ended with exit code 9; its last log lines: "
check "... with its last words" says out "the dog ate the weights; see experiment/candidates/q4/requests-run-pass-1.json"
check "... and the samples so far are kept" test -s "$work/crash/experiment/candidates/q4/samples-pass-1.jsonl"
check "... and the bundle is verified" run 0 "$paretopilot" verify "$work/crash"

fake "$work/hang.json" hang 'deadlines.request_ms=400' 'requests.measured=2'
check "a server that never answers ends with the deadline of each request" run 1 study "$work/hang.json" "$work/hang"
hung() { is "$work/hang/experiment/benchmark-set.json" candidates.0.parameters.measurement.failed_request_count 2; }
check "... and each request is counted as failed" hung
check "... naming candidate, phase, pass, cause and file" says out "failed requests: q4, requests pass 1: 2 of 2 measured requests failed (first-byte-timeout 2); see experiment/candidates/q4/samples-pass-1.jsonl"
hung_file() { [ "$(grep -c 'first-byte-timeout' "$work/hang/experiment/candidates/q4/samples-pass-1.jsonl")" -ge 2 ]; }
check "... and that file holds them" hung_file
check "... and no process is left" no_children_left

fake "$work/stuck.json" stuck 'deadlines.start_ms=12000'
check "a server that is never ready in a pass ends with the deadline of its start" run 1 study "$work/stuck.json" "$work/stuck"
check "... naming candidate, phase, pass and cause" says out "failed: q4, requests pass 1: starting llama-server with model '$work/models/tiny-q4_0.gguf': llama-server was not healthy after 12.0 s; last answer: "
check "... with its last words and the file" says out "load_tensors: model buffer size = 1.00 MiB; see experiment/candidates/q4/requests-run-pass-1.json"
check "... and no process is left" no_children_left

fake "$work/late.json" late
check "B177: a server that is ready and sleeps is measured" run 0 study "$work/late.json" "$work/late"
warm() { python3 - "$work/late/experiment/candidates/q4/samples-pass-1.jsonl" << 'PY'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
slow = [row["phase"] for row in rows if row["e2e_ns"] > 4_000_000_000]
sys.exit(slow != ["warmup"] or len(rows) != 5)
PY
}
check "... its first answer is late in the warm-up only" warm

fake "$work/mute.json" mute
check "a marker that is there in the preflight and absent in a run voids the run" run 1 study "$work/mute.json" "$work/mute"
check "... naming candidate, phase, pass, file and marker" says out "failed: q4, requests pass 1: '$work/mute/experiment/candidates/q4/server-pass-1.stderr.log': the required marker 'model buffer size' is absent; see experiment/candidates/q4/requests-run-pass-1.json"

environment() {
    fake "$work/environment.json" ""
    LLAMA_ARG_N_PARALLEL=7 LLAMA_API_KEY=sk-4711 HF_TOKEN=sk-4711 run 0 study "$work/environment.json" "$work/environment" || return 1
    local log=$work/environment/experiment/candidates/q4/server-pass-1.stderr.log
    grep -q '^env REAL_LLAMA=' "$log" && ! grep -q '^env LLAMA_ARG_' "$log"
}
check "B178: programs see the plan's variables, and no LLAMA_ARG_" environment
no_key() {
    ! grep -rqF sk-4711 "$work/environment" &&
        [ "$(member "$work/environment/environment/engines/plain/engine.json" cleared_environment | tr -d '[]" ' | tr , '\n' | sort | tr '\n' ' ')" = "HF_TOKEN LLAMA_API_KEY LLAMA_ARG_N_PARALLEL " ]
}
check "B145: no key reaches them, and none is in the bundle" no_key
# ---- a server that runs already beside one that is started -------------------------------------------
printf 'sk-4712' > "$work/key"
"$paretopilot" sim --token-time 1ms --api-key-file "$work/key" > "$work/url" 2> /dev/null &
sim=$!
trap 'kill "$sim" 2> /dev/null; rm -rf "$work"' EXIT
mixed() {
    wait_for 20 test -s "$work/url" || return 1
    fake "$work/mixed.json" "" &&
        edit "$work/mixed.json" "$work/mixed.json" "candidates.1={\"kind\": \"endpoint\", \"id\": \"there\", \"label\": \"sim\", \"endpoint\": {\"url\": \"$(cat "$work/url")\", \"server\": \"llama-server\", \"api_key_env\": \"OUR_KEY\"}}" \
            'constraints.preference_order=["q4", "there"]' 'constraints.max_values={}' 'constraints.frontier_metrics={"e2e_latency_ms_p50": "min"}' &&
        OUR_KEY=sk-4712 run 0 study "$work/mixed.json" "$work/mixed"
}
check "a server that is started and a simulated one with a key are compared" mixed
simulated_everywhere() {
    is "$work/mixed/experiment/benchmark-set.json" synthetic true && is "$work/mixed/experiment/benchmark-set.json" metadata.synthetic_kind '"simulated"' &&
        is "$work/mixed/experiment/recommendation.json" synthetic_source true && is "$work/mixed/extensions/benchmark-set-pass-1.json" metadata.synthetic_kind '"simulated"' &&
        says out "origin    simulated" && grep -q 'simulated' "$work/mixed/experiment/report.html" && grep -qi 'simulated\|synthetic' "$work/mixed/extensions/optimization-receipt.md"
}
check "one simulated input makes all of it simulated" simulated_everywhere
no_plan_key() {
    ! grep -q '^env OUR_KEY=' "$work/mixed/experiment/candidates/q4/server-pass-1.stderr.log" && ! grep -rqF sk-4712 "$work/mixed" &&
        grep -q '"OUR_KEY"' "$work/mixed/environment/engines/plain/engine.json"
}
check "B145: the key of that server reaches no program that is started" no_plan_key
check "the bundle is verified" run 0 "$paretopilot" verify "$work/mixed"
busy() { # the server that is started cannot have the port; whoever answers there is not asked for it
    local port
    port=$(sed 's/.*://' "$work/url")
    edit "$work/requests.json" "$work/busy.json" "candidates.0.argv.server.15=\"$port\""
    run 2 study "$work/busy.json" "$work/busy" && absent "$work/busy" && says err "preflight of candidate 'q4-given'" &&
        grep -qE "the process that answers on port $port is not the one that was started|llama-server ended with" "$work/err"
}
check "B131: a foreign server on the chosen port is refused" busy
kill "$sim"
wait "$sim" 2> /dev/null
check "no process is left" no_children_left
end
