"""Runs the examples of README.md, docs/ and the help pages and compares what they print. TAP.

An example is a fenced block that says "console":

    ```console exit=2 live
    $ paretopilot recommend set.json --constraints limits.json
    error: ...
    ```

A line that begins with "$ " is a command (a backslash at its end continues it); the lines below it are
what a person sees, standard output and error in the order of writing. A line "..." stands for any lines,
"..." inside a line for any text. Behind the word console may stand

    exit=N            the exit code of the block's last command; all others must give 0. exit=0,3: any of them
    live              needs llama.cpp: runs in the suite `live`, together with the rest of its page
    not-run REASON    nobody runs it; the reason is printed

A fenced block of any other language that says file=NAME is a file that the reader is told to write.

A page whose commands and example files name fixed ports says `<!-- ports 8080 8081 of examples/serve -->`, which readers do not see: here they are
exchanged for free ones, in commands and in the files of that folder, and back again in what is printed.

The blocks of a page run in order in one folder with copies of `examples` and `tests/fixtures`, so that a
command works as it is typed in the project's folder and finds what an earlier one wrote.
"""

import contextlib
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import time

from tap import Report

COPIED = ("examples",)
SHARED = ("tests/fixtures",)  # one copy for all pages: hundreds of files that commands only read
COMMAND_SECONDS = 240

# Example lines of help pages that need more than the project's own files, by command:
#   prepare   commands that run before it
#   live      needs llama.cpp
#   exit      other than 0
#   not_run   why nobody runs it
HELP = {
    "load": {"not_run": "needs a server; docs/cli/load.md loads a simulated one"},
    "suite": {"not_run": "needs servers; docs/cli/suite.md asks simulated ones"},
    "study plan": {"live": True},
    "study run": {
        "not_run": "measures for minutes; docs/cli/study-run.md runs a small plan instead",
    },
    "study resume": {"not_run": "needs a study; docs/cli/study-resume.md has one"},
    "report-compare": {"not_run": "needs studies; docs/howto/publish-your-studies.md has two"},
    "verify": {"not_run": "needs a study; docs/cli/verify.md has one"},
    "study status": {"not_run": "needs a study; docs/cli/study-status.md has one"},
}


class File:
    """A block that the reader saves."""

    def __init__(self, name):
        self.name, self.lines = name, []

    def save(self, folder):
        path = folder.project / self.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(line + "\n" for line in self.lines), encoding="utf-8")


class Block:
    def __init__(self, page, line, words):
        self.page, self.line = page, line
        self.commands = []  # [command, index of the line below it, expected lines]
        mark, _, self.not_run = words.partition("not-run")
        self.skipped = words != mark
        self.not_run = self.not_run.strip()
        self.live, self.exit = False, {0}
        for word in mark.split():
            if word == "live":
                self.live = True
            elif re.fullmatch(r"exit=\d+(,\d+)*", word):
                self.exit = set(map(int, word[5:].split(",")))
            else:
                raise SystemExit(f"{page}:{line}: unknown word '{word}' behind console")
        if self.skipped and not self.not_run:
            raise SystemExit(f"{page}:{line}: not-run: expected a reason")

    def name(self):
        first = self.commands[0][0].splitlines()[0] if self.commands else "(no command)"
        return f"{self.page}:{self.line}: {first}".replace("#", "").rstrip(" \\")


def open_block(page, line, language, words):
    if language == "console":
        return Block(page, line, words)
    name = re.fullmatch(r" file=(\S+)", words)
    return File(name[1] if name else "")


def read_blocks(root, page):
    """Blocks of commands and files to save, in order."""
    blocks, block, continued = [], None, False
    lines = (root / page).read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines):
        opening = re.fullmatch(r"```(\w*)(.*)", line)
        if re.match(r"\s+```console", line):
            raise SystemExit(f"{page}:{number + 1}: an indented block would not run; move it to the margin")
        if block is None:
            block = open_block(page, number + 1, opening[1], opening[2]) if opening else None
        elif line == "```":
            if isinstance(block, Block) or block.name:
                blocks.append(block)
            block, continued = None, False
        elif isinstance(block, File):
            block.lines.append(line)
        elif continued or line.startswith("$ "):
            if continued:
                block.commands[-1][0] += "\n" + line
            else:
                block.commands.append([line[2:], 0, []])
            block.commands[-1][1] = number + 1
            continued = line.endswith("\\")
        elif block.commands:
            block.commands[-1][2].append(line)
        else:
            raise SystemExit(f"{page}:{number + 1}: output before the first '$ '")
    if block is not None:
        raise SystemExit(f"{page}: a fence is not closed")
    return blocks


# ---- running ---------------------------------------------------------------------------------


class Shelf:
    """One copy of what is only read; `with` removes it."""

    def __init__(self, root):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="examples-shared-"))
        for name in SHARED:
            shutil.copytree(root / name, self.path / name, symlinks=True)

    def __enter__(self):
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path)


class Ports:
    """Ports that a page names, each with a free one in its place."""

    def __init__(self, text):
        line = re.search(r"^<!-- ports ([\d ]+) of (\S+) -->$", text, re.MULTILINE)
        self.folder = line[2] if line else None
        self.free = dict(zip(line[1].split(), free_ports(len(line[1].split())))) if line else {}

    def put_into_files(self, project):
        for path in sorted((project / self.folder).iterdir()) if self.folder else []:
            path.write_text(self.exchange(path.read_text(encoding="utf-8"), self.free), encoding="utf-8")

    def put_into(self, command):
        return self.exchange(command, self.free)

    def take_out(self, line):
        return self.exchange(line, {free: named for named, free in self.free.items()})

    @staticmethod
    def exchange(text, ports):
        if not ports:
            return text
        return re.sub(r"\b(" + "|".join(ports) + r")\b", lambda found: ports[found[0]], text)


def free_ports(count):
    """Free when they are asked for; all at once, so that they differ."""
    with contextlib.ExitStack() as open_ones:
        sockets = [open_ones.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [str(one.getsockname()[1]) for one in sockets]


class Folder:
    """A project's folder with what commands need; `with` removes it."""

    def __init__(self, root, shelf, binary, live, text=""):
        self.ports = Ports(text)
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="examples-"))
        self.project = self.path / "project"
        for name in COPIED:
            shutil.copytree(root / name, self.project / name, symlinks=True)
        self.ports.put_into_files(self.project)
        for name in SHARED:
            (self.project / name).parent.mkdir(parents=True, exist_ok=True)
            (self.project / name).symlink_to(shelf / name)
        (self.path / "bin").mkdir()
        (self.path / "bin" / "paretopilot").symlink_to(binary)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("PARETOPILOT_")}
        self.environment.update(
            PATH=f"{self.path}/bin:{os.environ['PATH']}", HOME=str(self.path), LC_ALL="C",
            NO_COLOR="1", TERM="dumb")
        if live:
            self.environment["PARETOPILOT_LLAMA_DIR"] = os.environ["PARETOPILOT_LLAMA_DIR"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path)

    def run(self, command):
        """What a terminal would show, and the exit code. A terminal, because a pipe would reorder."""
        ours, theirs = pty.openpty()
        attributes = termios.tcgetattr(theirs)
        attributes[1] &= ~termios.OPOST  # a line feed stays one byte
        termios.tcsetattr(theirs, termios.TCSANOW, attributes)
        child = subprocess.Popen(
            ["bash", "-c", self.ports.put_into(command)], cwd=self.project, env=self.environment, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs)
        os.close(theirs)
        output = read_until_closed(ours, child)
        os.close(ours)
        return visible(self.ports.take_out(output.decode("utf-8", "replace"))), child.wait()


def read_until_closed(terminal, child):
    output, deadline = b"", time.monotonic() + COMMAND_SECONDS
    while True:
        ready, _, _ = select.select([terminal], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            return output + f"\nkilled after {COMMAND_SECONDS} s\n".encode()
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # the last writer closed it
            return output
        if not piece:
            return output
        output += piece


def visible(output):
    """The lines left after what carriage returns and 'erase to the end' have overwritten."""
    lines = [line.rsplit("\r", 1)[-1].replace("\x1b[K", "") for line in output.split("\n")]
    if lines and lines[-1] == "":
        lines.pop()
    return lines


# ---- comparing -------------------------------------------------------------------------------


def same_line(expected, found):
    return re.fullmatch(".*".join(map(re.escape, expected.split("..."))), found) is not None


def align(expected, found):
    """Edit script of the fewest differences: (mark, line) with ' ', '-' and '+'; None when equal."""
    rows, columns = len(expected), len(found)
    cost = [[0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows, -1, -1):
        for j in range(columns, -1, -1):
            if i == rows or j == columns:
                cost[i][j] = columns - j + sum(line != "..." for line in expected[i:])
            elif expected[i] == "...":
                cost[i][j] = min(cost[i + 1][j], cost[i][j + 1])
            elif same_line(expected[i], found[j]):
                cost[i][j] = cost[i + 1][j + 1]
            else:
                cost[i][j] = 1 + min(cost[i + 1][j], cost[i][j + 1])
    if cost[0][0] == 0:
        return None
    script, i, j = [], 0, 0
    while i < rows or j < columns:
        if i < rows and expected[i] == "...":
            if j < columns and cost[i][j + 1] < cost[i + 1][j]:
                j += 1
            else:
                script.append((" ", "..."))
                i += 1
        elif i < rows and j < columns and same_line(expected[i], found[j]):
            script.append((" ", found[j]))
            i, j = i + 1, j + 1
        elif i < rows and (j == columns or cost[i + 1][j] <= cost[i][j + 1]):
            script.append(("-", expected[i]))
            i += 1
        else:
            script.append(("+", found[j]))
            j += 1
    return script


def run_command(folder, command, expected, want_exits):
    """Faults as lines, and what was printed."""
    found, code = folder.run(command)
    faults = []
    if code not in want_exits:
        faults.append(f"exit code: expected {' or '.join(map(str, sorted(want_exits)))}, got {code}")
    script = None if expected is None else align(expected, found)
    if script is not None:
        faults.append("output differs (- the page, + the program):")
        faults += [f"  {mark} {line}" for mark, line in script]
    elif faults:
        faults += [f"    {line}" for line in found[-20:]]
    if faults:
        faults.insert(0, f"$ {command}")
    return faults, found


def run_block(folder, block, rewritten):
    faults = [] if block.commands else ["expected a line that begins with '$ '"]
    for index, (command, line, expected) in enumerate(block.commands):
        last = index + 1 == len(block.commands)
        new, found = run_command(folder, command, expected, block.exit if last else {0})
        faults += new
        if any("output differs" in fault for fault in new) and not any("..." in e for e in expected):
            rewritten.append((line, len(expected), found))
    return faults


# ---- pages and help pages -----------------------------------------------------------------------


def rewrite(path, changes):
    """Puts true outputs in the place of expected ones; blocks with '...' are left to a person."""
    lines = path.read_text(encoding="utf-8").split("\n")
    for line, count, found in reversed(changes):
        lines[line:line + count] = found
    path.write_text("\n".join(lines), encoding="utf-8")


def run_page(root, shelf, page, binary, live, report):
    blocks = read_blocks(root, page)
    runnable = [block for block in blocks if isinstance(block, Block) and not block.skipped]
    changes = []
    if not live and (page == "README.md" or page.startswith("docs/cli/")):
        report.test(f"{page} has an example that runs", [] if runnable else ["no console block that runs"])
    if live and not any(block.live for block in runnable):
        return
    if not blocks:
        return
    with Folder(root, shelf, binary, live, (root / page).read_text(encoding="utf-8")) as folder:
        for block in blocks:
            if isinstance(block, File):
                block.save(folder)
            elif block.skipped:
                report.note(f"not run: {block.name()}: {block.not_run}")
            elif block.live and not live:
                report.note(f"in the suite live: {block.name()}")
            else:
                report.test(block.name(), run_block(folder, block, changes))
    if os.environ.get("PARETOPILOT_EXAMPLES_WRITE") == "1":
        rewrite(root / page, changes)


def help_text(binary, *words):
    return subprocess.run([binary, *words, "--help"], capture_output=True, text=True, check=True).stdout


def run_help_examples(root, shelf, binary, live, report):
    commands = re.findall(r"^  ([a-z][a-z-]*(?: [a-z-]+)?)  +\S", help_text(binary), re.M)
    report.test("help lists commands; notes on examples name such", [
        f"no command '{name}'" for name in HELP if name not in commands] or
        ([] if commands else ["none found"]))
    for name in commands:
        rule = HELP.get(name, {})
        shown = help_text(binary, *name.split()).partition("\nexample:\n")[2]
        examples = re.findall(r"^  (\S.*)$", re.sub(r" \\\n +", " ", shown), re.M)  # lines that go on
        if rule.get("not_run"):
            report.note(f"not run: example of {name} --help: {rule['not_run']}")
            continue
        if bool(rule.get("live")) != live:
            continue
        faults = [] if examples else ["no line below example:"]
        with Folder(root, shelf, binary, live) as folder:
            for prepare in rule.get("prepare", []):
                faults += run_command(folder, prepare, None, {0})[0]
            for example in examples:
                faults += run_command(folder, example, None, {rule.get("exit", 0)})[0]
        report.test(f"the example of {name} --help runs", faults)


def main():
    live = "live" in sys.argv[1:]
    root = pathlib.Path(os.environ["PARETOPILOT_SOURCE"])
    binary = os.environ["PARETOPILOT_BINARY"]
    report = Report()
    pages = ["README.md"] + sorted(str(p.relative_to(root)) for p in (root / "docs").rglob("*.md"))
    with Shelf(root) as shelf:
        for page in pages:
            run_page(root, shelf, page, binary, live, report)
        run_help_examples(root, shelf, binary, live, report)
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
