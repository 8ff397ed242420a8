import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { manyPorts, oneSwitch, type OneSwitch } from "../../support/lab/Campus.ts"
import { PROMPT, type Shell } from "../../support/lab/Client.ts"

const withShell = (body: (shell: Shell, one: OneSwitch) => Promise<void>, node = {}) =>
  Effect.gen(function* () {
    const one = yield* oneSwitch(node)
    const shell = yield* one.shell
    yield* Effect.promise(() => body(shell, one))
    shell.close()
  })

const portLines = manyPorts(48)
  .split("\n")
  .filter((line) => line !== "" && line !== "!")

describe("the command line of a simulated switch", () => {
  it.effect("echoes, answers and prompts with carriage returns", () =>
    withShell(async (shell) => {
      await shell.ask("terminal length 0")
      expect(shell.text()).toContain("acc1#terminal length 0\r\nPagination disabled.\r\nacc1#")
    })
  )

  it.effect("accepts shortened commands and explains mistakes in others", () =>
    withShell(async (shell) => {
      expect(await shell.ask("sh ver")).toContain("Software image version: 4.31.4M")
      expect(await shell.ask("term len 0")).toBe("Pagination disabled.\n")
      const running = await shell.ask("sh run")
      expect(running).toMatch(/^! Command: show running-config\n! device: acc1 \(CCS-720XP-48Y6-F, EOS-4.31.4M\)\n!\n/)
      expect(running).toMatch(/\nend\n$/)
      expect(await shell.ask("wr")).toBe("Copy completed successfully.\n")
      expect(await shell.ask("foo bar")).toBe("% Invalid input (at token 0: 'foo')\n")
      expect(await shell.ask("show fish")).toBe("% Invalid input (at token 1: 'fish')\n")
      expect(await shell.ask("show")).toBe("% Incomplete command\n")
    })
  )

  it.effect("shows mode and the first six characters of the session in the prompt", () =>
    withShell(async (shell) => {
      const promptAfter = async (line: string) => {
        shell.type(`${line}\n`)
        return (await shell.until(PROMPT)).split("\n").at(-1)
      }
      expect(await promptAfter("conf t")).toBe("acc1(config)#")
      expect(await promptAfter("interface et1")).toBe("acc1(config-if-Et1)#")
      expect(await promptAfter("exit")).toBe("acc1(config)#")
      expect(await promptAfter("end")).toBe("acc1#")
      expect(await promptAfter("configure session switchyard-412")).toBe("acc1(config-s-switch)#")
      expect(await promptAfter("interface Ethernet1")).toBe("acc1(config-s-switch-if-Et1)#")
      expect(await promptAfter("end")).toBe("acc1#")
    })
  )

  it.effect("changes the running configuration at once in configure terminal, and its prompt with it", () =>
    withShell(async (shell, { device }) => {
      const lines = [
        "configure",
        "hostname other",
        "interface Ethernet1",
        "description x",
        "vlan 7",
        "name seven",
        "end"
      ]
      for (const line of lines) await shell.ask(line)
      expect(device.running()).toContain("hostname other\n")
      expect(device.running()).toContain("interface Ethernet1\n   description x\n")
      expect(device.running()).toContain("vlan 7\n   name seven\n")
      expect(shell.text()).toMatch(/other#$/)
    })
  )

  it.effect("reads a banner up to its end mark without taking it for commands", () =>
    withShell(async (shell, { device }) => {
      await shell.ask("configure session b1")
      shell.type("banner login\nNo entry # end\nend\n% really\n! not a comment\nEOF\n")
      const answer = await shell.until(/EOF\n.*config-s-b1\)#$/)
      expect(answer).toContain("Enter TEXT message. Type 'EOF' on its own line to end.")
      await shell.ask("commit")
      expect(device.running()).toContain("banner login\nNo entry # end\nend\n% really\n! not a comment\nEOF\n")
    })
  )

  it.effect("loses input that is pasted faster than it reads", () =>
    withShell(async (shell, { device }) => {
      await shell.ask("configure session paste")
      shell.type(`${portLines.join("\n")}\n`)
      await shell.until(/description user port 10\n/)
      shell.type("\n\ncommit\n")
      await shell.until(/commit\nacc1#$/)
      const loaded = device.running().match(/^interface Ethernet/gm)?.length ?? 0
      expect(loaded).toBeGreaterThan(10)
      expect(loaded).toBeLessThan(48)
    })
  )

  it.effect("keeps every character that arrives in windows below the limit, or when the limit is switched off", () =>
    Effect.gen(function* () {
      const limited = yield* oneSwitch()
      const shell = yield* limited.shell
      yield* Effect.promise(async () => {
        await shell.ask("configure session window")
        for (let at = 0; at < portLines.length; at += 40) {
          shell.type(`${portLines.slice(at, at + 40).join("\n")}\n!mark ${at}\n`)
          await shell.until(new RegExp(`!mark ${at}\n.*#$`))
        }
        await shell.ask("commit")
      })
      expect(limited.device.running().match(/^interface Ethernet/gm)).toHaveLength(48)
      shell.close()
      const unlimited = yield* oneSwitch({ inputBuffer: 0 })
      const other = yield* unlimited.shell
      yield* Effect.promise(async () => {
        await other.ask("configure session paste")
        other.type(`${portLines.join("\n")}\ncommit\n`)
        await other.until(/acc1#$/)
      })
      expect(unlimited.device.running().match(/^interface Ethernet/gm)).toHaveLength(48)
      other.close()
    })
  )

  it.effect("pipes text through grep, include and section", () =>
    withShell(async (shell) => {
      const grep = String.raw`show boot-config | grep -o "\w*EOS-4.31.4M.swi\w*"`
      expect(await shell.ask(grep)).toBe("EOS-4.31.4M.swi\n")
      expect(await shell.ask("show running-config | include hostname")).toBe("hostname acc1\n")
      const section = await shell.ask("show running-config | section interface Vlan600")
      expect(section).toBe("interface Vlan600\n   ip address 10.9.1.1/24\n")
      expect(await shell.ask("show uptime | json")).toContain("unconverted command")
    })
  )

  it.effect("obeys backspace and Ctrl-C", () =>
    withShell(async (shell, { device }) => {
      shell.type("show verX\u007Fsion | json\n")
      expect(await shell.until(PROMPT)).toContain('"modelName"')
      shell.type("reload now\u0003")
      await shell.until(PROMPT)
      expect(await shell.ask("show hostname")).toContain("acc1")
      expect(device.power()).toBe("on")
    })
  )
})
