"""What a test in Python found, in TAP on standard output."""

import sys


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
