"""Does an answer count? The rules of docs/method/quality-matching.md once more, written apart from the program.

Where Python's own library has the rule (white space, case folding, JSON, exact decimal numbers, expressions), the library is
used, so that two independent readings of the rules are compared."""

import decimal
import functools
import json
import re
import unicodedata

NUMBER = re.compile(r"[+-]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?([eE][+-]?\d+)?", re.ASCII)
EXACT = decimal.Context(prec=1000)


@functools.lru_cache(None)
def normal(text):
    return re.sub("[^a-z0-9]", "", text.casefold())


def no_twin(pairs):
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("a key twice")
    return dict(pairs)


def real(text):
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError("beyond every number")
    return value


def refuse(text):
    raise ValueError(text)


@functools.lru_cache(None)
def canonical(text):
    """One spelling of what JSON says, None when it is none."""
    try:
        value = json.loads(text.strip(), object_pairs_hook=no_twin, parse_float=real, parse_constant=refuse)
        return json.dumps(value, sort_keys=True, ensure_ascii=False)
    except (ValueError, RecursionError):
        return None


@functools.lru_cache(None)
def number(text):
    text = text.strip().replace("\u2212", "-")
    if text.endswith("."):
        text = text[:-1]
    if not NUMBER.fullmatch(text):
        return None
    return decimal.Decimal(text.replace(",", ""))


def is_near(answer, accepted, tolerance):
    value, target = number(answer), decimal.Decimal(accepted)
    if value is None:
        return False
    absolute = decimal.Decimal(repr(tolerance.get("absolute", 0)))
    relative = decimal.Decimal(repr(tolerance.get("relative", 0)))
    distance = EXACT.abs(EXACT.subtract(value, target))
    return distance <= absolute or distance <= EXACT.multiply(relative, EXACT.abs(target))


def is_word(character):
    return unicodedata.category(character)[0] in "LMN" if character else False


def is_digit(character):
    return character in set("0123456789")


def stands_alone(before, needle, after):
    """Between these texts the needle is neither part of a word nor of a number."""
    if is_word(needle[0]) and (is_word(before[-1:]) or before.endswith("_")):
        return False
    if is_word(needle[-1]) and (is_word(after[:1]) or after.startswith("_")):
        return False
    if is_digit(needle[0]) and (before[-1:] in ("-", "\u2212") or before[-1:] in (".", ",") and is_digit(before[-2:-1])):
        return False
    return not (is_digit(needle[-1]) and after[:1] in (".", ",") and is_digit(after[1:2]))


def contains(answer, needle, ignore_case):
    answer, needle = answer.strip(), needle.strip()
    if ignore_case:
        answer, needle = answer.casefold(), needle.casefold()
    places = (at for at in range(len(answer)) if answer.startswith(needle, at))
    return any(stands_alone(answer[:at], needle, answer[at + len(needle):]) for at in places)


def fits(answer, pattern):
    """Our suites use no class in [[:...:]] and no anchor, which Python would read otherwise."""
    assert "[[:" not in pattern, pattern
    return re.fullmatch(pattern, answer.strip(), re.DOTALL) is not None


def counts(rule, answer, accepted):
    mode = rule["match_mode"]
    if mode == "trimmed-exact":
        return answer.strip() == accepted.strip()
    if mode == "normalized-text":
        return normal(answer) == normal(accepted) != ""
    if mode == "json-exact":
        return canonical(answer) == canonical(accepted) is not None
    if mode == "contains":
        return contains(answer, accepted, rule.get("ignore_case", False))
    if mode == "number":
        return is_near(answer, accepted, rule.get("tolerance", {}))
    assert mode == "regex", mode
    return fits(answer, accepted)


def rules_of(case):
    return case.get("any_of", [case])


def match(case, answer):
    """The first accepted answer that matches, None when none does."""
    for rule in rules_of(case):
        for accepted in rule["accepted_answers"]:
            if counts(rule, answer, accepted):
                return accepted
    return None
