#!/bin/sh
# tap.sh PROGRAM... - runs a unit test and lets its skipped tests count as skipped: cmocka calls them
# "not ok ... # SKIP", which Meson reads as failures.
output=$("$@")
code=$?
printf '%s\n' "$output" | sed 's/^not ok \(.*# SKIP\)/ok \1/'
exit "$code"
