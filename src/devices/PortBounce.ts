/**
 * Takes ports of a switch down and up again (docs/api.md#bouncing-ports). A row records the bounce from the moment in which a port
 * may be down until all are seen to be enabled again: whatever happens to this process, the next one takes the ports up. Before the
 * second half, the remains of the first half are discarded by the name of its candidate, so a late commit finds nothing to commit.
 */
import { Clock, Effect, Option, Schema } from "effect"
import type { Operation, OperationStore } from "../store/OperationStore.ts"
import * as Operations from "./Operations.ts"
import * as Candidate from "../drivers/Candidate.ts"
import type { DriverSession, InterfaceStates } from "../drivers/Driver.ts"
import { offered } from "../drivers/Verbs.ts"
import type { Bounce, Bounced } from "./DeviceCalls.ts"
import { BounceDetail } from "../domain/DeviceActivity.ts"

/** Why these ports of the device cannot be bounced, or null. */
export const bounceRefusal = (
  hostname: string,
  ports: ReadonlyArray<string>,
  shown: InterfaceStates
): string | null => {
  const missing = ports.find((port) => !Object.hasOwn(shown, port))
  if (missing !== undefined) return `Specified interface ${missing} not found on device ${hostname}`
  const disabled = ports.find((port) => shown[port]?.is_enabled === false)
  if (disabled !== undefined) return `Specified interface ${disabled} on device ${hostname} is not enabled`
  // a port that is not seen to be enabled now could not be seen to be up again either
  const unclear = ports.find((port) => shown[port]?.is_enabled === null)
  return unclear === undefined ? null : `Device ${hostname} does not say whether interface ${unclear} is enabled`
}

/** Candidates that earlier bounces have left open may be removed. */
const BOUNCES: Candidate.JobSelection = { _tag: "only", jobs: [Candidate.BOUNCES] }

/** A candidate that does not block another load after a crash. */
const candidate = (half: "d" | "u") => Effect.map(Clock.currentTimeMillis, (millis) => Candidate.ofBounce(half, millis))

const incomplete = (half: "down" | "up", { message }: { readonly message: string }, owed = false) => {
  const outlook = owed ? "; Switchyard goes on trying until the ports are up and saved" : ""
  return Operations.failure("BounceIncomplete", `Not all steps of port bounce completed: ${half}: ${message}${outlook}`)
}

/** A bounce whose ports must still be raised. */
type OwedBounce = readonly [Operation, BounceDetail]

/** Bounces the ports of one device, and raises ports that are still down. */
export const make = (operations: OperationStore["Service"], deviceId: number, withSession: Operations.WithSession) => {
  // a new actor does not know the remains of the previous one
  let mayOwe = true

  const enabled = Effect.fnUntraced(function* (session: DriverSession, ports: ReadonlyArray<string>) {
    const shown = yield* session.interfaces
    const shut = ports.find((port) => Object.hasOwn(shown, port) && shown[port]?.is_enabled !== true)
    if (shut === undefined) return
    const state = shown[shut]?.is_enabled === false ? "is still disabled" : "is not said to be enabled"
    return yield* Operations.failure("CommandRejected", `interface ${shut} ${state}`)
  })

  /** The second half. A late command of the first half finds no session. */
  const raise = ([row, { downSession, ports, up }]: OwedBounce) =>
    withSession(
      Effect.fnUntraced(function* (session, hostname) {
        const verbs = yield* offered(session, "ports", hostname)
        yield* session.discard(downSession)
        const claim = Operations.claim(operations, row, "raising")
        const lines = { name: yield* candidate("u"), text: up, mayAbort: BOUNCES }
        const changed = yield* verbs.apply(lines, claim)
        yield* enabled(session, ports)
        yield* session.save
        yield* Operations.claim(operations, row, "done")
        return changed
      })
    )

  const lower = (order: Bounce, detail: BounceDetail) =>
    withSession(
      Effect.fnUntraced(function* (session, hostname) {
        const verbs = yield* offered(session, "ports", hostname)
        const refused = bounceRefusal(hostname, order.ports, yield* session.interfaces)
        if (refused !== null) return { refused } as const
        mayOwe = true
        const row = yield* operations.begin({
          device_id: deviceId,
          job_id: null,
          kind: "bounce",
          phase: "lowering",
          detail
        })
        let sent = false
        const claim = Effect.map(Operations.claim(operations, row, "lowering"), () => (sent = true))
        const lines = { name: detail.downSession, text: order.down, mayAbort: BOUNCES }
        const down = yield* Effect.result(
          // a command among the lines may have taken ports down
          Effect.tapErrorTag(verbs.apply(lines, claim), "LeftConfiguration", () => Effect.sync(() => (sent = true)))
        )
        return { refused, begun: [row, detail], down, sent } as const
      })
    )

  /** Nothing was committed, so there is nothing to raise. */
  const forget = ([row]: OwedBounce) => Operations.stored(operations.claim(row, "done"))

  const nextOwed = Operations.stored(operations.takeOver(deviceId, "bounce"))

  /** Raises the ports that earlier bounces have left down; yields them. */
  const finish = Effect.gen(function* () {
    const ports: Array<string> = []
    for (let owed = yield* nextOwed; Option.isSome(owed); owed = yield* nextOwed) {
      const detail = yield* Effect.orDie(Schema.decodeUnknownEffect(BounceDetail)(owed.value.detail))
      yield* Operations.again(raise([owed.value, detail]))
      ports.push(...detail.ports)
    }
    mayOwe = false
    return ports
  }).pipe(Effect.withSpan("PortBounce.finish"))

  const bounce = Effect.fn("PortBounce.bounce")(function* (order: Bounce) {
    yield* Effect.mapError(finish, (error) => incomplete("up", error, true))
    const detail = { ports: order.ports, up: order.up, downSession: yield* candidate("d") }
    const lowered = yield* lower(order, detail)
    if (lowered.refused !== null) return { refused: lowered.refused, changed: false } satisfies Bounced
    const { begun, down, sent } = lowered
    const wasDown = Effect.mapError(Effect.fromResult(down), (error) => incomplete("down", error))
    // tried after any end of the first half, so no port stays down after a lost connection or a rejected line
    const up = yield* Effect.catch(Operations.again(raise(begun)), (error) =>
      sent ? Effect.fail(incomplete("up", error, true)) : Effect.andThen(forget(begun), wasDown)
    )
    const wentDown = yield* wasDown
    mayOwe = false
    return { refused: null, changed: wentDown && up } satisfies Bounced
  })

  const finishFirst = Effect.gen(function* () {
    if (!mayOwe) return
    if (yield* Operations.stored(operations.owesBounce(deviceId))) yield* finish
    mayOwe = false
  }).pipe(Effect.catch((error) => Effect.logWarning("Ports may still be down after a bounce", error.message)))

  return {
    bounce,
    finish,
    /** As `finish`, if there may be something to finish; after an error the next attempt continues. */
    finishFirst
  }
}
