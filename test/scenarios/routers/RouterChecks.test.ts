/** A check that a plugin answers on a real router: what vtysh shows before and after a change decides whether it is confirmed. */
import { assert, it } from "@effect/vitest"
import { Effect, References } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { timer } from "../../support/Patience.ts"
import { describeReal } from "../../support/RealFabric.ts"
import { serve } from "../../support/ServedCampus.ts"
import { makeSite, nameOf, type RouterCell, seedRouters } from "./RouterScene.ts"

const NAME = nameOf(0)

/** Nothing strikes this router. */
const CELLS: ReadonlyArray<RouterCell> = [{ at: "never", strike: "true" }]

const checks = (command: string) => `checks:
  prefixes:
    for: all
    reads:
      plugin: { name: show, function: lines, with: { frr: ${command}, matching: '^(seq .*)' } }
    must: no_lost
    settle: 0
    try_again: 1 s
    before: refuse
`

const settings = (...lines: ReadonlyArray<string>) => ({
  [`devices/${NAME}/base_system.yml`]: `---\ncli_append_str: |\n${lines.map((line) => `  ${line}\n`).join("")}`
})

const OFFICES = "ip prefix-list OFFICES seq 5 permit 10.0.0.0/8"
const HOMES = "ip prefix-list HOMES seq 5 permit 192.168.0.0/16"

describeReal("a check of a plugin on a real router", () => {
  it.live("confirms a change that it bears, takes back one that it does not, and never writes", () =>
    Effect.gen(function* () {
      const { environment, fabric, folders } = yield* makeSite(CELLS)
      yield* Effect.promise(() =>
        fs.writeFile(path.join(folders.folder, "plugins.yml"), "plugins: [{filename: show.ts}]\n")
      )
      const { api, running } = yield* serve({
        ...environment,
        COMMIT_CONFIRMED_WAIT: "0",
        COMMIT_CONFIRMED_TIMEOUT: timer(60)
      })
      yield* Effect.provideContext(seedRouters(fabric, CELLS), running)
      const refresh = (name: string) => api.send("PUT", `/repository/${name}`, { action: "REFRESH" })
      const put = (text: string) =>
        Effect.andThen(folders.templates.commit({ "checks.yml": text }), refresh("templates"))
      yield* put(checks("show ip prefix-list"))
      /** Brings these lines to the router; without lines what the settings say already. */
      const sync = Effect.fnUntraced(function* (...lines: ReadonlyArray<string>) {
        if (lines.length > 0) yield* folders.settings.commit(settings(...lines))
        while ((yield* refresh("settings")).status !== 200) yield* Effect.sleep("50 millis")
        const job = yield* api.run("/device_syncto", { hostname: NAME, dry_run: false, confirm_mode: 1, resync: true })
        const device = job.result?.devices?.[NAME]
        return { failed: device?.failed ?? true, text: JSON.stringify(device) }
      })
      const first = yield* sync()
      assert.isFalse(first.failed, first.text)
      const second = yield* sync(OFFICES, HOMES)
      assert.isFalse(second.failed, second.text)
      const third = yield* sync(OFFICES)
      assert.include(third.text, "CheckFailed: A check failed after the commit: prefixes: ")
      assert.match(third.text, /before \d items, now \d items? \(gone: seq 5 permit 192\.168\.0\.0\/16/)
      const shown = yield* fabric.run(NAME, "vtysh -c 'show running-config'")
      assert.include(shown, "HOMES")

      yield* put(checks("clear ip prefix-list"))
      const fourth = yield* sync()
      assert.include(fourth.text, "CommandRejected: it was not sent: a read-only command begins with the word show")
      yield* put(checks("show nothing of that kind"))
      const fifth = yield* sync()
      assert.match(fifth.text, /CommandFailed: .*show nothing of that kind.*CommandRejected: % Unknown command/)
      assert.include(yield* fabric.run(NAME, "vtysh -c 'show running-config'"), "HOMES")
    }).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "Error"))
  )
})
