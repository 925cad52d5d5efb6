#!/bin/sh
# formats.sh GEN_FORMATS - the tables in docs/formats are those of the program. Reports in TAP.
set -u
blocks=$(mktemp) || exit 1
trap 'rm -f "$blocks"' EXIT
"$1" > "$blocks" || exit 1
"${PARETOPILOT_SOURCE:?}/tools/formats.sh" --check "$blocks" "$PARETOPILOT_SOURCE/docs/formats"
