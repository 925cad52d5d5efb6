#!/usr/bin/env bash
# A study on an emulated CPU: refused, and with --allow-emulated carried out with the real llama.cpp for
# arm64, its features read back, every figure marked. Speed is not looked at.
set -u
# shellcheck source=tests/live/lib.sh
. "$PARETOPILOT_SOURCE/tests/live/lib.sh"
begin
native=${PARETOPILOT_NATIVE_BINARY:-}
[ -x "$native" ] || skip_all "PARETOPILOT_NATIVE_BINARY names no program to compare with (tools/arm64.sh does)"

# One small candidate and one pass; NEON and DOTPROD must, and AVX must not, be among the features that
# the server's log names.
plan=$work/plan.json
mkdir "$work/models"
"$native" model synth --shape tiny --type q4_0 --output "$work/models/tiny-q4_0.gguf" > /dev/null
sha=$(sha256sum < "$work/models/tiny-q4_0.gguf" | cut -c1-64)
size=$(stat -c %s "$work/models/tiny-q4_0.gguf")
sed -e "s/@sha@/$sha/; s/@size@/$size/" "$PARETOPILOT_SOURCE/tests/arm64/plan.json.in" > "$plan"

study() {
    timeout 120 "$paretopilot" study run "$plan" --output-dir "$1" --model-dir "$work/models" --llama-dir "$llama" "${@:2}"
}

check "doctor refuses the emulated CPU as a host of evidence" run 3 "$paretopilot" doctor --require-evidence-host
check "doctor names the sign" says out "emulated      yes: programs see aarch64"

check "study run on an emulated CPU: exit 3" run 3 study "$work/refused"
check "the reason names the sign" says err "this CPU is emulated: programs see aarch64"
check "the reason says what to do" says err "--allow-emulated"
check "nothing written" absent "$work/refused*"

bundle=$work/allowed
server_log=$bundle/preflight/q4/server.stderr.log
readback=$bundle/preflight/q4/server-command.json
set_file=$bundle/experiment/benchmark-set.json
check "with --allow-emulated the study runs" run 0 study "$bundle" --allow-emulated
check "the table says where the figures come from" says out "origin    emulated"
feature() { grep -q "system_info:.*CPU : .*$1 = 1" "$server_log"; }
for name in NEON DOTPROD MATMUL_INT8; do
    check "the server's log names $name" feature $name
done
check "the server said what it runs with" grep -q '"total_slots": 2' "$readback"
marked() { grep -q '"synthetic_kind": "emulated"' "$1" && grep -q '"synthetic": true' "$1"; }
check "the benchmark set is synthetic and says why" marked "$set_file"
only_emulated() { [ "$(grep '"origin":' "$1" | sort -u | tr -d ' ,')" = '"origin":"emulated"' ]; }
check "no figure of it has another origin" only_emulated "$set_file"
check "the page says so" grep -q 'an emulated CPU ran it' "$bundle/experiment/report.html"
check "no process is left" no_children_left

# What arm64 derived, the native program derives, too.
again() {
    "$native" recommend "$set_file" --constraints "$bundle/experiment/constraints.json" \
        --output "$work/again.json" --details "$work/again-details.json" > /dev/null &&
        cmp "$bundle/experiment/recommendation.json" "$work/again.json" &&
        cmp "$bundle/experiment/decision-details.json" "$work/again-details.json"
}
check "the native program decides the same, byte for byte" again
pages() {
    "$native" report "$set_file" --constraints "$bundle/experiment/constraints.json" --output "$work/native.html" &&
        "$paretopilot" report "$set_file" --constraints "$bundle/experiment/constraints.json" --output "$work/arm64.html" &&
        cmp "$work/native.html" "$work/arm64.html"
}
check "both write the same page of it" pages
end
