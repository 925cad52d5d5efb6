"""`load --pid`: memory of a server process that grows, maps late, has a peak at its start, or
shares pages. Each process is made to do it; its truth is what it was told to touch. TAP."""

import pathlib
import re
import subprocess
import sys

from harness import BINARY, load, main, not_here, went
from peers import MIB, Process, Prompts


def server_of(process, *args):
    """Exit code and the figures of the server in each level."""
    with Prompts() as prompts:
        run = load(process.url, "--pid", str(process.pid), "--prompts", prompts, *args)
    return run, [level["observed"]["server"] for level in run.report["levels"]]


def near(f, what, got, want, slack=8 * MIB):
    f.between(what, got, want - slack, want + slack)


def b134_growth_over_the_run_is_shown_with_its_share_of_a_request(f):
    """17 MiB for each answer: a warm-up, then six measured ones, one after another."""
    with Process("grow") as process:
        run, (use,) = server_of(process, "--requests", "6", "--warm-up", "1")
        went(f, run)
        near(f, "growth of the measured part", use["rss_end_bytes"] - use["rss_start_bytes"],
             6 * 17 * MIB)
        f.true("peak is no less", use["rss_peak_bytes"] >= use["rss_end_bytes"] - MIB, use)
        with Prompts() as prompts:
            out = subprocess.run([BINARY, "load", process.url, "--pid", str(process.pid), "--requests",
                                  "4", "--prompts", prompts, "--quiet"], capture_output=True,
                                 text=True, timeout=60)
        slope = re.search(r"\(\+([0-9.]+) MiB a\s+request\)", out.stdout)
        f.between("share of a request on the terminal, MiB", slope and float(slope[1]), 15.5, 18.5)


def b134_a_server_that_does_not_grow_shows_none(f):
    with Process("steady") as process:
        run, (use,) = server_of(process, "--requests", "6", "--warm-up", "2")
        near(f, "growth", use["rss_end_bytes"] - use["rss_start_bytes"], 0, 4 * MIB)


def b135_shared_pages_count_in_parts(f):
    """100 MiB in parent and child: half of them each, so that a sum over both is 100, not 200."""
    with Process("shared") as process:
        run, (use,) = server_of(process, "--requests", "3")
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        child = int(children.read_text()) if children.exists() else None
        if use["pss_end_bytes"] is None or child is None:
            return not_here("no smaps_rollup or no list of children")
        shared = use["rss_end_bytes"] - use["pss_end_bytes"]
        f.true("RSS has all of it", use["rss_end_bytes"] >= 100 * MIB, use)
        f.true("PSS has half", shared >= 45 * MIB, use)
        other, (theirs,) = server_of_pid(process, child)
        f.between("sum of both, MiB", (use["pss_end_bytes"] + theirs["pss_end_bytes"]) / MIB, 100, 150)


def server_of_pid(process, pid):
    with Prompts() as prompts:
        run = load(process.url, "--pid", str(pid), "--requests", "1", "--prompts", prompts)
    return run, [level["observed"]["server"] for level in run.report["levels"]]


def b136_pages_that_are_touched_by_the_first_request_are_seen(f):
    """A file of 100 MiB is mapped at the start and read by the first answer."""
    for warmup, growth in (("0", 100), ("1", 0)):
        with Process("late") as process:
            run, (use,) = server_of(process, "--requests", "3", "--warm-up", warmup)
            went(f, run)
            near(f, f"growth after {warmup} warm-ups", use["rss_end_bytes"] - use["rss_start_bytes"],
                 growth * MIB)
            f.true("the peak has them in both", use["rss_peak_bytes"] >= 100 * MIB, use)


def b137_a_peak_of_the_start_stands_apart_from_what_serving_took(f):
    """120 MiB for a moment in front of the first request; a second start does without."""
    seen = []
    for name in ("peak", "steady"):
        with Process(name) as process:
            run, uses = server_of(process, "--clients", "1,2", "--requests", "3")
            went(f, run)
            seen.append(uses)
    first, second = seen
    for use in first:
        f.true("peak since the process began", use["rss_peak_bytes"] >= 120 * MIB, use)
        f.true("resident while serving", use["rss_end_bytes"] < 80 * MIB, use)
    for use in second:
        f.true("a start without it has no such peak", use["rss_peak_bytes"] < 80 * MIB, use)


CHECKS = [(name.replace("_", " "), check) for name, check in list(globals().items())
          if re.match(r"b\d", name)]

if __name__ == "__main__":
    sys.exit(main(CHECKS))
