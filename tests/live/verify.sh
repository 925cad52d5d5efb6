#!/usr/bin/env bash
# A bundle of a real study, checked; then spoilt in each way that verify promises to find.
set -u
# shellcheck source=tests/live/lib.sh
. "$PARETOPILOT_SOURCE/tests/live/lib.sh"
begin
plan=$work/plan.json
tiny_plan "$plan" || { echo "Bail out! the tiny models cannot be written"; exit 1; }
bundle=$work/bundle
"$paretopilot" study run "$plan" --output-dir "$bundle" --model-dir "$work/models" --llama-dir "$llama" > /dev/null 2>&1 ||
    { echo "Bail out! the study failed"; exit 1; }
check_documents=${PARETOPILOT_CHECK_DOCUMENTS:-${PARETOPILOT_BINARY%/src/cli/*}/tests/check_documents}

check "a bundle that nobody touched is verified" run 0 "$paretopilot" verify "$bundle"
check "the digest that names the bundle is printed" says out "checksums   $(sha256sum < "$bundle/SHA256SUMS" | cut -c1-64)"
check "the plan's digest is printed" says out "plan        $(sha256sum < "$plan" | cut -c1-64)"
check "every file was hashed" says out "$(wc -l < "$bundle/SHA256SUMS") hashed, $(wc -l < "$bundle/SHA256SUMS") listed"
check "derived files were made again" says out "derived     9 files made again"
as_json() { run 0 "$paretopilot" verify --json "$bundle" && cp "$work/out" "$work/verification.json" && "$check_documents" "$work/verification.json" > /dev/null; }
check "as a document it follows its table" as_json
moved() { cp -r "$bundle" "$work/elsewhere" && run 0 env -i "$paretopilot" verify "$work/elsewhere"; }
check "it is verified elsewhere, without engine and models" moved

# spoil NAME RULE COMMAND... - in a fresh copy, in which the command runs; then verify must name the rule
spoil() {
    local name=$1 rule=$2
    shift 2
    rm -rf "$work/spoilt"
    cp -r "$bundle" "$work/spoilt"
    (cd "$work/spoilt" && "$@") || { echo "not ok - $name: could not be spoilt"; return; }
    check "$name" found_by "$rule"
}
found_by() { run 1 "$paretopilot" verify "$work/spoilt" && grep -q "^$1  " "$work/out" && says out "differs: "; }
reseal() { find . -type f ! -name 'SHA256SUMS*' -printf '%P\n' | LC_ALL=C sort | while read -r file; do printf '%s  ./%s\n' "$(sha256sum < "$file" | cut -c1-64)" "$file"; done > SHA256SUMS.new && mv SHA256SUMS.new SHA256SUMS; }
byte() { # FILE - one digit of it becomes another one
    python3 - "$1" << 'PY'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
at = next(i for i in range(len(data) - 1, -1, -1) if chr(data[i]).isdigit())
data[at] = ord("1") if data[at] != ord("1") else ord("2")
open(sys.argv[1], "wb").write(data)
PY
}
# rechain FILE - the journal's assembly records this file as it is now, and every line is chained anew.
rechain() {
    python3 - "$1" << 'PY' && reseal
import hashlib, json, sys
data = open(sys.argv[1], "rb").read()
now = {"path": sys.argv[1], "sha256": hashlib.sha256(data).hexdigest(), "size_bytes": len(data)}
previous, out = None, []
for line in open("journal.jsonl"):
    event = json.loads(line)
    event["previous_sha256"] = previous
    if event["event"] == "step-end" and event["step"] == "assemble":
        event["files"] = sorted([f for f in event["files"] if f["path"] != sys.argv[1]] + [now], key=lambda f: f["path"])
    text = json.dumps(event, sort_keys=True, separators=(",", ":")) + "\n"
    previous = hashlib.sha256(text.encode()).hexdigest()
    out.append(text)
open("journal.jsonl", "w").write("".join(out))
PY
}
samples=experiment/candidates/q4/samples-pass-1.jsonl
rows=experiment/candidates/q8/raw/pass-2.jsonl
set=experiment/benchmark-set.json

spoil "a changed raw file is found" file-digest byte $rows
spoil "a missing file is found" file-missing rm "$samples"
spoil "a file that nobody listed is found" file-unlisted touch experiment/more.json
byte_resealed() { byte "$1" && reseal; }
spoil "changed samples with new checksums are found by the journal" journal-file byte_resealed $samples
# Who changes a row of llama-bench so that it is slower changes the median.
slower() {
    python3 - "$rows" << 'PY' && reseal
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
for line in lines:
    line["samples_ns"] = [2 * value for value in line["samples_ns"]]
    line["samples_ts"] = [value / 2 for value in line["samples_ts"]]
    line["avg_ns"] *= 2
    line["avg_ts"] /= 2
open(sys.argv[1], "w").write("".join(json.dumps(line) + "\n" for line in lines))
PY
}
spoil "changed rows with new checksums are found by what follows from them" derived-differs slower
byte_of_set() { byte "$set" && reseal; }
spoil "a changed figure of the set with new checksums is found" derived-differs byte_of_set
other_winner() { sed -i 's/"selected_id": "q[48]"/"selected_id": "q9"/; s/"winner_id": "q[48]"/"winner_id": "q9"/' experiment/decision-details.json experiment/recommendation.json && reseal; }
spoil "another winner with new checksums is found" derived-differs other_winner
blank_in_report() { printf ' ' >> experiment/report.html && reseal; }
spoil "a changed report with new checksums is found" derived-differs blank_in_report
gone() { rm experiment/recommendation.json && reseal; }
spoil "a decision taken away with new checksums is found" derived-missing gone
easier() { sed -i 's/"peak_rss_mib": 2048/"peak_rss_mib": 4096/' plan.json && reseal; }
spoil "a plan that was changed afterwards is found" plan-digest easier
line_out() { sed -i 3d journal.jsonl && reseal; }
spoil "a journal with a line less is found" journal-chain line_out
no_journal() { rm journal.jsonl && reseal; }
spoil "a journal taken away is found" journal-chain no_journal
claims() { sed -i '$d' journal.jsonl && reseal; }
spoil "a journal cut at its end contradicts the status" status claims
no_rows() { rm $rows && : > $rows && reseal; }
spoil "a raw file without content is found" journal-file no_rows
no_host() { echo '{}' > environment/paretopilot-doctor.json && reseal; }
no_json() { echo broken > "$samples" && reseal; }
spoil "a machine described anew is found" derived-differs no_host
spoil "raw files that allow no derivation are found" derivation-failed no_json
profiles() { echo '{}' > extensions/policy-profiles.json && reseal; }
spoil "a document that no step of the study wrote is found" file-unfounded profiles
# What a journal would say of a document that the study had written: it is named as derived, and is none.
invented() { profiles && rechain extensions/policy-profiles.json; }
spoil "a document that the study claims to have derived, and did not, is found" derived-unfounded invented
all_found() { rm "$samples" && byte $rows && touch new; }
rm -rf "$work/spoilt" && cp -r "$bundle" "$work/spoilt" && (cd "$work/spoilt" && all_found)
all_named() { run 1 "$paretopilot" verify "$work/spoilt" && for rule in file-missing file-digest file-unlisted journal-file; do grep -q "^$rule  " "$work/out" || { echo "#   no $rule"; return 1; }; done; }
check "all differences are named, not only the first" all_named

# ---- what is no bundle, or does not let itself be judged ------------------------------------------
refused() { # TEXT COMMAND...
    local text=$1
    shift
    rm -rf "$work/spoilt"
    cp -r "$bundle" "$work/spoilt"
    (cd "$work/spoilt" && "$@") && run 2 "$paretopilot" verify "$work/spoilt" && says err "$text"
}
check "a folder that is none is refused" run 2 "$paretopilot" verify "$work/nothing"
no_sums() { rm SHA256SUMS; }
check "a folder without checksums is refused" refused "SHA256SUMS" no_sums
links() { ln -s /etc/passwd link; }
check "a link is refused, not followed" refused "expected a folder or a regular file" links
escape() { sed -i '1s|\./.*|./../escape|' SHA256SUMS; }
check "a listed path that leaves the folder is refused" refused "line 1: expected 64 hexadecimal digits" escape
twice() { sed -i '1p' SHA256SUMS; }
check "a path listed twice is refused" refused "line 2: expected paths in increasing order" twice
windows() { sed -i 's/$/\r/' SHA256SUMS; }
check "line ends of another system are refused" refused "line 1:" windows
half() { head -c 300 SHA256SUMS > part && mv part SHA256SUMS; }
check "a list that breaks off is refused" refused "breaks off" half
newer() { sed -i 's/"derivation_version": "[0-9]*"/"derivation_version": "999"/' "$set" && reseal; }
rm -rf "$work/spoilt" && cp -r "$bundle" "$work/spoilt" && (cd "$work/spoilt" && newer)
held() { run 1 "$paretopilot" verify "$work/spoilt" && says out "journal-file  $set" && ! grep -q '^derived-' "$work/out"; }
check "rules that this program lacks are not guessed, and the set is still held against the journal" held
(cd "$work/spoilt" && rechain "$set")
undecided() { run 3 "$paretopilot" verify "$work/spoilt" && says out "undecided: its figures follow by rules that this program lacks"; }
check "a newer program's bundle is undecided, exit 3" undecided
partial() {
    "$paretopilot" study run "$plan" --output-dir "$work/partial" --model-dir "$work/models" --llama-dir "$llama" > /dev/null 2>&1 &
    local pid=$!
    wait_for 60 test -e "$work/partial/experiment/candidates/q8/throughput-run-pass-1.json"
    kill -INT $pid
    wait $pid
    run 3 "$paretopilot" verify "$work/partial" && says out "undecided: the study did not end"
}
check "an interrupted study that nobody touched is undecided, exit 3" partial
end
