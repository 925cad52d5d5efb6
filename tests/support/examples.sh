#!/bin/sh
# examples.sh [live] - runs the examples of README.md, docs/ and the help pages; with `live` those that
# need llama.cpp. How an example is written: tests/support/examples.py. With PARETOPILOT_EXAMPLES_WRITE=1
# expected outputs are rewritten; review the diff.
set -u
: "${PARETOPILOT_SOURCE:?}" "${PARETOPILOT_BINARY:?}"
if [ "${1:-}" = live ] && ! [ -x "${PARETOPILOT_LLAMA_DIR:-}/llama-server" ]; then
    echo "1..0 # SKIP no llama.cpp: PARETOPILOT_LLAMA_DIR is not set"
    exit 0
fi
exec python3 -B "$PARETOPILOT_SOURCE/tests/support/examples.py" "$@"
