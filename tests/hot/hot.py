"""hot.py PROGRAM LIMITS COMPILER CPU [--record] - how many instructions the hot paths take, by callgrind. TAP.

Each line of LIMITS is a path and the count for each of its units that was recorded; more than a tenth above
it fails. With another compiler or processor than the table's, twice the count is allowed: that still shows a
path that became slower by its nature. --record writes the table anew, for a change whose commit says why.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from tap import Report

SLACK = 0.10
OTHER_SLACK = 1.0
DEADLINE_S = 120
# Copies and searches of the C library come in one kind on every processor of an architecture.
SAME_LIBC = "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX2,-AVX,-BMI2,-ERMS,-FSRM,-MOVBE,-SSE4_2,-SSE4_1,-SSSE3"


class Table:
    """The first line: # COMPILER CPU; then: PATH COUNT UNIT."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.recorded_with = tuple(lines[0].lstrip("# ").split())
        self.rows = [(name, int(count), unit) for name, count, unit in (line.split(None, 2) for line in lines[1:])]


def count(program, path):
    """Instructions inside hot_measured for each unit."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", "--toggle-collect=hot_measured", f"--callgrind-out-file={out}", program,
             path], capture_output=True, text=True, timeout=DEADLINE_S, check=False,
            env={**os.environ, "GLIBC_TUNABLES": SAME_LIBC})
        if done.returncode != 0:
            raise SystemExit(f"hot.py: {path}: {done.stderr}")
        with open(out, encoding="utf-8") as file:
            total = int(re.search(r"^(?:totals|summary): (\d+)", file.read(), re.M).group(1))
    return total // int(done.stdout)


def faults_of(name, got, recorded, slack):
    limit = int(recorded * (1 + slack))
    if got == 0:
        return [f"{name}: nothing was counted"]
    if got > limit:
        return [f"{name}: {got} instructions, at most {limit} are allowed ({recorded} were recorded)"]
    return []


def record(program, table, path, compiler, cpu):
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"# {compiler} {cpu}\n")
        for name, _, unit in table.rows:
            file.write(f"{name} {count(program, name)} {unit}\n")


def check(program, table, compiler, cpu):
    report = Report()
    slack = SLACK if table.recorded_with == (compiler, cpu) else OTHER_SLACK
    counts = {}
    for name, recorded, unit in table.rows:
        counts[name] = count(program, name)
        report.test(f"{name}: {counts[name]} instructions {unit}, {recorded} were recorded",
                    faults_of(name, counts[name], recorded, slack))
    # A limit that is half of what was recorded must be missed: else the table says nothing any more.
    for name, recorded, _ in table.rows:
        missed = faults_of(name, counts[name], recorded / 2, SLACK if slack == SLACK else 0)
        report.test(f"{name}: half of the limit would be missed",
                    [] if missed else [f"{counts[name]} instructions of {recorded}: record the table anew"])
    first = table.rows[0][0]
    again = count(program, first)
    report.test(f"{first}: the same count again",
                [] if again == counts[first] else [f"{counts[first]}, then {again}"])
    return report.end()


def main():
    program, path, compiler, cpu = sys.argv[1:5]
    table = Table(path)
    if shutil.which("valgrind") is None:
        print("1..0 # SKIP no valgrind, from the package of that name")
        return 0
    if sys.argv[5:] == ["--record"]:
        record(program, table, path, compiler, cpu)
        return 0
    return check(program, table, compiler, cpu)


if __name__ == "__main__":
    sys.exit(main())
