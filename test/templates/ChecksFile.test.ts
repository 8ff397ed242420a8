/** `checks.yml`: what a network engineer writes, and the place of every mistake. */
import { describe, expect, it } from "@effect/vitest"
import { appliesTo, isFor } from "../../src/domain/checks/Check.ts"
import { readCheckFile } from "../../src/domain/checks/CheckFile.ts"
import { readChecks } from "../../src/templates/ChecksFile.ts"
import { checkTemplates } from "../../src/templates/TemplateCheck.ts"
import { buildTemplateSnapshot, isTemplatePath } from "../../src/templates/TemplateSnapshot.ts"

const TEXT = `checks:
  bgp-sessions:
    for: {device_types: [DIST, CORE]}
    when_diff: router bgp|neighbor
    reads: bgp
    where: {is_established: true}
    must: no_lost
    settle: 10 s
    try_again: 1 min
    before: refuse
    also: neighbours
  uplinks:
    for: all
    reads: {role: uplink}
    must: {every: {is_up: true}}
  gateway:
    for: {groups: [EAST_WING], platforms: [eos]}
    reads: {ping: {to: 10.0.0.1, vrf: MGMT}}
    must: {within: {loss_percent: [0, 20.5]}}
  prefixes:
    for: all
    reads: bgp
    must: {at_least_share: 90%, of: prefixes_received}
`

const mistakes = (text: string) =>
  readChecks(text).problems.map(({ column, line, message, path }) => ({ line, column, path, message }))

describe("a file of checks", () => {
  it("is read with the line of each check", () => {
    const { checks, problems } = readChecks(TEXT)
    expect(problems).toEqual([])
    expect(checks.map(({ check, line }) => [check.name, line])).toEqual([
      ["bgp-sessions", 2],
      ["uplinks", 12],
      ["gateway", 16],
      ["prefixes", 20]
    ])
    expect(checks[0]?.check).toMatchObject({
      when_diff: "router bgp|neighbor",
      where: { is_established: true },
      condition: { must: "no_lost" },
      settle: 10,
      within: 60,
      before: "refuse",
      also_neighbours: true
    })
    expect(checks[2]?.check).toMatchObject({
      question: { reads: "ping", to: "10.0.0.1", vrf: "MGMT", count: 5 },
      condition: { must: "within", field: "loss_percent", least: 0, most: 20.5 }
    })
    expect(checks[3]?.check.condition).toEqual({ must: "at_least_share", percent: 90, of: "prefixes_received" })
  })

  it.each([
    ["an unknown key", "checks:\n  a:\n    for: all\n    reads: bgp\n    must: no_lost\n    settel: 3\n", 6, "settel"],
    ["a reading that there is not", "checks:\n  a:\n    for: all\n    reads: bpg\n    must: no_lost\n", 4, "bpg"],
    [
      "a field that the reading does not have",
      "checks:\n  a:\n    for: all\n    reads: bgp\n    must: {every: {is_up: true}}\n",
      5,
      "is_up"
    ],
    [
      "a condition that there is not",
      "checks:\n  a:\n    for: all\n    reads: bgp\n    must: {at_leest: 3}\n",
      5,
      "at_leest"
    ],
    [
      "a time without a unit that it knows",
      "checks:\n  a:\n    for: all\n    reads: bgp\n    must: no_lost\n    settle: 3 h\n",
      6,
      "settle"
    ],
    ["no devices", "checks:\n  a:\n    for: {}\n    reads: bgp\n    must: no_lost\n", 3, "for"],
    [
      "a type that there is not",
      "checks:\n  a:\n    for: {device_types: [SPINE]}\n    reads: bgp\n    must: no_lost\n",
      3,
      "device_types"
    ],
    [
      "a pattern that is none",
      "checks:\n  a:\n    for: all\n    when_diff: '('\n    reads: bgp\n    must: no_lost\n",
      4,
      "when_diff"
    ],
    [
      "an address of a ping that carries another command",
      "checks:\n  a:\n    for: all\n    reads: {ping: {to: '10.0.0.1 ; reload'}}\n    must: {at_least: 1}\n",
      4,
      "ping"
    ],
    ["a ready set that there is not", "include: [nothing]\n", 1, "include"],
    [
      "a log that is compared with before",
      "checks:\n  a:\n    for: all\n    reads: {log: error}\n    must: no_lost\n",
      5,
      "must"
    ],
    ["a missing condition", "checks:\n  a:\n    for: all\n    reads: bgp\n", 2, "a"]
  ])("with %s is refused at its line", (_name, text, line, word) => {
    const found = mistakes(text)
    expect(found).toHaveLength(1)
    expect(found[0]?.line).toBe(line)
    expect(`${found[0]?.path} ${found[0]?.message}`).toContain(word)
  })

  it("names every mistake, and no check of such a file is used", () => {
    const text =
      "checks:\n  a:\n    for: all\n    reads: nothing\n    must: no_lost\n  b:\n    for: all\n    reads: bgp\n    must: 3\n"
    expect(mistakes(text).map(({ line }) => line)).toEqual([4, 9])
    expect(readChecks(text).checks).toEqual([])
  })

  it("stops a commit, as a template does that cannot be compiled", () => {
    const files = new Map([
      ["eos/mapping.yml", "ACCESS:\n  entrypoint: access.j2\n"],
      ["eos/access.j2", "hostname {{ hostname }}\n"],
      ["checks.yml", "checks:\n  a:\n    for: all\n    reads: nothing\n    must: no_lost\n"]
    ])
    const snapshot = buildTemplateSnapshot({ files, root: "templates" })
    const [problem] = checkTemplates(snapshot).problems
    expect(problem?.message).toContain("checks.yml, line 4")
    expect([...snapshot.platforms.keys()]).toEqual(["eos"])
    expect(["checks.yml", "eos/access.j2", "README.md"].map(isTemplatePath)).toEqual([true, true, false])
  })

  it("includes ready sets, whose checks one of the same name replaces", () => {
    const set = {
      first: { for: "all", reads: "bgp", must: "no_lost" },
      second: { for: "all", reads: "ntp", must: "no_lost" }
    }
    const own = { second: { for: "all", reads: "ospf", must: "no_lost" } }
    const { checks, faults } = readCheckFile({ include: ["mine"], checks: own }, { mine: set })
    expect(faults).toEqual([])
    expect(checks.map(({ name, question, set: from }) => [name, question.reads, from])).toEqual([
      ["first", "bgp", "mine"],
      ["second", "ospf", null]
    ])
  })
})

const ASKING = `checks:
  alerts:
    for: all
    reads:
      http:
        url: https://mon.example.org/api/v2/alerts
        query: {filter: 'instance="{{ hostname }}"', active: true}
        path: $[*]
        name: [labels.alertname, labels.port]
    where: {labels.severity: critical}
    must: no_new
  loss:
    for: all
    reads: {http: {url: "http://10.0.0.7:9090/api/v1/query?query=loss", path: "$.data.result[0].value[1]", numbers: true}}
    must: {within: {value: [0, 1.5]}}
`

describe("a question to a monitoring system", () => {
  it("is read with its variables, and its fields can have any name", () => {
    const { checks, problems } = readChecks(ASKING)
    expect(problems).toEqual([])
    expect(checks.map(({ check: { condition, question, where } }) => ({ condition, question, where }))).toEqual([
      {
        question: {
          reads: "http",
          url: "https://mon.example.org/api/v2/alerts",
          query: { filter: 'instance="{{ hostname }}"', active: "true" },
          path: "$[*]",
          name: ["labels.alertname", "labels.port"],
          numbers: false
        },
        where: { "labels.severity": "critical" },
        condition: { must: "no_new" }
      },
      {
        question: {
          reads: "http",
          url: "http://10.0.0.7:9090/api/v1/query?query=loss",
          query: {},
          path: "$.data.result[0].value[1]",
          name: [],
          numbers: true
        },
        where: {},
        condition: { must: "within", field: "value", least: 0, most: 1.5 }
      }
    ])
  })

  it.each([
    ["an unknown key", "        path: $[*]", "        pfad: x\n        path: $[*]", 8, "unknown key"],
    ["no path", "        path: $[*]\n", "", 5, "'path' is missing"],
    ["a path that has no meaning", "path: $[*]", "path: $..x", 8, "must be a path"],
    ["a host that depends on the device", "//mon.", "//{{ hostname }}.", 6, "without variables in its host"],
    ["a login in its address", "//mon.", "//me:secret@mon.", 6, "CHECK_HOSTS"],
    ["a variable that there is not", "{{ hostname }}", "{{ password }}", 7, "known are hostname"],
    ["no names for what it compares by name", "        name: [labels.alertname, labels.port]\n", "", 10, "needs name"]
  ])("with %s is refused at its line", (_name, from, to, line, word) => {
    const found = mistakes(ASKING.replace(from, to))
    expect(found.map((one) => one.line)).toEqual([line])
    expect(found[0]?.message).toContain(word)
  })

  it("stops a commit at its line if the server may not ask the host", () => {
    const files = new Map([
      ["eos/mapping.yml", "ACCESS:\n  entrypoint: access.j2\n"],
      ["eos/access.j2", "hostname {{ hostname }}\n"],
      ["checks.yml", ASKING]
    ])
    const snapshot = buildTemplateSnapshot({ files, root: "templates" })
    const both = ["https://mon.example.org", "http://10.0.0.7:9090"].map((origin) => ({ origin, secret: null }))
    expect(checkTemplates(snapshot, { hosts: both, plugins: [] }).problems).toEqual([])
    expect(checkTemplates(snapshot).problems).toEqual([])
    expect(
      checkTemplates(snapshot, { hosts: both.slice(0, 1), plugins: [] }).problems.map(({ message }) => message)
    ).toEqual([expect.stringMatching(/checks\.yml, line 14.*http:\/\/10\.0\.0\.7:9090 is not named in CHECK_HOSTS/)])
    expect(checkTemplates(snapshot, { hosts: [], plugins: [] }).problems).toHaveLength(2)
  })
})

describe("a question to a plugin", () => {
  const TO_PLUGIN = `checks:
  vteps:
    for: all
    reads:
      plugin:
        name: show
        function: lines
        with: { eos: show vxlan vtep, least: 2, strict: true }
    where: { tunnels: unicast }
    must: no_lost
`

  it("is read with its arguments, and its fields can have any name", () => {
    const { checks, problems } = readChecks(TO_PLUGIN)
    expect(problems).toEqual([])
    expect(checks.map(({ asks, check }) => [asks?.line, check.question, check.where])).toEqual([
      [
        7,
        {
          reads: "plugin",
          plugin: "show",
          function: "lines",
          with: { eos: "show vxlan vtep", least: 2, strict: true }
        },
        { tunnels: "unicast" }
      ]
    ])
  })

  it.each([
    ["no name", "        name: show\n", "", 5, "'name' is missing"],
    ["no function", "        function: lines\n", "", 5, "'function' is missing"],
    ["a path as its name", "name: show", "name: ../show", 6, "must be the name of a plugin"],
    ["a function that is no name", "function: lines", "function: Lines!", 7, "one of its functions"],
    ["an unknown key", "        with:", "        args:", 8, "unknown key"],
    ["an argument that is a list", "least: 2", "least: [2]", 8, "must be true, false, a number or a text"],
    ["arguments that are none", "with: { eos: show vxlan vtep, least: 2, strict: true }", "with: show", 8, "names"]
  ])("with %s is refused at its line", (_name, from, to, line, word) => {
    const found = mistakes(TO_PLUGIN.replace(from, to))
    expect(found.map((one) => one.line)).toEqual([line])
    expect(found[0]?.message).toContain(word)
  })

  it("stops a commit at its line if the plugin cannot be asked", () => {
    const files = new Map([
      ["eos/mapping.yml", "ACCESS:\n  entrypoint: access.j2\n"],
      ["eos/access.j2", "hostname {{ hostname }}\n"],
      ["checks.yml", TO_PLUGIN]
    ])
    const snapshot = buildTemplateSnapshot({ files, root: "templates" })
    const known = (checks: ReadonlyArray<string> | null) =>
      checkTemplates(snapshot, { hosts: [], plugins: [{ name: "show", checks }] }).problems.map(
        ({ message }) => message
      )
    expect(known(["lines"])).toEqual([])
    expect(checkTemplates(snapshot).problems).toEqual([])
    expect(known(["words"])).toEqual([
      expect.stringMatching(/checks\.yml, line 7.*the plugin show has no function lines; it has words/)
    ])
    expect(known(null)).toEqual([expect.stringMatching(/line 7.*the plugin show is not loaded/)])
  })
})

describe("a check", () => {
  const named = (name: string) => {
    const found = readChecks(TEXT).checks.find(({ check }) => check.name === name)
    if (found === undefined) throw new Error(`there is no check ${name}`)
    return found.check
  }

  it("is for devices by their type, platform and groups", () => {
    const device = { device_type: "DIST", platform: "eos", groups: ["EAST_WING"] }
    expect(isFor(named("bgp-sessions"), device)).toBe(true)
    expect(isFor(named("bgp-sessions"), { ...device, device_type: "ACCESS" })).toBe(false)
    expect(isFor(named("gateway"), device)).toBe(true)
    expect(isFor(named("gateway"), { ...device, platform: "frr" })).toBe(false)
    expect(isFor(named("gateway"), { ...device, groups: [] })).toBe(false)
  })

  it("is called for by the changed lines of a difference, and not by the lines around them", () => {
    const diff = "@@ -1,3 +1,3 @@\n router bgp 65001\n-vlan 10\n+vlan 11\n"
    expect(appliesTo(named("bgp-sessions"), diff)).toBe(false)
    expect(appliesTo(named("bgp-sessions"), `${diff}+   neighbor 10.0.0.1 shutdown\n`)).toBe(true)
    expect(appliesTo(named("uplinks"), diff)).toBe(true)
  })
})
