/** The finder and the author of a change in the API: sync history, events, earlier configurations and blame. */
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Managed from "../../scenarios/chaos/ManagedCampus.ts"
import { type Ask, ended, jobIn, makeCampusWithRoles } from "../../support/CampusWithRoles.ts"
import { until } from "../../support/Program.ts"

const Noted = Schema.Struct({
  cause: Schema.String,
  by: Schema.String,
  found_by: Schema.NullOr(Schema.String),
  made_by: Schema.NullOr(Schema.String)
})
const History = Schema.fromJsonString(
  Schema.Struct({
    data: Schema.Struct({ hostnames: Schema.Record(Schema.String, Schema.Array(Noted)) })
  })
)
const Events = Schema.fromJsonString(
  Schema.Struct({ data: Schema.Struct({ events: Schema.Array(Schema.Struct({ data: Noted })) }) })
)

const NAMES = Managed.accessNames(2)
const [BY_SCHEDULE = "", BY_OTTO = ""] = NAMES
const BY_HAND = "vlan 999\n   name BY-HAND\n"

/** The sync history of the device. */
const historyOf = Effect.fnUntraced(function* (ask: Ask, hostname: string) {
  const { text } = yield* ask("GET", `/device_synchistory?hostname=${hostname}`)
  const { data } = yield* Schema.decodeUnknownEffect(History)(text)
  return data.hostnames[hostname] ?? []
})

/** Its events in the log. */
const eventsOf = Effect.fnUntraced(function* (ask: Ask, hostname: string, cause: string) {
  const { text } = yield* ask("GET", `/events?kind=sync&hostname=${hostname}`)
  const { data } = yield* Schema.decodeUnknownEffect(Events)(text)
  return data.events.flatMap((event) => (event.data.cause === cause ? [event.data] : []))
})

const makeSite = (variables: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const campus = yield* makeCampusWithRoles({ names: NAMES, roles: "roles: {}\n", variables })
    const otto = yield* campus.as("administrator", "otto")
    const sync = { hostnames: NAMES, dry_run: false, force: true, resync: true }
    yield* ended(otto, jobIn(yield* otto("POST", "/device_syncto", sync)))
    const device = (name: string) => Effect.orDie(campus.lab.get(name))
    return { ...campus, otto, device }
  })

const FOUND_ONLY = (cause: string, finder: string) => ({ cause, by: finder, found_by: finder, made_by: null })

it.live("a manual change that a scheduled check finds has no author", () =>
  Effect.gen(function* () {
    const { device, otto } = yield* makeSite({ DRIFT_INTERVAL: "1" })
    const one = yield* device(BY_SCHEDULE)
    one?.configure(BY_HAND)
    yield* until(Effect.map(historyOf(otto, BY_SCHEDULE), (found) => found.length > 0))
    assert.deepStrictEqual(yield* historyOf(otto, BY_SCHEDULE), [FOUND_ONLY("drift", "scheduler")])
    const [event] = yield* eventsOf(otto, BY_SCHEDULE, "drift")
    assert.deepStrictEqual(event, FOUND_ONLY("drift", "scheduler"))
  }).pipe(Effect.scoped)
)

it.live("a person's check for drift, or a sync that meets the change, is its finder and not its author", () =>
  Effect.gen(function* () {
    const { boss, device, otto } = yield* makeSite({})
    const [one, two] = [yield* device(BY_OTTO), yield* device(BY_SCHEDULE)]
    one?.configure(BY_HAND)
    two?.configure(BY_HAND)
    yield* ended(otto, jobIn(yield* otto("POST", "/device_drift", { hostname: BY_OTTO })))
    assert.deepStrictEqual(yield* historyOf(otto, BY_OTTO), [FOUND_ONLY("drift", "otto")])
    assert.deepStrictEqual(yield* eventsOf(otto, BY_OTTO, "drift"), [FOUND_ONLY("drift", "otto")])
    // another user's check finds a known change
    yield* ended(boss, jobIn(yield* boss("POST", "/device_drift", { hostname: BY_OTTO })))
    assert.lengthOf(yield* historyOf(otto, BY_OTTO), 1)

    const sync = { hostname: BY_SCHEDULE, dry_run: false, resync: true }
    yield* ended(otto, jobIn(yield* otto("POST", "/device_syncto", sync)))
    assert.deepInclude(yield* historyOf(otto, BY_SCHEDULE), FOUND_ONLY("confighash", "otto"))

    // who changes ports by the API has made it
    yield* otto("PUT", `/device/${BY_OTTO}/interfaces`, {
      interfaces: { Ethernet1: { data: { description: "by otto" } } }
    })
    const made = (yield* historyOf(otto, BY_OTTO)).find(({ cause }) => cause === "interface_updated")
    assert.deepInclude(made, { by: "otto", found_by: "otto", made_by: "otto" })

    // a synchronization brings what others have committed
    const { text } = yield* otto("GET", `/device/${BY_OTTO}/configs`)
    assert.match(text, /"by":"otto","found_by":"otto","made_by":null/)
    const blamed = yield* otto("GET", `/device/${BY_OTTO}/config_blame`)
    assert.match(blamed.text, /"found_by":"otto","made_by":null/)
  }).pipe(Effect.scoped)
)
