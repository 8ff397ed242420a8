import { describe, expect, it } from "@effect/vitest"
import { meaningOf } from "../../../src/lab/eos/ExecWords.ts"
import { type PureShell, pureShell } from "../../support/lab/PureShell.ts"

const typed = async (lines: ReadonlyArray<string>, more = ""): Promise<PureShell & { readonly prompt: string }> => {
  const one = pureShell({}, more)
  let prompt = ""
  for (const line of ["configure session job1", ...lines]) ({ prompt } = await one.type(line))
  return { ...one, prompt }
}

const SHUT = ["interface Ethernet1", "   shutdown"]

describe("commands in a configuration session of a simulated switch", () => {
  it.each([
    ["commit", "committed", "acc1#"],
    ["com", "committed", "acc1#"],
    ["COMMIT", "committed", "acc1#"],
    ["commit timer 00:05:00", "pendingCommitTimer", "acc1#"],
    ["abort", undefined, "acc1#"],
    ["ab", undefined, "acc1#"],
    ["end", "pending", "acc1#"],
    ["exit", "pending", "acc1(config-s-job1)#"]
  ] as const)("end it or leave it: %s", async (line, state, prompt) => {
    const { device, prompt: shown } = await typed([...SHUT, line])
    expect(device.sessions.get("job1")?.state).toBe(state)
    expect(shown).toBe(prompt)
    expect(device.running.includes("shutdown")).toBe(state === "committed" || state === "pendingCommitTimer")
    clearTimeout(device.timer?.handle)
  })

  it.each([
    ["configure", "(config-if-Et1)"],
    ["conf t", "(config-if-Et1)"],
    ["configure session other", "(config-s-other-if-Et1)"]
  ] as const)("go from one mode to another: %s", async (line, mode) => {
    const { device, prompt } = await typed([line, ...SHUT])
    expect(prompt).toBe(`acc1${mode}#`)
    expect(device.running.includes("shutdown")).toBe(!line.includes("session"))
    expect(device.sessions.get("job1")?.state).toBe("pending")
  })

  it.each([
    ["write erase now", (state: ReturnType<PureShell["state"]>) => state.startup === undefined],
    ["erase startup-config now", (state) => state.startup === undefined],
    ["delete flash:notes.txt", (state) => !state.files.some((file) => file.startsWith("notes"))],
    ["del flash:notes.txt", (state) => !state.files.some((file) => file.startsWith("notes"))],
    ["copy flash:notes.txt startup-config", (state) => state.startup?.includes("stolen")],
    ["copy running-config flash:kept", (state) => state.files.some((file) => file.startsWith("kept"))],
    ["show running-config > flash:kept", (state) => state.files.some((file) => file.startsWith("kept"))],
    ["show running-config | redirect flash:kept", (state) => state.files.some((file) => file.startsWith("kept"))],
    ["bash rm /mnt/flash/notes.txt", (state) => !state.files.some((file) => file.startsWith("notes"))],
    ["boot system flash:EOS-4.30.1F.swi", (state) => state.bootImage === "EOS-4.30.1F.swi"],
    ["install source flash:EOS-4.30.1F.swi", (state) => state.bootImage === "EOS-4.30.1F.swi"],
    ["configure replace flash:notes.txt", (state) => state.running === "!\nhostname stolen\n!\n"],
    ["configure replace clean-config", (state) => state.running === ""],
    ["reload now", (state) => state.reloads === 1],
    ["rel now", (state) => state.reloads === 1],
    ["do reload now", (state) => state.reloads === 1],
    ["format flash:", (state) => state.files.length === 0]
  ] satisfies ReadonlyArray<readonly [string, (state: ReturnType<PureShell["state"]>) => boolean | undefined]>)(
    "take effect at once: %s",
    async (line, isSo) => {
      expect(isSo((await typed([])).state("job1"))).not.toBe(true)
      expect(isSo((await typed([line])).state("job1"))).toBe(true)
      expect(isSo((await typed(["interface Ethernet1", `   ${line}`])).state("job1"))).toBe(true)
    }
  )

  it("ask before they reload, and take the next line for the answer", async () => {
    expect((await typed(["reload", ""])).state().reloads).toBe(1)
    expect((await typed(["reload", "y"])).state().reloads).toBe(1)
    expect((await typed(["reload", "vlan 10"])).state().reloads).toBe(0)
  })

  it("are run under an alias, whether it runs already or is in the candidate", async () => {
    const single = await typed(["wipe"], "alias wipe write erase now\n")
    expect(single.state().startup).toBeUndefined()
    const several = await typed(["wipe"], "alias wipe\n   10 delete flash:notes.txt\n   20 write erase now\n!\n")
    expect(several.state().startup).toBeUndefined()
    expect(several.state().files.some((file) => file.startsWith("notes"))).toBe(false)
    expect((await typed(["alias wipe write erase now", "wipe"])).state().startup).toBeUndefined()
    expect((await typed(["alias drop delete flash:%1", "drop notes.txt"])).state().files).toHaveLength(2)
  })

  it("open another shell, which takes the following lines for its own commands until it is left", async () => {
    const { device, prompt } = await typed(["bash", "hostname other", "exit"])
    expect(prompt).toBe("acc1(config-s-job1)#")
    expect(device.sessions.get("job1")?.tree?.children?.has("hostname other")).not.toBe(true)
    expect((await typed(["bash"])).prompt).toBe("[admin@acc1 ~]$ ")
    expect((await typed(["python-shell"])).prompt).toBe(">>> ")
  })

  it("are distinguished from configuration that begins alike", () => {
    const kinds = (...lines: ReadonlyArray<string>) => lines.map((line) => meaningOf("session", line).kind)
    expect(kinds("enable secret x", "clock timezone UTC", "terminal width 80", "agent x environment y")).toEqual([
      "configuration",
      "configuration",
      "command",
      "configuration"
    ])
    expect(
      kinds("enable", "clock set 10:00:00", "agent Bgp terminate", "e", "re", "interface Et1", "10 permit")
    ).toEqual(["command", "command", "command", "ambiguous", "ambiguous", "configuration", "configuration"])
  })
})
