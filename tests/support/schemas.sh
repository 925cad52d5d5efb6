#!/bin/sh
# schemas.sh [FOLDER] - runs schemas.py with a Python that has jsonschema; skips where there is none.
# Debian's package serves /usr/bin/python3, which need not be the first on PATH.
for python in python3 /usr/bin/python3; do
    if "$python" -c 'from jsonschema import Draft202012Validator' 2> /dev/null; then
        exec "$python" -B "${PARETOPILOT_SOURCE:?}/tests/support/schemas.py" "$@"
    fi
done
if [ $# -eq 0 ]; then
    echo "1..0 # SKIP no Python with jsonschema (Debian: python3-jsonschema)"
    exit 0
fi
echo "no Python with jsonschema (Debian: python3-jsonschema)"
exit 77
