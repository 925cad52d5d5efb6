#!/usr/bin/env bash
# A command beside each server, after everything is measured: its files are there, and no figure comes from it.
set -u
# shellcheck source=tests/live/lib.sh
. "$PARETOPILOT_SOURCE/tests/live/lib.sh"
begin
export PARETOPILOT_CHECK_DOCUMENTS=${PARETOPILOT_CHECK_DOCUMENTS:-${PARETOPILOT_BINARY%/src/cli/*}/tests/check_documents}
plan=$work/plan.json
tiny_plan "$plan" || { echo "Bail out! the tiny models cannot be written"; exit 1; }
sed -i 's/"measured": 4/"measured": 100/' "$plan" # a second, in which a command gets to its sleep
study() { # EXIT FOLDER OPTION...
    local want=$1 folder=$2
    shift 2
    run "$want" "$paretopilot" study run "$plan" --output-dir "$folder" --model-dir "$work/models" --llama-dir "$llama" "$@"
}
resume() { run 0 "$paretopilot" study resume "$1" --profile "$2"; }
verified() { run 0 "$paretopilot" verify "$1"; }
member() { python3 -c 'import json, sys; print(json.dumps(json.load(open(sys.argv[1]))[sys.argv[2]]))' "$1" "$2"; }
is() { [ "$(member "$1" "$2")" = "$3" ] || { echo "#   $2: expected $3, got $(member "$1" "$2")"; return 1; }; }
has() { member "$1" "$2" | grep -qF -- "$3" || { echo "#   $2: no '$3' in $(member "$1" "$2")"; return 1; }; }
# names of all metrics, by candidate
metrics() { python3 -c 'import json, sys
for c in json.load(open(sys.argv[1] + "/experiment/benchmark-set.json"))["candidates"]: print(c["id"], sorted(c["metrics"]))' "$1"; }

# ---- a command that would run on ------------------------------------------------------------------
# shellcheck disable=SC2016 # the command's own variables
command='echo "${LLAMA_API_KEY-unset} ${HF_TOKEN-unset} ${KEPT-unset}" > "$PP_OUTPUT/keys.txt"; cat /proc/$PP_PID/status > "$PP_OUTPUT/status.txt"; tr "\0" " " < /proc/$PP_PID/cmdline > "$PP_OUTPUT/line.txt"; echo "$PP_CANDIDATE $PP_URL"; echo seen >&2; sleep 100'
check "a study without a command ends" study 0 "$work/plain"
check "and has no files of one" absent "$work/plain/context*"
began=$SECONDS
with_keys() { LLAMA_API_KEY=sk-4711 HF_TOKEN=sk-4711 KEPT=kept study 0 "$work/with" --profile "$command"; }
check "a study with a command that would run on ends" with_keys
soon() { [ $((SECONDS - began)) -lt 100 ]; }
check "it does not wait for the command" soon
check "no process is left" no_children_left
for id in q8 q4; do
    at=$work/with/context/$id
    beside() {
        grep -q '^VmRSS:' "$at/status.txt" || return 1
        grep -qF "/tiny-${id}_0.gguf " "$at/line.txt" || { echo "#   not its server: $(cat "$at/line.txt")"; return 1; }
        grep -qF -- "--port $(sed 's/.*://' "$at/profile.stdout.log") " "$at/line.txt" || { echo "#   another port: $(cat "$at/line.txt")"; return 1; }
        grep -qE "^$id http://127\.0\.0\.1:[0-9]+$" "$at/profile.stdout.log" && [ "$(cat "$at/profile.stderr.log")" = seen ]
    }
    check "$id: the command ran beside its server, and knew it" beside
    keyless() { [ "$(cat "$at/keys.txt")" = "unset unset kept" ] || { echo "#   found: $(cat "$at/keys.txt")"; return 1; }; }
    check "$id: it finds no key, as the server does not" keyless
    server_once() { grep -q "\"url\": \"$(cut -d' ' -f2 "$at/profile.stdout.log")" "$at/server-command.json" && [ -s "$at/server.stderr.log" ]; }
    check "$id: that server was one of its own" server_once
    recorded() {
        local asked
        asked=$(python3 -c 'import json, sys; r = json.load(open(sys.argv[1]))["requests"]; print(r["warmup"] + r["measured"])' "$plan") || return 1
        is "$at/profile.json" failure null && is "$at/profile.json" failed_request_count 0 && is "$at/profile.json" request_count "$asked" &&
            has "$at/profile.json" command 'sleep 100' && has "$at/profile.json" exit '"signal 2 '
    }
    check "$id: command, requests and end are recorded" recorded
done
same_metrics() { metrics "$work/plain" > "$work/a" && metrics "$work/with" > "$work/b" && [ -s "$work/a" ] && diff "$work/a" "$work/b"; }
check "the set has the metrics that it has without" same_metrics
same_steps() {
    local which
    for which in plain with; do grep -o '"step":"[^"]*"' "$work/$which/journal.jsonl" | sort -u > "$work/steps.$which"; done
    [ -s "$work/steps.plain" ] && diff "$work/steps.plain" "$work/steps.with"
}
check "and the study the same steps" same_steps
check "the bundle is verified" verified "$work/with"
check_schemas() { # NAME FOLDER - without a Python that has jsonschema there is nothing to ask
    local code=0
    "$PARETOPILOT_SOURCE/tests/support/schemas.sh" "$2" > "$work/out" 2> "$work/err" || code=$?
    if [ "$code" -eq 77 ]; then skip "$1" "$(cat "$work/out")"; else check "$1" [ "$code" -eq 0 ]; fi
}
check_schemas "its documents follow their tables" "$work/with"
touched() { cp -r "$work/with" "$work/spoilt" && echo >> "$work/spoilt/context/q4/status.txt" && run 1 "$paretopilot" verify "$work/spoilt" && says out "file-digest  context/q4/status.txt"; }
check "a changed file of the command is found" touched

# ---- going on -------------------------------------------------------------------------------------
check "a complete study is left as it is" resume "$work/with" "exit 1"
# shellcheck disable=SC2016
stubborn='trap "" INT; echo here > "$PP_OUTPUT/here"; while :; do sleep 0.2; done'
start() { "$paretopilot" study "$@" --llama-dir "$llama" --profile "$stubborn" > /dev/null 2>&1 & }
interrupted() {
    local code=0
    start run "$plan" --output-dir "$work/cut" --model-dir "$work/models"
    wait_for 200 test -s "$work/cut/context/q8/here" || { kill $!; return 1; }
    kill -INT $!
    wait $! || code=$?
    [ "$code" -eq 130 ] && no_children_left && absent "$work/cut/context/q4/*"
}
check "interrupted beside the first command, nothing is left running" interrupted
killed() {
    start resume "$work/cut"
    wait_for 200 test -s "$work/cut/context/q4/here" || { kill $!; return 1; }
    kill -KILL $!
    wait $! 2> /dev/null
    no_children_left && absent "$work/cut/context/q4/profile.json"
}
check "killed beside the second one, neither" killed
harder() { is "$work/cut/context/q8/profile.json" failure null && has "$work/cut/context/q8/profile.json" exit '"signal 15 '; }
check "a command that ignores SIGINT was ended by SIGTERM" harder
before=$(sha256sum < "$work/cut/context/q8/profile.json")
# shellcheck disable=SC2016
check "it goes on, and a command that fails does no harm" resume "$work/cut" 'trap "" INT; ln -s / "$PP_OUTPUT/link"; exit 3'
kept() { [ "$(sha256sum < "$work/cut/context/q8/profile.json")" = "$before" ] && [ -s "$work/cut/attempts/profile/q4/attempt-1/context/q4/here" ]; }
check "what was done stays, what was cut off is set aside" kept
check "what cannot stand in a bundle is removed, and noted" has "$work/cut/context/q4/profile.json" failure "removed: '$work/cut/context/q4/link'"
exited() { has "$work/cut/context/q4/profile.json" exit '"exit code 3"' && absent "$work/cut/context/q4/link"; }
check "how the command ended is noted" exited
check "that bundle is verified, too" verified "$work/cut"

# ---- refusals -------------------------------------------------------------------------------------
empty() { study 2 "$work/none" --profile ' ' && says err "--profile: expected a shell command" && absent "$work/none*"; }
check "an empty command is refused, and nothing written" empty
end
