"""The tables of docs/method/quality-score.md, computed in exact rational arithmetic.

quality_tables.py PAGE   TAP; every row must be what its definition gives, rounded as it is written
"""

import re
import sys
from fractions import Fraction
from math import ceil
from statistics import NormalDist

from suite_figures import at_least, lower_end
from tap import Report


def interval(passed, n):
    return lower_end(passed, n), 1 - lower_end(n - passed, n)


def certified(n):
    floor, limit = Fraction(4, 5), Fraction(1, 20)
    passes = next(k for k in range(n + 1) if at_least(n, floor, k) <= limit)
    return passes, at_least(n, Fraction(7, 8), passes)


def mcnemar(b, c):
    return (min(1, 2 * at_least(b + c, Fraction(1, 2), max(b, c))),)


def paired(psi, margin):
    z = NormalDist().inv_cdf
    return (ceil((z(0.95) + z(0.80)) ** 2 * psi / margin**2),)


# Heads of the tables: how many columns are given, and what the others are.
TABLES = {
    "passed | of | from | to": (2, interval),
    "cases | passes that certify 0.80 | power at 0.875": (1, certified),
    "only reference | only candidate | p": (2, mcnemar),
    "psi | margin | cases": (2, paired),
}


def number(text):
    return float(text) if "." in text else int(text)


def faults_of(row, given, function):
    wanted = function(*[number(cell) for cell in row[:given]])
    for cell, want in zip(row[given:], wanted):
        digits = len(cell.partition(".")[2])
        if f"{float(want):.{digits}f}" != cell:
            yield f"{' '.join(row)}: expected {float(want):.{digits}f}, got {cell}"


def main():
    tap = Report()
    with open(sys.argv[1], encoding="utf-8") as file:
        page = file.read()
    for head, (given, function) in TABLES.items():
        match = re.search(rf"^\| {re.escape(head)} \|\n\|[-: |]+\|\n((?:\|.*\|\n)+)", page, re.MULTILINE)
        rows = [[c.strip() for c in line.strip("| ").split("|")] for line in match[1].splitlines()] if match else []
        faults = [fault for row in rows for fault in faults_of(row, given, function)]
        tap.test(f"the table '{head}'", faults if rows else ["is not there"])
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
