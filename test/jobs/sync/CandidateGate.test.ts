/** Commands in place of configuration, end to end on the lab: no switch receives any of them, in dry runs and in live runs. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { refresh } from "../../../src/jobs/repositories/RefreshRepository.ts"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import { InterfaceStore } from "../../../src/store/InterfaceStore.ts"
import * as Lab from "./SyncLab.ts"

/** Everything on a switch that a command could change, and the number of logins. */
const stateOf = (device: LabSwitch) => ({
  running: device.running().replaceAll(/^! Time.*$/gm, ""),
  startup: device.startup(),
  sessions: device.sessions(),
  timer: device.timer(),
  files: [...device.files().keys()],
  power: device.power(),
  logins: device.logins().length
})

const portWith = (lab: Lab.SyncLab, device: number, cli_append_str: string) =>
  Effect.flatMap(InterfaceStore, (ports) =>
    ports.put(lab.devices[device]?.id ?? 0, "Ethernet1", "ACCESS_AUTO", { description: "wanted two", cli_append_str })
  )

/** Brings a template with this line at its end into force. */
const appendToTemplate = Effect.fnUntraced(function* ({ repositories: { templates } }: Lab.SyncLab, line: string) {
  const text = yield* Effect.promise(() => fs.readFile(path.join(templates.folder, "eos/access.j2"), "utf8"))
  yield* templates.commit({ "eos/access.j2": `${text}\n${line}\n` })
  yield* refresh("templates", "other")
})

it.live("fails the device whose port contains a command before any login, and no other", () =>
  Lab.withLab(2, (lab) =>
    Effect.gen(function* () {
      const [hostname = "", other = ""] = lab.names
      yield* Lab.want(lab, "two")
      const device = Lab.switchAt(lab, 0)
      for (const command of ["commit", "   abort", "end\nconfigure", "wr", "   no switchport | tee flash:x"]) {
        yield* portWith(lab, 0, command)
        const before = stateOf(device)
        for (const dry_run of [true, false]) {
          const job = yield* Lab.sync({ dry_run, hostnames: [hostname] })
          const text = Lab.outcomes(job)[hostname] ?? ""
          assert.match(text, /^Subtask: Sync device config \(failed\)\nnothing was sent to \S+:\nline \d+ \("/)
          assert.include(text, "is no configuration")
          assert.include(text, "it comes from the port Ethernet1 (cli_append_str)")
          assert.match(text, /\nReplaceConfigException: line \d+ .*\n$/)
          assert.deepStrictEqual(stateOf(device), before, command)
        }
      }
      const job = yield* Lab.sync()
      assert.include(Lab.outcomes(job)[hostname] ?? "", "is no configuration")
      assert.strictEqual(Lab.outcomes(job)[other], "ok")
      assert.strictEqual(Lab.described(Lab.switchAt(lab, 1)), "wanted two")

      yield* portWith(lab, 0, "   no lldp transmit")
      assert.strictEqual(Lab.outcomes(yield* Lab.sync())[hostname], "ok")
      yield* Lab.nothingLeft(lab)
    })
  )
)

it.live("fails devices whose template contains a command, and names the template and its line", () =>
  Lab.withLab(1, (lab) =>
    Effect.gen(function* () {
      const [hostname = ""] = lab.names
      const device = Lab.switchAt(lab, 0)
      yield* Lab.want(lab, "two")
      yield* appendToTemplate(lab, "abort")
      const before = stateOf(device)
      for (const dry_run of [true, false]) {
        const job = yield* Lab.sync({ dry_run, hostnames: [hostname] })
        const text = Lab.outcomes(job)[hostname] ?? ""
        assert.match(text, /line \d+ \("abort"\) is no configuration: "abort" leaves, commits, abandons or opens/)
        assert.match(text, /it comes from the template eos\/access\.j2, line \d+\n/)
        assert.deepStrictEqual(stateOf(device), before)
      }
      yield* Lab.nothingLeft(lab)
    })
  )
)

it.live("fails a given configuration with commands, and one that an alias of the switch turns into one", () =>
  Lab.withLab(1, (lab) =>
    Effect.gen(function* () {
      const [hostname = ""] = lab.names
      const device = Lab.switchAt(lab, 0)
      const running = device.running().replace(/^end\n$/m, "")
      const outcome = Effect.fnUntraced(function* (config: string, dry_run: boolean) {
        const job = yield* Lab.run("apply_config", { hostname, config, dry_run })
        return Lab.outcomes(job)[hostname] ?? JSON.stringify(job)
      })
      const before = stateOf(device)
      for (const dry_run of [true, false]) {
        const left = yield* outcome(`${running}end\nconfigure\ninterface Ethernet6\n   shutdown\n`, dry_run)
        assert.match(left, /line \d+ \("end"\) is no configuration: "end" ends the configuration, and lines follow\n/)
        assert.match(left, /line \d+ \("configure"\) is no configuration/)
        for (const line of ["reload force", "delete flash:EOS.swi", "write erase now", "bash reboot"])
          assert.include(yield* outcome(`${running}${line}\n`, dry_run), `("${line}") is no configuration`)
        assert.deepStrictEqual(stateOf(device), before)
      }

      device.configure("alias zap reload force\n")
      const aliased = { ...stateOf(device), logins: 0 }
      for (const dry_run of [true, false]) {
        assert.include(yield* outcome(`${running}zap\n`, dry_run), '"zap" is an alias on the device')
        assert.deepStrictEqual({ ...stateOf(device), logins: 0 }, aliased)
      }
      assert.strictEqual(yield* outcome(`${running}end\n`, true), "ok")
      yield* Lab.nothingLeft(lab)
    })
  )
)
