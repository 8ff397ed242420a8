import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { compileGroupPattern } from "../../src/settings/GroupPattern.ts"
import { groupMembers, missingBranchProblem, templatesBranches } from "../../src/settings/SettingsSnapshot.ts"
import { Descriptions, Patterns } from "../../src/settings/SettingRule.ts"
import { groupConflicts, readGroups, selectionGroups } from "../../src/settings/SettingsGroups.ts"
import { refreshAnswer } from "../../src/settings/SettingsProblem.ts"
import { readYaml } from "../../src/settings/YamlFile.ts"
import { failure, messages, snapshotWith, success } from "./repository.ts"

const matches = (source: string, text: string): boolean => success(compileGroupPattern(source))(text)

const problemsOf = (yaml: string) => failure(readGroups(success(readYaml("global/groups.yml", yaml)).value))
const groupsIn = (yaml: string) => success(readGroups(success(readYaml("global/groups.yml", yaml)).value))

const faultText = (path: string, value: string, rule: string) =>
  `Validation error for setting ${path}, bad value: ${value} (value origin: global->groups.yml)\nMessage: ${rule}\n`

describe("the regular expression of a group", () => {
  const MATCHING: ReadonlyArray<readonly [source: string, yes: ReadonlyArray<string>, no: ReadonlyArray<string>]> = [
    ["lhv-acc1", ["lhv-acc1", "lhv-acc10"], ["x-lhv-acc1"]],
    ["a|b", ["axx", "bxx"], ["xa"]],
    ["lhv-acc[12]$", ["lhv-acc1"], ["lhv-acc12"]],
    ["^lhv", ["lhv-1"], ["xlhv"]],
    ["\\Alhv\\Z", ["lhv"], ["lhv1"]],
    ["(?i)LHV", ["lhv1", "LHV1"], ["x"]],
    ["(?a)x\\d{,2}$", ["x", "x12"], ["x123"]],
    ["(?P<site>[a-z]+)-(?:acc|dist)\\d+", ["lhv-acc1"], ["lhv-core1"]],
    ["a(?#not this)b", ["ab"], ["a"]],
    ["[]a]", ["]", "a"], ["b"]],
    ["[^]a]", ["b"], ["]", "a"]],
    ["[[x]", ["[", "x"], ["y"]],
    ["[\\w.-]+\\.net$", ["a-b.c.net"], ["a.org"]],
    ["\\u0061\\x62", ["ab"], ["b"]],
    ["(?!lhv-core).*", ["lhv-acc1", "x"], ["lhv-core1"]],
    ["^(?=.*acc)(?!.*9$)lhv", ["lhv-acc1"], ["lhv-acc9", "lhv-dist1"]],
    [".*", ["", "x"], []]
  ]
  for (const [source, yes, no] of MATCHING) {
    it(`${source} matches from the start of a hostname, as Python does`, () => {
      for (const text of yes) assert.isTrue(matches(source, text), text)
      for (const text of no) assert.isFalse(matches(source, text), text)
    })
  }

  const REFUSED: ReadonlyArray<readonly [source: string, reason: string]> = [
    ["lhv-(acc", "missing closing ): `lhv-(acc`"],
    ["a)(b", "unexpected ): `a)(b`"],
    ["(a)\\1", "backreferences are not supported, found one at position 3"],
    ["(?P<n>a)(?P=n)", "backreferences are not supported, found one at position 8"],
    ["a(?!b)", "lookaround is supported at the beginning only, found it at position 1"],
    ["a(?i)b", "global flags not at the start of the expression at position 1"],
    ["\\Qa", "bad escape \\Q at position 0"],
    ["a\\", "bad escape (end of pattern) at position 1"],
    ["[ab", "unterminated character set at position 0"],
    ["a{2000}", "invalid repeat count: `{2000}`"]
  ]
  for (const [source, reason] of REFUSED) {
    it(`${source} is refused with the reason`, () => {
      assert.strictEqual(failure(compileGroupPattern(source)), reason)
    })
  }
})

describe("groups.yml", () => {
  it("must contain the key 'groups'", () => {
    for (const yaml of ["", "{}", "[]", "other: 1"]) {
      assert.deepStrictEqual(messages(problemsOf(yaml)), ["groups.yml must contain the key 'groups'"])
    }
    assert.strictEqual(messages(problemsOf("groups: x"))[0], faultText("groups", "x", "Input should be a valid list"))
  })

  it("always holds DEFAULT, last and with priority 1", () => {
    const [group] = groupsIn("groups: []").groups
    assert.deepInclude(group, { name: "DEFAULT", regex: ".*", group_priority: 1, templates_branch: null })
  })

  const WRONG: ReadonlyArray<readonly [yaml: string, path: string, value: string, rule: string]> = [
    ["{group: {regex: a}}", "group->name", "None", "Field required"],
    ["{group: {name: 'a b'}}", "group->name", "a b", `Input should be ${Patterns.groupName.words}`],
    ["{group: {name: a, regex: 5}}", "group->regex", "5", "Input should be a valid string"],
    [
      "{group: {name: a, group_priority: 101}}",
      "group->group_priority",
      "101",
      `Input should be less than or equal to 100, field should be: ${Descriptions.groupPriority}`
    ],
    [
      "{group: {name: a, group_priority: 1}}",
      "group->group_priority",
      "1",
      `Value error, group_priority 1 is reserved for built-in group DEFAULT, field should be: ${Descriptions.groupPriority}`
    ],
    [
      "{group: {name: a, templates_branch: x}}",
      "group->templates_branch",
      "x",
      "Value error, templates_branch can only be specified on primary groups"
    ],
    ["{name: a, devices: x}", "devices", "x", "Input should be a valid list"],
    [
      "{name: a, devices: [x], device_filter: {hostname: x}}",
      "devices",
      "['x']",
      "Value error, devices cannot be specified together with device_filter"
    ],
    ["5", "", "5", "Input should be a valid dictionary or instance of f_group"]
  ]
  for (const [yaml, path, value, rule] of WRONG) {
    it(`refuses ${yaml} with path, value and rule`, () => {
      const full = path === "" ? "groups->1" : `groups->1->${path}`
      assert.deepStrictEqual(messages(problemsOf(`groups:\n  - group: {name: ok, regex: x}\n  - ${yaml}\n`)), [
        faultText(full, value, rule)
      ])
    })
  }

  it("names the group whose expression cannot be used", () => {
    assert.deepStrictEqual(messages(problemsOf("groups: [{group: {name: BAD, regex: 'a('}}]")), [
      "Group BAD: regex is not a usable regular expression: missing closing ): `a(`"
    ])
    const byModel = "groups: [{name: BAD, device_filter: {model: '[a'}}]"
    assert.deepStrictEqual(messages(problemsOf(byModel)), [
      "Group BAD: device_filter model is not a usable regular expression: unterminated character set at position 0"
    ])
  })

  it("may not give one priority or one name to two groups", () => {
    const yaml =
      "groups: [{group: {name: A, regex: a, group_priority: 5}}, {group: {name: B, regex: b, group_priority: 5}}, {name: A, devices: []}]"
    assert.deepStrictEqual(messages(groupConflicts(groupsIn(yaml).groups)), [
      "Groups must have unique group_priority values, but group A and B both have priority 5",
      "Groups must have unique name values, but group A is defined more than once"
    ])
    const own = groupsIn("groups: [{group: {name: DEFAULT, regex: x, group_priority: 1}}]")
    assert.strictEqual(
      messages(groupConflicts(own.groups))[0],
      "Groups must have unique group_priority values, but group DEFAULT and DEFAULT both have priority 1"
    )
    const none = groupsIn("groups: [{group: {name: A, regex: a}}, {group: {name: B, regex: b}}]")
    assert.deepStrictEqual(groupConflicts(none.groups), [])
  })

  it("warns of a group that can have no members", () => {
    const { groups, warnings } = groupsIn("groups: [{group: {name: A}}, {name: B, regex: x}]")
    assert.isFalse(groups[0]?.matches({ hostname: "x" }))
    assert.isFalse(groups[1]?.matches({ hostname: "x" }))
    assert.deepStrictEqual(
      warnings.map(({ message, path }) => [path.join("->"), message]),
      [
        ["groups->0->group", "Group A has no regex, device_filter or devices: no device is a member"],
        ["groups->1->regex", "regex is read below the key 'group' only; use device_filter"],
        ["groups->1", "Group B has no regex, device_filter or devices: no device is a member"]
      ]
    )
  })
})

describe("a device", () => {
  const snapshot = snapshotWith({
    "global/groups.yml": `groups:
  - group: {name: ALL, regex: 'sw'}
  - group: {name: LOW, regex: 'sw', group_priority: 10}
  - group: {name: HIGH, regex: 'sw1$', group_priority: 90, templates_branch: pilot}
  - name: BY_MODEL
    device_filter: {model: 'CCS-720.*', device_type: ACCESS}
  - name: BY_NAME
    devices: [sw2]
  - name: EMPTY
    device_filter: {}
`
  })

  const groups = (model: string | null, device_type: "ACCESS" | "DIST") =>
    snapshot.layering.membership({ hostname: "x", model, device_type }).groups

  it("is in every group that matches, and its primary group is the one with the highest priority", () => {
    const one = snapshot.layering.membership({ hostname: "sw1" })
    assert.deepStrictEqual(one.groups, ["ALL", "LOW", "HIGH", "DEFAULT"])
    assert.strictEqual(one.primary.name, "HIGH")
    assert.strictEqual(one.primary.templates_branch, "pilot")
    const two = snapshot.layering.membership({ hostname: "sw2" })
    assert.deepStrictEqual(two.groups, ["ALL", "LOW", "BY_NAME", "DEFAULT"])
    assert.strictEqual(two.primary.name, "LOW")
    assert.strictEqual(snapshot.layering.membership({ hostname: "other" }).primary.name, "DEFAULT")
  })

  it("is in a group by filter only when all given fields are known and match", () => {
    assert.include(groups("CCS-720XP", "ACCESS"), "BY_MODEL")
    assert.notInclude(groups("CCS-720XP", "DIST"), "BY_MODEL")
    assert.notInclude(groups(null, "ACCESS"), "BY_MODEL")
    assert.notInclude(groups("CCS-720XP", "ACCESS"), "EMPTY")
  })

  it("is listed with its fellows, and groups without members are listed too", () => {
    const members = groupMembers(snapshot, [{ hostname: "sw1" }, { hostname: "x" }])
    assert.deepStrictEqual(members.get("DEFAULT"), ["sw1", "x"])
    assert.deepStrictEqual(members.get("HIGH"), ["sw1"])
    assert.deepStrictEqual(members.get("BY_NAME"), [])
    const high = snapshot.definitions.groups.find(({ name }) => name === "HIGH")
    assert.deepInclude(high, { regex: "sw1$", group_priority: 90, templates_branch: "pilot" })
    assert.deepStrictEqual(templatesBranches(snapshot), ["pilot"])
    assert.deepStrictEqual(refreshAnswer(missingBranchProblem("pilot")), {
      status: 500,
      message: "Error in repository: stderr: 'fatal: invalid reference: pilot'"
    })
  })

  it("can be selected by type and state as well", () => {
    const membership = snapshot.layering.membership({ hostname: "other" })
    assert.deepStrictEqual(selectionGroups(membership, { device_type: "DIST", state: "MANAGED" }), [
      "T_DIST",
      "S_MANAGED",
      "DEFAULT"
    ])
  })

  it("keeps its groups when it is asked for a second time", () => {
    assert.strictEqual(
      snapshot.layering.membership({ hostname: "sw1" }),
      snapshot.layering.membership({ hostname: "sw1" })
    )
    assert.isTrue(Result.isSuccess(compileGroupPattern("x")))
  })
})
