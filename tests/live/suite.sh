#!/usr/bin/env bash
# `suite` against the real llama-server, whose models are tables: how many cases pass, which change
# sides and how far distributions are apart follows from the tables.
set -u
# shellcheck source=tests/live/lib.sh
. "$PARETOPILOT_SOURCE/tests/live/lib.sh"
command -v python3 > /dev/null || skip_all "no python3"
begin
export PARETOPILOT_BINARY=$paretopilot
python3 -B "$PARETOPILOT_SOURCE/tests/live/suite.py" "$llama/llama-server" "$work"
