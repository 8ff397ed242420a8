/**
 * The reference load (`ReferenceProcess.ts`) on the switches of a lab: what a plain client takes, on this machine and in this
 * minute, to paste the same lines into the same switches. A figure divided by it says more than seconds, because machines that
 * are shared differ twofold from one hour to the next. It leaves an
 * alias on the switches, so syncs come before it.
 */
import { Effect, Schema } from "effect"
import { spawn } from "node:child_process"
import * as path from "node:path"
import { text } from "node:stream/consumers"
import type { LabSwitch } from "./BenchLab.ts"
import { PASSWORD } from "./BenchSite.ts"

/** Devices that the server works on at once, unless it is told otherwise. */
const CONCURRENCY = 1000

const Answer = Schema.fromJsonString(
  Schema.Struct({ seconds: Schema.Finite, processorSeconds: Schema.Finite, lines: Schema.Int })
)

/** Seconds and processor time of the client; lines of a configuration. */
export type Reference = typeof Answer.Type

/** Pastes to each of the switches the configuration that the first of them has, with its own name and address. */
export const runReference = (port: number, switches: ReadonlyArray<LabSwitch>): Effect.Effect<Reference> =>
  Effect.promise(async () => {
    const script = path.join(import.meta.dirname, "ReferenceProcess.ts")
    const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] })
    const listening = switches.map((one) => ({ ...one, listens: one.address.replace(/^10\./, "127.") }))
    child.stdin.end(JSON.stringify({ port, password: PASSWORD, concurrency: CONCURRENCY, switches: listening }))
    return text(child.stdout)
  }).pipe(Effect.flatMap((line) => Effect.orDie(Schema.decodeEffect(Answer)(line))))

/** A run in words: its processor time for a device, and wall and processor time as multiples of the reference load. */
export const besideReference = (
  run: { readonly seconds: number; readonly processorSeconds: number },
  reference: Reference,
  devices: number
): string =>
  `${((1000 * run.processorSeconds) / devices).toFixed(1)} ms of processor time a device; ${(run.seconds / reference.seconds).toFixed(2)} times the wall time and ${(run.processorSeconds / reference.processorSeconds).toFixed(2)} times the processor time of the reference load (${reference.seconds.toFixed(1)} s, ${((1000 * reference.processorSeconds) / devices).toFixed(1)} ms)`
