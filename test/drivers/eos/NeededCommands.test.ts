/**
 * The commands that an account needs (docs/switch-dialogues.md#commands-that-the-account-needs): the table holds all that is sent,
 * and each that is denied by AAA is named as such, or is not missed.
 */
import { assert, describe, expect, it } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"
import { readingKinds, type Question } from "../../../src/domain/checks/Readings.ts"
import type { DriverSession } from "../../../src/drivers/Driver.ts"
import { type DriverError, renderError } from "../../../src/drivers/DriverErrors.ts"
import { entryFor, neededCommands } from "../../../src/drivers/eos/Dialect.ts"
import { offered } from "../../../src/drivers/Verbs.ts"
import type { Node } from "../../../src/lab/Topology.ts"
import { candidate, makeOneSwitch, name } from "./OneSwitchLab.ts"

const NEW = "EOS-4.32.2F.swi"
const pair = { key: Redacted.make("-----BEGIN KEY-----\n"), certificate: "-----BEGIN CERTIFICATE-----\n" }
const everyJob = { _tag: "allBut", jobs: [] } as const

const text = candidate("interface Ethernet2", "   description who?")
const load = ({ load: send }: DriverSession, session: string, given = text) =>
  send({ text: given, mode: "replace", name: session, mayAbort: everyJob, readBack: true })

type Verb = (session: DriverSession) => Effect.Effect<unknown, DriverError>

const questions: ReadonlyArray<Question> = [
  ...readingKinds.filter((kind) => kind !== "log" && kind !== "ping").map((reads) => ({ reads })),
  { reads: "log", severity: "error", since: 0 },
  { reads: "ping", to: "10.66.0.1", count: 1 }
]

const readings: Readonly<Record<string, Verb>> = Object.fromEntries(
  questions.map((question) => [
    `read ${question.reads}`,
    (session) => Effect.flatMap(offered(session, "readings", name), ({ read }) => read(question))
  ])
)

/** All that the driver can do, in an order in which each finds what it needs. */
const verbs: Readonly<Record<string, Verb>> = {
  facts: (session) => session.facts,
  interfaces: (session) => session.interfaces,
  lldp: (session) => session.lldp,
  optics: (session) => session.optics,
  lldpDetail: (session) => session.lldpDetail,
  macTable: (session) => session.macTable,
  arpTable: (session) => session.arpTable,
  ...readings,
  runningConfig: (session) => session.runningConfig,
  sessions: (session) => session.sessions,
  rejected: (session) =>
    Effect.catchTag(
      load(session, "job1", candidate("interface Ethernet99")),
      "ReplaceConfigException",
      () => Effect.void
    ),
  discard: (session) => Effect.andThen(load(session, "job2"), session.discard("job2")),
  timed: (session) => Effect.andThen(load(session, "job3"), session.commitTimed("job3", 60)),
  confirm: (session) => session.confirm("job3"),
  save: (session) => session.save,
  unchanged: (session) => Effect.andThen(load(session, "job4"), session.discard("job4")),
  commit: (session) => Effect.andThen(load(session, "job5", candidate()), session.commit("job5")),
  commitAndSave: (session) => Effect.andThen(load(session, "job6"), session.commitAndSave("job6", 2)),
  makeRoom: (session) => Effect.flatMap(offered(session, "firmware", name), ({ makeRoom }) => makeRoom),
  sizeOf: (session) => Effect.flatMap(offered(session, "firmware", name), ({ sizeOf }) => sizeOf(NEW)),
  checksum: (session) => Effect.flatMap(offered(session, "firmware", name), ({ checksum }) => checksum("md5", NEW)),
  fetch: (session) =>
    Effect.flatMap(offered(session, "firmware", name), (firmware) =>
      Effect.catchIf(
        firmware.fetch({ url: "http://127.0.0.1:9/x.swi", vrf: null }),
        (error) => error._tag === "CommandRejected" && error.denied !== true,
        () => Effect.void
      )
    ),
  activate: (session) => Effect.flatMap(offered(session, "firmware", name), ({ activate }) => activate(NEW)),
  remove: (session) => Effect.flatMap(offered(session, "firmware", name), ({ remove }) => remove("old.swi")),
  certificate: (session) =>
    Effect.flatMap(offered(session, "certificates", name), ({ install }) => install(pair, Effect.void)),
  wipe: (session) => Effect.flatMap(offered(session, "reset", name), ({ wipe }) => wipe),
  reload: (session) => Effect.flatMap(offered(session, "reset", name), ({ reload }) => reload)
}

/** Runs every verb over a login of its own; yields the texts of those that fail, and all commands that were sent. */
const runAll = Effect.fnUntraced(function* (node: Partial<Node>) {
  const { device, driver, target } = yield* makeOneSwitch({ flashBytes: 8_000_000_000, ...node })
  device.putFile(NEW, Buffer.alloc(100, "eos"))
  const failed = new Map<string, string>()
  const sent = new Set<string>()
  for (const [verb, run] of Object.entries(verbs)) {
    const ended = yield* Effect.result(Effect.scoped(Effect.flatMap(driver.open(target), run)))
    if (Result.isFailure(ended)) failed.set(verb, renderError(ended.failure))
    for (const { command } of device.commands()) sent.add(command.replace(/ \| json$/, ""))
  }
  return { failed, sent }
}, Effect.scoped)

describe("commands that the account needs", () => {
  it.live("are all in the table, and the table has no others", () =>
    Effect.gen(function* () {
      const { failed, sent } = yield* runAll({})
      expect([...failed]).toEqual([])
      const unknown = [...sent].filter((command) => entryFor(command) === undefined)
      expect(unknown).toEqual([])
      const used = new Set([...sent].map(entryFor))
      const unused = neededCommands.filter((entry) => entry.fallback !== true && !used.has(entry))
      expect(unused.map(({ command }) => command)).toEqual([])
    })
  )

  for (const { command, dispensable, fallback } of neededCommands) {
    if (fallback === true) continue
    it.live(`${dispensable === true ? "are not required" : "are named"} when AAA denies "${command}"`, () =>
      Effect.gen(function* () {
        const { failed } = yield* runAll({ quirks: { denied: [command] } })
        if (dispensable === true) return expect([...failed]).toEqual([])
        const denials = [...failed.values()].filter((text) =>
          text.includes(`denied by the switch's authorization (AAA): ${command}`)
        )
        assert.isAbove(denials.length, 0, JSON.stringify([...failed]))
        // what comes later may miss what did not happen; nothing is a wrong answer
        for (const text of failed.values()) expect(text).not.toMatch(/UnexpectedAnswer|CommandTimeout|InternalError/)
        return undefined
      })
    )
  }

  it.live("name a denied privilege, and lines of a configuration", () =>
    Effect.gen(function* () {
      const config = "username admin privilege 1 secret admin\n"
      const { driver, target } = yield* makeOneSwitch(
        { quirks: { denied: ["enable"] } },
        `hostname ${name}\n${config}interface Management1\n   ip address 10.66.0.1/16\n`
      )
      const error = yield* Effect.flip(Effect.scoped(driver.open(target)))
      expect(error._tag).toBe("ConnectAuthError")
      expect(error.message).toMatch(/^not privileged: denied by the switch's authorization \(AAA\): enable/)
      const { failed } = yield* runAll({ quirks: { denied: ["description"] } })
      expect(failed.get("discard")).toMatch(
        /ReplaceConfigException: denied by the switch's authorization \(AAA\): description desk 1/
      )
    }).pipe(Effect.scoped)
  )
})
