#!/usr/bin/env bash
# bench.sh BUILD [--anyway] [--tries N] - what the measuring itself costs and finds, on a quiet machine.
#
# First asks the doctor five times whether others use this machine now; when they do it says so and exits 3,
# because figures from a disturbed machine would be about the neighbours. --anyway measures all the same
# and says so behind the figures. Exit 0: every limit is kept; 1: one is not.
set -euo pipefail

build=${1:?usage: bench.sh BUILD [--anyway] [--tries N]}
shift
anyway=0
tries=20
while [ $# -gt 0 ]; do
    case $1 in
        --anyway) anyway=1 ;;
        --tries) tries=${2:?--tries: expected a number}; shift ;;
        *) echo "bench.sh: unknown option '$1'" >&2; exit 2 ;;
    esac
    shift
done
doctor=$build/src/cli/paretopilot
bench=$build/tests/bench

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

code=0
"$bench/bench_watch_overhead" 30 || code=1
"$bench/bench_watch_neighbour" "$tries" || code=1
if [ "$code" -eq 0 ]; then
    echo "bench: every limit is kept$note"
else
    echo "bench: a limit is not kept$note"
fi
exit "$code"
