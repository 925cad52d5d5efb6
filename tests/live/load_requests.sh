#!/usr/bin/env bash
# Requests with generated prompts in the real server: lengths, shared beginnings and caches are what
# was asked, as the server counts them.
set -u
# shellcheck source=tests/live/lib.sh
. "$PARETOPILOT_SOURCE/tests/live/lib.sh"
command -v python3 > /dev/null || skip_all "no python3"
begin
"$paretopilot" model synth --shape tiny --type q8_0 --output "$work/tiny.gguf" > /dev/null ||
    exit 1
python3 -B "$PARETOPILOT_SOURCE/tests/live/load_requests.py" "${PARETOPILOT_PRINT_REQUESTS:?}" \
    "$llama/llama-server" "$work/tiny.gguf"
