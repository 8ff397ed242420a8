/** A whole server with managed switches and a client of socket.io that hears everything from its start. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { socketPayload } from "../../../src/events/SocketBridge.ts"
import { EventLog } from "../../../src/store/EventStore.ts"
import type { LabShape } from "../../../src/lab/Lab.ts"
import type { DeviceStore } from "../../../src/store/DeviceStore.ts"
import type { InterfaceStore } from "../../../src/store/InterfaceStore.ts"
import type { LinknetStore, MgmtDomainStore } from "../../../src/store/NetworkStore.ts"
import type { makeClient } from "../../support/ApiClient.ts"
import * as Campus from "../../support/Campus.ts"
import { EVERYTHING, type Heard, listen, type Listening, sentence } from "../../support/LiveClient.ts"
import { keepLines } from "../../support/LogLines.ts"
import { serve } from "../../support/ServedCampus.ts"
import * as Managed from "../chaos/ManagedCampus.ts"

/** Sentences of what was heard of a job, from its beginning to its end. */
export const ofJob = ({ events }: Listening, id: number): ReadonlyArray<string> => {
  const own = events.flatMap(({ job_id }, place) => (job_id === id ? [place] : []))
  return events.slice(own[0], (own.at(-1) ?? 0) + 1).map(sentence)
}

/** A lab, and the rows that a server for it begins with. */
export interface LiveSite<A, E> {
  readonly lab: LabShape
  readonly seed: Effect.Effect<A, E, DeviceStore | InterfaceStore | MgmtDomainStore | LinknetStore>
  readonly variables?: Readonly<Record<string, string>>
}

/** Starts it: settings and templates are in force. The client is connected after `prepare`. */
export const makeLiveServer = Effect.fnUntraced(function* <A, E>(
  { lab, seed, variables }: LiveSite<A, E>,
  prepare: (api: ReturnType<typeof makeClient>) => Effect.Effect<void> = () => Effect.void
) {
  const folders = yield* Campus.makeFolders
  const { layer } = keepLines("Info")
  const env = {
    ...Campus.environment(lab, folders, folders.folder),
    COMMIT_CONFIRMED_WAIT: "0",
    FIRMWARE_ALLOW_LOCAL: "true",
    ...variables
  }
  const { api, running, url } = yield* serve(env, layer)
  yield* Effect.provideContext(seed, running)
  const refresh = (name: string) => api.send("PUT", `/repository/${name}`, { action: "REFRESH" })
  for (const name of ["templates", "settings"]) {
    while ((yield* refresh(name)).status !== 200) yield* Effect.sleep("50 millis")
  }
  yield* prepare(api)
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
  return { api, folders, heardAll, refresh, running, sql, url, web }
})

/** The same with so many managed switches, which are synchronized. */
export const makeLiveScene = Effect.fnUntraced(function* (
  count: number,
  variables: Readonly<Record<string, string>> = {}
) {
  const names = Managed.accessNames(count)
  const lab = yield* Managed.makeManagedLab(names)
  const server = yield* makeLiveServer({ lab, seed: Managed.seedManaged(names), variables }, (api) =>
    Effect.map(api.run("/device_syncto", { hostnames: names, dry_run: false, force: true, resync: true }), (push) =>
      assert.strictEqual(push.status, "FINISHED", JSON.stringify(push))
    )
  )
  return { ...server, names }
})

export type LiveScene = Effect.Success<ReturnType<typeof makeLiveScene>>
