import { expect, it } from "@effect/vitest"
import { Effect, Layer, Redacted, References, Schema } from "effect"
import type { Driver, DriverSession, DriverTarget } from "../../../src/drivers/Driver.ts"
import * as Bird from "../../support/Bird.ts"
import * as BirdDriver from "./BirdDriver.ts"
import { execFile } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import * as path from "node:path"
import * as Engine from "../../../src/Engine.ts"
import { DeviceResult } from "../../../src/domain/Job.ts"
import * as Drivers from "../../../src/drivers/Drivers.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import * as Campus from "../../support/Campus.ts"
import { jobNamed } from "../../support/Jobs.ts"
import { timer } from "../../support/Patience.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

// One BIRD that a server of this process changes with `apply_config`, and an incident right after the answer to a verb of the driver. The
// result is read from the job's record, from BIRD and from its startup configuration.

const hostname = "bird1"

/** A configuration with this route. */
const config = (route: string): string =>
  [
    "router id 10.0.0.1;",
    "protocol device {}",
    "protocol static offices {",
    "  ipv4;",
    `  route ${route} blackhole;`,
    "}"
  ].join("\n")

const old = config("10.1.0.0/16")
const wanted = config("10.2.0.0/16")

/** The output of `birdc`. */
const birdc = ({ folder }: Bird.Bird, words: string, socket = "control") =>
  Effect.promise(
    () =>
      new Promise<string>((resolve) => {
        execFile("/usr/sbin/birdc", ["-s", path.join(folder, socket), words], (_, said) => resolve(said))
      })
  )

/** Waits until no timer of BIRD runs, also while BIRD is unreachable for others. */
const untilUndone = (bird: Bird.Bird, socket: string): Effect.Effect<void> =>
  Effect.flatMap(birdc(bird, "configure status", socket), (said) =>
    said.includes("Daemon is up") && !said.includes("unconfirmed")
      ? Effect.void
      : Effect.andThen(Effect.sleep("200 millis"), untilUndone(bird, socket))
  )

/** The incident, and the verb after whose answer it happens. */
interface Strike {
  readonly after: "load" | "commitTimed" | "confirm"
  readonly happens: (bird: Bird.Bird) => Effect.Effect<unknown>
}

/** BIRD's running and startup configuration, the job's record, and candidates that remain open. */
interface Outcome {
  readonly runs: "new" | "old" | "neither"
  readonly startsWith: "new" | "old" | "neither"
  readonly says: "done" | "new" | "old" | "unclear"
  readonly failure: string
  readonly left: ReadonlyArray<string>
}

/** The driver, with which it happens once. */
const struck = (driver: Driver, happens: Effect.Effect<unknown>, after: Strike["after"]): Driver => {
  let isOver = false
  const once = Effect.suspend(() => {
    if (isOver) return Effect.void
    isOver = true
    return happens
  })
  const strike = (session: DriverSession): DriverSession => ({
    ...session,
    load: (request) => (after === "load" ? Effect.tap(session.load(request), once) : session.load(request)),
    commitTimed: (name, seconds) =>
      Effect.tap(session.commitTimed(name, seconds), after === "commitTimed" ? once : Effect.void),
    confirm: (name, seen) => Effect.tap(session.confirm(name, seen), after === "confirm" ? once : Effect.void)
  })
  return { ...driver, open: (target) => Effect.map(driver.open(target), strike) }
}

const Result = Schema.Struct({ devices: Schema.Record(Schema.String, DeviceResult) })

const failureIn = (result: unknown): string =>
  (Schema.decodeUnknownSync(Result)(result).devices[hostname]?.job_tasks ?? [])
    .flatMap(({ failed, result: said }) => (failed ? [String(said)] : []))
    .join("")

const saysOf = (failure: string): Outcome["says"] => {
  if (failure === "") return "done"
  if (failure.includes("runs the new")) return "new"
  return failure.includes("not certain") ? "unclear" : "old"
}

const isOf = (text: string): Outcome["runs"] =>
  text.includes("10.2.0.0/16") ? "new" : text.includes("10.1.0.0/16") ? "old" : "neither"

const push = Effect.fnUntraced(function* (text: string, dryRun: boolean) {
  const store = yield* DeviceStore
  yield* store.insert({
    hostname,
    state: "MANAGED",
    device_type: "CORE",
    platform: "frr",
    management_ip: "10.99.0.11",
    synchronized: true
  })
  const engine = yield* JobEngine
  const args = { hostname, config: text, dry_run: dryRun }
  return yield* engine.ended(yield* engine.start(jobNamed("apply_config"), args, { user: "tester" }))
})

/** Plays one change; `text` is another configuration than the usual. */
const play = (strike?: Strike, text = wanted, dryRun = false) =>
  Effect.gen(function* () {
    const start = BirdDriver.marked("start", old)
    const files = {
      "bird.conf": start.text,
      [`${start.mark}.conf`]: start.text,
      "stranger.conf": config("10.9.0.0/16")
    }
    const bird = yield* Bird.make(files)
    const driver = yield* BirdDriver.make(bird.folder)
    const maker = Effect.succeed(strike === undefined ? driver : struck(driver, strike.happens(bird), strike.after))
    const folders = yield* Campus.makeFolders
    const env = {
      ...Campus.environment({ port: 1 }, folders, folders.folder),
      ALLOW_APPLY_CONFIG_LIVERUN: "true",
      COMMIT_CONFIRMED_TIMEOUT: timer(10)
    }
    const server = Engine.layer.pipe(
      Layer.provideMerge(ServerConfig.layerOf(env)),
      Layer.provide(Layer.succeed(Drivers.Makers, [maker]))
    )
    const job = yield* Effect.provide(push(text, dryRun), Layer.fresh(server), { local: true })
    const failure = failureIn(job.result)
    return {
      runs: isOf(yield* birdc(bird, "show route")),
      startsWith: isOf(readFileSync(path.join(bird.folder, "bird.conf"), "utf8")),
      says: saysOf(failure),
      failure,
      left: readdirSync(bird.folder).filter((file) => file.endsWith(".open"))
    } satisfies Outcome
  }).pipe(Effect.provide(TestDatabase), Effect.scoped, Effect.provideService(References.MinimumLogLevel, "Error"))

const done: Partial<Outcome> = { runs: "new", startsWith: "new", says: "done", left: [] }
const untouched: Partial<Outcome> = { runs: "old", startsWith: "old", says: "old", left: [] }

Bird.describeBird("a change of a BIRD", () => {
  it.live("a change is proved, confirmed and saved", () =>
    Effect.gen(function* () {
      expect(yield* play()).toMatchObject(done)
    })
  )

  it.live("a dry run leaves nothing", () =>
    Effect.gen(function* () {
      expect(yield* play(undefined, wanted, true)).toMatchObject({ ...untouched, says: "done" })
    })
  )

  it.live("a wrong candidate is refused with the line", () =>
    Effect.gen(function* () {
      const outcome = yield* play(undefined, wanted.replace("route ", "rout "))
      expect(outcome).toMatchObject(untouched)
      expect(outcome.failure).toMatch(/rout 10\.2\.0\.0\/16 blackhole;[^]*ReplaceConfigException: .* at line 5\n$/)
    })
  )

  it.live("BIRD takes back a change without a confirmation, and the job says so", () =>
    Effect.gen(function* () {
      const outcome = yield* play({
        after: "commitTimed",
        happens: (bird) => Effect.andThen(bird.cut, Effect.andThen(untilUndone(bird, "control.away"), bird.mend))
      })
      expect(outcome).toMatchObject(untouched)
      expect(outcome.failure).toContain("CommitError: ")
    })
  )

  it.live("a change that another user undoes before the confirmation is reported as undone", () =>
    Effect.gen(function* () {
      const outcome = yield* play({ after: "commitTimed", happens: (bird) => birdc(bird, "configure undo") })
      expect(outcome).toMatchObject(untouched)
      expect(outcome.failure).toContain("CommitError: ")
    })
  )

  it.live("a change continues after a restart of BIRD before the commit", () =>
    Effect.gen(function* () {
      expect(yield* play({ after: "load", happens: (bird) => Effect.andThen(bird.kill, bird.start) })).toMatchObject(
        done
      )
    })
  )

  for (const after of ["commitTimed", "confirm"] as const) {
    it.live(`a change ends old when BIRD is killed after ${after} and starts with its saved configuration`, () =>
      Effect.gen(function* () {
        const outcome = yield* play({ after, happens: (bird) => Effect.andThen(bird.kill, bird.start) })
        expect(outcome).toMatchObject(untouched)
        expect(outcome.failure).toContain("CommitError: ")
      })
    )
  }

  it.live("a change is not successful when BIRD runs an incomplete configuration", () =>
    Effect.gen(function* () {
      const outcome = yield* play({
        after: "commitTimed",
        happens: (bird) => birdc(bird, `configure "${bird.folder}/stranger.conf"`)
      })
      expect(outcome).toMatchObject({ runs: "neither", startsWith: "old", says: "unclear" })
    })
  )
})

Bird.describeBird("a timed commit of a BIRD", () => {
  it.live("a change is undone at once when it is discarded, and a second simultaneous one is refused", () =>
    Effect.gen(function* () {
      const start = BirdDriver.marked("start", old)
      const bird = yield* Bird.make({ "bird.conf": start.text, [`${start.mark}.conf`]: start.text })
      const driver = yield* BirdDriver.make(bird.folder)
      const password = Redacted.make("none")
      const target: DriverTarget = {
        hostname: "bird1",
        address: "127.0.0.1",
        username: "none",
        password,
        hostKey: { _tag: "accept" }
      }
      const session = yield* driver.open(target)
      const request = { text: wanted, mode: "replace", name: "job1" } as const
      expect((yield* session.load(request)).diff).toContain("+  route 10.2.0.0/16 blackhole;")
      yield* session.commitTimed("job1", 300)
      expect(yield* session.runningConfig).toBe(`${wanted}\n`)
      expect((yield* session.sessions).timer).toEqual({ _tag: "running", name: "job1" })
      expect((yield* Effect.flip(session.load({ ...request, name: "job2" })))._tag).toBe("SessionLockedException")
      expect((yield* Effect.flip(session.commit("job1")))._tag).toBe("CommitError")
      yield* session.discard("job1")
      expect(yield* session.runningConfig).toBe(`${old}\n`)
      expect((yield* session.sessions).timer).toEqual({ _tag: "none" })
      expect((yield* Effect.flip(session.confirm("job1")))._tag).toBe("CommitError")
      // what a small driver leaves out
      expect((yield* Effect.flip(session.lldp))._tag).toBe("CommandRejected")
      expect((yield* Effect.flip(session.commitAndSave("job1", 1)))._tag).toBe("CommitError")
    }).pipe(Effect.scoped)
  )
})
