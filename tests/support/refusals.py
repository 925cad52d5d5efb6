"""Does every way of saying no have its case? tests/golden/refusals.txt is the map. TAP."""

import os
import pathlib
import re
import sys

from tap import Report

SOURCE = pathlib.Path(os.environ["PARETOPILOT_SOURCE"])
GOLDEN = SOURCE / "tests/golden"
VIOLATIONS = {"V1", "V2", "V3", "V4"}


def statuses():
    """Name of each failure, and the exit codes that its line in error.h names."""
    text = (SOURCE / "src/base/error.h").read_text(encoding="utf-8")
    return {name: codes.split("/") for name, codes in re.findall(r"PP_ERR_(\w+),? .*exit ([\d/]+) \*/", text)}


def rows():
    for line in (GOLDEN / "refusals.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield [part.strip() for part in line.split(" | ", 2)]


def said(case):
    written = [path for path in sorted((case / "written").rglob("*")) if path.is_file()]
    return "\n".join(path.read_text(encoding="utf-8", errors="replace")
                     for path in [case / "stdout", case / "stderr", *written] if path.exists())


def check_case(case, codes, words):
    if not (case / "args").exists():
        return [f"no case {case}"]
    code = (case / "exit").read_text().strip() if (case / "exit").exists() else "0"
    return ([] if code in codes else [f"exit {code}, expected {' or '.join(codes)}"]) + (
        [] if words in said(case) else [f"its output does not hold: {words}"])


def check_file(path, words):
    found = path.exists() and words in path.read_text(encoding="utf-8")
    return [] if found else [f"{path} does not hold: {words}"]


def main():
    report, known, seen = Report(), statuses(), set()
    for name, place, words in rows():
        name, *codes = name.split()
        seen.add(name)
        if place.startswith("tests/"):
            faults = check_file(SOURCE / place, words)
        else:
            faults = check_case(GOLDEN / place, codes or known.get(name, []), words)
        report.test(f"{name}: {place}: {words}", faults)
    missing = (set(known) | VIOLATIONS) - seen
    report.test(f"each of {len(known)} failures and {len(VIOLATIONS)} limits has a case",
                [f"{name} has none" for name in sorted(missing)] + ([] if known else ["error.h: no status found"]))
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
