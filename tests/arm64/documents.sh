#!/usr/bin/env bash
# Every document that the arm64 program writes must be the native program's, byte for byte: decisions,
# reports and models must not depend on the machine.
set -u
# shellcheck source=tests/live/lib.sh
. "$PARETOPILOT_SOURCE/tests/live/lib.sh"
native=${PARETOPILOT_NATIVE_BINARY:-}
[ -x "$native" ] || skip_all "PARETOPILOT_NATIVE_BINARY names no program to compare with (tools/arm64.sh does)"
source_root=$PARETOPILOT_SOURCE
make_work

# The golden cases judge themselves elsewhere; here only what they gave matters.
golden_documents() { # PROGRAM FOLDER
    PARETOPILOT_BINARY=$1 PARETOPILOT_GOLDEN_KEEP=$2/golden \
        "$source_root/tests/support/golden.sh" "$source_root/tests/golden" > "$2.golden-log" 2>&1 || true
}

# recommend and report on one set and one constraints document; NAME is the front of what is written.
decision_document() { # PROGRAM NAME SET CONSTRAINTS
    "$1" recommend "$3" --constraints "$4" --output "$2.recommendation.json" --details "$2.details.json" > "$2.stdout"
    echo "exit $?" >&2
    "$1" recommend "$3" --constraints "$4" --json > "$2.json"
    echo "exit $?" >&2
    "$1" report "$3" --constraints "$4" --output "$2.html"
    echo "exit $?" >&2
}

# Every set with all constraints of its folder: most decide, some are refused, and refusals count, too.
decision_documents() { # PROGRAM FOLDER
    local set constraints name
    mkdir -p "$2/decision"
    for set in "$source_root"/{examples/recommend/benchmarks,tests/fixtures/decision/*-benchmarks,tests/fixtures/report/*-set}.json; do
        for constraints in "${set%/*}"/*constraints.json; do
            name=$2/decision/$(basename "$set" .json)-$(basename "$constraints" .json)
            decision_document "$1" "$name" "$set" "$constraints" < /dev/null 2> "$name.stderr"
        done
    done
}

model_documents() { # PROGRAM FOLDER
    local type
    mkdir -p "$2/model"
    for type in f16 q8_0 q4_0; do
        "$1" model synth --shape tiny --type $type --output "$2/model/$type.gguf" > /dev/null &&
            (cd "$2/model" && "$1" model info "$type.gguf" --json > "$type.json" && "$1" model info "$type.gguf" > "$type.text")
    done
}

all_documents() {
    mkdir -p "$2"
    golden_documents "$1" "$2" && decision_documents "$1" "$2" && model_documents "$1" "$2"
}

files_of() { (cd "$work/$1" && find . -type f | LC_ALL=C sort); }

same_list() { diff <(files_of native) <(files_of arm64) | sed 's/^/#   /'; return "${PIPESTATUS[0]}"; }

count() { files_of native | grep -cE -- "$1" || true; }

# Without this, two programs that both write nothing would agree.
kinds() {
    local kind
    for kind in '^./golden/.*/stdout$' '^./golden/.*/written/' 'recommendation.json$' 'details.json$' \
        '^./decision/.*html$' 'gguf$' '^./model/.*json$'; do
        [ "$(count "$kind")" -gt 2 ] || { echo "#   fewer than 3 documents are like $kind"; return 1; }
    done
}

equal() {
    local file same=0 differ=0
    while IFS= read -r file; do
        if cmp -s "$work/native/$file" "$work/arm64/$file"; then
            case $file in
            */stderr | */exit | *.stderr) ;; # compared, but no documents
            *) [ ! -s "$work/native/$file" ] || same=$((same + 1)) ;;
            esac
        else
            differ=$((differ + 1))
            echo "#   differs: $file"
            diff "$work/native/$file" "$work/arm64/$file" | head -n 6 | sed 's/^/#     /'
        fi
    done < <(files_of native)
    echo "# arm64: $same documents equal, $differ differ"
    [ "$differ" -eq 0 ]
}

# One of the two takes the longer way and the other need not wait.
all_documents "$native" "$work/native" &
all_documents "$paretopilot" "$work/arm64"
wait
check "both programs wrote the same files" same_list
check "there are documents of every kind" kinds
check "all of them are equal, byte for byte" equal
end
