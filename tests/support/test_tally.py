"""What `make check` counts, of tests that pass, fail, are skipped, die, and never end. TAP."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

from tap import Report

SOURCE = pathlib.Path(os.environ["PARETOPILOT_SOURCE"])

# name, shell command, TAP?, what it is worth: passed, failed, skipped
TESTS = [
    ("fine", "true", False, (1, 0, 0)),
    ("bad", "false", False, (0, 1, 0)),
    ("skipped", "exit 77", False, (0, 0, 1)),
    ("slow", "exec sleep 60", False, (0, 1, 0)),
    ("tap fine", "echo 1..2; echo ok 1; echo ok 2", True, (2, 0, 0)),
    ("tap mixed", "echo 1..3; echo ok 1; echo not ok 2; echo 'ok 3 # SKIP why'", True, (1, 1, 1)),
    ("tap skipped", "echo '1..0 # SKIP why'", True, (0, 0, 1)),
    ("tap slow before the plan", "exec sleep 60", True, (0, 1, 0)),
    ("tap slow before a result", "echo 1..2; exec sleep 60", True, (0, 1, 0)),
    ("tap slow behind a result", "echo 1..2; echo ok 1; exec sleep 60", True, (1, 1, 0)),
    ("tap slow behind a failure", "echo 1..2; echo not ok 1; exec sleep 60", True, (0, 2, 0)),
    ("tap dies silently", "exit 3", True, (0, 1, 0)),
    ("tap dies behind a result", "echo 1..2; echo ok 1; exit 3", True, (1, 1, 0)),
    ("tap dies behind all results", "echo 1..1; echo ok 1; kill -9 $$", True, (1, 1, 0)),
    ("tap fails and says so", "echo 1..1; echo not ok 1; exit 1", True, (0, 1, 0)),
]


def write_project(folder, tests):
    lines = ["project('tally', meson_version: '>=1.0.0')", "sh = find_program('sh')"]
    for name, command, tap, _ in tests:
        quoted = command.replace("'", "\\'")
        protocol = "tap" if tap else "exitcode"
        lines.append(f"test('{name}', sh, args: ['-c', '{quoted}'], suite: 'of it', protocol: '{protocol}', timeout: 2)")
    (folder / "meson.build").write_text("\n".join(lines) + "\n")


def run(tests):
    with tempfile.TemporaryDirectory(prefix="tally-test-") as name:
        folder = pathlib.Path(name)
        write_project(folder, tests)
        subprocess.run(["meson", "setup", "build"], cwd=folder, check=True, capture_output=True)
        subprocess.run(["meson", "test", "-C", "build"], cwd=folder, capture_output=True)
        return subprocess.run([sys.executable, "-B", SOURCE / "tools/tally.py", folder / "build/meson-logs/testlog.junit.xml"],
                              check=True, capture_output=True, text=True).stdout.splitlines()


def main():
    report = Report()
    for name, tests in [("all together", TESTS), ("one slow test alone", TESTS[7:8]), ("one fine test alone", TESTS[:1])]:
        want = [str(sum(test[3][i] for test in tests)) for i in range(3)]
        counts, *named = run(tests)
        report.test(f"passed, failed, skipped: {name}", [] if counts.split() == want else [f"{counts}, expected {want}"])
        want = sorted(f"{kind} {test[0]}" for test in tests for kind, n in zip(("failed", "skipped"), test[3][1:]) for _ in range(n))
        got = sorted(re.sub(r"^(\w+): ([^:]*).*", r"\1 \2", line) for line in named)
        report.test(f"each that failed or was skipped is named: {name}", [] if got == want else [f"{got}, expected {want}"])
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
