#!/bin/sh
# emulated.sh ARGUMENT... - paretopilot of a cross build as one path: tests start it like any other.
exec "$PARETOPILOT_EMULATE" "$PARETOPILOT_CROSS_BINARY" "$@"
