#!/usr/bin/env bash
# fuzz.sh [SECONDS [TARGET...]] - run fuzz targets for some seconds each with libFuzzer and both sanitizers.
#
# Needs clang with its run-time libraries and LLVM's coverage programs. A target is the name of a reader
# (constraints for tests/fuzz/fuzz_constraints.c); without one all run. Findings are kept in
# build/fuzz/findings; one that is mended becomes a file of the corpus below tests/fuzz/corpus, which
# every `make check` replays. build/fuzz/coverage.txt has a line for each target, of its latest run.
# Exit 1 when a target found something; the others run all the same.
set -euo pipefail

seconds=${1:-60}
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
out=$root/build/fuzz
built=$out/build/tests/fuzz
readers=$root/tests/fuzz/readers.txt
table='%-14s %7s %12s %6s %6s %7s %9s\n'

fail() {
    echo "fuzz.sh: $1" >&2
    exit "$2"
}

# Debian gives the coverage programs a version, too
llvm_program() { # NAME
    local found
    found=$(compgen -c "$1" | grep -E "^$1(-[0-9]+)?\$" | sort -V | head -n 1) || true
    [ -n "$found" ] || fail "$1 is not installed" 3
    echo "$found"
}

choose_targets() { # TARGET...
    targets=("$@")
    [ $# -gt 0 ] || mapfile -t targets < <(basename -a -s .c "$root"/tests/fuzz/fuzz_*.c | sed 's/^fuzz_//')
    for reader in "${targets[@]}"; do
        [ -f "$root/tests/fuzz/fuzz_$reader.c" ] || fail "no target '$reader' in tests/fuzz" 2
        grep -q "^$reader: ." "$readers" || fail "'$reader' has no line in tests/fuzz/readers.txt" 2
    done
}

# Each module is compiled once, for all targets. A warning is an error in the daily build, not here: it
# may be one that only this clang knows.
build_targets() {
    [ -e "$out/build/build.ninja" ] ||
        CC=clang meson setup "$out/build" "$root" -Dfuzzer=true -Dwerror=false -Doptimization=1 -Ddebug=true \
            -Db_sanitize=address,undefined -Db_lundef=false \
            -Dc_args='-fsanitize=fuzzer-no-link -fno-sanitize-recover=all -fprofile-instr-generate -fcoverage-mapping' \
            -Dc_link_args=-fprofile-instr-generate > "$out/setup.log" ||
        { cat "$out/setup.log" >&2; fail "cannot set up the build" 3; }
    ninja -C "$out/build" --quiet "${targets[@]/#/tests/fuzz/fuzz_}" > "$out/build.log" 2>&1 ||
        { cat "$out/build.log" >&2; fail "cannot build the targets" 3; }
}

# What the corpora reach, in percent of the lines of the files that the target is for.
line_coverage() { # READER
    local profile=$out/$1.profile
    if ! LLVM_PROFILE_FILE=$profile.raw "$built/fuzz_$1" -runs=0 "$out/corpus/$1" "$root/tests/fuzz/corpus/$1" \
        2> /dev/null || ! "$profdata" merge -o "$profile" "$profile.raw" ||
        ! "$cov" report "$built/fuzz_$1" -instr-profile="$profile" > "$out/$1.coverage"; then
        echo -
        return
    fi
    # columns 8 and 9: lines, missed lines
    awk -v files="$(sed -n "s/^$1: //p" "$readers")" '
        BEGIN { wanted = split(files, names, " ") }
        { for (i in names) if ($1 ~ "(^|/)" names[i] "$") { found++; lines += $8; missed += $9 } }
        END { if (found == wanted) printf "%.1f%%", 100 * (lines - missed) / lines; else print "?" }
    ' "$out/$1.coverage"
}

last_figure() { # NAME LOG
    sed -n -E "s/.*\\b$1: ([0-9]+).*/\\1/p" "$2" | tail -n 1
}

run_target() { # READER
    local log=$out/$1.log found executed lines
    mkdir -p "$out/corpus/$1"
    echo "fuzz.sh: $1, $seconds s" >&2
    LLVM_PROFILE_FILE=/dev/null "$built/fuzz_$1" -max_total_time="$seconds" -timeout=30 -print_final_stats=1 \
        -artifact_prefix="$out/findings/$1-" "$out/corpus/$1" "$root/tests/fuzz/corpus/$1" 2> "$log" ||
        { tail -n 30 "$log" >&2; failed=1; }
    found=$(grep -c 'Test unit written to' "$log") || true
    executed=$(last_figure stat::number_of_executed_units "$log")
    lines=$(line_coverage "$1")
    # shellcheck disable=SC2059
    printf "$table" "$1" "$seconds" "${executed:--}" "$(last_figure cov "$log")" "$(last_figure ft "$log")" "$lines" \
        "$found" | tee "$out/$1.summary" >&2
}

command -v clang > /dev/null || fail "clang is not installed" 3
profdata=$(llvm_program llvm-profdata)
cov=$(llvm_program llvm-cov)
choose_targets "${@:2}"
mkdir -p "$out/findings"
build_targets
failed=0
for reader in "${targets[@]}"; do
    run_target "$reader"
    # shellcheck disable=SC2059
    { printf "$table" target seconds executions cov ft lines findings; cat "$out"/*.summary; } > "$out/coverage.txt"
done
cat "$out/coverage.txt"
exit "$failed"
