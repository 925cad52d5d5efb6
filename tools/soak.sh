#!/usr/bin/env bash
# soak.sh BUILD - the gateway under half the load that it can carry, SOAK_SECONDS (600) long, with clients that leave.
#
# Then, one after the other, the checks of tests/gateway/rows_*.py with the times of the public reports that they
# are about, which the test suite scales down. SOAK_SEED repeats the requests of another run; its number is printed.
# Needs no quiet machine: nothing fails because it is slow, short of seconds. Exit 0: all holds; 1: something does not.
set -uo pipefail

build=${1:?usage: soak.sh BUILD}
source=$(cd "$(dirname "$0")/.." && pwd)
PARETOPILOT_BINARY=$(realpath "$build")/src/cli/paretopilot
export PARETOPILOT_BINARY PARETOPILOT_SOURCE=$source SOAK_SECONDS=${SOAK_SECONDS:-600}
[ -x "$PARETOPILOT_BINARY" ] || {
    echo "soak.sh: no program in $build" >&2
    exit 2
}

failed=0
echo "# soak: $SOAK_SECONDS s"
python3 -B "$source/tests/gateway/soak.py" || failed=1
for rows in "$source"/tests/gateway/rows_*.py; do
    [ -e "$rows" ] || continue # the pattern itself, where there are none
    echo "# $(basename "$rows") --long"
    python3 -B "$rows" --long || failed=1
done
exit "$failed"
