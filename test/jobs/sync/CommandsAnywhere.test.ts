/** Random commands of the switch in every place that carries text, in dry runs: the switch stays as it is. A failure prints its seed. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import { InterfaceStore } from "../../../src/store/InterfaceStore.ts"
import { Choice, hostileLine } from "../../support/lab/RandomCandidates.ts"
import * as Lab from "./SyncLab.ts"

const RUNS = 30
const FIRST_SEED = Number(process.env["FIRST_SEED"] ?? 1)

const stateOf = (device: LabSwitch) => ({
  running: device.running(),
  startup: device.startup(),
  image: device.bootImage(),
  power: device.power(),
  files: [...device.files()].map(([name, { modified, size }]) => `${name} ${size} ${modified}`),
  open: device.sessions().filter(({ state }) => state === "pending" || state === "pendingCommitTimer"),
  commits: device.commits().filter(({ kind }) => kind !== "abort").length
})

it.live("changes nothing on a switch, whatever stands in a port or a given configuration", () =>
  Lab.withLab(1, (lab) =>
    Effect.gen(function* () {
      const [hostname = ""] = lab.names
      const device = Lab.switchAt(lab, 0)
      const ports = yield* InterfaceStore
      const before = stateOf(device)
      for (let seed = FIRST_SEED; seed < FIRST_SEED + RUNS; seed++) {
        const choice = new Choice(seed)
        const line = hostileLine(choice)
        const place = choice.from(["cli_append_str", "cli_prepend_str", "apply_config"])
        if (place === "apply_config") {
          const lines = device
            .running()
            .replace(/^end\n$/m, "")
            .split("\n")
          lines.splice(choice.below(lines.length), 0, line)
          yield* Lab.run("apply_config", { hostname, config: lines.join("\n"), dry_run: true })
        } else {
          yield* ports.put(lab.devices[0]?.id ?? 0, "Ethernet1", "ACCESS_AUTO", { [place]: line })
          yield* Lab.sync({ dry_run: true, hostnames: [hostname], force: true })
        }
        assert.deepStrictEqual(stateOf(device), before, `seed ${seed}, ${place}: ${JSON.stringify(line)}`)
      }
      yield* Lab.nothingLeft(lab)
    })
  )
)
