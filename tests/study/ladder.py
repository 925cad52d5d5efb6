"""`study plan` of the original's study: its command lines, word for word.

Those of llama-server are the published ones; those of llama-bench are written here from the published settings by the pattern that the
original's assembler demands.
"""

import json
import os
import pathlib
import shlex
import subprocess
import sys

from harness import BINARY, Skipped, main

SOURCE = pathlib.Path(os.environ["PARETOPILOT_SOURCE"])
SHARED = pathlib.Path(os.environ.get("PARETOPILOT_SHARED", SOURCE.parent / "shared"))


def read_published():
    path = SHARED / "published/study.json"
    if not path.exists():
        raise Skipped(f"no {path.name} of the original: PARETOPILOT_SHARED is not set")
    return json.loads(path.read_text())


def printed():
    done = subprocess.run([BINARY, "study", "plan", "examples/qwen2.5-ladder/plan.json"], cwd=SOURCE, capture_output=True, text=True,
                          timeout=60)
    blocks, title = {}, None
    for line in done.stdout.splitlines():
        if line.startswith("# ") and ":" in line:
            title = line[2:].split(", in ")[0]
        elif not line.startswith("#"):
            blocks[title] = shlex.split(line)
    return done, blocks


def lines_are_the_original_s(f):
    published = read_published()
    done, blocks = printed()
    f.equal("exit code", (done.returncode, done.stderr if done.returncode else ""), (0, ""))
    for engine in ("generic", "kleidiai"):
        f.true(f"a note on {engine}", f"note: engine '{engine}': " in done.stderr, done.stderr)
    expect(f, published, blocks)


def expect(f, published, blocks):
    candidates = published["candidates"]
    f.equal("candidates", len(candidates), 4)
    for candidate in candidates:
        name = candidate["id"]
        argv = candidate["deployment_argv"]
        for title in (f"requests, pass 1 of 2: {name}", f"requests, pass 2 of 2: {name}", f"load: {name}"):
            f.equal(title, blocks.get(title), argv)
        value = {argv[i]: argv[i + 1] for i in range(1, len(argv) - 1)}
        build = argv[0].split("/")[2]
        bench = [f"../.candidate-build/{build}/bin/llama-bench", "-m", os.path.basename(value["--model"]), "-p", "512", "-n", "128",
                 "-t", "4", "-b", "512", "-ub", value["--ubatch-size"], "-r", "10", "-dev", "none", "-ngl", "0", "-nopo", "1", "-v",
                 "-o", "jsonl"]
        for number in (1, 2):
            title = f"throughput, pass {number} of 2: {name}"
            f.equal(title, blocks.get(title), bench)
    f.equal("lines", len(blocks), 20)


def order_is_mirrored(f):
    _, blocks = printed()
    order = [title.split(": ")[1] for title in blocks if title.startswith("requests")]
    f.equal("order", order[4:], order[3::-1])


if __name__ == "__main__":
    sys.exit(main([
        ("the ladder runs the original's command lines, without an engine there", lines_are_the_original_s),
        ("its order is mirrored", order_is_mirrored),
    ]))
