import { describe, expect, it } from "@effect/vitest"
import * as Braces from "../../../src/lab/junos/Braces.ts"
import * as Compare from "../../../src/lab/junos/Compare.ts"
import * as Config from "../../../src/lab/junos/Config.ts"
import * as Inheritance from "../../../src/lab/junos/Inheritance.ts"
import * as Secrets from "../../../src/lab/junos/Secrets.ts"
import * as SetLines from "../../../src/lab/junos/SetLines.ts"
import { junosConfig } from "../../support/lab/JunosCampus.ts"

const TEXT = junosConfig(
  "sw1",
  "10.9.2.1",
  `/* the way out */
routing-options { static { route 0.0.0.0/0 next-hop 10.9.2.254; } }
snmp { community public { authorization read-only; } }
policy-options { policy-statement out { term 1 { from { protocol direct; } then { accept; } } } }
`
)

const reading = (text: string) => {
  const root = Config.empty()
  return { root, issues: Braces.read(root, text) }
}

const changed = (before: string, after: string) => Compare.compare(Braces.parse(before), Braces.parse(after))

describe("configuration of a simulated Junos", () => {
  it("prints a text in the order of the device, the same each time", () => {
    const { issues, root } = reading(TEXT)
    expect(issues).toEqual([])
    const printed = Braces.print(root)
    expect(Braces.print(Braces.parse(printed))).toBe(printed)
    expect(printed.indexOf("snmp {")).toBeLessThan(printed.indexOf("vlans {"))
    expect(printed).toContain("/* the way out */\nrouting-options {")
    expect(printed).toContain("        route 0.0.0.0/0 next-hop 10.9.2.254;\n")
    expect(printed).toContain("members [ v10 mgmt ];")
  })

  it("says the same in braces and in set lines", () => {
    const { root } = reading(TEXT)
    const other = Config.empty()
    expect(SetLines.read(other, SetLines.print(root))).toEqual([])
    expect(Braces.print(other)).toBe(Braces.print(root))
  })

  it.each([String.raw`"\nAuthorized users only.\n"`, String.raw`"a \"quoted\" word"`, String.raw`"C:\\x"`])(
    "shows the text %s as it was written",
    (message) => {
      const text = `system { login { message ${message}; } }`
      const printed = Braces.print(reading(text).root)
      expect(printed).toContain(`        message ${message};\n`)
      const other = Config.empty()
      expect(SetLines.read(other, SetLines.print(Braces.parse(printed)))).toEqual([])
      expect(Braces.print(other)).toBe(printed)
    }
  )

  it("marks secrets, or hides them", () => {
    const { root } = reading(TEXT)
    expect(Braces.print(root, "marked")).toContain('encrypted-password "$6$root$root"; ## SECRET-DATA')
    expect(Braces.print(root, "hidden")).toContain("encrypted-password /* SECRET-DATA */;")
    expect(Braces.print(root, "hidden")).not.toContain("$6$")
  })

  it("sorts interfaces by their numbers and keeps the order of terms", () => {
    const { root } = reading(
      "interfaces { ge-0/0/10 { mtu 9000; } ge-0/0/9 { mtu 9000; } }" +
        "policy-options { policy-statement x { term b { then { accept; } } term a { then { reject; } } } }"
    )
    const printed = Braces.print(root)
    expect(printed.indexOf("ge-0/0/9")).toBeLessThan(printed.indexOf("ge-0/0/10"))
    expect(printed.indexOf("term b")).toBeLessThan(printed.indexOf("term a"))
  })

  it("refuses unknown words, names the word, and takes the good statements", () => {
    const { issues, root } = reading("system1 { x { y; } } system { host-name good; } vlans { a { vlan-nr 1; } }")
    expect(issues).toEqual([
      { severity: "error", message: "syntax error", badElement: "system1" },
      { severity: "error", message: "error recovery ignores input until this point", badElement: "}" },
      { severity: "error", message: "syntax error", badElement: "vlan-nr" }
    ])
    expect(Config.value(root, "system", "host-name")).toBe("good")
  })

  it.each([
    ["a brace too few", "system { host-name a;", "syntax error, expecting '}'"],
    ["a brace too many", "system { host-name a; } }", "syntax error"],
    ["a number out of range", "interfaces { ge-0/0/0 { mtu 99999; } }", "Value 99999 is not within range (256..9216)"],
    [
      "a wrong address",
      "system { syslog { source-address 10.0.0.256; } }",
      "invalid ip address or hostname: 10.0.0.256"
    ]
  ])("refuses %s", (_name, text, message) => {
    expect(reading(text).issues.map((issue) => issue.message)).toContain(message)
  })

  it("warns of sections without contents and leaves them out", () => {
    const { issues, root } = reading("snmp { }")
    expect(issues).toMatchObject([{ severity: "warning", message: "statement has no contents; ignored" }])
    expect(Braces.print(root)).toBe("")
  })

  it("keeps a hash as it is given and writes clear text anew each time", () => {
    const secret = (value: string) =>
      Config.value(
        reading(`system { radius-server { 10.0.0.9 secret ${value}; } }`).root,
        "system",
        "radius-server",
        "10.0.0.9",
        "secret"
      ) ?? ""
    const nested = (value: string) =>
      Config.value(
        reading(`system { radius-server { 10.0.0.9 { secret ${value}; } } }`).root,
        "system",
        "radius-server",
        "10.0.0.9",
        "secret"
      ) ?? ""
    expect(secret("hello")).toMatch(/^\$9\$/)
    expect(secret("hello")).not.toBe(nested("hello"))
    expect(Secrets.clearOf(nested("hello"))).toBe("hello")
    expect(nested('"$9$LbHX-wg4Z"')).toBe("$9$LbHX-wg4Z")
  })

  it("shows escapes in a text as they were written", () => {
    const text = 'system {\n    login {\n        message "\\nOne \\"two\\" \\d+\\n";\n    }\n}\n'
    expect(Braces.print(Braces.parse(text))).toBe(text)
    const { root } = reading(text)
    expect(Config.value(root, "system", "login", "message")).toBe('\\nOne "two" \\d+\\n')
  })

  it("makes a hash of a password in clear", () => {
    const { root } = reading("system { login { user x { authentication { plain-text-password-value secret1; } } } }")
    const hash = Config.value(root, "system", "login", "user x", "authentication", "encrypted-password") ?? ""
    expect(Secrets.isHashOf(hash, "secret1")).toBe(true)
    expect(Braces.print(root)).not.toContain("secret1")
  })

  it("compares with headings of paths, in place of context lines", () => {
    const before = "system { host-name old; services { ssh; } } interfaces { ge-0/0/0 { description a; } }"
    const after =
      "system { host-name new; services { ssh; ftp; } } interfaces { ge-0/0/0 { description b; } ge-0/0/1 { mtu 9000; } }"
    expect(changed(before, after)).toBe(
      `[edit system]
-  host-name old;
+  host-name new;
[edit system services]
+  ftp;
[edit interfaces]
+   ge-0/0/1 {
+       mtu 9000;
+   }
[edit interfaces ge-0/0/0]
-  description a;
+  description b;
`
    )
    expect(changed(before, before)).toBe("")
  })

  it("shows the entry before a new one where order counts", () => {
    const term = (name: string) => `term ${name} { then { accept; } }`
    const text = (...names: ReadonlyArray<string>) =>
      `policy-options { policy-statement x { ${names.map(term).join(" ")} } }`
    expect(changed(text("a", "c"), text("a", "b", "c"))).toContain("term a { ... }\n+   term b {")
  })

  it("shows what is no longer active", () => {
    const text = (mark: string) => `vlans { ${mark}v10 { vlan-id 10; } }`
    expect(changed(text(""), text("inactive: "))).toBe("[edit vlans]\n!   inactive: v10 { ... }\n")
  })

  it("merges, replaces what is marked, and removes with set commands", () => {
    const root = Braces.parse("vlans { a { vlan-id 1; description x; } b { vlan-id 2; } }")
    Braces.read(root, "vlans { replace: a { vlan-id 3; } }", "merge")
    expect(Config.value(root, "vlans", "a", "description")).toBe("x")
    Braces.read(root, "vlans { replace: a { vlan-id 4; } }", "replace")
    expect(Config.value(root, "vlans", "a", "description")).toBeUndefined()
    expect(SetLines.read(root, "delete vlans b\ndelete vlans c")).toEqual([
      { severity: "warning", message: "statement not found", badElement: "c" }
    ])
    expect(Braces.print(root)).toBe("vlans {\n    a {\n        vlan-id 4;\n    }\n}\n")
  })

  it("renames, moves, deactivates and annotates", () => {
    const root = Braces.parse(
      "policy-options { policy-statement x { term a { then { accept; } } term b { then { reject; } } } }"
    )
    const path = "policy-options policy-statement x"
    SetLines.read(
      root,
      `insert ${path} term b before term a\nrename ${path} term a to term c\ndeactivate ${path} term b\nannotate ${path} "mine"`
    )
    const printed = Braces.print(root)
    expect(printed.indexOf("inactive: term b")).toBeLessThan(printed.indexOf("term c"))
    expect(printed).toContain("/* mine */\n    policy-statement x {")
  })

  it("inherits from groups, by patterns too, and what stands there itself wins", () => {
    const root = Braces.parse(
      `groups {
        ports { interfaces { <ge-*> { mtu 9000; description inherited; } } }
        names { system { host-name group; domain-name example.org; } }
      }
      apply-groups [ ports names ];
      system { host-name own; }
      interfaces { ge-0/0/0 { description own; } xe-0/1/0 { unit 0; } ge-0/0/1 { apply-groups-except ports; unit 0; } }`
    )
    const all = Inheritance.effective(root)
    expect(Config.value(all, "system", "host-name")).toBe("own")
    expect(Config.value(all, "system", "domain-name")).toBe("example.org")
    expect(Config.value(all, "interfaces", "ge-0/0/0", "mtu")).toBe("9000")
    expect(Config.value(all, "interfaces", "ge-0/0/0", "description")).toBe("own")
    expect(Config.value(all, "interfaces", "xe-0/1/0", "mtu")).toBeUndefined()
    expect(Config.value(all, "interfaces", "ge-0/0/1", "mtu")).toBeUndefined()
    expect(Braces.print(Inheritance.expanded(root))).toContain("## '9000' was inherited from group 'ports'")
  })

  it("gives members of a range what the range says", () => {
    const root = Braces.parse(
      `interfaces {
        interface-range EDGE { member ge-0/0/7; member-range ge-0/0/1 to ge-0/0/3; mtu 9000; unit 0 { family ethernet-switching { interface-mode access; } } }
        ge-0/0/2 { mtu 1500; }
      }`
    )
    expect(Braces.print(root)).toContain("member-range ge-0/0/1 to ge-0/0/3;")
    const all = Inheritance.effective(root)
    for (const port of ["ge-0/0/1", "ge-0/0/3", "ge-0/0/7"])
      expect(Config.value(all, "interfaces", port, "mtu")).toBe("9000")
    expect(Config.value(all, "interfaces", "ge-0/0/2", "mtu")).toBe("1500")
    expect(Config.at(all, "interfaces", "ge-0/0/2", "unit 0", "family", "ethernet-switching")).toBeDefined()
  })

  it("takes sections that are opened in one line, several times, and lists in several statements", () => {
    const { issues, root } = reading(
      `interfaces ae0 { mtu 9192; aggregated-ether-options { lacp { active; periodic fast; } } }
       interfaces ge-0/0/47 { ether-options 802.3ad ae0; }
       interfaces { ae0 { unit 0 { family ethernet-switching { interface-mode trunk; vlan { members 10; members 20; } } } } }
       access { radius-server 10.0.0.9 secret testing; profile nac { accounting order radius; } }
       snmp { community public { clients { 10.0.0.1; } routing-instance MGMT; } routing-instance-access; }`
    )
    expect(issues).toEqual([])
    const printed = Braces.print(root)
    expect(printed).toContain("members [ 10 20 ];")
    expect(printed).toContain("        ether-options {\n            802.3ad ae0;\n        }\n")
    expect(Braces.print(root, "marked")).toMatch(/secret "\$9\$.*"; ## SECRET-DATA/)
  })

  it("writes an action that stands alone behind its word, and takes lists in braces", () => {
    const { issues, root } = reading(
      `firewall { family inet { filter f { term a { from { protocol icmp; port 1; } then { discard; } } term b { then { count x; accept; } } } } }
       vlans { old { vlan-id 5; interface { ge-0/0/1.0; ge-0/0/2.0; } } }`
    )
    expect(issues).toEqual([])
    const printed = Braces.print(root)
    expect(printed).toContain("then discard;")
    expect(printed).toContain("then {\n                    count x;\n                    accept;\n")
    expect(printed).toContain("interface ge-0/0/1.0;\n        interface ge-0/0/2.0;")
    expect(Braces.print(Braces.parse(printed))).toBe(printed)
    const other = Config.empty()
    SetLines.read(other, SetLines.print(root))
    expect(Braces.print(other)).toBe(printed)
  })

  it("ignores what is inactive", () => {
    const root = Braces.parse(
      "groups { g { system { domain-name a.org; } } } inactive: apply-groups g; system { inactive: host-name x; services { ssh; } }"
    )
    const all = Inheritance.effective(root)
    expect(Config.at(all, "system", "host-name")).toBeUndefined()
    expect(Config.at(all, "system", "domain-name")).toBeUndefined()
    expect(Config.at(all, "system", "services", "ssh")).toBeDefined()
  })
})
