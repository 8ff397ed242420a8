/**
 * The topology file: YAML in the shape of a containerlab topology (nodes with a kind, links between `node:port` ends) with
 * the lab's own settings under the nodes, under `topology.defaults`, and under `lab`. Errors name the path in the file.
 */
import { Effect, FileSystem, Path, Schema, SchemaIssue } from "effect"
import { parse as parseYaml } from "yaml"
import { junosKinds, outwardLinks, read as readContainerlab } from "./Containerlab.ts"
import { longName } from "./eos/Words.ts"
import * as EosQuirks from "./eos/Quirks.ts"
import { portName as junosPort } from "./junos/Hardware.ts"
import * as JunosQuirks from "./junos/Quirks.ts"

const Text = Schema.String
const Flag = Schema.Boolean
const Milliseconds = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const Mac = Text.check(Schema.isPattern(/^[\da-fA-F]{2}(:[\da-fA-F]{2}){5}$/))
const Words = Schema.Record(Schema.String, Schema.String)

/** How a switch behaves; each may stand under `topology.defaults` and under a node. */
const behaviour = {
  inputBuffer: Schema.optionalKey(Schema.Int),
  commandMs: Schema.optionalKey(Milliseconds),
  commitMs: Schema.optionalKey(Milliseconds),
  cleanMs: Schema.optionalKey(Milliseconds),
  bootMs: Schema.optionalKey(Milliseconds),
  dropDefaults: Schema.optionalKey(Flag),
  strictWords: Schema.optionalKey(Flag),
  checkInterfaces: Schema.optionalKey(Flag),
  lldpName: Schema.optionalKey(Schema.Literals(["fqdn", "short"])),
  authentication: Schema.optionalKey(Schema.Literals(["keyboard-interactive", "password"])),
  sftp: Schema.optionalKey(Flag),
  bracketedPaste: Schema.optionalKey(Flag),
  users: Schema.optionalKey(Words),
  passwords: Schema.optionalKey(Words),
  hostKey: Schema.optionalKey(Schema.Literals(["shared", "own"])),
  model: Schema.optionalKey(Text),
  version: Schema.optionalKey(Text),
  ports: Schema.optionalKey(Schema.Int),
  flashBytes: Schema.optionalKey(Schema.Finite),
  platform: Schema.optionalKey(Text),
  /** Milliseconds of a minute of a timer that counts in minutes; default: a real one. */
  minuteMs: Schema.optionalKey(Milliseconds),
  /** A personality of its platform's `Quirks.ts`: a release with its quirks; the node's own quirks win. */
  personality: Schema.optionalKey(
    Text.check(
      Schema.makeFilter(
        (name: string) =>
          EosQuirks.isPersonality(name) ||
          JunosQuirks.isPersonality(name) ||
          `not a personality; there are ${[...Object.keys(EosQuirks.personalities), ...Object.keys(JunosQuirks.personalities)].join(", ")}`
      )
    )
  ),
  /** Quirks of an EOS node, and of a Junos node. */
  quirks: Schema.optionalKey(EosQuirks.Quirks),
  junos: Schema.optionalKey(JunosQuirks.Quirks),
  /** Configuration file, or the text itself when it has more than one line. */
  "startup-config": Schema.optionalKey(Text)
}

const EOS_KINDS = ["eos", "ceos", "arista_ceos", "arista_veos", "vr-arista_veos", "vr-veos"] as const

const KINDS = [...EOS_KINDS, "junos", ...junosKinds] as const

/** Links of other containerlab types than `veth` were removed before. */
const LinkType = Text.check(
  Schema.makeFilter(() => `not a type of link; there are veth, ${[...outwardLinks.keys()].join(", ")}`)
)

/** One node. */
export const Node = Schema.Struct({
  ...behaviour,
  kind: Schema.optionalKey(Schema.Literals(KINDS)),
  supervisor: Schema.optionalKey(Text),
  mac: Schema.optionalKey(Mac),
  serial: Schema.optionalKey(Text),
  /** Machines by the port to which they are plugged; switches learn them. */
  hosts: Schema.optionalKey(
    Schema.Record(Text, Schema.Array(Schema.Struct({ mac: Mac, ip: Schema.optionalKey(Text) })))
  ),
  /** No configuration and switched off until it is booted. */
  blank: Schema.optionalKey(Flag),
  role: Schema.optionalKey(Schema.Literals(["access", "dist", "core"])),
  /** The management network enters the campus here. */
  gateway: Schema.optionalKey(Flag)
})
export type Node = typeof Node.Type

/** The site's DHCP server. */
export const Dhcp = Schema.Struct({
  /** `10.0.9.10-10.0.9.250` */
  pool: Schema.optionalKey(Text),
  /** Words of the program that is run as `{hook} commit {mac} {ip} {platform}`. */
  hook: Schema.optionalKey(Schema.Array(Text)),
  /** Environment of the hook, added to the lab's own. */
  environment: Schema.optionalKey(Words),
  /** Seconds between renewals; 0 = only on demand. */
  renewSeconds: Schema.optionalKey(Schema.Finite),
  /** The configuration that a blank switch fetches: a file, or the text itself; and the one of Junos. */
  config: Schema.optionalKey(Text),
  junosConfig: Schema.optionalKey(Text)
})
export type Dhcp = typeof Dhcp.Type

/** A whole topology. */
export const Topology = Schema.Struct({
  name: Text,
  lab: Schema.optionalKey(
    Schema.Struct({
      port: Schema.optionalKey(Schema.Int),
      dhcp: Schema.optionalKey(Dhcp),
      /** Configured networks of IPv6 and the loopback networks of the same length in which the switches answer. */
      addressMap: Schema.optionalKey(Words)
    })
  ),
  topology: Schema.Struct({
    defaults: Schema.optionalKey(Schema.Struct({ ...behaviour, kind: Schema.optionalKey(Schema.Literals(KINDS)) })),
    kinds: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
    groups: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
    nodes: Schema.Record(Schema.String, Node),
    links: Schema.optionalKey(
      Schema.Array(Schema.Struct({ endpoints: Schema.Tuple([Text, Text]), type: Schema.optionalKey(LinkType) }))
    )
  })
})
export type Topology = typeof Topology.Type

/** The topology cannot be used. `issues` name the place in the file and what is wrong there. */
export class TopologyInvalid extends Schema.TaggedError<TopologyInvalid>()("TopologyInvalid", {
  issues: Schema.Array(Schema.String)
}) {
  override get message() {
    return `The topology cannot be used: ${this.issues.join("; ")}`
  }
}

/** One end of a link. */
export interface End {
  readonly node: string
  readonly port: string
}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const decode = Schema.decodeUnknownEffect(Topology)

/** A topology, and the ignored parts of its file with the reasons. */
interface TopologyRead {
  readonly topology: Topology
  readonly notes: ReadonlyArray<string>
}

const read = Effect.fn("Topology.read")(function* (file: unknown) {
  const { document, linkPlaces, notes } = readContainerlab(file)
  const topology = yield* decode(document, { errors: "all", onExcessProperty: "error" }).pipe(
    Effect.mapError(
      (error) => new TopologyInvalid({ issues: format(error.issue).issues.map((issue) => describe(issue, linkPlaces)) })
    )
  )
  const issues = [...checkNames(topology), ...checkPlatforms(topology), ...checkLinks(topology, linkPlaces)]
  return issues.length === 0 ? ({ topology, notes } satisfies TopologyRead) : yield* new TopologyInvalid({ issues })
})

/** Checks a parsed document. Fails with TopologyInvalid. */
export const fromUnknown = (document: unknown) => Effect.map(read(document), ({ topology }) => topology)

const describe = (
  issue: {
    readonly message: string
    readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined
  },
  linkPlaces: ReadonlyArray<number>
) => {
  const steps = (issue.path ?? []).map((step) => (typeof step === "object" ? step.key : step))
  const isLink = steps[0] === "topology" && steps[1] === "links"
  const path = steps.map((step, at) => String(isLink && at === 2 ? (linkPlaces[Number(step)] ?? step) : step)).join(".")
  return path === "" ? issue.message : `${path}: ${issue.message}`
}

/** The platform of a node: as it says, else as its kind does. */
export const platformOf = ({ topology }: Topology, name: string): string => {
  const { kind, platform } = { ...topology.defaults, ...topology.nodes[name] }
  return platform ?? (kind === undefined || EOS_KINDS.some((one) => one === kind) ? "eos" : "junos")
}

/** `acc1:eth1` → node and the port's name on its platform. */
export const end = (topology: Topology, endpoint: string): End => {
  const at = endpoint.indexOf(":")
  const node = endpoint.slice(0, at)
  const portName = platformOf(topology, node) === "junos" ? junosPort : longName
  return { node, port: portName(endpoint.slice(at + 1)) }
}

const checkNames = ({ topology: { nodes } }: Topology): ReadonlyArray<string> => {
  const names = Object.keys(nodes)
  if (names.length === 0) return [`topology.nodes: there is no switch; its kind would be ${KINDS.join(", ")}`]
  return names.filter((name) => !/^[\w.-]{1,63}$/.test(name)).map((name) => `topology.nodes.${name}: not a node name`)
}

/** Settings of a node that its platform does not have. */
const checkPlatforms = (topology: Topology): ReadonlyArray<string> =>
  Object.entries(topology.topology.nodes).flatMap(([name, { junos, personality, quirks }]) => {
    const where = `topology.nodes.${name}`
    const isJunos = platformOf(topology, name) === "junos"
    const has = isJunos ? JunosQuirks.isPersonality : EosQuirks.isPersonality
    return [
      ...(personality === undefined || has(personality)
        ? []
        : [`${where}.personality: ${personality} is one of another platform than ${isJunos ? "junos" : "eos"}`]),
      ...(isJunos && quirks !== undefined ? [`${where}.quirks: a Junos switch has its quirks under junos`] : []),
      ...(!isJunos && junos !== undefined ? [`${where}.junos: only a Junos switch has these quirks`] : [])
    ]
  })

const checkLinks = (topology: Topology, places: ReadonlyArray<number>): ReadonlyArray<string> => {
  const seen = new Set<string>()
  const issues: Array<string> = []
  for (const [index, link] of (topology.topology.links ?? []).entries()) {
    for (const [side, text] of link.endpoints.entries()) {
      const where = `topology.links.${places[index] ?? index}.endpoints.${side}`
      const { node, port } = end(topology, text)
      if (!text.includes(":") || port === "") issues.push(`${where}: "${text}" is not node:port`)
      else if (topology.topology.nodes[node] === undefined) issues.push(`${where}: there is no node "${node}"`)
      else if (seen.has(`${node}:${port}`)) issues.push(`${where}: ${node}:${port} has a link already`)
      seen.add(`${node}:${port}`)
    }
  }
  return issues
}

const parse = (text: string) =>
  Effect.try({
    // files with repetitions merge YAML anchors
    try: (): unknown => parseYaml(text, { merge: true }),
    catch: (error) => new TopologyInvalid({ issues: [error instanceof Error ? error.message : String(error)] })
  })

/** A topology from YAML text, with notes of what was ignored. Fails with TopologyInvalid. */
export const readText = (text: string) => Effect.flatMap(parse(text), read)

/** A topology from YAML text. Fails with TopologyInvalid. */
export const fromText = (text: string) => Effect.map(readText(text), ({ topology }) => topology)

/**
 * A topology from a file, with notes of what was ignored; configuration files that it names are read, relative to its
 * directory. Fails with TopologyInvalid.
 */
export const readFile = Effect.fn("Topology.readFile")(function* (file: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const contents = (name: string) =>
    files
      .readFileString(name)
      .pipe(Effect.mapError((error) => new TopologyInvalid({ issues: [`${name}: ${error.message}`] })))
  const { notes, topology } = yield* readText(yield* contents(file))
  const inline = (text: string | undefined) =>
    text === undefined || text.includes("\n") ? Effect.succeed(text) : contents(path.resolve(path.dirname(file), text))
  return { topology: yield* withTexts(topology, inline), notes } satisfies TopologyRead
})

/** A topology from a file, as `readFile` reads it. Fails with TopologyInvalid. */
export const fromFile = (file: string) => Effect.map(readFile(file), ({ topology }) => topology)

const withTexts = Effect.fn("Topology.withTexts")(function* (
  topology: Topology,
  inline: (text: string | undefined) => Effect.Effect<string | undefined, TopologyInvalid>
) {
  const nodes: Record<string, Node> = {}
  for (const [name, node] of Object.entries(topology.topology.nodes)) {
    const text = yield* inline(node["startup-config"] ?? topology.topology.defaults?.["startup-config"])
    nodes[name] = text === undefined ? node : { ...node, "startup-config": text }
  }
  const config = yield* inline(topology.lab?.dhcp?.config)
  const junosConfig = yield* inline(topology.lab?.dhcp?.junosConfig)
  const dhcp = {
    ...topology.lab?.dhcp,
    ...(config === undefined ? {} : { config }),
    ...(junosConfig === undefined ? {} : { junosConfig })
  }
  return { ...topology, lab: { ...topology.lab, dhcp }, topology: { ...topology.topology, nodes } } satisfies Topology
})
