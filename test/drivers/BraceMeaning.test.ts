/** Configurations in braces are compared by what they say. */
import { describe, expect, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import { type BraceStatement, printBraces, readBraces } from "../../src/domain/BraceText.ts"
import { junos } from "../../src/domain/platforms/junos/Platform.ts"
import { saysTheSame, statementDiff } from "../../src/drivers/BraceMeaning.ts"
import { missingLines, placedLines } from "../../src/drivers/MissingLines.ts"
import { sectionAround } from "../../src/drivers/SectionText.ts"
import * as UnifiedDiff from "../../src/drivers/UnifiedDiff.ts"

const notation = junos.configuration
const isSame = (one: string, other: string) => saysTheSame(notation, one, other)
const printed = (text: string) => printBraces(readBraces(text).statements)

const CAMPUS = `system {
    host-name lhv-dist1;
    name-server {
        10.20.1.1;
        10.20.1.2;
    }
    services {
        ssh;
        netconf {
            ssh;
        }
    }
}
interfaces {
    ge-0/0/1 {
        description "Printer room";
        unit 0 {
            family ethernet-switching {
                vlan {
                    members [ STAFF VOICE ];
                }
            }
        }
    }
    ge-0/0/2 {
        disable;
    }
}
policy-options {
    policy-statement OUT {
        term 1 {
            from protocol [ bgp ospf ];
            then {
                community add A;
                accept;
            }
        }
        term 2 {
            then reject;
        }
    }
}
protocols {
    bgp {
        group UP {
            import [ FIRST SECOND ];
        }
    }
}
firewall {
    family inet {
        filter EDGE {
            term A {
                then accept;
            }
            term B {
                then discard;
            }
        }
    }
}
`

describe("what a configuration in braces says", () => {
  it.each([
    ["quotes", "host-name lhv-dist1", 'host-name "lhv-dist1"'],
    ["comments", "    services {", "    /* ways in */\n    services { # ssh"],
    ["marks of a load", "    services {", "    replace: services {"],
    ["a section in one line", "netconf {\n            ssh;\n        }", "netconf ssh;"],
    ["a list of which the order says nothing", "[ STAFF VOICE ]", "[ VOICE STAFF ]"],
    ["a list as statements", "members [ STAFF VOICE ];", "members STAFF; members VOICE;"],
    ["another list", "[ bgp ospf ]", "[ ospf bgp ]"],
    ["the order of sections", "system {", "vlans { }\nsystem {"],
    ["sections in several parts", "    services {", "}\nsystem {\n    services {"]
  ])("is the same with other %s", (name, from, to) => {
    const other = CAMPUS.replace(from, to)
    expect(other).not.toBe(CAMPUS)
    const one = name === "the order of sections" ? `${CAMPUS}vlans {\n}\n` : CAMPUS
    expect(isSame(one, other)).toBe(true)
    expect(statementDiff(notation, one, other)).toBe("")
    expect(missingLines(junos, other, one)).toEqual([])
  })

  it.each([
    ["a value", "lhv-dist1", "lhv-dist2"],
    ["an inactive statement", "    ge-0/0/2 {", "    inactive: ge-0/0/2 {"],
    ["a statement more", "disable;", "disable;\n        mtu 9000;"],
    ["a value of a list less", "[ STAFF VOICE ]", "STAFF"],
    ["terms of a policy in another order", "term 1", "term 3"],
    ["a chain of policies in another order", "[ FIRST SECOND ]", "[ SECOND FIRST ]"],
    ["servers in another order", "10.20.1.1;\n        10.20.1.2;", "10.20.1.2;\n        10.20.1.1;"],
    [
      "actions in another order",
      "community add A;\n                accept;",
      "accept;\n                community add A;"
    ],
    [
      "terms of a filter in another order",
      "term A {\n                then accept;\n            }\n            term B {\n                then discard;",
      "term B {\n                then discard;\n            }\n            term A {\n                then accept;"
    ]
  ])("is not the same with %s", (_, from, to) => {
    const other = CAMPUS.replace(from, to)
    expect(other).not.toBe(CAMPUS)
    expect(isSame(CAMPUS, other)).toBe(false)
    const diff = statementDiff(notation, CAMPUS, other)
    expect(UnifiedDiff.apply(CAMPUS, diff)).toEqual(Option.some(printed(other)))
  })

  it("shows the lines that differ in their sections, wherever they stand", () => {
    const [system = "", ...others] = CAMPUS.split(/(?<=^\}\n)/m)
    const other = [...others, system.replace("lhv-dist1", "lhv-dist2")].join("")
    expect(statementDiff(notation, CAMPUS, other)).toBe(
      [
        "@@ -1,5 +1,5 @@",
        " system {",
        "-    host-name lhv-dist1;",
        "+    host-name lhv-dist2;",
        "     name-server {",
        "         10.20.1.1;",
        "         10.20.1.2;"
      ].join("\n")
    )
  })

  it("is the same in set lines", () => {
    const lines = [
      "set system host-name lhv-dist1",
      "set system name-server [ 10.20.1.1 10.20.1.2 ]",
      "set system services ssh",
      "set system services netconf ssh",
      'set interfaces ge-0/0/1 description "Printer room"',
      "set interfaces ge-0/0/1 unit 0 family ethernet-switching vlan members VOICE",
      "set interfaces ge-0/0/1 unit 0 family ethernet-switching vlan members STAFF",
      "set interfaces ge-0/0/2 disable",
      "deactivate interfaces ge-0/0/2"
    ]
    const braces = (CAMPUS.split("policy-options {")[0] ?? "").replace("    ge-0/0/2 {", "    inactive: ge-0/0/2 {")
    expect(isSame(lines.join("\n"), braces)).toBe(true)
    expect(isSame(lines.toReversed().join("\n"), lines.join("\n"))).toBe(true)
    expect(isSame(lines.slice(0, -1).join("\n"), braces)).toBe(false)
    expect(isSame(lines.slice(1).join("\n"), braces)).toBe(false)
  })

  it("differs in set lines by the lines that differ, or by their order where it counts", () => {
    const lines = [
      "set system host-name a",
      "set firewall filter F term 1 then accept",
      "set firewall filter F term 2 then discard"
    ]
    const text = `${lines.join("\n")}\n`
    expect(statementDiff(notation, text, [lines[1], lines[2], lines[0]].join("\n"))).toBe("")
    expect(statementDiff(notation, text, [lines[1], lines[2], "set system host-name b"].join("\n"))).toContain(
      "-set system host-name a\n"
    )
    expect(statementDiff(notation, text, [lines[0], lines[2], lines[1]].join("\n"))).toContain("+set firewall filter F")
  })

  const Name = Schema.Literals(["a", "b", "term 1", "term 2", "then", "c d", "members", "import", "ge-0/0/1"])
  const Leaf = Schema.Struct({ words: Name, list: Schema.NullOr(Schema.Array(Schema.Literals(["x", "y", "z"]))) })
  const Tree = Schema.Array(
    Schema.Struct({ name: Name, leaves: Schema.Array(Leaf).check(Schema.isMaxLength(4)) })
  ).check(Schema.isMaxLength(4))
  const textOf = (tree: typeof Tree.Type) =>
    printBraces(
      tree.map(({ leaves, name }): BraceStatement => ({
        marks: [],
        words: name.split(" "),
        list: null,
        below: leaves.map(({ list, words }) => ({
          marks: [],
          words: words.split(" "),
          list: list === null || list.length === 0 ? null : [...new Set(list)],
          below: null,
          lineNumber: 1
        })),
        lineNumber: 1
      }))
    )

  it.prop("differs exactly if there is a difference to show", { one: Tree, other: Tree }, (trees) => {
    const [one, other] = [textOf(trees.one), textOf(trees.other)]
    expect(isSame(one, one)).toBe(true)
    expect(isSame(one, other)).toBe(isSame(other, one))
    expect(statementDiff(notation, one, other) === "").toBe(isSame(one, other))
    if (isSame(one, other)) expect(missingLines(junos, one, other)).toEqual([])
  })
})

describe("lines that a configuration in braces lacks", () => {
  const running = `system {
    radius-server {
        10.0.0.1 secret "$9$LbHX-wg4Z"; ## SECRET-DATA
    }
    services {
        ssh;
    }
}
vlans {
    STAFF {
        vlan-id 100;
    }
}
`

  it("are named with their sections and numbers", () => {
    const candidate = running
      .replace("        ssh;", "        inactive: ssh;\n        netconf {\n            ssh;\n        }")
      .replace("vlan-id 100", "interface [ a b ]")
    expect(
      missingLines(junos, candidate, running).map(({ line, lineNumber, sections }) => [lineNumber, ...sections, line])
    ).toEqual([
      [6, "system {", "services {", "inactive: ssh;"],
      [7, "system {", "services {", "netconf {"],
      [8, "system {", "services {", "netconf {", "ssh;"],
      [14, "vlans {", "STAFF {", "interface [ a b ];"]
    ])
  })

  it("are none if only secrets differ, which a device shows otherwise", () => {
    expect(missingLines(junos, running.replace('"$9$LbHX-wg4Z"; ## SECRET-DATA', "wonder;"), running)).toEqual([])
    expect(missingLines(junos, running.replace("secret ", "port 1; secret "), running)).not.toEqual([])
  })

  it("can be looked up by their places", () => {
    expect(placedLines(junos, "a {\n b [ 1 2 ];\n}")).toEqual(new Set(["a {", "a {\nb 1;", "a {\nb 2;"]))
  })

  it("can be loaded with their section and without them", () => {
    const wanted = { lineNumber: 11, line: "vlan-id 100;", sections: ["vlans {", "STAFF {"] }
    expect(sectionAround(junos, running, wanted)).toEqual({
      whole: "vlans {\n    STAFF {\n        vlan-id 100;\n    }\n}\n",
      without: "vlans {\n    STAFF {\n    }\n}\n"
    })
  })
})
