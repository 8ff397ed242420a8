/**
 * A release with a command that no gate knows, in the place of configuration: the load stops there, and the record says what the
 * switch runs.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { InterfaceStore } from "../../../src/store/InterfaceStore.ts"
import * as Lab from "./SyncLab.ts"

const portWith = (lab: Lab.SyncLab, cli_append_str: string) =>
  Effect.flatMap(InterfaceStore, (ports) =>
    ports.put(lab.devices[0]?.id ?? 0, "Ethernet1", "ACCESS_AUTO", { description: "wanted two", cli_append_str })
  )

const withCommand = <A, E>(like: string, body: (lab: Lab.SyncLab, hostname: string) => Lab.Serving<A, E>) =>
  Lab.withLab(1, (lab) => body(lab, lab.names[0] ?? ""), {}, { quirks: { moreCommands: { frobnicate: like } } })

const phases = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql<{
      phase: string
      reason: string
    }>`select phase, protocol ->> 'reason' as reason from config_change order by id desc limit 1`
)

it.live.each(["abort", "end", "configure session other", "bash", "write erase", "logout", "commit timer 00:05:00"])(
  'ends a dry run at an unknown command like "%s", with the switch unchanged',
  (like) =>
    withCommand(like, (lab, hostname) =>
      Effect.gen(function* () {
        const device = Lab.switchAt(lab, 0)
        yield* portWith(lab, "frobnicate")
        const [running, startup] = [device.running(), device.startup()]
        const began = Date.now()
        const text = Lab.outcomes(yield* Lab.sync({ dry_run: true, hostnames: [hostname] }))[hostname] ?? ""
        assert.isBelow(Date.now() - began, 20_000)
        assert.match(
          text,
          /LeftConfiguration: line \d+ \("frobnicate"\) is no configuration: behind it the switch showed /
        )
        assert.include(text, "The device runs the configuration that it had before.")
        assert.notInclude(text, "may be down")
        assert.deepStrictEqual([device.running(), device.startup()], [running, startup])
        assert.deepStrictEqual(yield* phases, [{ phase: "discarded", reason: "leftConfiguration" }])
        assert.isUndefined(device.timer())
        assert.isFalse(device.sessions().some(({ state }) => state === "pending" || state === "pendingCommitTimer"))
        yield* Lab.nothingLeft(lab)
      })
    )
)

it.live("reports an altered switch when the unknown command commits, and marks it as out of sync", () =>
  withCommand("commit", (lab, hostname) =>
    Effect.gen(function* () {
      const device = Lab.switchAt(lab, 0)
      yield* portWith(lab, "frobnicate")
      const before = device.running()
      const text = Lab.outcomes(yield* Lab.sync({ dry_run: true, hostnames: [hostname] }))[hostname] ?? ""
      assert.notStrictEqual(device.running(), before)
      assert.include(text, "the switch has committed what was loaded until then")
      assert.include(text, "The device does not run the configuration that it had before")
      assert.deepStrictEqual(yield* phases, [{ phase: "unknown", reason: "leftConfiguration" }])
      assert.deepStrictEqual(yield* Lab.synchronized(lab), [])
      assert.include(yield* Lab.causes(hostname), "command_in_configuration")
      yield* Lab.nothingLeft(lab)
    })
  )
)

it.live("reports it for a given configuration, too", () =>
  withCommand("commit", (lab, hostname) =>
    Effect.gen(function* () {
      const config = `${Lab.switchAt(lab, 0)
        .running()
        .replace(/^end\n$/m, "")}vlan 77\nfrobnicate\n`
      const job = yield* Lab.run("apply_config", { hostname, config, dry_run: true })
      const text = Lab.outcomes(job)[hostname] ?? ""
      assert.include(text, "The device does not run the configuration that it had before")
      assert.deepStrictEqual(yield* Lab.synchronized(lab), [])
      assert.include(yield* Lab.causes(hostname), "command_in_configuration")
      yield* Lab.nothingLeft(lab)
    })
  )
)

it.live.each([true, false])(
  "names the lines during which a switch has ended the connection, and types none of them again: dry run %s",
  (dry_run) =>
    withCommand("reload now", (lab, hostname) =>
      Effect.gen(function* () {
        const device = Lab.switchAt(lab, 0)
        yield* portWith(lab, "frobnicate")
        const [typed, running] = [device.commands().length, device.running()]
        const text = Lab.outcomes(yield* Lab.sync({ dry_run, hostnames: [hostname] }))[hostname] ?? ""
        assert.match(text, /ConnectionException: .* while line \d+(, or one of the next \d+,)? was loaded/)
        const told = device.commands().slice(typed)
        assert.strictEqual(told.filter(({ command }) => /^(?:frobnicate|reload)/.test(command)).length, 1)
        assert.strictEqual(device.running(), running)
      })
    )
)
