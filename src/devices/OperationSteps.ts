/**
 * What operators ask of one EOS switch beside changes of its configuration, as commands (contract engine.md §11 to §13,
 * device-cli.md §3.10 and §3.12).
 */
import { Clock, Effect, Redacted, Result, Schedule } from "effect"
import { DeviceFailure } from "./DeviceFailure.ts"
import type { DriverSession } from "./Driver.ts"
import { CommandRejected, type DriverError } from "./DriverErrors.ts"
import type { Bounce, Bounced, InterfaceStates, KeyPair } from "./OperationCalls.ts"

/** Name of the certificate and the key on the switch, as templates refer to them. */
const CERTIFICATE = "cnaasnms.crt"
const KEY = "cnaasnms.key"

const RELOAD_SECONDS = 60

/** Failures of the way to the switch; another login may succeed. */
const LOST: ReadonlySet<string> = new Set(["ConnectionException", "CommandTimeout"])
const COPY_SECONDS = 60

const tolerant = { tolerateErrors: true } as const

/** Runs work on a new session of the device; what goes wrong becomes a DeviceFailure. */
export type WithSession = <A>(
  work: (session: DriverSession, hostname: string) => Effect.Effect<A, DriverError>
) => Effect.Effect<A, DeviceFailure>

/** Why these ports of the device cannot be bounced, or null. */
export const bounceRefusal = (
  hostname: string,
  ports: ReadonlyArray<string>,
  shown: InterfaceStates
): string | null => {
  const missing = ports.find((port) => !Object.hasOwn(shown, port))
  if (missing !== undefined) return `Specified interface ${missing} not found on device ${hostname}`
  const disabled = ports.find((port) => shown[port]?.is_enabled === false)
  return disabled === undefined ? null : `Specified interface ${disabled} on device ${hostname} is not enabled`
}

/** Adds lines to the running configuration; true when they made a difference. */
const merge = Effect.fnUntraced(function* (session: DriverSession, name: string, text: string) {
  const { diff } = yield* session.load({ text, mode: "merge", name, mayAbort: (other) => OURS.test(other) })
  yield* diff === "" ? session.discard(name) : session.commit(name)
  return diff !== ""
})

const OURS = /^job0-/

/** No job has number 0, so a session that a crash has left behind stands in nobody's way. A name is good for one commit. */
const sessionNames = Effect.map(Clock.currentTimeMillis, (millis) => {
  const stamp = millis.toString(36)
  return { down: `job0-${stamp}d`, up: `job0-${stamp}u` }
})

const incomplete = (half: string, error: { readonly message: string }) => {
  const message = `Not all steps of port bounce completed: ${half}: ${error.message}`
  return new DeviceFailure({ type: "BounceIncomplete", message, text: `BounceIncomplete: ${message}\n` })
}

/**
 * Takes ports down and up. The second half has a login of its own and is tried whatever became of the first, so that no port
 * is left down by a lost connection; only after it the configuration is saved, so that no restart finds a port down either.
 */
export const bounce = Effect.fn("OperationSteps.bounce")(function* (withSession: WithSession, order: Bounce) {
  const names = yield* sessionNames
  const first = yield* withSession(
    Effect.fnUntraced(function* (session, hostname) {
      const refused = bounceRefusal(hostname, order.ports, yield* session.interfaces)
      if (refused !== null) return { refused, down: Result.succeed(false) }
      return { refused, down: yield* Effect.result(merge(session, names.down, order.down)) }
    })
  )
  if (first.refused !== null) return { refused: first.refused, changed: false } satisfies Bounced
  const up = yield* withSession((session) => Effect.tap(merge(session, names.up, order.up), () => session.save)).pipe(
    Effect.retry({ times: 3, while: ({ type }) => LOST.has(type), schedule: Schedule.spaced("2 seconds") }),
    Effect.mapError((error) => incomplete("up", error))
  )
  const down = yield* Effect.mapError(Effect.fromResult(first.down), (error) => incomplete("down", error))
  return { refused: null, changed: down && up } satisfies Bounced
})

const copied = Effect.fnUntraced(function* (session: DriverSession, hostname: string, command: string) {
  const answer = yield* session.run(command, { ...tolerant, timeout: COPY_SECONDS })
  if (answer.includes("Copy completed successfully")) return
  const message = `Unable to copy cert into certstore on device: ${hostname}: ${answer.trim()}`
  return yield* new CommandRejected({ hostname, command, message })
})

const upload = (session: DriverSession, hostname: string, name: string, text: string) =>
  session.putFile(`/mnt/flash/${name}`, Buffer.from(text)).pipe(
    Effect.catchTag("CommandRejected", ({ command, message }) =>
      Effect.fail(
        new CommandRejected({
          hostname,
          command,
          message: `Unable to copy cert file to device: ${hostname}: ${message}`
        })
      )
    )
  )

const clean = (session: DriverSession) =>
  Effect.andThen(session.run(`delete flash:${KEY}`, tolerant), session.run(`delete flash:${CERTIFICATE}`, tolerant))

/** Copies key and certificate to the switch and into its stores. They do not stay on the flash, whatever happens. */
export const installCertificate = Effect.fn("OperationSteps.installCertificate")(function* (
  session: DriverSession,
  hostname: string,
  { certificate, key }: KeyPair
) {
  const install = Effect.gen(function* () {
    yield* upload(session, hostname, KEY, Redacted.value(key))
    yield* upload(session, hostname, CERTIFICATE, certificate)
    yield* copied(session, hostname, `copy flash:${CERTIFICATE} certificate:`)
    yield* copied(session, hostname, `copy flash:${KEY} sslkey:`)
  })
  // what went wrong first is the failure that is told
  const installed = yield* Effect.result(install)
  const cleaned = yield* Effect.result(clean(session))
  yield* Effect.fromResult(installed)
  yield* Effect.fromResult(cleaned)
})

/** Removes the startup configuration, certificate and key, and reloads. Once the reload was sent, no end is a failure. */
export const erase = Effect.fn("OperationSteps.erase")(function* (session: DriverSession) {
  yield* session.run("write erase now")
  yield* session.run(`delete certificate:${CERTIFICATE}`, tolerant)
  yield* session.run(`delete sslkey:${KEY}`, tolerant)
  yield* session
    .run("reload force", { timeout: RELOAD_SECONDS, expectDisconnect: true })
    .pipe(Effect.catchTags({ CommandTimeout: () => Effect.void, ConnectionException: () => Effect.void }))
  yield* session.abandon
})

/** Handlers of `operationCalls`; `discoveredAt` logs in to a device that is not managed yet. */
export const handlers = (withSession: WithSession, discoveredAt: (address: string) => WithSession) => ({
  ReadInterfaces: () => withSession((session) => session.interfaces),
  ReadNeighbourDetails: () => withSession((session) => session.lldpDetail),
  BouncePorts: ({ payload }: { readonly payload: Bounce }) => bounce(withSession, payload),
  InstallCertificate: ({ payload }: { readonly payload: KeyPair & { readonly discoveredAt: string | null } }) => {
    const login = payload.discoveredAt === null ? withSession : discoveredAt(payload.discoveredAt)
    return login((session, hostname) => installCertificate(session, hostname, payload))
  },
  EraseDevice: () => withSession(erase)
})
