/** What a candidate in braces or in set lines must not hold. */
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { loginsCut, missingForLogin, notationOf } from "../../src/domain/BraceGate.ts"
import { leavingFault, readBraces } from "../../src/domain/BraceText.ts"
import { refusalText, refusedLines } from "../../src/domain/CandidateGate.ts"
import { platformOf } from "../../src/domain/platforms/Platforms.ts"

const junos = platformOf("junos")

const refused = (text: string, inPort = false): ReadonlyArray<string> =>
  junos === undefined ? [] : refusedLines(junos, text, { inPort }).map((found) => refusalText(found))

const WHOLE = `## Last commit: 2026-03-02 10:00:00 UTC by admin
version 21.4R3-S5.4;
system {
    root-authentication {
        encrypted-password "$6$salt$hash"; ## SECRET-DATA
    }
    commit {
        synchronize;
    }
    login {
        class NOC {
            allow-commands "request .*|show .*";
        }
    }
    services {
        ssh;
        netconf {
            ssh;
        }
    }
}
interfaces {
    inactive: ge-0/0/1 {
        hold-time up 100 down 100;
    }
    protect: ge-0/0/2 {
        description "run; commit } { edit";
    }
}
policy-options {
    policy-statement OUT {
        term 1 {
            then {
                community delete OLD;
                next term;
            }
        }
    }
}
`

describe("a candidate of Junos", () => {
  it("is accepted as a device shows it, and as set lines", () => {
    expect(refused(WHOLE)).toEqual([])
    expect(
      refused(
        'set system host-name "run } ; {"\n# a remark\ndelete interfaces ge-0/0/1 disable\n\nactivate interfaces ge-0/0/2\ninsert firewall filter A term 2 before term 1\n'
      )
    ).toEqual([])
  })

  it.each([
    ["system {\n  host-name a;\n", 'line 1 is no configuration: "system" is not closed by a }'],
    ["system { host-name a; }\n}", 'line 2 is no configuration: "}" closes a section that is not open'],
    ["run show version;", 'line 1 is no configuration: "run" is a command, not configuration'],
    ["COMMIT;", 'line 1 is no configuration: "COMMIT" is a command, not configuration'],
    ["rollback 1;", 'line 1 is no configuration: "rollback" is a command, not configuration'],
    ["top;", 'line 1 is no configuration: "top" changes the place of the lines after it'],
    [
      "system { host-name a; }\nset snmp name a;",
      'line 2 is no configuration: "set" belongs to the notation of set lines, and the text is in braces'
    ],
    [
      "interfaces { delete: ge-0/0/1; }",
      'line 1 is no configuration: "delete: interfaces ge-0/0/1" removes a statement, and a candidate says what there is'
    ],
    [
      "interfaces { active: ge-0/0/1 { disable; } }",
      'line 1 is no configuration: "active: interfaces ge-0/0/1" changes a statement that the candidate does not show'
    ],
    [
      "system { inactive: services { ssh; } }",
      'line 1 is no configuration: "inactive: system services" takes away a way to log in to the device'
    ],
    [
      "system { services { netconf { inactive: ssh; } } }",
      'line 1 is no configuration: "inactive: system services netconf ssh" takes away a way to log in to the device'
    ],
    [
      "snmp { community /* SECRET-DATA */; }",
      'line 1 is no configuration: "/* SECRET-DATA */" stands for a secret that the account could not see'
    ]
  ])("in braces is refused: %j", (text, sentence) => {
    expect(refused(text)[0]).toBe(sentence)
  })

  it.each([
    ["set a b\ncommit", 'line 2 is no configuration: "commit" is a command, not configuration'],
    ["set a b\ncommit and-quit", 'line 2 is no configuration: "commit" is a command, not configuration'],
    ["set a b\nrun request system reboot", 'line 2 is no configuration: "run" is a command, not configuration'],
    ["set a b\nedit system", 'line 2 is no configuration: "edit" changes the place of the lines after it'],
    ["set a b\nse c d", 'line 2 is no configuration: "se" begins no line of a text of set lines'],
    [
      "set a b\nset c d;",
      'line 2 is no configuration: "d;" belongs to the notation in braces, and the text has set lines'
    ],
    [
      "set a b\nset c d | display set",
      'line 2 is no configuration: "|" belongs to the notation in braces, and the text has set lines'
    ],
    ['set a b\nset c "d', 'line 2 is no configuration: """ begins a text in quotes that does not end'],
    ["set a b\ndelete", 'line 2 is no configuration: "delete" names no statement'],
    [
      "set a b\ndelete interfaces",
      'line 2 is no configuration: "delete interfaces" takes away a whole part of the configuration'
    ],
    ["set a b\ndelete system", 'line 2 is no configuration: "delete system" takes away a way to log in to the device'],
    [
      "set a b\ndeactivate system services netconf",
      'line 2 is no configuration: "deactivate system services netconf" takes away a way to log in to the device'
    ]
  ])("in set lines is refused: %j", (text, sentence) => {
    expect(refused(text)).toEqual([sentence])
  })

  it("is refused for control characters before all else, and names at most 20 lines", () => {
    expect(refused("system {\n host-name a\u0003;\n")).toEqual([
      'line 2 is no configuration: "U+0003" is a control character, on which a device acts'
    ])
    expect(refused("run a;\n".repeat(30))).toHaveLength(20)
  })
})

describe("the text of a port of Junos", () => {
  it.each(["mtu 9000;", "ether-options {\n  no-auto-negotiation;\n}", 'inactive: unit 1 { description "} {"; }', ""])(
    "is accepted: %j",
    (text) => {
      expect(refused(text, true)).toEqual([])
    }
  )

  it.each([
    "mtu 9000;\n}\nge-0/0/2 {\n  disable;",
    "}\n}\nsystem { services { telnet; } }\ninterfaces { ge-0/0/1 {",
    "mtu 9000; }",
    "unit 0 {",
    "mtu 9000",
    "/* mtu 9000;",
    'description "x;',
    "description [ x;",
    "mtu 9000 #",
    "set mtu 9000",
    "delete: unit 0;",
    "replace: unit 0 { family inet; }",
    "run request system reboot;",
    "exit;"
  ])("may not leave its section, or edit what it does not show: %j", (text) => {
    expect(refused(text, true)).not.toEqual([])
  })
})

describe("any text of a port", () => {
  const Text = Schema.Array(
    Schema.Literals([
      "{",
      "}",
      ";",
      '"',
      "#",
      "/*",
      "*/",
      "[",
      "]",
      " ",
      "\n",
      "\\",
      "a",
      "unit 0",
      "delete:",
      "set b",
      "a;",
      "a {"
    ])
  ).check(Schema.isMaxLength(12))

  const around = (text: string) => `interfaces {
    ge-0/0/1 {
        description "own";
${text}
    }
    ge-0/0/2 {
        disable;
    }
}
`

  it.prop("that is accepted stays in its section", { parts: Text }, ({ parts }) => {
    const text = parts.join("")
    const { faults, statements } = readBraces(around(text))
    const isKept = JSON.stringify(statements.map(({ words }) => words)) === '[["interfaces"]]'
    const ports = (statements[0]?.below ?? []).map(({ words }) => words.join(" "))
    if (refused(text, true).length === 0) {
      expect([faults, isKept, ports]).toEqual([[], true, ["ge-0/0/1", "ge-0/0/2"]])
    }
    if (leavingFault(text) === undefined) expect([isKept, ports]).toEqual([true, ["ge-0/0/1", "ge-0/0/2"]])
  })
})

describe("the notation of a text", () => {
  it.each([
    ["set system host-name a", "set"],
    ["# a remark\n\n  delete system host-name", "set"],
    ['set system login message "a; {"', "set"],
    ["system { host-name a; }", "braces"],
    ["set a b;", "braces"],
    ["", "braces"]
  ] as const)("of %j is %s", (text, notation) => {
    expect(notationOf(text)).toBe(notation)
  })
})

describe("a whole configuration", () => {
  it("says what is missing for the next login, also by its groups", () => {
    expect(missingForLogin(WHOLE)).toEqual([])
    expect(missingForLogin(WHOLE.replace("        netconf {\n            ssh;\n        }\n", ""))).toEqual([
      "system services netconf ssh"
    ])
    expect(missingForLogin(WHOLE.replace("    login {", "    inactive: login {"))).toEqual(["system login"])
    expect(missingForLogin(`groups { ALL { ${WHOLE.replace(/^.*\n.*\n/, "")} } }\napply-groups ALL;`)).toEqual([])
    expect(missingForLogin("")).toEqual([
      "system services ssh",
      "system services netconf ssh",
      "system root-authentication",
      "system login"
    ])
  })

  it("may lack only what the device lacks, too", () => {
    const withoutNetconf = WHOLE.replace("        netconf {\n            ssh;\n        }\n", "")
    expect(loginsCut(withoutNetconf, WHOLE)).toEqual(["system services netconf ssh"])
    expect(loginsCut(withoutNetconf, withoutNetconf)).toEqual([])
    expect(loginsCut(WHOLE, WHOLE)).toEqual([])
    expect(loginsCut("set system host-name other", WHOLE)).toEqual([])
  })
})
