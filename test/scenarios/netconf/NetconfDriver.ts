/**
 * A driver for NETCONF servers whose configuration is that of their own models: as text it is XML in one form. A candidate that is
 * read back is the promise, and only the server says what it holds.
 */
import { Effect, Record, Result } from "effect"
import { frr } from "../../../src/domain/platforms/frr/Platform.ts"
import type { Platform } from "../../../src/domain/platforms/Platform.ts"
import type { Driver, DriverSession, DriverTarget, LoadRequest } from "../../../src/drivers/Driver.ts"
import { completeFacts, defineDriver, defineSession } from "../../../src/drivers/DriverDefinition.ts"
import {
  CommandRejected,
  MergeConfigException,
  type RejectedLine,
  ReplaceConfigException
} from "../../../src/drivers/DriverErrors.ts"
import { clearForLoad, ForeignSessions } from "../../../src/drivers/LoadChecks.ts"
import { sharedCandidate } from "../../../src/drivers/netconf/Candidate.ts"
import { NAMESPACE } from "../../../src/drivers/netconf/Messages.ts"
import { type NetconfSession, openSession } from "../../../src/drivers/netconf/Session.ts"
import * as Xml from "../../../src/drivers/netconf/Xml.ts"
import { SshLimits } from "../../../src/drivers/ssh/SshLimits.ts"
import { openTransport } from "../../../src/drivers/ssh/Transport.ts"
import { SLOWNESS } from "../../support/Patience.ts"
import * as UnifiedDiff from "../../../src/drivers/UnifiedDiff.ts"

const { commands: _, shown: __, ...others } = frr

/** Devices of the platform `frr` are served by this driver where it is given instead of that of FRR. */
export const platform: Platform = {
  ...others,
  vendor: "NETCONF",
  capabilities: {
    timer: { step: 1, least: 1, late: 5 },
    endsWithLogin: true,
    certificates: false,
    firmware: false,
    erase: false,
    bounce: false
  },
  configuration: { ...frr.configuration, comment: "<!--", own: /^<nacm xmlns="[^"]*"\/>$/ }
}

export interface NetconfDriverOptions {
  /** Asks the server to check the candidate before each commit: netconfd then answers `ok` to the commit and applies nothing. */
  readonly validates?: boolean
}

/** In seconds. */
const usual = { connect: 10, show: 20, runningConfig: 30, load: 60, commit: 60, save: 30 }
const timeouts = Record.map(usual, (seconds) => Math.ceil(seconds * SLOWNESS))
const FIRST_LINE = 1

const textOf = (elements: ReadonlyArray<Xml.Element>): string => Xml.render(elements, NAMESPACE)

const makeSession = (
  netconf: NetconfSession,
  hostKey: string,
  foreign: ForeignSessions,
  { validates = false }: NetconfDriverOptions
): DriverSession => {
  const { hostname, removed } = netconf.target
  const candidate = sharedCandidate(netconf, timeouts)
  const runningConfig = Effect.map(candidate.read("running"), textOf)
  const refused = ({ mode }: LoadRequest, line: RejectedLine): ReplaceConfigException | MergeConfigException => {
    const fields = { hostname, message: line.answer, rejected: [line] }
    return mode === "replace" ? new ReplaceConfigException(fields) : new MergeConfigException(fields)
  }

  const whole = (answer: string): RejectedLine => ({ lineNumber: null, line: "", answer })

  const load: DriverSession["load"] = Effect.fnUntraced(function* (request) {
    const scene = { hostname, removed, foreign, sessions: candidate.sessions(), discard: candidate.discard }
    const otherSessions = yield* clearForLoad(scene, request)
    if (request.despiteTimer !== undefined) {
      const message = "while a commit waits, nobody can lock the candidate"
      return yield* new CommandRejected({ hostname, command: "netconf lock", message })
    }
    const read = Xml.parse(`<config xmlns="${NAMESPACE}">\n${request.text}\n</config>`)
    if (Result.isFailure(read)) {
      const { line, message } = read.failure
      const lineNumber = line - FIRST_LINE
      const source = request.text.split("\n")[lineNumber - 1] ?? ""
      return yield* refused(request, { lineNumber, line: source, answer: `${message} at line ${lineNumber}` })
    }
    const { name, mode } = request
    const loaded = yield* candidate.load({ name, mode, elements: read.success.children })
    const willRun = textOf(loaded.elements)
    if (validates) {
      yield* netconf
        .rpc("netconf validate", "<validate><source><candidate/></source></validate>")
        .pipe(Effect.catchTag("RpcRefused", ({ message }) => Effect.fail(refused(request, whole(message)))))
    }
    const diff = UnifiedDiff.diff(request.runs ?? (yield* runningConfig), willRun)
    return { diff, willRun, remarks: loaded.remarks, ...otherSessions }
  })

  return defineSession(hostname, {
    hostKey,
    facts: Effect.succeed(completeFacts({ vendor: platform.vendor, hostname })),
    runningConfig,
    sessions: candidate.sessions(),
    sessionsWhileTimed: (name) => candidate.sessions(name),
    load,
    discard: candidate.discard,
    commit: candidate.commit,
    commitTimed: candidate.commitTimed,
    confirm: (name) => candidate.confirm(name),
    save: candidate.save,
    abandon: Effect.sync(netconf.hangUp)
  })
}

/** A session without a driver. */
export type Netconf = NetconfSession

/** Logs in as another user would. */
export const connect = (target: DriverTarget) =>
  Effect.gen(function* () {
    const transport = yield* openTransport(target, yield* SshLimits, timeouts.connect)
    return { netconf: yield* openSession(target, transport, { seconds: timeouts.show }), hostKey: transport.hostKey }
  })

export const make = (options: NetconfDriverOptions = {}): Effect.Effect<Driver, never, SshLimits> =>
  Effect.gen(function* () {
    const limits = yield* SshLimits
    const foreign = yield* ForeignSessions
    return defineDriver({
      platform,
      open: (target) =>
        connect(target).pipe(
          Effect.provideService(SshLimits, limits),
          Effect.map(({ hostKey, netconf }) => makeSession(netconf, hostKey, foreign, options))
        )
    })
  })
