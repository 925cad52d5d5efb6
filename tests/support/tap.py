"""What a test in Python found, in TAP on standard output."""

import importlib.util
import os
import subprocess
import sys


def needs_module(name):
    """Go on with a Python that has this module, or skip the whole test. Debian's packages serve
    /usr/bin/python3, which need not be the first on PATH."""
    if importlib.util.find_spec(name):
        return
    system = "/usr/bin/python3"
    if sys.executable != system and os.path.exists(system) and subprocess.run(
            [system, "-c", f"import {name}"], capture_output=True).returncode == 0:
        os.execv(system, [system, "-B", *sys.argv])
    print(f"1..0 # SKIP no Python with {name} (Debian: python3-{name})")
    sys.exit(0)


class Report:
    def __init__(self):
        self.number, self.failed = 0, 0

    def test(self, name, faults):
        self.number += 1
        print(f"{'not ok' if faults else 'ok'} {self.number} - {name}")
        for line in "\n".join(faults).splitlines():
            print(f"#   {line}")
        self.failed += bool(faults)
        sys.stdout.flush()

    def skip(self, name, why):
        self.number += 1
        print(f"ok {self.number} - {name} # SKIP {why}")
        sys.stdout.flush()

    def note(self, text):
        print(f"# {text}")

    def end(self):
        print(f"1..{self.number}")
        return 1 if self.failed else 0
