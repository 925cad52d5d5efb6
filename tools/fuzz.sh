#!/usr/bin/env bash
# fuzz.sh [SECONDS] - run every fuzz target for some seconds with libFuzzer and both sanitizers.
#
# Needs clang with its run-time libraries. Findings are kept in build/fuzz/findings; one that is mended
# becomes a file of the corpus below tests/fuzz/corpus, which every `make check` replays.
set -euo pipefail

seconds=${1:-60}
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
out=$root/build/fuzz
sources=()
for module in base json digest stats machine net proc model intake decide capacity report engine; do
    sources+=("$root/src/$module"/*.c)
done
mkdir -p "$out/findings" "$out/include"
printf '#define PP_VERSION "fuzz"\n' > "$out/include/version.h"
command -v clang > /dev/null || { echo "fuzz.sh: clang is not installed" >&2; exit 3; }

read -r -a libraries <<< "$(pkg-config --cflags --libs jansson libcrypto libcurl libutf8proc)"
for target in "$root"/tests/fuzz/fuzz_*.c; do
    name=$(basename "$target" .c)
    reader=${name#fuzz_}
    echo "fuzz.sh: $name, $seconds s" >&2
    clang -g -O1 -std=c11 -D_GNU_SOURCE -ffp-contract=off -fsanitize=fuzzer,address,undefined \
        -fno-sanitize-recover=all -I "$root/src" -I "$out/include" "$target" "${sources[@]}" \
        "${libraries[@]}" -lm -lpthread -o "$out/$name"
    mkdir -p "$out/corpus/$reader"
    "$out/$name" -max_total_time="$seconds" -artifact_prefix="$out/findings/$reader-" -print_final_stats=1 \
        "$out/corpus/$reader" "$root/tests/fuzz/corpus/$reader" 2> "$out/$name.log" ||
        { tail -n 30 "$out/$name.log" >&2; exit 1; }
    grep -E 'number_of_executed_units' "$out/$name.log" >&2
done
