#!/usr/bin/python3
"""Makes test/jinja/conformance/generated.jsonl: templates with the output of real Jinja2.

Run it with a Python that has jinja2 3.1 (Debian: apt-get install python3-jinja2):

    /usr/bin/python3 scripts/jinja-cases.py

Two kinds of cases: those written down in jinja_cases_written.py, by category, and random templates made from a
grammar with a fixed seed, weighted to what templates of network configurations use. A case holds either the output or
the class and text of the exception. The environment is the one the engine imitates.
"""
import json
import os
import posixpath
import sys

import jinja2

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import jinja_cases_random
import jinja_cases_written

TARGET = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "test", "jinja", "conformance", "generated.jsonl")


class RelativeEnvironment(jinja2.Environment):
    """Names of included files are relative to the including file."""

    def join_path(self, template, parent):
        joined = posixpath.join(posixpath.dirname(parent), template)
        return joined if ".." in joined.split("/") else posixpath.normpath(joined).lstrip("/")


def environment(files):
    return RelativeEnvironment(
        loader=jinja2.DictLoader(files),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def run(case):
    files = dict(case.get("files", {}))
    files["main.j2"] = case["template"]
    # Variables travel as JSON, so that the engine under test gets exactly the same ones.
    variables = json.loads(json.dumps(case.get("variables", {})))
    try:
        case["expected"] = environment(files).get_template("main.j2").render(variables)
    except Exception as error:  # every class of error is a result here
        case["error"] = type(error).__name__
        case["message"] = str(error)
    return case


def usable(case):
    """Leaves out what differs from run to run or shows addresses of Python objects."""
    text = case.get("expected", "") + case.get("message", "")
    return " at 0x" not in text and "<class" not in text and "<function" not in text


def main():
    cases = [run(case) for case in jinja_cases_written.CASES]
    unusable = [case["template"] for case in cases if not usable(case)]
    if unusable:
        sys.exit("cases with output that is not stable: " + "\n".join(unusable))
    random_cases = [*jinja_cases_random.cases(400), *jinja_cases_random.detail_cases(600)]
    cases += [case for case in map(run, random_cases) if usable(case)]
    # What many cases share stands once, in the first line; a case refers to it by number.
    shared = []
    for number, case in enumerate(cases, 1):
        given = {key: case.pop(key) for key in ("variables", "files") if key in case}
        if given not in shared:
            shared.append(given)
        case["n"] = number
        case["given"] = shared.index(given)
    about = {
        "about": "Output of Jinja2 for the engine's tests; made by scripts/jinja-cases.py, not to be edited",
        "jinja2": jinja2.__version__,
        "python": sys.version.split()[0],
        "shared": shared,
    }
    with open(TARGET, "w", encoding="utf-8") as out:
        for line in [about] + cases:
            out.write(json.dumps(line, ensure_ascii=True) + "\n")
    print(len(cases), "cases,", sum("error" in case for case in cases), "of them errors")


if __name__ == "__main__":
    main()
