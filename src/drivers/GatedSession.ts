/**
 * The gate in front of every driver (`domain/CandidateGate.ts`): whatever text is to be loaded is judged before the first byte of it
 * is sent. Who makes a candidate asks here as well, before anybody logs in; a session judges once more, with the aliases of the
 * configuration that it has read. Carries promise 9: a dry run changes nothing, whatever stands in a template or a port.
 */
import { Effect } from "effect"
import { refusalText, refusedLines } from "../domain/CandidateGate.ts"
import type { Platform } from "../domain/platforms/Platform.ts"
import type { DriverSession, LoadRequest } from "./Driver.ts"
import { MergeConfigException, ReplaceConfigException } from "./DriverErrors.ts"
import { maskSecrets } from "./SecretMask.ts"

/** A candidate before it is sent. */
export interface GatedCandidate extends Pick<LoadRequest, "text" | "mode"> {
  readonly hostname: string
  readonly platform: Platform
  /** What runs on the device, where that is known. */
  readonly running?: string
  /** Where a line comes from, such as `the port Ethernet5 (cli_append_str)`. */
  readonly originOf?: (line: string) => string | undefined
}

const originText = (origin: string | undefined): string => (origin === undefined ? "" : `; it comes from ${origin}`)

/** Fails with the lines of a candidate that are no configuration. */
export const passGate = (
  candidate: GatedCandidate
): Effect.Effect<void, ReplaceConfigException | MergeConfigException> =>
  Effect.suspend(() => {
    const { hostname, mode, originOf, platform, running = "", text } = candidate
    const refused = refusedLines(platform, text, { running })
    const [first, ...others] = refused.map((one) => {
      const line = maskSecrets(one.line)
      const answer = `${maskSecrets(refusalText(one, line))}${originText(originOf?.(one.line))}`
      return { lineNumber: one.lineNumber, line, answer }
    })
    if (first === undefined) return Effect.void
    const fields = { hostname, rejected: [first, ...others], message: first.answer, unsent: true }
    return Effect.fail(mode === "replace" ? new ReplaceConfigException(fields) : new MergeConfigException(fields))
  })

/** The session, behind the gate. What runs is read for its aliases, unless it was read before. */
export const gatedSession = (platform: Platform, hostname: string, session: DriverSession): DriverSession => {
  let seen: string | undefined
  const runningConfig = Effect.tap(session.runningConfig, (text) => Effect.sync(() => (seen = text)))
  const { ports } = session
  const pass = Effect.fnUntraced(function* ({ mode, text }: Pick<LoadRequest, "text" | "mode">) {
    const candidate = { hostname, platform, mode, text }
    const mayHaveAliases = (platform.commands?.alias ?? null) !== null
    if (seen === undefined && mayHaveAliases) {
      yield* passGate(candidate)
      yield* runningConfig
    }
    yield* passGate({ ...candidate, ...(seen === undefined ? {} : { running: seen }) })
  })
  return {
    ...session,
    runningConfig,
    load: (request) => Effect.andThen(pass(request), session.load(request)),
    ports:
      ports === null
        ? null
        : { apply: (lines, claim) => Effect.andThen(pass({ ...lines, mode: "merge" }), ports.apply(lines, claim)) }
  }
}
