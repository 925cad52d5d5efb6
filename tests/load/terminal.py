"""What a person sees while a load runs: one line that is drawn again, and nothing of it afterwards."""

import os
import pty
import re
import select
import subprocess
import time

from harness import BINARY, DEADLINE_S, Sim, main

ARGS = ("--clients", "1,2", "--duration", "1500ms", "--output-tokens", "16")
CLEAR = "\r\x1b[K"


def on_terminal(url, *args, **variables):
    """Exit code, what standard error put on a terminal, and standard output."""
    ours, theirs = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")}
    process = subprocess.Popen([BINARY, "load", url, *ARGS, *args], stdout=subprocess.PIPE, stderr=theirs,
                               env={**environment, "TERM": "xterm", **variables})
    os.close(theirs)
    seen, end = b"", time.monotonic() + DEADLINE_S
    while time.monotonic() < end and select.select([ours], [], [], end - time.monotonic())[0]:
        try:
            seen += os.read(ours, 65536)
        except OSError:  # the last writer closed it
            break
    os.close(ours)
    out = process.communicate(timeout=DEADLINE_S)[0].decode()
    return process.returncode, seen.decode().replace("\r\n", "\n"), out


def left_on_screen(text):
    """What stands there in the end, line by line."""
    return [line.rsplit("\r", 1)[-1].replace("\x1b[K", "") for line in text.split("\n")]


def levels_only(f, lines):
    f.equal("lines", len(lines), 3)
    for number, (line, clients) in enumerate(zip(lines, ("1 client", "2 clients")), 1):
        f.true(f"level {number}", re.fullmatch(
            rf"level {number}, {clients}: \d+ issued, \d+ ok, 0 failed, \d+ cut; (done|not valid)", line), line)
    f.equal("last line", lines[-1:], [""])


def line_is_shown_and_cleaned(f):
    with Sim("--token-time", "2ms") as sim:
        code, seen, out = on_terminal(sim.url)
    f.true("exit code 0 or 3", code in (0, 3), code)
    drawn = re.findall(r"\r\x1b\[K(1 client|2 clients)(?:, warm-up)? \d+:\d\d  \d+ in flight, \d+ ok, 0 failed, "
                       r"[\d.e+]+/s(?:, TTFT [\d.]+ ms)?, [\d.e+]+ tok/s", seen)
    # Twice a second for 1.5 s in each level; a busy machine may miss some.
    f.true("drawn in both levels", {"1 client", "2 clients"} <= set(drawn), f"{drawn}")
    levels_only(f, left_on_screen(seen))
    f.true("no escape on standard output", "\x1b" not in out and "\r" not in out, repr(out))


def quiet_says_nothing(f):
    with Sim("--token-time", "2ms") as sim:
        code, seen, out = on_terminal(sim.url, "--quiet")
    f.true("exit code 0 or 3", code in (0, 3), code)
    f.equal("standard error", seen, "")
    f.true("the table is there", out.startswith("clients"), out)


def no_color_is_plain(f):
    for variables in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        with Sim("--token-time", "2ms") as sim:
            code, seen, _ = on_terminal(sim.url, **variables)
        f.true("exit code 0 or 3", code in (0, 3), code)
        f.true(f"{variables}: no control characters", not re.search(r"[\x00-\x09\x0b-\x1f]", seen), repr(seen))
        levels_only(f, seen.split("\n"))


def table_keeps_to_100_columns(f):
    with Sim("--slots", "4", "--token-time", "1ms", "--fault", "status:503@every:5") as sim:
        done = subprocess.run(
            [BINARY, "load", sim.url, "--clients", ",".join(map(str, range(1, 13))), "--requests", "12",
             "--output-tokens", "8", "--quiet", "--slo", "ttft.p95<=20ms", "--slo", "error-rate<=1%",
             "--slo", "tpot<=5ms", "--pid", str(sim.process.pid)],
            capture_output=True, text=True, timeout=DEADLINE_S)
    lines = done.stdout.split("\n")
    f.equal("a row for each level", [int(line.split()[0]) for line in lines[2:14]], list(range(1, 13)))
    f.equal("too wide", [line for line in lines if len(line) > 100], [])
    for label in ("demand", "goodput", "failed", "memory", "CPU", "saturated", "origin"):
        f.true(f"a line about {label}", any(line.startswith(label) for line in lines), done.stdout)


if __name__ == "__main__":
    raise SystemExit(main([(check.__name__.replace("_", " "), check) for check in (
        line_is_shown_and_cleaned, quiet_says_nothing, no_color_is_plain, table_keeps_to_100_columns)]))
