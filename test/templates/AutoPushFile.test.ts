/** Rules of a site for what is pushed without a person: how they are read, and what is wrong with them. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { readAutoPushRules } from "../../src/templates/AutoPushFile.ts"
import { checkTemplates } from "../../src/templates/TemplateCheck.ts"
import { buildTemplateSnapshot } from "../../src/templates/TemplateSnapshot.ts"

const read = (text: string) => readAutoPushRules("/srv/eos", text)
const PREFIX = "Could not parse /srv/eos/auto_push.yml in template repo: "

/** The mistakes of a text, without the words that every message begins with. */
const faults = (text: string) => {
  const rules = read(text)
  const messages = Result.isFailure(rules) ? rules.failure : []
  for (const message of messages) assert.isTrue(message.startsWith(PREFIX), message)
  return messages.map((message) => message.slice(PREFIX.length))
}

const rule = (...lines: ReadonlyArray<string>) => `never:\n  - ${lines.join("\n    ")}\n`

describe("auto_push.yml", () => {
  it("contains rules by name, anchored at the start of a line", () => {
    const [found] = Result.getOrThrow(
      read(rule("name: qos", "section: interface Port", "line: '(no )?service-policy'"))
    )
    assert.deepInclude(found, { name: "qos", change: "any", where: "anywhere", exceptOrphans: false })
    assert.strictEqual(found?.message, "The rule qos of the templates repository")
    assert.isTrue(found?.line("no service-policy x"))
    assert.isFalse(found?.line("x service-policy"))
    assert.isTrue(found?.section?.("interface Port-Channel1"))
  })

  it.each<readonly [text: string, faults: ReadonlyArray<string | RegExp>]>([
    ["never: [", [/^auto_push\.yml, line 1, column \d+: /]],
    ["- a", ["expected a mapping, not list"]],
    ["", ["expected a mapping, not NoneType"]],
    ["rules: []", ["expected a list of rules under the key 'never'"]],
    ["never: []\nalways: []", ["unknown key 'always'"]],
    ["never: [5]", ["rule 1: expected a mapping, not int"]],
    [rule("name: qos"), ["rule 1 (qos): 'line' is missing"]],
    [rule("line: x"), [/^rule 1: 'name' must be lower-case letters/]],
    [rule("name: Q o S", "line: x"), [/^rule 1 \(Q o S\): 'name' must be/]],
    [rule("name: login", "line: x"), ["rule 1 (login): the name login is one of the server's own"]],
    [rule("name: qos", "line: '('"), [/^rule 1 \(qos\): 'line' is no regular expression: /]],
    [rule("name: qos", "line: x", "section: '[a'"), [/^rule 1 \(qos\): 'section' is no regular expression: /]],
    [rule("name: qos", "line: x", "change: moved"), ["rule 1 (qos): 'change' must be one of added, removed, any"]],
    [
      rule("name: qos", "line: x", "lines: x"),
      ["rule 1 (qos): unknown key 'lines', known are name, message, change, section, line"]
    ],
    [rule("name: qos", "line: 5"), ["rule 1 (qos): 'line' must be a text, not int"]],
    [`${rule("name: qos", "line: x")}  - {name: qos, line: y}`, ["rule 2 (qos): the name qos is given twice"]],
    [`${rule("name: qos", "line: x")}    line: y`, [/line 4, column 5: .*key line is given more than once/]]
  ])("is refused with all mistakes: %j", (text, expected) => {
    const found = faults(text)
    assert.lengthOf(found, expected.length, found.join("\n"))
    for (const [index, one] of expected.entries()) {
      if (typeof one === "string") assert.strictEqual(found[index], one)
      else assert.match(found[index] ?? "", one)
    }
  })

  it("is a problem of its commit if it is wrong or unreadable, and is not an unused template", () => {
    const sound = { "eos/mapping.yml": "ACCESS:\n  entrypoint: access.j2\n", "eos/access.j2": "hostname x\n" }
    const check = (files: Readonly<Record<string, string>>, refused: Readonly<Record<string, string>> = {}) =>
      checkTemplates(
        buildTemplateSnapshot({
          files: new Map(Object.entries({ ...sound, ...files })),
          refused: new Map(Object.entries(refused).map(([path, reason]) => [path, { reason, line: null }])),
          root: "/srv"
        })
      )
    assert.deepEqual(check({ "eos/auto_push.yml": "never: []" }), { problems: [], warnings: [] })
    assert.lengthOf(check({ "eos/auto_push.yml": "never: 5" }).problems, 1)
    const unread = check({}, { "eos/auto_push.yml": "too long" })
    assert.deepEqual(
      unread.problems.map(({ message }) => message),
      ["File /srv/eos/auto_push.yml cannot be read: too long"]
    )
    assert.deepEqual(unread.warnings, [])
  })
})
