#!/usr/bin/python3
"""Makes test/jinja/conformance/numbers.jsonl: texts, and what real Jinja2 makes of them with its filters int and float.

Run it with a Python that has jinja2 3.1, as scripts/jinja-cases.py. The texts are those written down here and random ones
(fixed seed) of characters that matter: digits of other scripts, underscores, white space, signs, exponents, prefixes.
"""
import json
import os
import random

import jinja2

TARGET = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "test", "jinja", "conformance", "numbers.jsonl")

TEMPLATE = (
    "{{ t|int(-7) }}|{{ t|float(-7.5) }}"
    "|{{ t|int(-7, 0) }}|{{ t|int(-7, 2) }}|{{ t|int(-7, 8) }}|{{ t|int(-7, 16) }}|{{ t|int(-7, 32) }}|{{ t|int(-7, 36) }}"
    "|{{ t|int(-7, 1) }}|{{ t|int(-7, 37) }}"
)

# Python prints no integer of more than 4300 digits, so of long ones the remainder is shown
LONG_TEMPLATE = TEMPLATE.replace(" }}", " % 1000000007 }}")
LONG = 100

WRITTEN = [
    "", " ", "7", " 7 ", "+7", "-7", "- 7", "+-7", "--7", "007", "0", "00", "0_0", "0_7", "_7", "7_", "7__0", "1_000", "1_0.5",
    "1_0.5_0", "1._5", "1_.5", "1e1_0", "1e_1", "1_e1", ".5", "5.", ".", "-.5", "+5.e3", "1e3", "1E3", "1e+3", "1e-3", "1e", "e1",
    "1e400", "-1e400", "1e-400", "-0", "-0.0", "inf", "-inf", "+Infinity", "iNf", "infin", "nan", "-nan", "NaN", "in_f", " nan ",
    "0x1f", "0X1F", "0x_1f", "0x__1f", "0x", "-0x1f", "0b101", "0B1", "0o17", "0b2", "1f", "zz", "ZZ", "12abc", "1,5", "1 0",
    "0x1p3", "1j", "1L", "True", "None", "4.26.1F",
    # digits of other scripts, alone and mixed
    "\u0663", "\u0661\u0662\u0663", "1\u06632", "\u0663.\u0665", "\u0663e\u0662", "-\u096a", "\uff17", "\U0001d7ce\U0001d7d9", "\u0663_\u0664",
    "\u0e52\u0e53", "0x\u0661f", "\u06f0x1f", "\u0660\u0667", "\u1811",
    # numbers that are no decimal digits
    "\u00b2", "\u2164", "\u00bd", "\u4e09", "\u2460", "\u216b",
    # white space of every kind, outside and inside
    "\t7\n", "\x0b7\x0c", "\r7", "\x1c7\x1f", "\x1c\u0663", "\x857", "\u00a07\u2003", "\u20287\u3000", "\ufeff7", "\u200b7", "7\u00a00", "7\x00", "\x007",
    # letters that only look like others in lower case
    "\u212a", "\u0130", "1\u212a", "\u0131nf", "\uff49\uff4e\uff46", "\u2212" "7", "\uff0b7", "7\u00b7",
    # the longest texts that Python converts
    "1" * 4300, "1" * 4301, "0" * 4301, "0" * 4299 + "77", "1_" * 4299 + "1", "1_" * 4300 + "1", "-" + "9" * 4300, "\u0661" * 4301,
    "1" * 300 + "." + "5" * 300, "f" * 20, "1" * 20, "9007199254740993", "-9007199254740993", "123456789012345678901234567890",
]
ALPHABET = ["0", "1", "2", "7", "9", "a", "f", "F", "z", "x", "b", "o", "e", "E", ".", "_", "+", "-", " ", "\t", "\x1c", "\x1f", "\x85", "\u00a0",
            "\u2003", "\u3000", "\u0660", "\u0661", "\u0669", "\u096a", "\uff11", "\U0001d7d8", "\U0001d7ff", "\u00b2", "\u4e09", "inf", "nan", "0x", "0b"]


def texts():
    yield from WRITTEN
    chance = random.Random(20261122)
    for _ in range(700):
        yield "".join(chance.choice(ALPHABET) for _ in range(chance.randint(1, 6)))


def main():
    environment = jinja2.Environment()
    with open(TARGET, "w", encoding="utf-8") as target:
        target.write(json.dumps({"short": TEMPLATE, "long": LONG_TEMPLATE}) + "\n")
        for text in dict.fromkeys(texts()):
            size = "long" if len(text) > LONG else "short"
            template = environment.from_string(LONG_TEMPLATE if size == "long" else TEMPLATE)
            target.write(json.dumps({"size": size, "t": text, "expected": template.render(t=text)}) + "\n")


if __name__ == "__main__":
    main()
