#!/usr/bin/env bash
# A load against the real server: what `load` counted is what the server counted.
set -u
# shellcheck source=tests/live/lib.sh
. "$PARETOPILOT_SOURCE/tests/live/lib.sh"
command -v python3 > /dev/null || skip_all "no python3"
begin
"$paretopilot" model synth --shape tiny --type q8_0 --output "$work/tiny.gguf" > /dev/null ||
    exit 1
python3 -B "$PARETOPILOT_SOURCE/tests/live/load.py" "$llama/llama-server" "$work/tiny.gguf" "$@"
