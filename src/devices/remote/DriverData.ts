/** What a driver takes and gives beside readings, as schemas: the form in which it is sent to an SSH worker and back. */
import { Schema } from "effect"
import * as Errors from "../DriverErrors.ts"

const HostKeyPolicy = Schema.Union([
  Schema.TaggedStruct("accept", {}),
  Schema.TaggedStruct("learn", {}),
  Schema.TaggedStruct("pin", { fingerprint: Schema.String })
])

const Timeouts = Schema.Struct({
  connect: Schema.optionalKey(Schema.Number),
  firstPrompt: Schema.optionalKey(Schema.Number),
  show: Schema.optionalKey(Schema.Number),
  runningConfig: Schema.optionalKey(Schema.Number),
  load: Schema.optionalKey(Schema.Number),
  commit: Schema.optionalKey(Schema.Number),
  save: Schema.optionalKey(Schema.Number)
})

/** Where and how to log in; the password is unwrapped on the way only. */
export const Target = Schema.Struct({
  hostname: Schema.String,
  address: Schema.String,
  username: Schema.String,
  password: Schema.RedactedFromValue(Schema.String),
  hostKey: HostKeyPolicy,
  port: Schema.optionalKey(Schema.Number),
  algorithms: Schema.optionalKey(Schema.Literals(["modern", "legacy"])),
  windowBytes: Schema.optionalKey(Schema.Number),
  prompt: Schema.optionalKey(Schema.RegExp),
  timeouts: Schema.optionalKey(Timeouts)
})

const ConfigSession = Schema.Struct({
  name: Schema.String,
  state: Schema.Literals(["open", "timed", "done"]),
  user: Schema.String
})

export const Pending = Schema.OptionFromNullOr(Schema.Struct({ name: Schema.String }))

export const Sessions = Schema.Struct({ sessions: Schema.Array(ConfigSession), pending: Pending })

const JobSelection = Schema.Union([
  Schema.TaggedStruct("only", { jobs: Schema.Array(Schema.Int) }),
  Schema.TaggedStruct("allBut", { jobs: Schema.Array(Schema.Int) })
])

export const LoadRequest = Schema.Struct({
  text: Schema.String,
  mode: Schema.Literals(["replace", "merge"]),
  name: Schema.String,
  mayAbort: Schema.optionalKey(JobSelection),
  foreignSessions: Schema.optionalKey(Schema.Union([Schema.Number, Schema.Literal("ignore")])),
  besideTimer: Schema.optionalKey(Schema.String),
  seen: Schema.optionalKey(Sessions),
  inParts: Schema.optionalKey(Schema.Boolean)
})

export const Loaded = Schema.Struct({ diff: Schema.String })

export const Command = Schema.Struct({
  command: Schema.String,
  options: Schema.optionalKey(
    Schema.Struct({
      timeout: Schema.optionalKey(Schema.Number),
      expectDisconnect: Schema.optionalKey(Schema.Boolean),
      questions: Schema.optionalKey(Schema.Array(Schema.Struct({ question: Schema.RegExp, answer: Schema.String }))),
      tolerateErrors: Schema.optionalKey(Schema.Boolean)
    })
  )
})

export const File = Schema.Struct({ path: Schema.String, bytes: Schema.Uint8Array })

export const MovedCommit = Schema.Literals(["answered", "silent"])

const exchange = [Errors.ConnectionException, Errors.CommandTimeout] as const
const read = [...exchange, Errors.CommandRejected, Errors.UnexpectedAnswer] as const

export const ConnectError = Schema.Union([...exchange, Errors.ConnectAuthError, Errors.HostKeyChanged])
export const ReadError = Schema.Union(read)
export const LoadError = Schema.Union([
  ...read,
  Errors.SessionLockedException,
  Errors.ReplaceConfigException,
  Errors.MergeConfigException
])
export const CommitError = Schema.Union([...exchange, Errors.CommitError])
export const CommandError = Schema.Union([...exchange, Errors.CommandRejected])
