/**
 * A network that exists already: the switches of a lab run what the example templates generate, and the server knows none of them but for the
 * two distribution switches that it manages.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { LabSwitch } from "../../src/lab/LabSwitch.ts"
import { DeviceStore } from "../../src/store/DeviceStore.ts"
import { CandidateConfigs } from "../../src/templates/CandidateConfigs.ts"
import * as Managed from "../scenarios/chaos/ManagedCampus.ts"
import * as Campus from "./Campus.ts"
import { serve } from "./ServedCampus.ts"

/** The lines of a list of these switches as comma-separated values. */
export const listOf = (names: ReadonlyArray<string>): string =>
  [
    "hostname,management_ip,device_type,platform",
    ...names.map((name, index) => `${name},${Managed.addressOf(index)},ACCESS,eos`)
  ].join("\n")

/** Commands that change something on a switch. */
const CHANGING = /^(?:configure|commit|copy|write|reload|delete|clear|erase|boot|rollback|install)\b/i

/** The commands that a switch was sent and that are no reads. */
export const changesOn = (device: LabSwitch): ReadonlyArray<string> =>
  device.commands().flatMap(({ command }) => (CHANGING.test(command.trim()) ? [command] : []))

/** A server with so many switches of a lab that it does not know, and the cables between them. */
export const make = Effect.fnUntraced(function* (
  count: number,
  variables: Readonly<Record<string, string>> = {},
  cables: ReadonlyArray<Campus.Link> = []
) {
  const names = Managed.accessNames(count)
  const folders = yield* Campus.makeFolders
  const lab = yield* Managed.makeManagedLab(names, 0, 200, {}, cables)
  const env = { ...Campus.environment(lab, folders, folders.folder), COMMIT_CONFIRMED_WAIT: "0", ...variables }
  const { api, running, url } = yield* serve(env)
  yield* Effect.provideContext(Campus.seedSite, running)
  const sql = yield* Effect.provideContext(SqlClient.SqlClient, running)
  const switches = yield* Managed.switchesOf(lab, names)
  for (const name of ["templates", "settings"]) yield* api.send("PUT", `/repository/${name}`, { action: "refresh" })

  /** Waits until everything that was read is measured. */
  const measured = Effect.gen(function* () {
    for (;;) {
      const { body } = yield* api.send("GET", "/onboarding/distance")
      if (body.data["is_measuring"] === false) return body.data
      yield* Effect.sleep("100 millis")
    }
  })

  /** What the templates generate for a switch. */
  const generated = (hostname: string) =>
    Effect.map(api.send("GET", `/device/${hostname}/generate_config`), ({ body }) => body.data)

  return { api, url, names, switches, folders, measured, generated, sql, running }
})

// What tests do with such a site.

export type Site = Effect.Success<ReturnType<typeof make>>

/** The list of onboarded switches. */
export const rowsOf = (site: Site) =>
  Effect.map(
    site.api.send("GET", "/onboarding"),
    ({ body }) => body.data["devices"] as ReadonlyArray<Record<string, unknown>>
  )

/** The state of each. */
export const statesOf = (site: Site) =>
  Effect.map(rowsOf(site), (rows) => Object.fromEntries(rows.map((row) => [row["hostname"], row["state"]])))

/** Adds the switches and waits until they are read and measured. */
export const add = Effect.fnUntraced(function* (site: Site, names = site.names) {
  const { body, status } = yield* site.api.send("POST", "/onboarding", {
    source: "csv",
    name: "access.csv",
    text: listOf(names)
  })
  assert.strictEqual(status, 200, JSON.stringify(body))
  yield* site.api.ended(Number(body.data["job_id"]))
  return yield* site.measured
})

/** Lets a switch run what would be generated for it now, as if somebody had typed it. */
export const bring = Effect.fnUntraced(function* (
  site: Site,
  hostname: string,
  change: (text: string) => string = (text) => text
) {
  const text = yield* Effect.provideContext(
    Effect.gen(function* () {
      const device = yield* (yield* DeviceStore).getByHostname(hostname)
      const render = yield* (yield* CandidateConfigs).prepare([device])
      return (yield* Effect.fromResult(yield* render(device))).text
    }),
    site.running
  )
  const device = site.switches[site.names.indexOf(hostname)]
  assert.isDefined(device)
  device.configure(change(text), { replace: true })
  return device
})

/** Reads all again, and waits until they are measured. */
export const read = Effect.fnUntraced(function* (site: Site) {
  yield* site.api.run("/onboarding/read", {})
  return yield* site.measured
})
