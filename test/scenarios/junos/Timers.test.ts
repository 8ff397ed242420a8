/**
 * Changes of a managed switch with Junos that something comes in between: the end of the minutes, restarts of the server and of the
 * switch, other people's commits and locks, a new password. The record says what was the case.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Campus from "../../support/Campus.ts"
import { seconds } from "../../support/Patience.ts"
import { openNetconf } from "../../support/lab/JunosCampus.ts"
import * as Site from "./JunosSite.ts"

/** Milliseconds of a minute that ends soon: a timer of the smallest size lasts two of them. */
const SHORT_MINUTE = 1_500

/** The first sync, and a description that the next one changes. */
const prepared = (served: Site.Served, description = "wanted two") =>
  Effect.gen(function* () {
    const first = Site.outcomeOf(yield* Site.sync(served, { force: true, confirm_mode: 0 }))
    assert.isFalse(first.failed, first.text)
    yield* Site.want(served, "wanted one")
    yield* Site.sync(served, { confirm_mode: 0 })
    yield* Site.want(served, description)
  })

/** Starts a live sync and gives its number. */
const begin = ({ api }: Site.Served, confirm_mode: number) =>
  Effect.map(
    api.send("POST", "/device_syncto", { hostname: Site.HOSTNAME, dry_run: false, confirm_mode }),
    ({ body }) => body.job_id ?? 0
  )

/** From the next commit on, the switch takes no login, so that nobody proves or confirms it. */
const silentFromCommit = (device: Site.JunosSite["device"]) =>
  Effect.sync(() => {
    const stop = device.onCommit(({ kind }) => {
      if (kind !== "commitTimer") return
      stop()
      device.setFault({ kind: "silent", step: "connect" })
    })
  })

const kindsSince = (device: Site.JunosSite["device"], before: number) =>
  device
    .commits()
    .slice(before)
    .map(({ kind }) => kind)

describe("the minutes of a timer", () => {
  it.live("end on a switch that cannot be reached any more, and the record says that it has gone back", () =>
    Site.withSite(
      ({ device, serve }) =>
        serve((served) =>
          Effect.gen(function* () {
            yield* prepared(served)
            const before = device.commits().length
            yield* silentFromCommit(device)
            const id = yield* begin(served, 1)
            yield* Site.until(() => kindsSince(device, before).includes("expired"))
            device.clearFaults()
            const outcome = Site.outcomeOf(yield* served.api.ended(id))
            assert.isTrue(outcome.failed, outcome.text)
            assert.include(outcome.text, "has gone back to the old configuration")
            assert.strictEqual(Site.described(device), "wanted one")
            assert.deepInclude(yield* Site.rowOf(served), { synchronized: false })
            const again = Site.outcomeOf(yield* Site.sync(served))
            assert.isFalse(again.failed, again.text)
            assert.strictEqual(Site.described(device), "wanted two")
          })
        ),
      { node: { minuteMs: SHORT_MINUTE } }
    )
  )

  it.live("end while the server is stopped, and the next one says so", () =>
    Site.withSite(
      ({ device, serve }) =>
        Effect.gen(function* () {
          yield* serve(prepared)
          const before = device.commits().length
          yield* silentFromCommit(device)
          const id = yield* serve((served) =>
            Effect.tap(begin(served, 2), () => Site.until(() => kindsSince(device, before).length > 0))
          )
          yield* Site.until(() => kindsSince(device, before).includes("expired"))
          device.clearFaults()
          yield* serve((served) =>
            Effect.gen(function* () {
              const outcome = Site.outcomeOf(yield* served.api.ended(id))
              assert.isTrue(outcome.failed, outcome.text)
              assert.include(outcome.text, "old configuration")
              assert.deepStrictEqual(kindsSince(device, before), ["commitTimer", "expired"])
              assert.strictEqual(Site.described(device), "wanted one")
            })
          )
        }),
      { node: { minuteMs: SHORT_MINUTE } }
    )
  )
})

describe("a server that stops", () => {
  it.live("between load and commit begins anew, because the candidate has ended with its login", () =>
    Site.withSite(({ device, serve }) =>
      Effect.gen(function* () {
        yield* serve(prepared)
        const before = device.commits().length
        device.setFault({ kind: "slow", step: "commitTimer", milliseconds: seconds(120), times: 1 })
        const asked = () => device.commands().filter(({ command }) => command === "commit-configuration").length
        const askedBefore = asked()
        // the check of the candidate, then the commit
        const id = yield* serve((served) =>
          Effect.tap(begin(served, 1), () => Site.until(() => asked() === askedBefore + 2))
        )
        yield* Site.until(() => device.sessions().length === 0)
        assert.deepStrictEqual(kindsSince(device, before), [])
        yield* serve((served) =>
          Effect.gen(function* () {
            const outcome = Site.outcomeOf(yield* served.api.ended(id))
            assert.isFalse(outcome.failed, outcome.text)
            assert.include(outcome.text, "the candidate ended with it")
            assert.notInclude(outcome.text, "has gone back")
            assert.strictEqual(Site.described(device), "wanted two")
            assert.deepStrictEqual(kindsSince(device, before), ["commitTimer", "confirm"])
          })
        )
      })
    )
  )

  for (const mode of [1, 2]) {
    it.live(`between commit and confirmation finds its timer by name, proves and confirms in mode ${mode}`, () =>
      Site.withSite(({ device, serve }) =>
        Effect.gen(function* () {
          yield* serve(prepared)
          const before = device.commits().length
          yield* silentFromCommit(device)
          const id = yield* serve((served) =>
            Effect.tap(begin(served, mode), () => Site.until(() => device.timer() !== undefined))
          )
          device.clearFaults()
          assert.deepStrictEqual(kindsSince(device, before), ["commitTimer"])
          yield* serve((served) =>
            Effect.gen(function* () {
              const job = yield* served.api.ended(id)
              const outcome = Site.outcomeOf(job)
              assert.isFalse(outcome.failed, outcome.text)
              if (mode === 2) yield* served.api.ended(job.next_job_id ?? 0)
              assert.deepStrictEqual(kindsSince(device, before), ["commitTimer", "confirm"])
              assert.strictEqual(Site.described(device), "wanted two")
              assert.deepInclude(yield* Site.rowOf(served), { synchronized: true })
              assert.isUndefined(device.timer())
            })
          )
        })
      )
    )
  }
})

describe("a switch that restarts while its timer runs", () => {
  it.live("starts with the old configuration, and the record says so", () =>
    Site.withSite(({ device, serve }) =>
      serve((served) =>
        Effect.gen(function* () {
          yield* prepared(served)
          yield* silentFromCommit(device)
          const id = yield* begin(served, 2)
          yield* Site.until(() => device.timer() !== undefined)
          yield* device.reload
          device.clearFaults()
          const job = yield* served.api.ended(id)
          const outcome = Site.outcomeOf(job)
          assert.isTrue(outcome.failed, outcome.text)
          assert.include(outcome.text, "old configuration")
          assert.strictEqual(Site.described(device), "wanted one")
          assert.deepInclude(yield* Site.rowOf(served), { synchronized: false })
        })
      )
    )
  )
})

describe("other people", () => {
  it.live("whose commit waits or who hold the lock stop a sync, which names them", () =>
    Site.withSite(({ device, serve }) =>
      serve((served) =>
        Effect.gen(function* () {
          yield* prepared(served)
          device.foreignSession("uplink", 3_600)
          for (const dry_run of [true, false]) {
            const { failed, text } = Site.outcomeOf(yield* Site.sync(served, { dry_run, force: true }))
            assert.isTrue(failed)
            assert.include(text, "SessionLockedException")
            assert.include(text, "confirmed commit of operator (uplink)")
          }
          assert.strictEqual(device.timer()?.session, "uplink")
          const other = yield* Effect.promise(() => openNetconf("127.196.16.5", served.port))
          yield* Effect.promise(() => other.rpc("<commit-configuration><check/></commit-configuration>"))
          yield* Effect.promise(() => other.rpc("<lock-configuration/>"))
          const { failed, text } = Site.outcomeOf(yield* Site.sync(served, { force: true }))
          assert.isTrue(failed)
          assert.include(text, "SessionLockedException")
          assert.match(text, /admin \(pid \d+\)|admin terminal/)
          assert.strictEqual(Site.described(device), "wanted one")
          other.close()
        })
      )
    )
  )

  it.live("who check while our timer runs confirm it, and it is proved all the same", () =>
    Site.withSite(({ device, serve }) =>
      serve((served) =>
        Effect.gen(function* () {
          yield* prepared(served)
          const before = device.commits().length
          const other = yield* Effect.promise(() => openNetconf("127.196.16.5", served.port))
          const stop = device.onCommit(({ kind }) => {
            if (kind === "commitTimer") other.send("<commit-configuration><check/></commit-configuration>")
          })
          const outcome = Site.outcomeOf(yield* Site.sync(served, { confirm_mode: 2 }))
          stop()
          other.close()
          assert.deepStrictEqual(kindsSince(device, before), ["commitTimer", "confirm"])
          assert.strictEqual(Site.described(device), "wanted two")
          assert.isUndefined(device.timer())
          assert.isFalse(outcome.failed, outcome.text)
        })
      )
    )
  )
})

describe("a new password of Switchyard itself", () => {
  const NEW_HASH = { TEMPLATE_SECRET_SWITCHYARD_HASH: Campus.NEXT_HASH }

  it.live("is proved by a login before the change is confirmed", () =>
    Site.withSite(({ device, serve }) =>
      Effect.gen(function* () {
        yield* serve(prepared)
        yield* serve(
          (served) =>
            Effect.gen(function* () {
              const outcome = Site.outcomeOf(yield* Site.sync(served, { confirm_mode: 1 }))
              assert.isFalse(outcome.failed, outcome.text)
              assert.include(device.running(), Campus.NEXT_HASH)
              assert.deepStrictEqual(
                device.logins().filter(({ accepted }) => !accepted),
                []
              )
            }),
          { ...NEW_HASH, PASSWORD_MANAGED_NEXT: Campus.NEXT_PASSWORD }
        )
      })
    )
  )
})
