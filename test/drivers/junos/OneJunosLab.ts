/** A lab of one simulated switch with Junos, `sw1` at 10.9.2.1, and the driver that reaches it over SSH. */
import { expect } from "@effect/vitest"
import { Effect, Option, Redacted, Result } from "effect"
import type { DriverSession, DriverTarget } from "../../../src/drivers/Driver.ts"
import { make as makeDriver } from "../../../src/drivers/junos/Driver.ts"
import { foreignSessionsLayer } from "../../../src/drivers/LoadChecks.ts"
import { parseAddressMap, SshLimits } from "../../../src/drivers/ssh/SshLimits.ts"
import type { Node } from "../../../src/lab/Topology.ts"
import { junosConfig, oneJunos, openNetconf } from "../../support/lab/JunosCampus.ts"

/** What the switch runs at first, and the same with two changes. */
export const OLD = junosConfig("sw1", "10.9.2.1")
export const NEW = OLD.replace("description uplink;", "description core;").replace(
  "    v10 {\n        vlan-id 10;\n    }\n",
  "    v10 {\n        vlan-id 10;\n    }\n    v20 {\n        vlan-id 20;\n    }\n"
)

/** Milliseconds of a minute that does not end while a test does its work. */
export const LONG_MINUTE = 600_000

/** The switch with a driver; `login` ends with its scope. */
export const meet = Effect.fnUntraced(function* (node: Partial<Node> = {}) {
  const one = yield* oneJunos({ "startup-config": OLD, minuteMs: LONG_MINUTE, ...node })
  const addressMap = Result.getOrThrow(parseAddressMap("10.0.0.0/8=127.0.0.0/8"))
  const driver = yield* makeDriver.pipe(
    Effect.provide(SshLimits.layer({ port: one.port, addressMap, refusedRetries: 3, refusedDelay: 0.05 })),
    Effect.provide(foreignSessionsLayer("wait"))
  )
  const target: DriverTarget = {
    hostname: "sw1",
    address: "10.9.2.1",
    username: "admin",
    password: Redacted.make("admin"),
    hostKey: { _tag: "accept" }
  }
  return { ...one, driver, target, login: driver.open(target) }
})

export type Met = Effect.Success<ReturnType<typeof meet>>

/** A login for this alone. */
export const within = <A, E>({ login }: Met, body: (session: DriverSession) => Effect.Effect<A, E>) =>
  Effect.scoped(Effect.flatMap(login, body))

/** Waits until the condition holds; a test that never gets there fails by its own time limit. */
export const until = (holds: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (holds() ? Effect.void : Effect.andThen(Effect.sleep("10 millis"), until(holds))))

export const pendingOf = ({ sessions }: DriverSession) =>
  Effect.map(sessions, ({ pending }) => Option.getOrNull(Option.map(pending, ({ name }) => name)))

/** Requests to load a text, without waiting for others. */
export const replace = (text: string, name = "job412") => ({ text, mode: "replace", name, foreignSessions: 0 }) as const
export const merge = (text: string, name = "job412") => ({ text, mode: "merge", name, foreignSessions: 0 }) as const

/** A session of another user that has asked this. */
export const another = ({ host, port }: Pick<Met, "host" | "port">, ...bodies: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const session = await openNetconf(host, port)
    for (const body of bodies) expect(await session.rpc(body)).not.toContain("<error-severity>error")
    return session
  })

export const LOCK = "<lock-configuration/>"
export const CHECK = "<commit-configuration><check/></commit-configuration>"
export const COMMIT = "<commit-configuration/>"
export const setting = (line: string) =>
  `<load-configuration action="set" format="text"><configuration-set>${line}</configuration-set></load-configuration>`
