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
