#!/usr/bin/env bash
# tsan.sh BUILD - build with the thread sanitizer and run the unit tests of the modules with threads, and the
# suite of the gateway, which also has the simulated server and its writer.
#
# A data race fails the test in which it was seen. Nothing else is built or run: the rest of the
# program has one thread.
set -euo pipefail

build=$1
modules='load|net|gateway|sim|proc'

[ -e "$build/build.ninja" ] ||
    meson setup "$build" -Db_sanitize=thread -Db_lundef=false > /dev/null
ninja -C "$build" --quiet build.ninja # knows of tests that were added since
mapfile -t tests < <(meson test -C "$build" --list --suite unit 2> /dev/null |
    sed -nE "s#^.* / (($modules)/.*)\$#\1#p")
mapfile -t gateway < <(meson test -C "$build" --list --suite gateway 2> /dev/null |
    sed -nE 's#^.* / ([a-z_]+)$#\1#p')
if [ "${#tests[@]}" -eq 0 ]; then
    echo "tsan.sh: no test of ($modules) was found in $build" >&2
    exit 4
fi
targets=(src/cli/paretopilot)
for test in "${tests[@]}"; do
    targets+=("tests/unit/${test//\//_}")
done
ninja -C "$build" --quiet "${targets[@]}" > "$build/ninja.log" 2>&1 ||
    { cat "$build/ninja.log"; exit 1; }
exec meson test -C "$build" --no-rebuild --print-errorlogs "${tests[@]}" "${gateway[@]}"
