#!/usr/bin/env bash
# origins.sh - the origin of the figures is the worst of what a benchmark set says, and every document and
# page that is made from the set carries it. Reports in TAP.
set -u
cd "${PARETOPILOT_SOURCE:?}/examples/recommend" || exit 1
binary=${PARETOPILOT_BINARY:?}
# shellcheck source=tests/support/checks.sh
. "$PARETOPILOT_SOURCE/tests/support/checks.sh"
make_work
words=(measured synthetic-weights constructed-weights simulated emulated imported unknown)

# make_set SYNTHETIC KIND CANDIDATE-ORIGIN EMULATED - the example with these statements
make_set() {
    python3 - "$@" > "$work/set.json" <<'END'
import json, sys
synthetic, kind, candidate, emulated = sys.argv[1:]
document = json.load(open("benchmarks.json"))
document["synthetic"] = synthetic == "true"
document["metadata"] = {"host": {"platform": {"emulated": emulated == "true"}}}
if kind:
    document["metadata"]["synthetic_kind"] = kind
if candidate:
    document["candidates"][2]["parameters"]["model"] = {"origin": candidate}
json.dump(document, sys.stdout)
END
}

# Everything that the commands make of the set, with the place where each says its origin.
made_documents() {
    rm -f "$work"/{recommendation.json,details.json,report.html}
    "$binary" recommend "$work/set.json" --constraints constraints.json \
        --output "$work/recommendation.json" --details "$work/details.json" > "$work/table" &&
        "$binary" report "$work/set.json" --constraints constraints.json --output "$work/report.html" > /dev/null
}

says_origin() { # WORD
    local want=$1 status=0 warned=1 synthetic=true
    made_documents || return 1
    if [ "$want" = measured ]; then
        ! grep -q '^origin' "$work/table" || { echo "#   table: an origin line for measured figures"; status=1; }
        warned=0
        synthetic=false
    else
        grep -q "^origin *$want: " "$work/table" || { echo "#   table: no line 'origin $want'"; status=1; }
    fi
    grep -q "\"synthetic_source\": $synthetic" "$work/recommendation.json" || { echo "#   recommendation: not $synthetic"; status=1; }
    grep -q "\"origin\": \"$want\"" "$work/details.json" || { echo "#   details: not $want"; status=1; }
    grep -q "origin of the figures: <strong>$want</strong>" "$work/report.html" || { echo "#   page: not $want"; status=1; }
    [ "$(grep -c 'Synthetic figures, ' "$work/report.html")" -eq $warned ] || { echo "#   page: expected $warned banner"; status=1; }
    return $status
}

make_set false '' '' false
check "nothing said is measured" says_origin measured
make_set true '' '' false
check "synthetic without a kind is unknown" says_origin unknown
make_set true homemade '' false
check "a foreign kind is unknown" says_origin unknown
make_set true measured '' false
check "synthetic and measured contradict each other: unknown" says_origin unknown
make_set false '' homemade false
check "a foreign word of a candidate says nothing" says_origin measured
for word in "${words[@]:1}"; do
    make_set true "$word" '' false
    check "kind $word" says_origin "$word"
    make_set false '' "$word" false
    check "one candidate $word, nothing else said" says_origin "$word"
done
make_set false '' '' true
check "an emulated host, nothing else said" says_origin emulated
for i in 1 2 3 4 5 6; do
    for j in 1 2 3 4 5 6; do
        make_set true "${words[i]}" "${words[j]}" false
        check "kind ${words[i]}, one candidate ${words[j]}" says_origin "${words[i > j ? i : j]}"
    done
    make_set true "${words[i]}" '' true
    check "kind ${words[i]}, emulated host" says_origin "${words[i > 4 ? i : 4]}"
done
end
