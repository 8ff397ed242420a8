/** Every operation of a driver and its sessions that is done in an SSH worker, under the name by which it is called. */
import { Effect, Schema } from "effect"
import type { DriverSession, DriverTarget } from "../Driver.ts"
import type { ConnectError, ReadError } from "../DriverErrors.ts"
import * as Readings from "../Readings.ts"
import * as Data from "./DriverData.ts"
import { operation, type ServedOperation } from "./Operation.ts"

/** Opens a session in the worker and keeps it there; gives the host key that the switch showed. */
export const open = operation({
  name: "open",
  doing: "opening a session",
  args: Schema.Struct({ platform: Schema.String, target: Data.Target }),
  success: Schema.String,
  failure: Data.ConnectError,
  run: (
    openAndKeep: (platform: string, target: DriverTarget) => Effect.Effect<DriverSession, ConnectError>,
    { platform, target }
  ) => Effect.map(openAndKeep(platform, target), ({ hostKey }) => hostKey)
})

/** What a session reads under the same name. */
const reading = <Name extends keyof DriverSession, A>(name: Name, doing: string, success: Schema.Codec<A, unknown>) =>
  operation({
    name,
    doing,
    args: Schema.Void,
    success,
    failure: Data.ReadError,
    run: (session: Readonly<Record<Name, Effect.Effect<A, ReadError>>>) => session[name]
  })

export const facts = reading("facts", "reading facts", Readings.Facts)
export const interfaces = reading("interfaces", "reading interfaces", Readings.InterfaceStates)
export const lldp = reading("lldp", "reading neighbours", Readings.Neighbours)
export const lldpDetail = reading("lldpDetail", "reading neighbours", Readings.NeighbourDetails)
export const runningConfig = reading("runningConfig", "reading the running configuration", Schema.String)
export const sessions = reading("sessions", "reading configuration sessions", Data.Sessions)
export const pending = reading("pending", "reading the commit timer", Data.Pending)

export const load = operation({
  name: "load",
  doing: "load",
  args: Data.LoadRequest,
  success: Data.Loaded,
  failure: Data.LoadError,
  run: (session: DriverSession, request) => session.load(request)
})

/** What is done with a configuration session, by its name. */
const naming = <E>(
  name: string,
  failure: Schema.Codec<E, unknown>,
  run: (session: DriverSession, name: string) => Effect.Effect<void, E>
) => operation({ name, doing: name, args: Schema.String, success: Schema.Void, failure, run })

export const discard = naming("discard", Data.ReadError, (session, name) => session.discard(name))
export const commit = naming("commit", Data.CommitError, (session, name) => session.commit(name))
export const confirm = naming("confirm", Data.CommitError, (session, name) => session.confirm(name))

export const commitTimed = operation({
  name: "commitTimed",
  doing: "commit",
  args: Schema.Struct({ name: Schema.String, seconds: Schema.Number }),
  success: Schema.Void,
  failure: Data.CommitError,
  run: (session: DriverSession, { name, seconds }) => session.commitTimed(name, seconds)
})

export const save = operation({
  name: "save",
  doing: "save",
  args: Schema.Void,
  success: Schema.Void,
  failure: Data.CommandError,
  run: (session: DriverSession) => session.save
})

export const commitAndSave = operation({
  name: "commitAndSave",
  doing: "commit and save",
  args: Schema.Struct({ name: Schema.String, silenceSeconds: Schema.Number }),
  success: Data.MovedCommit,
  failure: Data.CommitError,
  run: (session: DriverSession, { name, silenceSeconds }) => session.commitAndSave(name, silenceSeconds)
})

export const run = operation({
  name: "run",
  doing: "running a command",
  args: Data.Command,
  success: Schema.String,
  failure: Data.CommandError,
  run: (session: DriverSession, { command, options }) => session.run(command, options)
})

export const putFile = operation({
  name: "putFile",
  doing: "writing a file",
  args: Data.File,
  success: Schema.Void,
  failure: Data.CommandError,
  run: (session: DriverSession, { path, bytes }) => session.putFile(path, bytes)
})

export const abandon = operation({
  name: "abandon",
  doing: "abandon",
  args: Schema.Void,
  success: Schema.Void,
  failure: Schema.Never,
  run: (session: DriverSession) => session.abandon
})

/** Closes a session in the worker, with its goodbye; one that is not open there is no error. */
export const close = operation({
  name: "close",
  doing: "closing the session",
  args: Schema.Void,
  success: Schema.Void,
  failure: Schema.Never,
  run: (closing: Effect.Effect<void>) => closing
})

const served: ReadonlyArray<ServedOperation<DriverSession>> = [
  facts,
  interfaces,
  lldp,
  lldpDetail,
  runningConfig,
  sessions,
  pending,
  load,
  discard,
  commit,
  commitTimed,
  confirm,
  save,
  commitAndSave,
  run,
  putFile,
  abandon
]

/** What a session does in the worker, by the names in messages. */
export const sessionOperations: ReadonlyMap<string, ServedOperation<DriverSession>> = new Map(
  served.map((one) => [one.name, one])
)
