/**
 * Random templates for property tests: sequences of tokens, most of them nonsense, from a seed.
 */

/** A generator of pseudo-random numbers between 0 and 1 (mulberry32). */
export const randomFrom = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

const marks = ["{{", "}}", "{%", "%}", "{%-", "-%}", "{{-", "-}}", "{#", "#}", "{%+", "+%}", "\n", " ", "text"]

const words = [
  "for i in",
  "for k, v in",
  "if",
  "elif",
  "else",
  "endif",
  "endfor",
  "set x =",
  "set",
  "endset",
  "macro m(a, b=1)",
  "endmacro",
  "call m(1)",
  "endcall",
  "include 'a.j2'",
  "include name",
  "include '../secret'",
  "include '/etc/passwd'",
  "import 'a.j2' as q",
  "from 'a.j2' import f",
  "block b",
  "endblock",
  "extends 'a.j2'",
  "with y = 1",
  "endwith",
  "filter upper",
  "endfilter",
  "raw",
  "endraw",
  "recursive",
  "not",
  "and",
  "or",
  "in",
  "is",
  "is not",
  "defined",
  "none",
  "true",
  "false",
  "loop",
  "loop.index",
  "super()",
  "self.b()",
  "caller()",
  "varargs",
  "kwargs",
  "ignore missing",
  "with context",
  "without context"
]

const values = [
  "name",
  "items",
  "number",
  "text",
  "data",
  "x",
  "y",
  "i",
  "0",
  "1",
  "-1",
  "2.5",
  "1e3",
  "9007199254740993",
  "'s'",
  "'a,b'",
  "''",
  "[1, 2]",
  "{'k': 1}",
  "(1, 2)",
  "range(5)",
  "range(99999999)",
  "dict(a=1)",
  "namespace(a=1)",
  "cycler(1, 2)",
  "joiner()",
  "lipsum",
  "'a' * 999999999",
  "[0] * 999999999",
  "2 ** 99999",
  "'%999999999d' % 1",
  "'{:999999999}'.format(1)",
  "'x'.center(999999999)"
]

const operators = [
  "+",
  "-",
  "*",
  "/",
  "//",
  "%",
  "**",
  "~",
  "==",
  "!=",
  "<",
  ">=",
  ".",
  ",",
  ":",
  "|",
  "(",
  ")",
  "[",
  "]",
  "{",
  "}",
  "=",
  "[0]",
  "[1:]",
  "()"
]

const steps = [
  "|upper",
  "|list",
  "|sort",
  "|join(',')",
  "|map('upper')",
  "|select",
  "|first",
  "|length",
  "|default('d')",
  "|tojson",
  "|int",
  "|e",
  "|attr('constructor')",
  "|map(attribute='constructor')|list",
  "|map(attribute='__proto__')|list",
  "|sort(attribute='constructor.name')",
  "|groupby('__proto__')",
  "|batch(2)",
  "|reverse",
  "|unique",
  "|wordwrap(3)",
  "|truncate(1)",
  "|pprint",
  "|xmlattr",
  "|format(1)",
  "|regex_sub('a', 'b')",
  "|render_as_jinja",
  "|sha1",
  "|increment_ip",
  ".constructor",
  ".__proto__",
  ".prototype",
  ".__class__",
  ".toString",
  ".valueOf()",
  "['constructor']",
  "['__proto__']",
  "['constructor']('return process')()",
  ".append(1)",
  ".update({'q': 1})",
  ".items()",
  ".pop()",
  ".upper()",
  ".format(1)",
  ".join([])",
  ".call",
  ".apply",
  ".bind",
  ".cursor",
  ".entries",
  ".rendering",
  ".template",
  ".call()",
  ".item",
  ".repr()",
  ".names",
  ".context",
  ".body",
  ".exports"
]

const groups = [marks, words, values, operators, steps]

/** A random template of up to this many tokens. */
export const randomTemplate = (random: () => number, tokens: number): string => {
  const pick = (list: ReadonlyArray<string>): string => list[Math.floor(random() * list.length)] ?? ""
  let text = ""
  const count = 1 + Math.floor(random() * tokens)
  for (let n = 0; n < count; n++) {
    // Half of the templates hold together at least in places, so that rendering is reached.
    const shape = random()
    if (shape < 0.3) text += `{{ ${pick(values)}${pick(steps)}${pick(steps)} }}`
    else if (shape < 0.4) text += `{% ${pick(words)} ${pick(values)} %}`
    else if (shape < 0.45) text += `{% for i in ${pick(values)}${pick(steps)} %}${pick(marks)}{% endfor %}`
    else text += pick(groups[Math.floor(random() * groups.length)] ?? marks) + (random() < 0.5 ? " " : "")
  }
  return text
}
