#!/usr/bin/env python3
"""Each public report that concerns the gateway has a test with its id in its name; prints which."""

import ast
import pathlib
import re
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "support"))
from tap import Report  # noqa: E402

# Reports on gateways, and two on the warm-up of loads.
IDS = """G2 G3 G4 G5 G9 G10 G12 G13 G15 G16 G17 G21 G22 G24 G25 G26 G27 G28 G29 G30 G31 G32 G33 G34 G35
         G36 G38 G39 G56 G59 G60 G62 G63 G65 G66""".split()


def listed_names(tree):
    """Names of pairs ("name", function) in lists: what `main` is given."""
    for node in ast.walk(tree):
        if isinstance(node, ast.List):
            for pair in node.elts:
                if isinstance(pair, ast.Tuple) and isinstance(pair.elts[0], ast.Constant):
                    yield str(pair.elts[0].value)


def names_of(path):
    """What a file in Python runs. In tests/load a function is listed by its name alone."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    yield from listed_names(tree)
    if path.parent.name == "load":
        yield from (node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def rows_of(path):
    """Names of rows of tables in C."""
    return re.findall(r'\{"(G\d+: [^"]*)"', path.read_text(encoding="utf-8"))


def ids_of(name):
    """Those that it begins with: "G2 G31: ..." or g62_..."""
    front = re.match(r"(?:G\d+ ?)+:|g\d+_", name)
    return re.findall(r"G\d+", front.group().upper()) if front else []


def tests_by_id():
    out = {}
    for folder, pattern, names in (("gateway", "*.py", names_of), ("live", "*.py", names_of),
                                   ("load", "*.py", names_of), ("unit", "**/*.c", rows_of)):
        for path in sorted((TESTS / folder).glob(pattern)):
            for name in names(path):
                for number in ids_of(name):
                    out.setdefault(number, []).append(f"{path.relative_to(TESTS)}: {name}")
    return out


def main():
    report, found = Report(), tests_by_id()
    for number in IDS:
        report.test(f"{number} has a test", [] if number in found else [f"no test is named '{number}: ...'"])
        for test in found.get(number, []):
            report.note(test)
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
