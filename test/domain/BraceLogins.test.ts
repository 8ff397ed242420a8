/** Whose logins a configuration in braces, or its difference, sets. */
import { describe, expect, it } from "@effect/vitest"
import { usersWithNewLogins } from "../../src/domain/BraceLogins.ts"
import * as UnifiedDiff from "../../src/drivers/UnifiedDiff.ts"

const SHOWN = `version 21.4R3-S5.4;
system {
    host-name lhv-acc5;
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
`

describe("the users whose logins a change sets", () => {
  const added = (from: string, to: string) => {
    const after = SHOWN.replace(from, to)
    return [...usersWithNewLogins(after, UnifiedDiff.diff(SHOWN, after))]
  }

  it.each([
    ["none, if nothing changes", "", "", []],
    ["none, if something else changes", "lhv-acc5", "lhv-acc6", []],
    ["none, if a class changes", "class super-user", "class operator", []],
    ["root", "$6$salt$root", "$6$salt$other", ["root"]],
    ["a user with another hash", "$6$salt$eve", "$6$salt$other", ["eve"]],
    ["a user with another key", "AAAA bob", "BBBB bob", ["bob"]],
    ["a user with a new name above the same login", "user bob", "user ann", ["ann"]],
    ["none, if a user goes", "user bob", "inactive: user bob", []],
    ["none, if a login goes", 'encrypted-password "$6$salt$eve";', "", []]
  ] as const)("are %s", (_, from, to, users) => {
    expect(added(from, to)).toEqual(users)
  })

  it("are found by a candidate of set lines, and by one that the device writes otherwise", () => {
    const diff = UnifiedDiff.diff(SHOWN, SHOWN.replace("$6$salt$eve", "$6$salt$other"))
    const line = 'set system login user eve authentication encrypted-password "$6$salt$other"'
    expect([...usersWithNewLogins(`${line}\nset system host-name lhv-acc5\n`, diff)]).toEqual(["eve"])
    const short = "system { login { user eve { authentication { encrypted-password $6$salt$other; } } } }"
    expect([...usersWithNewLogins(short, diff)]).toEqual(["eve"])
    expect([...usersWithNewLogins("set system host-name lhv-acc5", diff)]).toEqual([])
  })

  it("are found in groups, and when an inactive user is active again", () => {
    const group = `groups { G { ${SHOWN.replace(/^.*\n/, "")} } }`
    const before = SHOWN.replace("user bob", "inactive: user bob")
    expect([...usersWithNewLogins(group, UnifiedDiff.diff(before, SHOWN))]).toEqual(["bob"])
  })
})
