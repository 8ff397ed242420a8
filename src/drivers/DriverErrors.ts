/**
 * The errors between the server and a switch. The tag of each error is the type name that operators and clients know from failed
 * task texts (docs/switch-dialogues.md#names-of-errors), so a text can be rendered from the error alone. No error carries a
 * secret: configuration lines are masked before they get here.
 */
import { Schema } from "effect"
import type { WrongDevice } from "../domain/DeviceIdentity.ts"
import type { UnmanageableDevice } from "../domain/platforms/Platforms.ts"
import type { AddressOutside } from "../domain/Network.ts"

/**
 * No usable connection, or it broke. A retry may help. `whileDoing` names the step, for the record and for the decision of
 * docs/changes.md#what-a-broken-connection-means.
 */
export class ConnectionException extends Schema.TaggedError<ConnectionException>()("ConnectionException", {
  hostname: Schema.String,
  address: Schema.String,
  whileDoing: Schema.String,
  message: Schema.String
}) {}

/**
 * The switch refused the credentials or the enable password. A retry with the same ones never helps and may lock the account.
 * `known` is true when the name and password were accepted and something behind them was not, so that no other login helps.
 */
export class ConnectAuthError extends Schema.TaggedError<ConnectAuthError>()("ConnectAuthError", {
  hostname: Schema.String,
  address: Schema.String,
  message: Schema.String,
  known: Schema.optionalKey(Schema.Boolean)
}) {}

/** The switch shows another host key than the pinned one. Fingerprints are `SHA256:…`. Only an operator's re-pin helps. */
export class HostKeyChanged extends Schema.TaggedError<HostKeyChanged>()("HostKeyChanged", {
  hostname: Schema.String,
  address: Schema.String,
  expected: Schema.String,
  seen: Schema.String
}) {
  override get message(): string {
    return `host key of ${this.hostname} changed: pinned ${this.expected}, seen ${this.seen}`
  }
}

/**
 * The switch was not provisioned here, and no operator has approved the host key that it shows (`SHA256:…`). No credentials were sent.
 * Only an operator's approval helps.
 */
export class HostKeyNotApproved extends Schema.TaggedError<HostKeyNotApproved>()("HostKeyNotApproved", {
  hostname: Schema.String,
  address: Schema.String,
  seen: Schema.String
}) {
  override get message(): string {
    return `${this.hostname} at ${this.address} shows the host key ${this.seen}, which nobody has approved; no credentials were sent. If it is the key of the switch: POST /device/${this.hostname}/hostkey/approve {"fingerprint": "${this.seen}"}`
  }
}

/** A command was not answered in time (`seconds`). The session is unusable afterwards; a new one may work. */
export class CommandTimeout extends Schema.TaggedError<CommandTimeout>()("CommandTimeout", {
  hostname: Schema.String,
  command: Schema.String,
  seconds: Schema.Number,
  message: Schema.String
}) {}

/**
 * The switch answered a command (not a configuration line, not a commit) with an error of its own. `denied` is true when our
 * account may not give the command (AAA): trying again does not help until the site's authorization allows it.
 */
export class CommandRejected extends Schema.TaggedError<CommandRejected>()("CommandRejected", {
  hostname: Schema.String,
  command: Schema.String,
  message: Schema.String,
  denied: Schema.optionalKey(Schema.Boolean)
}) {}

/** The switch answered, but not in a form that we understand (broken JSON, a running configuration without its end). */
export class UnexpectedAnswer extends Schema.TaggedError<UnexpectedAnswer>()("UnexpectedAnswer", {
  hostname: Schema.String,
  command: Schema.String,
  message: Schema.String
}) {}

/**
 * Another person's session or commit timer is in the way. Nothing was changed; a later retry may help. `session` names it, or
 * several; it is empty where the switch lists none. `unopened`: the switch itself has refused to open ours.
 */
export class SessionLockedException extends Schema.TaggedError<SessionLockedException>()("SessionLockedException", {
  hostname: Schema.String,
  session: Schema.String,
  message: Schema.String,
  unopened: Schema.optionalKey(Schema.Boolean)
}) {}

/**
 * A part of the candidate that the switch rejected, and in `answer` what it said. `lineNumber` counts from 1 in the text that was
 * given to `load`, and `line` is that line with its secrets masked. A switch that names no line but a place in its own model says it
 * in `path`; `lineNumber` is null then, and `line` may be empty.
 */
export const RejectedLine = Schema.Struct({
  lineNumber: Schema.NullOr(Schema.Int),
  line: Schema.String,
  path: Schema.optionalKey(Schema.String),
  answer: Schema.String
})
export type RejectedLine = typeof RejectedLine.Type

/**
 * Lines of a whole configuration were rejected: by the switch, after which the candidate was discarded, or before anything was
 * sent (`unsent`), because they are no configuration. At most 20 lines are kept.
 */
export class ReplaceConfigException extends Schema.TaggedError<ReplaceConfigException>()("ReplaceConfigException", {
  hostname: Schema.String,
  rejected: Schema.Array(RejectedLine),
  message: Schema.String,
  unsent: Schema.optionalKey(Schema.Boolean)
}) {}

/** As `ReplaceConfigException`, for a configuration that is added to the running one. */
export class MergeConfigException extends Schema.TaggedError<MergeConfigException>()("MergeConfigException", {
  hostname: Schema.String,
  rejected: Schema.Array(RejectedLine),
  message: Schema.String,
  unsent: Schema.optionalKey(Schema.Boolean)
}) {}

/**
 * A line of the candidate was no configuration: it led out of the session in which it was loaded, or made the switch ask something.
 * Loading stopped there, and our open candidate was discarded; `lineNumber` counts from 1, 0 if no line caused it. The caller must
 * check whether the line has changed the switch. Trying again with the same candidate never helps. `committed`: the switch has
 * committed what was loaded until then.
 */
export class LeftConfiguration extends Schema.TaggedError<LeftConfiguration>()("LeftConfiguration", {
  hostname: Schema.String,
  lineNumber: Schema.Int,
  line: Schema.String,
  message: Schema.String,
  committed: Schema.Boolean
}) {}

/** The switch refused to commit or to confirm. The running configuration is the old one. */
export class CommitError extends Schema.TaggedError<CommitError>()("CommitError", {
  hostname: Schema.String,
  session: Schema.String,
  message: Schema.String
}) {}

/** The platform has no verbs of this kind. Callers look at its capabilities first, so this should not occur. */
export class NotOffered extends Schema.TaggedError<NotOffered>()("NotOffered", {
  hostname: Schema.String,
  verbs: Schema.String
}) {
  override get message(): string {
    return `the platform of ${this.hostname} has no verbs for ${this.verbs}`
  }
}

/** No driver is registered under this platform name. */
export class UnknownPlatform extends Schema.TaggedError<UnknownPlatform>()("UnknownPlatform", {
  platform: Schema.String,
  known: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `no driver for platform ${this.platform} (known: ${this.known.join(", ")})`
  }
}

/** Opening a session. */
export type ConnectError =
  | ConnectionException
  | ConnectAuthError
  | HostKeyChanged
  | HostKeyNotApproved
  | WrongDevice
  | CommandTimeout

/** Any exchange on an open session. */
export type ExchangeError = ConnectionException | CommandTimeout

/** Reading something that has to be understood. */
export type ReadError = ExchangeError | CommandRejected | UnexpectedAnswer

/** Loading a candidate. */
export type LoadError =
  | ReadError
  | SessionLockedException
  | ReplaceConfigException
  | MergeConfigException
  | LeftConfiguration

/** Every error a driver can raise. */
export type DriverError = ConnectError | LoadError | CommitError | NotOffered | UnmanageableDevice | AddressOutside

/** Where the switch has found it: its own path, the line, or both. */
const placesOf = ({ line, path = "" }: RejectedLine): ReadonlyArray<string> =>
  path === "" ? [line] : line === "" ? [path] : [path, line]

const rejectedLines = ({ hostname, rejected, unsent }: ReplaceConfigException | MergeConfigException): string =>
  unsent === true
    ? [`nothing was sent to ${hostname}:`, ...rejected.map(({ answer }) => answer)].join("\n")
    : [`rejected by ${hostname} while loading:`, ...rejected.flatMap((one) => [...placesOf(one), one.answer])].join(
        "\n"
      )

/** The line before the error that says where it happened and, when an operator can do something, what. */
const heading = (error: DriverError): string => {
  switch (error._tag) {
    case "ReplaceConfigException":
    case "MergeConfigException":
      return rejectedLines(error)
    case "LeftConfiguration":
      return `stopped while loading on ${error.hostname}:`
    case "CommitError":
      return `rejected by ${error.hostname} while committing ${error.session}:`
    case "CommandRejected":
      return `refused by ${error.hostname}: ${error.command}`
    case "UnexpectedAnswer":
      return `answered by ${error.hostname} to: ${error.command}`
    case "CommandTimeout":
      return `no answer from ${error.hostname}; it may be busy, or the line to it may be down:`
    case "ConnectionException":
      return `no connection to ${error.hostname} at ${error.address}, step: ${error.whileDoing}`
    case "ConnectAuthError":
      return `${error.hostname} at ${error.address} does not accept the login that the server has for devices in its state:`
    case "HostKeyChanged":
      return `${error.hostname} at ${error.address} is blocked; if the new key is right, pin it (PUT /device/${error.hostname}/host_key):`
    case "SessionLockedException":
      return error.session === ""
        ? `refused by ${error.hostname}: a further configuration session`
        : `in the way on ${error.hostname}: configuration session ${error.session}; commit or abort it there, then try again`
    case "NotOffered":
      return `asked of ${error.hostname}: ${error.verbs}`
    case "HostKeyNotApproved":
    case "AddressOutside":
    case "UnmanageableDevice":
    case "WrongDevice":
      return `nothing was sent to ${error.hostname}:`
  }
}

/**
 * The text of a failed task (docs/switch-dialogues.md#names-of-errors): context lines, then `{Type}: {message}` and a newline.
 * Secrets are already masked in the error.
 */
export const renderError = (error: DriverError): string => `${heading(error)}\n${error._tag}: ${error.message}\n`
