/** A whole server with managed switches and a client of socket.io that hears everything from its start. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { socketPayload } from "../../../src/events/socket/Payloads.ts"
import { EventLog } from "../../../src/store/EventLog.ts"
import * as Campus from "../../support/Campus.ts"
import { EVERYTHING, type Heard, type Listening, listen, sentence } from "../../support/LiveClient.ts"
import { keepLines } from "../../support/LogLines.ts"
import { serve } from "../../support/ServedCampus.ts"
import * as Managed from "../chaos/ManagedCampus.ts"

/** Sentences of what was heard of a job, from its beginning to its end. */
export const ofJob = ({ events }: Listening, id: number): ReadonlyArray<string> => {
  const own = events.flatMap(({ job_id }, place) => (job_id === id ? [place] : []))
  return events.slice(own[0], (own.at(-1) ?? 0) + 1).map(sentence)
}

/** Starts it: settings and templates are in force, the switches are synchronized. */
export const makeLiveScene = Effect.fnUntraced(function* (
  count: number,
  variables: Readonly<Record<string, string>> = {}
) {
  const names = Managed.accessNames(count)
  const folders = yield* Campus.makeFolders
  const lab = yield* Managed.makeManagedLab(names)
  const { layer, lines } = keepLines("Info")
  const env = { ...Campus.environment(lab, folders, folders.folder), COMMIT_CONFIRMED_WAIT: "0", ...variables }
  const { api, running, url } = yield* serve(env, layer)
  const devices = yield* Effect.provideContext(Managed.seedManaged(names), running)
  const refresh = (name: string) => api.send("PUT", `/repository/${name}`, { action: "REFRESH" })
  for (const name of ["templates", "settings"]) {
    while ((yield* refresh(name)).status !== 200) yield* Effect.sleep("50 millis")
  }
  const push = yield* api.run("/device_syncto", { hostnames: names, dry_run: false, force: true, resync: true })
  assert.strictEqual(push.status, "FINISHED", JSON.stringify(push))
  const web = yield* listen(url, EVERYTHING)
  const { from } = yield* Effect.provideContext(
    Effect.gen(function* () {
      return { from: yield* (yield* EventLog).complete }
    }),
    running
  )

  /** What the log has, in the words of the clients, from when the first client joined. */
  const stored = Effect.provideContext(
    Effect.gen(function* () {
      const log = yield* EventLog
      const events = yield* log.read({ after: from, through: Number.MAX_SAFE_INTEGER, limit: 10_000 })
      return events.flatMap((event) => socketPayload(event)?.payload ?? [])
    }),
    running
  )
  /** The client has heard all that the log has, in its order, and nothing else. */
  const heardAll = Effect.gen(function* () {
    const expected = yield* stored
    yield* web.until("All events", () => web.events.length >= expected.length)
    const sent: ReadonlyArray<Heard> = JSON.parse(JSON.stringify(expected))
    assert.deepStrictEqual(web.events.map(sentence), sent.map(sentence))
    assert.deepStrictEqual(web.events, sent)
  })
  const sql = <A, E>(work: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
    Effect.provideContext(Effect.flatMap(SqlClient.SqlClient, work), running)
  return { api, devices, folders, heardAll, lab, lines, names, refresh, running, sql, url, web }
})

export type LiveScene = Effect.Success<ReturnType<typeof makeLiveScene>>
