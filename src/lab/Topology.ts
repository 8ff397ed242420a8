/**
 * The topology file: YAML in the shape of a containerlab topology (nodes with a kind, links between `node:port` ends) with
 * the lab's own settings under the nodes, under `topology.defaults`, and under `lab`. Errors name the path in the file.
 */
import { Effect, FileSystem, Path, Schema, SchemaIssue } from "effect"
import { parse as parseYaml } from "yaml"
import { longName } from "./eos/InterfaceNames.ts"
import { isPersonality, personalities } from "./eos/Personalities.ts"
import { Quirks } from "./eos/Quirks.ts"

const Text = Schema.String
const Flag = Schema.Boolean
const Milliseconds = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
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
  /** One of `eos/Personalities.ts`: a release with its quirks; what the node says itself counts more. */
  personality: Schema.optionalKey(
    Text.check(
      Schema.makeFilter(
        (name: string) => isPersonality(name) || `not a personality; there are ${Object.keys(personalities).join(", ")}`
      )
    )
  ),
  quirks: Schema.optionalKey(Quirks),
  /** Configuration file, or the text itself when it has more than one line. */
  "startup-config": Schema.optionalKey(Text)
}

/** What containerlab writes and the lab does not need. */
const ignored = {
  image: Schema.optionalKey(Schema.Unknown),
  labels: Schema.optionalKey(Schema.Unknown),
  group: Schema.optionalKey(Schema.Unknown),
  env: Schema.optionalKey(Schema.Unknown),
  binds: Schema.optionalKey(Schema.Unknown),
  "mgmt-ipv4": Schema.optionalKey(Schema.Unknown)
}

const KINDS = ["eos", "ceos", "arista_ceos", "arista_veos"] as const

/** One node. */
export const Node = Schema.Struct({
  ...behaviour,
  ...ignored,
  kind: Schema.optionalKey(Schema.Literals(KINDS)),
  supervisor: Schema.optionalKey(Text),
  mac: Schema.optionalKey(Text.check(Schema.isPattern(/^[\da-fA-F]{2}(:[\da-fA-F]{2}){5}$/))),
  serial: Schema.optionalKey(Text),
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
  /** What a blank switch fetches: a file, or the text itself. */
  config: Schema.optionalKey(Text)
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
  mgmt: Schema.optionalKey(Schema.Unknown),
  prefix: Schema.optionalKey(Schema.Unknown),
  topology: Schema.Struct({
    defaults: Schema.optionalKey(
      Schema.Struct({ ...behaviour, ...ignored, kind: Schema.optionalKey(Schema.Literals(KINDS)) })
    ),
    kinds: Schema.optionalKey(Schema.Unknown),
    nodes: Schema.Record(Schema.String, Node),
    links: Schema.optionalKey(Schema.Array(Schema.Struct({ endpoints: Schema.Tuple([Text, Text]) })))
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

/** Checks a parsed document. Fails with TopologyInvalid. */
export const fromUnknown = Effect.fn("Topology.fromUnknown")(function* (document: unknown) {
  const topology = yield* decode(document, { errors: "all", onExcessProperty: "error" }).pipe(
    Effect.mapError((error) => new TopologyInvalid({ issues: format(error.issue).issues.map(describe) }))
  )
  const issues = [...checkNames(topology), ...checkLinks(topology)]
  return issues.length === 0 ? topology : yield* new TopologyInvalid({ issues })
})

const describe = (issue: {
  readonly message: string
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined
}) => {
  const path = (issue.path ?? []).map((step) => String(typeof step === "object" ? step.key : step)).join(".")
  return path === "" ? issue.message : `${path}: ${issue.message}`
}

/** `acc1:eth1` → node and long port name. */
export const end = (endpoint: string): End => {
  const at = endpoint.indexOf(":")
  return { node: endpoint.slice(0, at), port: longName(endpoint.slice(at + 1)) }
}

const checkNames = (topology: Topology) =>
  Object.keys(topology.topology.nodes)
    .filter((name) => !/^[\w.-]{1,63}$/.test(name))
    .map((name) => `topology.nodes.${name}: not a node name`)

const checkLinks = (topology: Topology): ReadonlyArray<string> => {
  const seen = new Set<string>()
  const issues: Array<string> = []
  for (const [index, link] of (topology.topology.links ?? []).entries()) {
    for (const [side, text] of link.endpoints.entries()) {
      const where = `topology.links.${index}.endpoints.${side}`
      const { node, port } = end(text)
      if (!text.includes(":") || port === "") issues.push(`${where}: "${text}" is not node:port`)
      else if (topology.topology.nodes[node] === undefined) issues.push(`${where}: there is no node "${node}"`)
      else if (seen.has(`${node}:${port}`)) issues.push(`${where}: ${node}:${port} has a link already`)
      seen.add(`${node}:${port}`)
    }
  }
  return issues
}

/** A topology from YAML text. Fails with TopologyInvalid. */
export const fromText = Effect.fn("Topology.fromText")(function* (text: string) {
  const document = yield* Effect.try({
    try: (): unknown => parseYaml(text),
    catch: (error) => new TopologyInvalid({ issues: [error instanceof Error ? error.message : String(error)] })
  })
  return yield* fromUnknown(document)
})

/** A topology from a file; configuration files that it names are read, relative to its directory. */
export const fromFile = Effect.fn("Topology.fromFile")(function* (file: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const read = (name: string) =>
    files
      .readFileString(name)
      .pipe(Effect.mapError((error) => new TopologyInvalid({ issues: [`${name}: ${error.message}`] })))
  const topology = yield* fromText(yield* read(file))
  const inline = (text: string | undefined) =>
    text === undefined || text.includes("\n") ? Effect.succeed(text) : read(path.resolve(path.dirname(file), text))
  return yield* withTexts(topology, inline)
})

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
  const dhcp = { ...topology.lab?.dhcp, ...(config === undefined ? {} : { config }) }
  return { ...topology, lab: { ...topology.lab, dhcp }, topology: { ...topology.topology, nodes } } satisfies Topology
})
