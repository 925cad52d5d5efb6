#!/usr/bin/env bash
# check.sh BUILD - run every test of a configured build and count what happened.
#
# llama.cpp is found or fetched first, because the live tests measure the real one. The last line is
# "N passed, N failed" (and ", N skipped" when some were). With PARETOPILOT_REQUIRE_ALL=1 a skipped
# test is a failure: a machine that cannot run the live tests has not shown that the program works.
set -euo pipefail

build=$1
tools_dir=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
junit=$build/meson-logs/testlog.junit.xml
require_all=${PARETOPILOT_REQUIRE_ALL:-0}

if llama_dir=$("$tools_dir/llama.sh"); then
    export PARETOPILOT_LLAMA_DIR=$llama_dir
else
    echo "check.sh: no llama.cpp; the live tests will be skipped" >&2
fi

rm -f "$junit"
code=0
meson test -C "$build" --no-rebuild --print-errorlogs || code=$?
[ -e "$junit" ] || { echo "check.sh: the tests wrote no result" >&2; exit 1; }

count() { { grep -o "$1" "$junit" || true; } | wc -l; } # none is no failure
cases=$(count '<testcase ')
failed=$(($(count '<failure') + $(count '<error')))
skipped=$(count '<skipped')
passed=$((cases - failed - skipped))
if [ "$code" -ne 0 ] && [ "$failed" -eq 0 ]; then
    failed=1 # a test program died without a result of its own
fi
if [ "$skipped" -gt 0 ] && [ "$require_all" = 1 ]; then
    echo "check.sh: $skipped tests were skipped, and none may be" >&2
    code=1
    failed=$((failed + skipped))
    skipped=0
fi
if [ "$skipped" -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
else
    echo "$passed passed, $failed failed"
fi
[ "$failed" -eq 0 ] && [ "$code" -eq 0 ]
