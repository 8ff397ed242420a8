/** Knowledge of the secrets of a device (docs/changes.md#salted-secrets). */
import { describe, expect, it } from "@effect/vitest"
import * as KnownSecrets from "../../src/devices/KnownSecrets.ts"
import { eos } from "../../src/domain/platforms/eos/Platform.ts"
import { of } from "../../src/runtime/SecretKey.ts"
import type { SecretDigests } from "../../src/store/ChangeStore.ts"

const digest = of(new Uint8Array(32)).digester("test")

const secrets = (candidate: string, known: SecretDigests | null = null, deviceId = 1) =>
  KnownSecrets.make({ platform: eos, deviceId, candidate, known, digest })

const wanted = "hostname a\nusername eve secret wonder\n"
const shown = (hash: string) => `hostname a\nusername eve secret sha512 ${hash}\n`
const line = "username eve secret ********"

describe("secrets of a device", () => {
  it("are unknown before the first proof", () => {
    expect(secrets(wanted).isKnown(line, "H1")).toBe(false)
  })

  it("stay known while the candidate and the device are the same as at the last proof", () => {
    const known = secrets(wanted).provedBy(shown("H1"))
    expect(secrets(wanted, known).isKnown(line, "H1")).toBe(true)
    expect(secrets(wanted, known).isKnown(line, "H2")).toBe(false)
    expect(secrets(wanted.replace("wonder", "other"), known).isKnown(line, "H1")).toBe(false)
  })

  it("are known in each form that a proof has seen, but not in those of another secret", () => {
    const first = secrets(wanted).provedBy(shown("H1"))
    const second = secrets(wanted, first).provedBy(shown("H2"))
    expect(secrets(wanted, second).isKnown(line, "H1")).toBe(true)
    const other = wanted.replace("wonder", "other")
    const third = secrets(other, second).provedBy(shown("H3"))
    expect(secrets(other, third).isKnown(line, "H3")).toBe(true)
    expect(secrets(other, third).isKnown(line, "H2")).toBe(false)
    expect(secrets(wanted, third).isKnown(line, "H2")).toBe(false)
  })

  it("stay known when an earlier form is restored as it was shown", () => {
    const first = secrets(wanted).provedBy(shown("H1"))
    const second = secrets(wanted, first).provedBy(shown("H2"))
    const undone = secrets(shown("H1"), second).provedBy(shown("H1"))
    expect(secrets(wanted, undone).isKnown(line, "H1")).toBe(true)
  })

  it("are not stored if the device shows them unchanged", () => {
    expect(secrets(wanted).provedBy(wanted)).toBeNull()
    expect(secrets(shown("H1")).provedBy(shown("H1"))).toBeNull()
  })

  it("have other digests on another device and in another line", () => {
    const text = "username eve secret wonder\nusername bob secret wonder\n"
    const running = "username eve secret sha512 H\nusername bob secret sha512 H\n"
    const digests = [1, 2].flatMap((id) => Object.values(secrets(text, null, id).provedBy(running) ?? {}).flat())
    expect(new Set(digests).size).toBe(8)
  })

  it("are compared all together if the device spells the line in another way", () => {
    const short = "username eve role network-admin secret wonder\nusername bob secret first\n"
    const running = `${shown("H1")}username bob secret sha512 B1\n`
    const known = secrets(short).provedBy(running)
    expect(secrets(short, known).isKnown(line, "H1")).toBe(true)
    expect(secrets(short.replace("first", "second"), known).isKnown(line, "H1")).toBe(false)
  })

  it("that cannot be compared are named with the line of the candidate, once", () => {
    const { remarks } = secrets(wanted).compare(shown("H1"), shown("H2"))
    expect(remarks).toEqual([expect.stringMatching(/^Line 2 "username eve secret \*{8}": .* could not be compared$/)])
    const known = secrets(wanted).provedBy(shown("H2"))
    expect(secrets(wanted, known).compare(shown("H2"), shown("H3")).remarks).toEqual([])
  })

  it("are summarised when there are many", () => {
    const lines = Array.from({ length: 30 }, (_, index) => `neighbor 10.0.0.${index} password secret`)
    const after = lines.map((text) => text.replace("secret", "7 AB")).join("\n")
    const { remarks } = secrets(lines.join("\n")).compare("", after)
    expect(remarks).toHaveLength(21)
    expect(remarks.at(-1)).toBe("So it is with 10 lines more")
  })

  it("are set by a load of their line even if the switch draws the same salt again", () => {
    const known = secrets(wanted).provedBy(shown("H1"))
    for (const digests of [null, known])
      expect(secrets(wanted, digests).compare(shown("H1"), shown("H1")).setSecrets).toEqual([KnownSecrets.markOf(line)])
    const merged = "hostname b\n"
    expect(secrets(merged).compare(shown("H1"), `${merged}${shown("H1")}`).setSecrets).toEqual([])
    expect(secrets(shown("H1")).compare(shown("H1"), shown("H1")).setSecrets).toEqual([])
  })

  it("of a load are reported by line", () => {
    const setBy = (running: string, promised: string) => secrets(wanted).compare(running, promised).setSecrets
    expect(setBy(shown("H1"), shown("H2"))).toEqual([KnownSecrets.markOf(line)])
    expect(setBy(wanted, wanted)).toEqual([])
    expect(setBy("hostname a\n", shown("H1"))).toEqual([KnownSecrets.markOf(line)])
  })
})
