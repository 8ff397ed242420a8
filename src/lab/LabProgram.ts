/**
 * The lab as a program: reads a topology file, starts its switches, prints where they answer, and serves its control endpoint until it
 * is interrupted. `npm run lab` and the demo run this.
 */
import { createServer } from "node:http"
import { Console, Effect, Layer, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as EosQuirks from "./eos/Quirks.ts"
import * as JunosQuirks from "./junos/Quirks.ts"
import { Lab, type LabOptions, type LabShape, SwitchUnknown } from "./Lab.ts"
import * as Topology from "./Topology.ts"
import { Fault } from "./Faults.ts"
import type { LabSwitch } from "./LabSwitch.ts"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"

// The control endpoint: show switches, boot them and break them with curl from another process. For loopback only; requests from
// web pages are refused.

/** The endpoint's answer about one switch. */
export const describe = (device: LabSwitch) => ({
  name: device.name,
  hostname: device.hostname(),
  power: device.power(),
  addresses: device.addresses(),
  lease: device.lease() ?? null,
  model: device.hardware().model,
  mac: device.hardware().mac,
  serial: device.hardware().serial,
  version: device.version(),
  sessions: device.sessions(),
  timer: device.timer() ?? null,
  connections: device.connections(),
  faults: device.faults()
})

/** The body does not fit the route. */
class BodyInvalid extends Schema.TaggedError<BodyInvalid>()("BodyInvalid", { message: Schema.String }) {}

const json = (value: unknown, status = 200) => HttpServerResponse.jsonUnsafe(value, { status })
const failure = (status: number, message: string) => json({ status: "error", message }, status)

/** The switch that the path names. */
const named = Effect.gen(function* () {
  const lab = yield* Lab
  const { name = "" } = yield* HttpRouter.params
  return yield* lab.get(name)
})

const body = <A>(schema: Schema.ConstraintDecoder<A>) =>
  Effect.mapError(HttpServerRequest.schemaBodyJson(schema), (error) => new BodyInvalid({ message: String(error) }))

const textBody = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
  Effect.mapError(request.text, (error) => new BodyInvalid({ message: String(error) }))
)

type Handler<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, SwitchUnknown | BodyInvalid, R>

/** Errors as JSON with their status; requests that a web page makes are refused. */
const answered = <R>(handler: Handler<R>) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (request.headers["origin"] !== undefined) return failure(403, "not for web pages")
    return yield* handler
  }).pipe(
    Effect.catchTags({
      SwitchUnknown: (error) => Effect.succeed(failure(404, `no switch ${error.name}`)),
      BodyInvalid: (error) => Effect.succeed(failure(400, error.message))
    })
  )

const look = (path: `/${string}`, view: (device: LabSwitch) => HttpServerResponse.HttpServerResponse) =>
  HttpRouter.add("GET", path, answered(Effect.map(named, view)))

const act = (name: string, action: (device: LabSwitch) => Effect.Effect<void>) =>
  HttpRouter.add(
    "POST",
    `/switches/:name/${name}`,
    answered(
      Effect.flatMap(named, (device) => Effect.as(action(device), device)).pipe(
        Effect.map((device) => json(describe(device)))
      )
    )
  )

const overview = HttpRouter.add(
  "GET",
  "/switches",
  answered(
    Effect.map(Lab, (lab) =>
      json({ name: lab.name, port: lab.port, switches: [...lab.switches.values()].map(describe) })
    )
  )
)

const setFault = HttpRouter.add(
  "POST",
  "/switches/:name/faults",
  answered(
    Effect.gen(function* () {
      const device = yield* named
      device.setFault(yield* body(Fault))
      return json(device.faults())
    })
  )
)

const clearFaults = HttpRouter.add(
  "DELETE",
  "/switches/:name/faults",
  answered(
    Effect.map(named, (device) => {
      device.clearFaults()
      return json([])
    })
  )
)

const configure = HttpRouter.add(
  "POST",
  "/switches/:name/configure",
  answered(
    Effect.gen(function* () {
      const device = yield* named
      device.configure(yield* textBody)
      return json(describe(device))
    })
  )
)

const Foreign = Schema.Struct({ name: Schema.String, seconds: Schema.optionalKey(Schema.Finite) })

const foreign = HttpRouter.add(
  "POST",
  "/switches/:name/sessions",
  answered(
    Effect.gen(function* () {
      const device = yield* named
      const { name, seconds } = yield* body(Foreign)
      const error = device.foreignSession(name, seconds)
      return error === undefined ? json(device.sessions()) : failure(409, error)
    })
  )
)

const Box = Schema.Struct({
  mac: Schema.optionalKey(Schema.String),
  serial: Schema.optionalKey(Schema.String),
  model: Schema.optionalKey(Schema.String)
})

const swap = HttpRouter.add(
  "POST",
  "/switches/:name/swap",
  answered(
    Effect.gen(function* () {
      const device = yield* named
      yield* device.swapHardware(yield* body(Box))
      return json(describe(device))
    })
  )
)

const renew = HttpRouter.add(
  "POST",
  "/switches/:name/renew",
  answered(
    Effect.gen(function* () {
      const device = yield* named
      return yield* Effect.match(device.renewLease, {
        onSuccess: () => json(describe(device)),
        onFailure: (error) => failure(502, `${error.reason}: ${error.output}`)
      })
    })
  )
)

const views = Layer.mergeAll(
  look("/switches/:name", (device) => json(describe(device))),
  look("/switches/:name/running", (device) => HttpServerResponse.text(device.running())),
  look("/switches/:name/startup", (device) => HttpServerResponse.text(device.startup() ?? "")),
  look("/switches/:name/commits", (device) => json(device.commits())),
  look("/switches/:name/logins", (device) => json(device.logins())),
  look("/switches/:name/commands", (device) => json(device.commands())),
  look("/switches/:name/files", (device) => json([...device.files()].map(([name, { size }]) => ({ name, size }))))
)

const actions = Layer.mergeAll(
  act("boot", (device) => device.boot),
  act("reload", (device) => device.reload),
  act("power-off", (device) => device.powerOff),
  act("drop", (device) => device.dropConnections),
  act("host-key", (device) => Effect.sync(device.newHostKey))
)

// The program.

/** All routes; needs a Lab. */
const routes = Layer.mergeAll(overview, views, actions, setFault, clearFaults, configure, foreign, swap, renew)

interface LabProgramOptions extends LabOptions {
  readonly topologyFile: string
  /** Loopback TCP port of the control endpoint; absent = none. */
  readonly controlPort?: number
  /** Words of the DHCP hook program; overrides the topology's. */
  readonly hook?: ReadonlyArray<string>
  /** Environment of the hook, added to the topology's. */
  readonly hookEnvironment?: Readonly<Record<string, string>>
  /** Boots the blank switches at the start. */
  readonly bootBlank?: boolean
}

/** A topology file with the hook of the command line; prints which keys of the file are ignored. Fails with TopologyInvalid. Needs a file system. */
const readTopology = Effect.fn("LabProgram.readTopology")(function* (options: LabProgramOptions) {
  const { notes, topology } = yield* Topology.readFile(options.topologyFile)
  yield* Effect.forEach(notes, (note) => Console.error(`note: ${note}`), { discard: true })
  const environment = { ...topology.lab?.dhcp?.environment, ...options.hookEnvironment }
  const hook = options.hook ?? topology.lab?.dhcp?.hook
  const dhcp = { ...topology.lab?.dhcp, environment, ...(hook === undefined ? {} : { hook }) }
  return { ...topology, lab: { ...topology.lab, dhcp } } satisfies Topology.Topology
})

/** The control endpoint on loopback; needs a Lab. */
export const control = (port: number) =>
  HttpRouter.serve(routes, { disableListenLog: true }).pipe(
    Layer.provide(NodeHttpServer.layer(() => createServer(), { port, host: "127.0.0.1" }))
  )

/** Lines that say where each switch answers. */
export const addresses = (lab: LabShape): ReadonlyArray<string> => {
  const width = Math.max(...[...lab.switches.keys()].map((name) => name.length))
  return [...lab.switches.values()].map((device) => {
    const where = device
      .addresses()
      .map((address) => `${address}:${lab.port}`)
      .join(" ")
    return `${device.name.padEnd(width)}  ${device.hardware().mac}  ${where === "" ? device.power() : where}`
  })
}

/** Lines that describe each personality; unusual ones are marked. */
export const personalityLines = (): ReadonlyArray<string> => {
  const all: ReadonlyArray<readonly [string, { readonly description: string; readonly usual: boolean }]> = [
    ...Object.entries(EosQuirks.personalities),
    ...Object.entries(JunosQuirks.personalities).map(([name, one]) => [name, { ...one, usual: true }] as const)
  ]
  const width = Math.max(...all.map(([name]) => name.length))
  return all.map(
    ([name, { description, usual }]) => `${name.padEnd(width)}  ${description}${usual ? "" : " (not usual)"}`
  )
}

/** Prints the personalities of switches. */
export const listPersonalities = Effect.suspend(() => Console.log(personalityLines().join("\n")))

/** Runs a lab until interrupted. Fails with TopologyInvalid, PortUnavailable, DhcpPoolInvalid or the port's ServeError. */
export const runLab = Effect.fn("LabProgram.runLab")(function* (options: LabProgramOptions) {
  const topology = yield* readTopology(options)
  const lab = Lab.layer(topology, options)
  const program = options.controlPort === undefined ? lab : Layer.provideMerge(control(options.controlPort), lab)
  yield* Layer.launch(Layer.provideMerge(Layer.effectDiscard(started(options)), program))
})

const started = Effect.fnUntraced(function* (options: LabProgramOptions) {
  const lab = yield* Lab
  if (options.bootBlank === true) {
    const off = [...lab.switches.values()].filter((device) => device.power() === "off")
    yield* Effect.forEach(off, (device) => device.boot, { concurrency: 16, discard: true })
  }
  yield* Console.log([`${lab.name}: ${lab.switches.size} switches, port ${lab.port}`, ...addresses(lab)].join("\n"))
  if (options.controlPort !== undefined) yield* Console.log(`control: http://127.0.0.1:${options.controlPort}/switches`)
})
