/** Shown texts of Junos: what counts in them and which line of a candidate a refusal means. */
import { describe, expect, it } from "@effect/vitest"
import { refusedLinesIn, stableText } from "../../../src/drivers/junos/ShownText.ts"

const SHOWN = `## Last commit: 2026-03-02 10:00:00 UTC by admin
version 21.4R3-S5.4;
system {
    host-name lhv-acc5;
    /* the key of the campus ## SECRET-DATA */
    root-authentication {
        encrypted-password "$6$salt$root"; ## SECRET-DATA
    }
    login {
        user eve {
            class super-user;
            authentication {
                encrypted-password "$6$salt$eve"; ## SECRET-DATA
            }
        }
        user bob {
            authentication {
                ssh-ed25519 "ssh-ed25519 AAAA bob"; ## SECRET-DATA
            }
        }
    }
}
interfaces {
    ge-0/0/1 {
        description "## no remark";
        unit 0 {
            family ethernet-switching {
                ##
                ## Warning: statement ignored: unsupported platform (ex3300-48p)
                ##
                interface-mode access;
                vlan {
                    members [ STAFF VOICE ];
                }
            }
        }
        unit 2 {
            family inet;
        }
    }
    ge-0/0/2 {
        unit 2;
    }
}
`

describe("the part of a shown text that counts", () => {
  it("is the same whoever committed when, and whatever the device remarks", () => {
    const other = SHOWN.replace(/^## Last.*$/m, "## Last changed: 2026-03-03 11:00:00 UTC by eve")
      .replace(/ *##\n.*Warning.*\n *##\n/, "")
      .replaceAll(/; ## SECRET-DATA$/gm, ";  ")
      .replaceAll("\n", "\r\n")
    expect(other).not.toBe(SHOWN)
    expect(stableText(`\n${other}\n\n`)).toBe(stableText(SHOWN))
  })

  it("has everything else", () => {
    const stable = stableText(SHOWN)
    for (const kept of [
      "version 21.4R3-S5.4;",
      '"## no remark";',
      "/* the key of the campus",
      "interface-mode access;"
    ]) {
      expect(stable).toContain(kept)
    }
    expect(stableText(SHOWN.replace("STAFF", "LAB"))).not.toBe(stable)
    expect(stableText(stable)).toBe(stable)
  })
})

describe("the line of a candidate that a refusal means", () => {
  it.each([
    ["[edit interfaces ge-0/0/1]", "unit 2", [37]],
    ["[edit interfaces ge-0/0/2]", "unit 2", [42]],
    ["[edit interfaces]", "ge-0/0/2", [41]],
    ["", "unit 2", [37, 42]],
    ["[edit interfaces]", "unit 2", [37, 42]],
    ["[edit interfaces ge-0/0/1 unit 0 family ethernet-switching]", "interface-mode", [31]],
    ["[edit interfaces ge-0/0/1 unit 0 family ethernet-switching vlan]", "VOICE", [33]],
    ["[edit system]", 'encrypted-password "$6$salt$eve";', [13]],
    ["[edit system]", "host-name lhv-acc5;", [4]],
    ["[edit protocols]", "unit 2", []],
    ["[edit interfaces]", "no-such-word", []],
    ["[edit interfaces]", "", []]
  ])("is found by %s and %j", (path, word, lines) => {
    expect(refusedLinesIn(SHOWN, { path, word })).toEqual(lines)
  })
})
