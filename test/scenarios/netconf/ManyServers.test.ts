import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { SshLimits } from "../../../src/drivers/ssh/SshLimits.ts"
import * as Netconfd from "../../support/Netconfd.ts"
import * as NetconfDriver from "./NetconfDriver.ts"
import { old, wanted } from "./NetconfFaults.ts"

/** Each needs 3 MB, and a fraction of a second to start. */
const SERVERS = 200

Netconfd.describeNetconfd("many NETCONF servers at once", () => {
  it.live(`are changed, proved over a login of its own, confirmed and saved: ${SERVERS} of them`, () =>
    Effect.gen(function* () {
      const servers = yield* Effect.forEach(Array.from({ length: SERVERS }), () => Netconfd.make(old), {
        concurrency: 4
      })
      const driver = yield* NetconfDriver.make()
      const load = Effect.fnUntraced(function* (server: Netconfd.Netconfd, name: string) {
        const session = yield* driver.open(server.target)
        const { willRun } = yield* session.load({ text: wanted, mode: "replace", name, readBack: true })
        yield* session.commitTimed(name, 300)
        return willRun
      }, Effect.scoped)
      const prove = Effect.fnUntraced(function* (server: Netconfd.Netconfd, name: string) {
        const session = yield* driver.open(server.target)
        const runs = yield* session.runningConfig
        yield* session.confirm(name)
        yield* session.save
        return { runs, timer: (yield* session.sessions).timer._tag, isSaved: server.startup().includes(">new</") }
      }, Effect.scoped)
      const changed = yield* Effect.forEach(
        servers,
        (server, index) =>
          Effect.gen(function* () {
            const name = `job${index + 1}`
            const promised = yield* load(server, name)
            const { isSaved, runs, timer } = yield* prove(server, name)
            return { isPromised: runs === promised && runs.includes(">new</"), isSaved, timer }
          }),
        { concurrency: "unbounded" }
      )
      expect(changed).toEqual(servers.map(() => ({ isPromised: true, isSaved: true, timer: "none" })))
    }).pipe(Effect.scoped, Effect.provide(SshLimits.layer()))
  )
})
