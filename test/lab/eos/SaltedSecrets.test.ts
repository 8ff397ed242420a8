import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { clearOf, isHashOf } from "../../../src/lab/eos/ConfigFacts.ts"
import type { Quirks } from "../../../src/lab/eos/Quirks.ts"
import { oneSwitch, type OneSwitch } from "../../support/lab/Campus.ts"
import { openShell, type Shell } from "../../support/lab/Client.ts"

const withShell = (quirks: Quirks, body: (shell: Shell, one: OneSwitch) => Promise<void>) =>
  Effect.gen(function* () {
    const one = yield* oneSwitch({ quirks })
    const shell = yield* one.shell
    yield* Effect.promise(() => body(shell, one))
    shell.close()
  })

/** The output of the session for these lines. */
const load = async (shell: Shell, name: string, lines: ReadonlyArray<string>) => {
  await shell.ask(`configure session ${name}`)
  for (const line of lines) await shell.ask(line)
  const text = await shell.ask("show session-config")
  await shell.ask("end")
  return text
}

const valueOf = (text: string, pattern: RegExp) => pattern.exec(text)?.[1] ?? ""

describe("secrets of a simulated switch", () => {
  it.effect("shows a clear secret as another hash with each load, and lets its user log in", () =>
    withShell({ saltsSecrets: true }, async (shell, { device, host, port }) => {
      const user = /^username eve .*secret sha512 (\S+)$/m
      const line = "username eve privilege 15 role network-admin secret wonder"
      const first = valueOf(await load(shell, "job1", [line]), user)
      const second = valueOf(await load(shell, "job2", [line]), user)
      expect([isHashOf(first, "wonder"), isHashOf(second, "wonder")]).toEqual([true, true])
      expect(first).not.toBe(second)
      await shell.ask("configure session job2 commit")
      expect(valueOf(device.running(), user)).toBe(second)
      const other = await openShell({ host, port, username: "eve", password: "wonder" })
      expect(await other.ask("show hostname")).toContain("acc1")
      other.close()
    })
  )

  it.effect("shows keys in another obfuscation with each load, and keeps hashes unchanged", () =>
    withShell({ saltsSecrets: true }, async (shell) => {
      const lines = [
        "ntp authentication-key 1 md5 7 0832494D1B1C11",
        "radius-server host 10.9.0.1 key 7 104D000A0618",
        "username bob privilege 1 role network-operator secret sha512 $6$abc$def"
      ]
      const forms = new Set<string>()
      for (const name of ["job1", "job2", "job3"]) {
        const text = await load(shell, name, lines)
        const key = valueOf(text, /^ntp authentication-key 1 md5 7 (\S+)$/m)
        forms.add(key)
        expect(clearOf(key)).toBe(clearOf("0832494D1B1C11"))
        expect(clearOf(valueOf(text, /key 7 (\S+)$/m))).toBe(clearOf("104D000A0618"))
        expect(text).toContain(lines[2])
      }
      expect(forms.size).toBeGreaterThan(1)
    })
  )

  it.effect("keeps given secrets unchanged without the quirk", () =>
    withShell({}, async (shell) => {
      const line = "ntp authentication-key 1 md5 7 0832494D1B1C11"
      expect(await load(shell, "job1", [line])).toContain(line)
    })
  )

  it.effect(
    "opens no session during a running timer when it refuses that, and shows the text of the timed commit",
    () =>
      withShell({ sessionBesideTimer: "refused" }, async (shell, { device }) => {
        await load(shell, "job1", ["hostname tried"])
        await shell.ask("configure session job1 commit timer 00:05:00")
        expect(await shell.ask("configure session job1-check")).toMatch(/^% /)
        expect(await shell.ask("show session-config named job1")).toContain("hostname tried\n")
        expect(await shell.ask("configure session job1 commit")).toBe("")
        expect(device.hostname()).toBe("tried")
        expect(await shell.ask("configure session job1-check")).toBe("")
      })
  )
})
