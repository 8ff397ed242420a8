/**
 * The lab as a program: reads a topology file, starts its switches, prints where they answer, and serves until it is
 * interrupted. `npm run lab` and the demo run this.
 */
import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Console, Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { personalities } from "./eos/Personalities.ts"
import { Lab, type LabOptions, type LabShape } from "./Lab.ts"
import * as LabHttp from "./LabHttp.ts"
import * as Topology from "./Topology.ts"

export interface LabProgramOptions extends LabOptions {
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

/** A topology file with the hook of the command line; tells the user what of the file is ignored. Fails with TopologyInvalid. Needs a file system. */
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
  HttpRouter.serve(LabHttp.routes, { disableListenLog: true }).pipe(
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

/** Lines that say what is peculiar about each personality; those that no site should meet are marked. */
export const personalityLines = (): ReadonlyArray<string> => {
  const width = Math.max(...Object.keys(personalities).map((name) => name.length))
  return Object.entries(personalities).map(
    ([name, { description, usual }]) => `${name.padEnd(width)}  ${description}${usual ? "" : " (not usual)"}`
  )
}

/** Prints what personalities a switch can have. */
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
