"""The runner of examples must notice what it is there to notice. TAP."""

import pathlib
import sys
import tempfile

import examples
from tap import Report

# name, lines of the page, lines of the program, equal?
COMPARISONS = [
    ("equal lines are equal", ["a", "b"], ["a", "b"], True),
    ("another line is not", ["a", "b"], ["a", "c"], False),
    ("a missing line is noticed", ["a", "b"], ["a"], False),
    ("a line too many is noticed", ["a"], ["a", "b"], False),
    ("output where none is expected is noticed", [], ["a"], False),
    ("no output where some is expected is noticed", ["a"], [], False),
    ("blanks count", ["a  b"], ["a b"], False),
    ("blanks at the end count", ["a"], ["a "], False),
    ("characters of patterns mean themselves", ["a.c*"], ["abcc"], False),
    ("dots inside a line stand for any text", ["a ... z"], ["a b c z"], True),
    ("dots inside a line end where it ends", ["a ... z"], ["a b", "c z"], False),
    ("a line of dots stands for any lines", ["a", "...", "z"], ["a", "b", "c", "z"], True),
    ("a line of dots stands for none", ["a", "...", "z"], ["a", "z"], True),
    ("a line of dots at the end", ["a", "..."], ["a", "b", "c"], True),
    ("a line of dots at the end needs what stands before", ["a", "..."], ["b", "c"], False),
    ("what follows the dots must come", ["...", "z"], ["a", "b"], False),
]

# name, the page, does it fail?
RUNS = [
    ("a true block passes", "```console\n$ echo a; echo b >&2\na\nb\n```\n", False),
    ("a false output fails", "```console\n$ echo a\nb\n```\n", True),
    ("an exit code that nobody announced fails", "```console\n$ exit 3\n```\n", True),
    ("one of two announced exit codes passes", "```console exit=0,3\n$ exit 3\n```\n", False),
    ("a third exit code fails", "```console exit=0,3\n$ exit 1\n```\n", True),
    ("an announced exit code passes", "```console exit=3\n$ exit 3\n```\n", False),
    ("only the last command may give it", "```console exit=3\n$ exit 3\n$ exit 3\n```\n", True),
    ("a command goes on behind a backslash", "```console\n$ echo a \\\n    b\na b\n```\n", False),
    ("what is overwritten on a terminal is not seen",
     "```console\n$ printf 'half\\r\\033[Kwhole\\n'\nwhole\n```\n", False),
    ("a file that the reader saves is there",
     "```json file=a/b.json\n{}\n```\n```console\n$ cat a/b.json\n{}\n```\n", False),
    ("a block of another language is left alone", "```sh\n$ false\n```\n", False),
    ("a port that the page does not announce is left alone", "```console\n$ echo 8081\n8081\n```\n", False),
    ("an announced port is not seen to be another one",
     "<!-- ports 8081 of examples -->\n```console\n$ echo 8081 18081\n8081 18081\n```\n", False),
    ("an announced port is another one",
     "<!-- ports 8081 of examples -->\n```console\n$ expr 8081 + 0 = 80''81\n1\n```\n", True),
    ("a block without a command fails", "```console\n```\n", True),
]


def run(text):
    with tempfile.TemporaryDirectory(prefix="examples-test-") as name:
        root = pathlib.Path(name)
        for copied in examples.COPIED + examples.SHARED:
            (root / copied).mkdir(parents=True)
        (root / "page.md").write_text(text, encoding="utf-8")
        with examples.Shelf(root) as shelf, examples.Folder(root, shelf, "/bin/true", False, text) as folder:
            faults = []
            for block in examples.read_blocks(root, "page.md"):
                if isinstance(block, examples.File):
                    block.save(folder)
                else:
                    faults += examples.run_block(folder, block, [])
            return faults


def main():
    report = Report()
    for name, page, program, equal in COMPARISONS:
        script = examples.align(page, program)
        report.test(name, [] if (script is None) == equal else [f"{page} and {program}: {script}"])
    for name, text, fails in RUNS:
        faults = run(text)
        report.test(name, [] if bool(faults) == fails else [f"{text!r}: {faults}"])
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
