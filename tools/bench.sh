#!/usr/bin/env bash
# bench.sh BUILD [--anyway] [--tries N] [--only PART] [--seconds N] - what measuring costs and finds, what
# the load client can do, what the gateway costs, and how fast deciding and writing a report page is, on a
# quiet machine.
#
# First asks the doctor five times whether others use this machine now; when they do it says so and exits 3,
# because figures from a disturbed machine would be about the neighbours. --anyway measures all the same
# and says so behind the figures. --only runs one part: decide, report, gateway, load or watch. --seconds is
# how long each figure of the load client and of the gateway is measured, 20 as its limits are meant. `load`
# needs wrk, `gateway` wrk and nginx, which are in no set-up but that for benches: tools/setup.sh --with-benches.
# Exit 0: every limit is kept; 1: one is not; 3: the machine is not quiet, or wrk or nginx is missing.
set -euo pipefail

build=${1:?usage: bench.sh BUILD [--anyway] [--tries N] [--only PART] [--seconds N]}
shift
anyway=0
tries=20
only=
seconds=20
while [ $# -gt 0 ]; do
    case $1 in
        --anyway) anyway=1 ;;
        --tries) tries=${2:?--tries: expected a number}; shift ;;
        --only) only=${2:?--only: expected decide, report, gateway, load or watch}; shift ;;
        --seconds) seconds=${2:?--seconds: expected a number}; shift ;;
        *) echo "bench.sh: unknown option '$1'" >&2; exit 2 ;;
    esac
    shift
done
case $only in
    '' | decide | report | gateway | load | watch) ;;
    *) echo "bench.sh: --only: expected decide, report, gateway, load or watch, got '$only'" >&2; exit 2 ;;
esac
doctor=$build/src/cli/paretopilot
bench=$build/tests/bench

wants() { [ -z "$only" ] || [ "$only" = "$1" ]; }

# Debian has nginx where only root looks for programs.
needed() { # PART PROGRAM
    ! wants "$1" || PATH=$PATH:/usr/sbin command -v "$2" > /dev/null || {
        echo "bench.sh: $2 is missing; tools/setup.sh --with-benches installs it" >&2
        exit 3
    }
}
needed load wrk
needed gateway wrk
needed gateway nginx

# One second each; prints what disturbs.
is_quiet() {
    local document verdict
    for _ in 1 2 3 4 5; do
        document=$("$doctor" doctor --json) || return 1
        verdict=$(sed -n 's/^ *"verdict": "\([a-z]*\)".*/\1/p' <<< "$document")
        if [ "$verdict" != quiet ]; then
            sed -n 's/^ *"text": "\(disturbed now: .*\)",*$/  \1/p' <<< "$document" >&2
            return 1
        fi
    done
}

note=
if ! is_quiet; then
    if [ "$anyway" -eq 0 ]; then
        echo "bench.sh: this machine is not quiet; figures from now would be about its neighbours (--anyway measures all the same)" >&2
        exit 3
    fi
    note=' (the machine was NOT quiet)'
fi

# 5,000 candidates, 4 metrics, none dominated.
# shellcheck disable=SC2317  # called by what `ran` calls
write_large_set() { # FOLDER
    awk 'BEGIN {
        srand(3)
        printf "{\"schema_version\":\"1.0\",\"baseline_id\":\"c1\",\"synthetic\":true,\"candidates\":["
        for (i = 1; i <= 5000; i++) {
            sum = 0
            for (j = 1; j <= 4; j++) { cost[j] = -log(1 - rand()); sum += cost[j] }
            printf "%s{\"id\":\"c%d\",\"metrics\":{\"q\":1", (i > 1 ? "," : ""), i
            for (j = 1; j <= 4; j++) printf ",\"m%d\":%.17g", j, cost[j] / sum
            printf "}}"
        }
        print "]}"
    }' > "$1/set.json"
    echo '{"quality_metric":"q","objective":{"metric":"m1","direction":"min"},
        "frontier_metrics":{"m1":"min","m2":"min","m3":"min","m4":"min"}}' > "$1/constraints.json"
}

# recommend from file to document. The original's best run on such a machine (two x86 CPUs, Python 3.12, whole
# process) took 13.4 s; it is not run here.
# shellcheck disable=SC2317  # called by `ran`
end_to_end() {
    local folder i
    folder=$(mktemp -d) || return 1
    write_large_set "$folder"
    for i in 1 2 3 4 5 6 7 8 9; do
        local begin=${EPOCHREALTIME/./}
        "$doctor" recommend "$folder/set.json" --constraints "$folder/constraints.json" \
            --output "$folder/$i.json" > /dev/null || return 1
        echo $((${EPOCHREALTIME/./} - begin))
    done | sort -n | awk 'NR == 5 {
        kept = $1 <= 67000
        printf "recommend: 5000 x 4, none dominated, from file to file: %.0f ms, limit 67 ms (the original: 13400 ms, %.0f x): %s\n",
            $1 / 1000, 13400000 / $1, kept ? "kept" : "exceeded"
        exit !kept
    }'
    i=$?
    rm -r "$folder"
    return "$i"
}

# report from files to a page and what stands beside it, whole process, the median of 9 runs.
# shellcheck disable=SC2317  # called by what `ran` calls
one_page() { # NAME SET CONSTRAINTS LIMIT_MS LIMIT_BYTES
    local folder i
    folder=$(mktemp -d) || return 1
    for i in 1 2 3 4 5 6 7 8 9; do
        local begin=${EPOCHREALTIME/./}
        "$doctor" report "$2" --constraints "$3" --output "$folder/$i.html" > /dev/null || return 1
        echo $((${EPOCHREALTIME/./} - begin))
    done > "$folder/times" || return 1
    sort -n "$folder/times" | awk -v name="$1" -v bytes="$(stat -c %s "$folder/1.html")" -v limit_ms="$4" -v limit_bytes="$5" 'NR == 5 {
        kept = $1 <= limit_ms * 1000 && bytes > 0 && bytes <= limit_bytes
        printf "report: %s, from files to page: %.0f ms, limit %d ms; %.1f kB, limit %d kB: %s\n",
            name, $1 / 1000, limit_ms, bytes / 1000, limit_bytes / 1000, kept ? "kept" : "exceeded"
        exit !kept
    }'
    i=$?
    rm -r "$folder"
    return "$i"
}

# The bytes are held by tests/support/test_page_sizes.py as well.
# shellcheck disable=SC2317  # called by `ran`
pages() {
    local folder fixtures=${BASH_SOURCE[0]%/*}/../tests/fixtures/published ended=0
    folder=$(mktemp -d) || return 1
    write_large_set "$folder"
    one_page "the published study" "$fixtures/benchmark-set.json" "$fixtures/constraints.json" 100 400000 || ended=$?
    one_page "5000 candidates, none dominated" "$folder/set.json" "$folder/constraints.json" 1200 20000000 || ended=$?
    rm -r "$folder"
    return "$ended"
}

code=0
# How a part ended: 0 kept, 1 not, anything else could not be measured, and nothing hides that.
ran() {
    local ended=0
    "$@" || ended=$?
    [ "$ended" -le 1 ] || ended=3
    [ "$ended" -le "$code" ] || code=$ended
}

if wants decide; then
    ran "$bench/bench_frontier" 5
    ran end_to_end
fi
if wants report; then
    ran pages
fi
if wants load; then
    ran "$bench/bench_client_truth" "$doctor" "$seconds"
    ran "$bench/bench_load_client" "$doctor" "$seconds"
fi
if wants gateway; then
    ran "$bench/bench_gateway" "$doctor" "$seconds"
fi
if wants watch; then
    ran "$bench/bench_watch_overhead" 30
    ran "$bench/bench_watch_neighbour" "$tries"
fi
if [ "$code" -eq 0 ]; then
    echo "bench: every limit is kept$note"
elif [ "$code" -eq 3 ]; then
    echo "bench: a part could not be measured$note"
else
    echo "bench: a limit is not kept$note"
fi
exit "$code"
