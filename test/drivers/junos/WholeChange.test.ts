/** Whole jobs on a device with Junos: what the device runs in the end, and what the job says of it. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, References, Schema } from "effect"
import { DeviceResult } from "../../../src/domain/Job.ts"
import { make as makeDriver } from "../../../src/drivers/junos/Driver.ts"
import * as Drivers from "../../../src/drivers/Drivers.ts"
import * as Engine from "../../../src/Engine.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import * as Campus from "../../support/Campus.ts"
import { jobNamed } from "../../support/Jobs.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { inventory, software } from "./Answers.ts"
import { type Answers, limits, refusing, scriptedJunos, type State } from "./ScriptedJunos.ts"

const hostname = "lhv-ex1"

const configOf = (name: string) => `version 21.4R3-S5.4;
system {
    host-name ${hostname};
    domain-name ${name}.example.org;
    root-authentication {
        encrypted-password "$6$salt$root";
    }
    login {
        user switch {
            class super-user;
            authentication {
                encrypted-password "$6$salt$switch";
            }
        }
    }
    services {
        ssh;
        netconf {
            ssh;
        }
    }
}
`
const BEFORE = configOf("old")
const AFTER = configOf("new")

const Result = Schema.Struct({ devices: Schema.Record(Schema.String, DeviceResult) })

const failureIn = (result: unknown): string =>
  (Schema.decodeUnknownSync(Result)(result).devices[hostname]?.job_tasks ?? [])
    .flatMap(({ failed, result: said }) => (failed ? [String(said)] : []))
    .join("")

const push = Effect.fnUntraced(function* (config: string, dryRun: boolean) {
  const store = yield* DeviceStore
  yield* store.insert({
    hostname,
    state: "MANAGED",
    device_type: "ACCESS",
    platform: "junos",
    management_ip: "10.0.0.1",
    synchronized: true
  })
  const engine = yield* JobEngine
  return yield* engine.ended(
    yield* engine.start(jobNamed("apply_config"), { hostname, config, dry_run: dryRun }, { user: "tester" })
  )
})

/** Plays a job on a device that runs the old configuration. */
const play = (
  answers: Answers,
  { before, dryRun = false }: { before?: (state: State) => void; dryRun?: boolean } = {}
) =>
  Effect.gen(function* () {
    const box: Answers = {
      "get-chassis-inventory": () => inventory("PD3714050496"),
      "get-software-information": () => software(hostname)
    }
    const { port, state } = yield* scriptedJunos({ ...box, ...answers })
    state.running = BEFORE
    state.candidate = BEFORE
    before?.(state)
    const folders = yield* Campus.makeFolders
    const env = { ...Campus.environment({ port }, folders, folders.folder), ALLOW_APPLY_CONFIG_LIVERUN: "true" }
    const server = Engine.layer.pipe(
      Layer.provideMerge(ServerConfig.layerOf(env)),
      Layer.provide(Layer.succeed(Drivers.Makers, [makeDriver]))
    )
    const { result } = yield* Effect.provide(push(AFTER, dryRun), Layer.fresh(server), { local: true })
    return { state, failure: failureIn(result), record: JSON.stringify(result) }
  }).pipe(
    limits,
    Effect.provide(TestDatabase),
    Effect.scoped,
    Effect.provideService(References.MinimumLogLevel, "Error")
  )

describe("a whole job on a device with Junos", () => {
  it.live("ends with the new configuration, confirmed, and nothing in the candidate", () =>
    Effect.gen(function* () {
      const { failure, state } = yield* play({})
      expect(failure).toBe("")
      expect(state.running).toBe(AFTER)
      expect(state.candidate).toBe(AFTER)
      expect(state.history[0]).toMatchObject({ isPending: false, minutes: expect.any(Number) })
      expect(state.history[0]?.log).toMatch(/^job\d+/)
      // one before the commit, and the one that confirms
      expect(state.asked.filter((word) => word === "check").length).toBe(2)
    })
  )

  it.live("that is a dry run shows the difference and leaves the old one", () =>
    Effect.gen(function* () {
      const { failure, record, state } = yield* play({}, { dryRun: true })
      expect(failure).toBe("")
      expect(record).toContain("+    domain-name new.example.org;")
      expect([state.running, state.candidate]).toEqual([BEFORE, BEFORE])
      expect(state.history.length).toBe(1)
    })
  )

  it.live("says what the device refuses, and where", () =>
    Effect.gen(function* () {
      const path =
        "<error-path>[edit system]</error-path><error-info><bad-element>domain-name</bad-element></error-info>"
      const { failure, state } = yield* play({
        check: () => refusing("configuration check-out failed", path)
      })
      expect(failure).toContain("[edit system]")
      expect(failure).toContain("domain-name new.example.org;")
      expect([state.running, state.candidate]).toEqual([BEFORE, BEFORE])
    })
  )

  it.live("stays away from another user's commit that waits", () =>
    Effect.gen(function* () {
      const { failure, state } = yield* play(
        {},
        {
          before: ({ history }) =>
            history.unshift({ user: "alice", client: "cli", at: 1900, log: "uplink", minutes: 10, isPending: true })
        }
      )
      expect(failure).toContain("SessionLockedException")
      expect(state.history[0]?.isPending).toBe(true)
      expect(state.asked).not.toContain("lock")
      expect(state.running).toBe(BEFORE)
    })
  )

  it.live("does not believe a commit that the device only says to have done", () =>
    Effect.gen(function* () {
      const { failure, state } = yield* play({ "commit-configuration": () => "<ok/>" })
      expect(failure).toContain("its history has no new commit")
      expect(state.running).toBe(BEFORE)
    })
  )
})
