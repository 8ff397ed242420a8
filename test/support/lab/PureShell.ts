/** A switch of the lab and one shell on it, without SSH, cables and clocks: for many thousand lines in a moment. */
import * as SshFront from "../../../src/lab/SshFront.ts"
import { behaviourOf } from "../../../src/lab/Lab.ts"
import { run } from "../../../src/lab/eos/CommandLine.ts"
import { software } from "../../../src/lab/eos/Eos.ts"
import * as Hardware from "../../../src/lab/eos/Hardware.ts"
import * as Shell from "../../../src/lab/eos/Shell.ts"
import * as Flash from "../../../src/lab/Flash.ts"
import * as Switch from "../../../src/lab/Switch.ts"
import type { Node } from "../../../src/lab/Topology.ts"
import { baseConfig } from "./Campus.ts"

/** The parts of a switch that no dry run may touch. */
export interface State {
  readonly running: string
  readonly startup: string | undefined
  readonly files: ReadonlyArray<string>
  readonly bootImage: string
  readonly reloads: number
  /** Sessions and what they are, but the named one. */
  readonly sessions: ReadonlyArray<string>
}

export interface PureShell {
  readonly device: Switch.Switch
  readonly shell: Shell.Shell
  /** Types a line, or gives it to whatever reads the input; the answer and the prompt. */
  readonly type: (line: string) => Promise<{ readonly answer: string; readonly prompt: string }>
  readonly state: (ownSession?: string) => State
}

/** A switch with a second image and a file on its flash, saved, and an administrator in privileged mode. */
export const pureShell = (node: Partial<Node> = {}, more = ""): PureShell => {
  let reloads = 0
  const device = Switch.make({
    name: "acc1",
    software,
    hardware: Hardware.make({
      name: "acc1",
      index: 1,
      linked: [],
      model: node.model,
      mac: undefined,
      serial: undefined
    }),
    hostKey: SshFront.lazyHostKey(),
    version: "4.31.4M",
    behaviour: behaviourOf(node),
    world: {
      changed: () => undefined,
      neighbours: () => [],
      stations: () => [],
      linkUp: () => true,
      switches: () => [],
      cables: () => [],
      reload: () => void (reloads += 1)
    },
    startup: baseConfig("acc1", "10.9.1.1", more),
    flashBytes: undefined,
    historyLimit: 200
  })
  Switch.up(device)
  Flash.writeBytes(device.flash, "notes.txt", Buffer.from("hostname stolen\n"))
  Flash.writeBytes(device.flash, "EOS-4.30.1F.swi", Buffer.from("image"))
  const nothing = () => undefined
  const terminal = { terminal: "vty1", width: 511, logOut: nothing, hangUp: nothing, silence: nothing }
  const shell = Shell.make({ device, user: "admin", ...terminal })
  return {
    device,
    shell,
    type: async (line) => {
      const answer = await (shell.reader === undefined ? run(shell, line) : shell.reader.line(line))
      return { answer, prompt: shell.reader === undefined ? Shell.prompt(shell) : "" }
    },
    state: (ownSession) => ({
      running: device.running,
      startup: device.startup,
      files: [...device.flash.files].map(([name, { modified, size }]) => `${name} ${size} ${modified}`),
      bootImage: device.bootImage,
      reloads,
      sessions: [...device.sessions.values()]
        .filter(({ name }) => name !== ownSession)
        .map(({ name, state }) => `${name} ${state}`)
    })
  }
}
