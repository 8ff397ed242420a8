"""Random templates from a grammar, with a fixed seed, weighted to what network templates use."""
import random

NAMES = ["a", "b", "c", "host", "ports", "d", "ns_free", "text", "n"]
VARIABLES = {
    "a": 5, "b": -3, "c": [3, 1, 2], "host": "sw-1", "text": "Some text, more\n  lines\n", "n": None,
    "ports": [
        {"name": "Et1", "vlan": 10, "tags": ["x", "y"], "up": True},
        {"name": "Et2", "vlan": None, "tags": [], "up": False},
        {"name": "Et10", "vlan": 20, "tags": ["y"], "up": True},
    ],
    "d": {"k": 1, "B": 2, "z": {"q": [1, 2.5, "w"]}},
}
LITERALS = ["0", "1", "7", "-2", "2.5", "'x'", "'abc'", "'A-b'", "''", "true", "false", "none", "[]", "[1, 2]", "['b', 'A']", "{'k': 1}", "(1, 2)"]
BINARY = ["+", "-", "*", "/", "//", "%", "~", "==", "!=", "<", ">=", "and", "or", "in", "not in"]
FILTERS = [
    "upper", "lower", "length", "list", "first", "last", "join(',')", "sort", "unique|list", "default('?')", "default('?', true)", "string", "int", "float",
    "replace('a', 'b')", "trim", "reverse|list", "map('string')|list", "map(attribute='name')|list", "select|list", "reject('none')|list", "sum", "min", "max", "abs",
    "round(1)", "title", "capitalize", "tojson", "batch(2)|list", "selectattr('up')|list|length", "truncate(5, true, '..', 0)", "indent(2)", "wordcount", "center(9)", "dictsort", "e",
]
TESTS = ["defined", "none", "number", "string", "sequence", "mapping", "iterable", "odd", "true", "eq(1)", "in([1, 'x'])", "undefined", "boolean", "integer"]
TEXTS = ["\n", " ", "x", "  \n", "interface ", "\n   vlan ", "!\n", ", "]


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = list(NAMES)

    def pick(self, items):
        return self.random.choice(items)

    def chance(self, part):
        return self.random.random() < part

    def expression(self, depth=3):
        if depth == 0 or self.chance(0.25):
            return self.pick(self.names) if self.chance(0.6) else self.pick(LITERALS)
        kind = self.random.randrange(12)
        inner = lambda: self.expression(depth - 1)
        if kind < 3:
            return "%s %s %s" % (inner(), self.pick(BINARY), inner())
        if kind < 6:
            return "(%s)|%s" % (inner(), self.pick(FILTERS))
        if kind == 6:
            return "(%s if %s else %s)" % (inner(), inner(), inner())
        if kind == 7:
            return "%s is %s%s" % (self.pick(self.names), self.pick(["", "not "]), self.pick(TESTS))
        if kind == 8:
            return "%s.%s" % (self.pick(self.names), self.pick(["name", "k", "vlan", "0", "z", "z.q"]))
        if kind == 9:
            return "%s[%s]" % (self.pick(self.names), self.pick(["0", "-1", "'k'", "1:", ":2", "::-1", "5"]))
        if kind == 10:
            return "[%s, %s]" % (inner(), inner())
        return "not %s" % inner()

    def mark(self):
        return self.random.choices(["", "-", "+"], [8, 1, 1])[0]

    def tag(self, body):
        return "{%%%s %s %s%%}" % (self.mark(), body, self.mark())

    def shown(self):
        return "{{%s %s }}" % (self.pick(["", "", "", "-"]), self.expression())

    def statement(self, depth):
        kind = self.random.randrange(10)
        if kind < 2:
            name = self.pick(["a", "v", "w", "host"])
            self.names.append(name)
            return self.tag("set %s = %s" % (name, self.expression()))
        if kind < 4:
            other = self.tag("else") + self.body(depth - 1) if self.chance(0.4) else ""
            return self.tag("if " + self.expression()) + self.body(depth - 1) + other + self.tag("endif")
        if kind < 7:
            name = self.pick(["i", "p", "a"])
            over = self.pick(["ports", "c", "[1, 2]", "d", "range(3)", "'xy'", "ports|map(attribute='tags')", "c|sort", "ports|selectattr('up')"])
            self.names += [name, "loop.index"]
            condition = " if %s" % self.expression(1) if self.chance(0.2) else ""
            body = self.body(depth - 1)
            self.names.remove("loop.index")
            other = self.tag("else") + "none" if self.chance(0.2) else ""
            return self.tag("for %s in %s%s" % (name, over, condition)) + body + other + self.tag("endfor")
        if kind == 7:
            return self.tag("set block") + self.body(depth - 1) + self.tag("endset") + "{{ block }}"
        if kind == 8:
            name = "m%d" % self.random.randrange(3)
            return self.tag("macro %s(p, q=%s)" % (name, self.expression(1))) + self.body(depth - 1) + self.tag("endmacro") + "{{ %s(%s) }}" % (name, self.expression(1))
        return self.tag("with a = " + self.expression(1)) + self.body(depth - 1) + self.tag("endwith")

    def body(self, depth):
        parts = []
        for _ in range(self.random.randrange(1, 4)):
            kind = self.random.randrange(10)
            if kind < 4 or depth == 0:
                parts.append(self.pick(TEXTS))
            elif kind < 7:
                parts.append(self.shown())
            elif kind == 7 and self.chance(0.3):
                parts.append("{#%s comment %s#}" % (self.mark(), self.mark()))
            else:
                parts.append(self.statement(depth))
        if depth == 0:
            parts.append(self.shown())
        return "".join(parts)


def cases(count, first_seed=1):
    for seed in range(first_seed, first_seed + count):
        yield {"category": "random", "template": Maker(seed).body(3), "variables": VARIABLES}


NUMBERS = [
    "0", "1", "-1", "255", "1234567", "0.5", "-2.5", "1e10", "3.14159", "1e-5", "0.1", "123456789.125", "2.675", "1e22", "-0.0", "true",
    "12345678901234567890", "1e300", "0.00001234",
]
PHRASES = [
    "abc def", "Ethernet1/2/3", "a-b-c well-known e-mail", "  x  y ", "\u00c4\u00d6 \u00df", "a.b.c", "", "\\n a\\n\\n b\\n", "foo--bar baz -- x",
    "it\\'s a \"test\"", "123", "aXbXc",
]
METHODS = [
    "upper()", "lower()", "title()", "capitalize()", "swapcase()", "strip()", "split()", "split('-')", "rsplit('.', 1)", "splitlines()",
    "replace('a', 'zz', 1)", "find('b')", "rfind('a')", "count('a')", "center(9, '*')", "ljust(8)", "zfill(9)", "partition('-')", "rpartition('.')",
    "isalpha()", "isdigit()", "isupper()", "istitle()", "startswith('a')", "endswith('c')", "lstrip(' a')", "rstrip('c ')", "expandtabs(3)",
]
TEXT_FILTERS = [
    "title", "wordcount", "wordwrap(5)", "wordwrap(3)", "wordwrap(7, false)", "wordwrap(4, break_on_hyphens=false)", "indent", "indent(2, true)",
    "indent(1, false, true)", "truncate(4)", "truncate(4, true, '', 0)", "truncate(6, false, '.', 0)", "center(11)", "urlencode", "striptags", "list",
    "reverse", "e", "tojson", "replace('a', 'b')", "trim", "upper|lower", "sort", "unique|list", "first", "last", "batch(2)|list", "pprint", "int",
    "float", "length", "join('.')",
]
BLANKS = [" ", "\n", "\t", "x", "  \n", "\n\n", " \u00a0", "\r\n", "{", "}", "%}", "\x0b", "\u2003\n"]


class Details:
    """Templates for single rules: white space around tags, formats of numbers, arithmetic, text."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.pick = self.random.choice

    def mark(self):
        return self.pick(["", "", "", "-", "+"])

    def space(self):
        parts, depth, mark = [], 0, self.mark
        for _ in range(self.random.randrange(1, 12)):
            kind = self.random.randrange(12)
            if kind < 5:
                parts.append(self.pick(BLANKS))
            elif kind == 5:
                parts.append("{%%%s if true %s%%}" % (mark(), mark()))
                depth += 1
            elif kind == 6 and depth:
                parts.append("{%%%s endif %s%%}" % (mark(), mark()))
                depth -= 1
            elif kind == 7:
                parts.append("{#%s c %s#}" % (mark(), mark()))
            elif kind == 8:
                parts.append("{{%s 1 %s}}" % (self.pick(["", "-", "+"]), self.pick(["", "-"])))
            elif kind == 9:
                raw = self.pick([" a\n", "{{ x }}", "\n  ", "", "{% if %}", " {"])
                parts.append("{%%%s raw %s%%}%s{%%%s endraw %s%%}" % (mark(), self.pick(["", "-"]), raw, mark(), mark()))
            elif kind == 10:
                parts.append("{%%%s set a = 1 %s%%}" % (mark(), mark()))
            else:
                inner = self.pick([" y\n", "\n", "z"])
                parts.append("{%%%sset b%s%%}%s{%%%s endset %s%%}{{ b }}" % (mark(), mark(), inner, mark(), mark()))
        return "".join(parts) + "{% endif %}" * depth

    def format(self):
        pick = self.pick
        if self.random.random() < 0.5:
            flags = "".join(self.random.sample("-+ #0", self.random.randrange(3)))
            spec = flags + pick(["", "5", "12"]) + pick(["", ".0", ".2", ".10"]) + pick("sdixXofFeEgGcr")
            return "[{{ '%%%s' %% %s }}]" % (spec, pick(NUMBERS))
        spec = pick(["", "<", "^", ">", "=", "*<", "0>"]) + pick(["", "+", " ", "-"]) + pick(["", "#"]) + pick(["", "0"]) + pick(["", "6", "14"])
        spec += pick(["", "", ",", "_"]) + pick(["", ".0", ".3"]) + pick(["", "d", "f", "e", "g", "x", "b", "o", "X", "%", "G", "E", "n", "s"])
        return "[{{ '{:%s}'.format(%s) }}]" % (spec, pick(NUMBERS + ["'abc'"]))

    def arithmetic(self):
        pick = self.pick
        operation = "(%s) %s (%s)" % (pick(NUMBERS), pick(["+", "-", "*", "/", "//", "%", "==", "<"]), pick(NUMBERS))
        return "{{ %s }}|{{ (%s)|round(%d) }}|{{ (%s)|int }}" % (operation, pick(NUMBERS), self.random.randrange(-3, 6), pick(NUMBERS))

    def text(self):
        pick = self.pick
        return "[{{ '%s'.%s }}][{{ '%s'|%s }}]" % (pick(PHRASES), pick(METHODS), pick(PHRASES), pick(TEXT_FILTERS))


def detail_cases(count, first_seed=1):
    for seed in range(first_seed, first_seed + count):
        details = Details(seed)
        make = details.pick([details.space, details.space, details.format, details.arithmetic, details.text])
        yield {"category": "details", "template": make(), "variables": {}}
