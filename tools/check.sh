#!/usr/bin/env bash
# check.sh BUILD [ARM64_BUILD] - run every test of a configured build and count what happened; with
# ARM64_BUILD, build for arm64 there and run that build's tests in an emulator as well (arm64.sh).
#
# llama.cpp is found or fetched first, because the live tests measure the real one. The last line is
# "N passed, N failed" (and ", N skipped" when some were); the tests that failed or were skipped stand
# above it, a line each. With PARETOPILOT_REQUIRE_ALL=1 a skipped test is a failure: a machine that
# cannot run the live tests has not shown that the program works.
set -euo pipefail

build=$1
arm64_build=${2:-}
tools_dir=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
require_all=${PARETOPILOT_REQUIRE_ALL:-0}
passed=0
failed=0
skipped=0
names=

# tally RESULTS CODE - add the results that Meson wrote; CODE is how its run ended
tally() {
    local counts these_passed these_failed these_skipped
    if [ ! -e "$1" ] || ! counts=$(python3 -B "$tools_dir/tally.py" "$1"); then
        echo "check.sh: the tests wrote no result" >&2
        failed=$((failed + 1))
        return
    fi
    read -r these_passed these_failed these_skipped <<< "${counts%%$'\n'*}"
    [[ $counts != *$'\n'* ]] || names+=${counts#*$'\n'}$'\n'
    if [ "$2" -ne 0 ] && [ "$these_failed" -eq 0 ]; then
        these_failed=1 # something went wrong that is no test
    fi
    passed=$((passed + these_passed))
    failed=$((failed + these_failed))
    skipped=$((skipped + these_skipped))
}

check_native() {
    local junit=$build/meson-logs/testlog.junit.xml code=0
    rm -f "$junit"
    meson test -C "$build" --no-rebuild --print-errorlogs || code=$?
    tally "$junit" "$code"
}

check_arm64() {
    local junit=$arm64_build/meson/meson-logs/testlog.junit.xml code=0
    "$tools_dir/arm64.sh" "$arm64_build" "$build/src/cli/paretopilot" || code=$?
    case $code in
    0) [ ! -e "$junit" ] || tally "$junit" 0 ;;
    3) skipped=$((skipped + 1)) ;; # it said why
    *) tally "$junit" "$code" ;;
    esac
}

if llama_dir=$("$tools_dir/llama.sh"); then
    export PARETOPILOT_LLAMA_DIR=$llama_dir
else
    echo "check.sh: no llama.cpp; the live tests will be skipped" >&2
fi
if browser_dir=$("$tools_dir/browser.sh"); then
    export PARETOPILOT_BROWSER_DIR=$browser_dir
else
    echo "check.sh: the tests of pages will be skipped" >&2
fi
check_native
[ -z "$arm64_build" ] || check_arm64

printf '%s' "$names"
if [ "$skipped" -gt 0 ] && [ "$require_all" = 1 ]; then
    echo "check.sh: $skipped tests were skipped, and none may be" >&2
    failed=$((failed + skipped))
    skipped=0
fi
if [ "$skipped" -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
else
    echo "$passed passed, $failed failed"
fi
[ "$failed" -eq 0 ]
