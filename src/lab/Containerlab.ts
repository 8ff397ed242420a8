/**
 * Reads the usual containerlab files as topologies of the lab: moves settings of kinds and groups under the nodes, writes extended
 * links as `node:port`, and removes keys that the lab does not use, with a note for the user. Unknown keys stay in the document, so
 * the check of the topology names them. The keys that are read: examples/lab/README.md#containerlab-files.
 */
// Keys of containerlab files that the lab ignores, and why.

const CONTAINERS = "the lab starts no containers"
const COMMANDS = "the lab runs nothing in a node, and all its switches are up together"
const FILES = "a simulated switch reads no file but its configuration"
const ADDRESSES = "a switch answers at the addresses of its configuration"
const MARKS = "it changes nothing about a switch"

const because = (why: string, keys: string): ReadonlyArray<readonly [string, string]> =>
  keys.split(" ").map((key) => [key, why])

/** Keys of a node, of `defaults`, and of an entry of `kinds` or `groups`, with the reason why they are ignored. */
const ignoredOfNode: ReadonlyMap<string, string> = new Map([
  ...because(CONTAINERS, "image image-pull-policy restart-policy auto-remove runtime sandbox kernel network-mode"),
  ...because(CONTAINERS, "cpu cpu-set memory shm-size cap-add devices sysctls ulimits user env env-files components"),
  ...because(COMMANDS, "exec cmd entrypoint stages wait-for startup-delay healthcheck"),
  ...because(FILES, "binds license extras enforce-startup-config suppress-startup-config certificate"),
  ...because(ADDRESSES, "mgmt-ipv4 mgmt-ipv6 mgmt_ipv4 mgmt_ipv6 publish dns aliases"),
  ...because(MARKS, "labels position"),
  ["type", "`model` says which box a switch is"],
  ["config", "the lab fills in no templates of configurations"],
  ["credentials", "`users` and the configuration define the logins"]
])

/** `ports` is a number of ports for the lab and a list of published ones for containerlab. */
const WHY_NO_PUBLISHED_PORTS = ADDRESSES

/** Keys next to `topology`, with the reason why they are ignored. */
const ignoredOfFile: ReadonlyMap<string, string> = new Map([
  ["mgmt", "switches answer on addresses of this machine and have no network of their own for that"],
  ["prefix", CONTAINERS],
  ["settings", CONTAINERS],
  ["debug", CONTAINERS]
])

/** Keys of a link, with the reason why they are ignored. */
const ignoredOfLink: ReadonlyMap<string, string> = new Map([
  ["mtu", "packets do not pass the lab's links"],
  ["vars", "the lab fills in no templates of configurations"],
  ["labels", MARKS]
])

/** Keys of an end of a link other than `node` and `interface`. */
const WHY_NO_END_SETTINGS = "the switch's configuration says what its ports have"

/** Types of links, and names in the place of a node, that lead out of the lab or nowhere. */
export const outwardLinks: ReadonlyMap<string, string> = new Map([
  ["host", "the lab has no ports on this machine"],
  ["mgmt-net", "the lab has no management network of containers"],
  ["macvlan", "the lab has no ports on this machine"],
  ["vxlan", "the lab has no tunnels to other machines"],
  ["vxlan-stitch", "the lab has no tunnels to other machines"],
  ["dummy", "nothing is at its other end"]
])

/** Kinds of containerlab that the lab simulates as Junos switches. */
export const junosKinds = [
  "juniper_vjunosswitch",
  "vr-juniper_vjunosswitch",
  "vr-vjunosswitch",
  "juniper_vqfx",
  "vr-juniper_vqfx",
  "vr-vqfx"
] as const

/** Kinds of other machines than network devices, or without a vendor in their name. */
const otherKinds = new Set(
  (
    "linux host bridge ovs-bridge ext-container k8s-kind generic_vm srl crpd xrd cvx rare border0 mysocketio sonic-vs sonic-vm " +
    "openbsd freebsd openwrt ostinato vr-sros vr-vmx vr-vsrx vr-vjunosrouter vr-vjunosevolved vr-xrv " +
    "vr-xrv9k vr-csr vr-n9kv vr-nxos vr-c8000v vr-cat9kv vr-ftdv vr-ftosv vr-aoscx vr-pan vr-ros vr-fortios"
  ).split(" ")
)

const VENDORS =
  /^(?:vr-)?(?:6wind|arrcus|aruba|checkpoint|cisco|cumulus|dell|extreme|f5|fdio|fortinet|huawei|ipinfusion|juniper|keysight|mikrotik|nokia|nvidia|paloalto|vyosnetworks|vyatta)_/

/** True for a kind of containerlab that the lab cannot simulate. */
const isOtherKind = (kind: string): boolean =>
  otherKinds.has(kind) || (VENDORS.test(kind) && !junosKinds.some((one) => one === kind))

type Fields = Readonly<Record<string, unknown>>

/** A document in the lab's own shape, if there are no mistakes in it. */
interface Reading {
  readonly document: unknown
  /** The ignored keys and the reasons, a line each. */
  readonly notes: ReadonlyArray<string>
  /** Places in the file of the remaining links. */
  readonly linkPlaces: ReadonlyArray<number>
}

type Note = (what: string, why: string, where: string) => void

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Most places that a note names. */
const MAX_PLACES = 4

const makeNotes = () => {
  const found = new Map<string, { readonly why: string; readonly places: Set<string> }>()
  const note: Note = (what, why, where) => {
    const line = found.get(what) ?? { why, places: new Set() }
    line.places.add(where)
    found.set(what, line)
  }
  const lines = () =>
    [...found].map(([what, { places, why }]) => {
      const more = places.size > MAX_PLACES ? ` and ${places.size - MAX_PLACES} more` : ""
      return `${what} is ignored (${[...places].slice(0, MAX_PLACES).join(", ")}${more}): ${why}`
    })
  return { note, lines }
}

const without = (fields: Fields, ignored: ReadonlyMap<string, string>, where: string, note: Note): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(([key]) => {
      const why = ignored.get(key)
      if (why !== undefined) note(key, why, where)
      return why === undefined
    })
  )

/** The part of a name, as an object; an absent or empty one is an empty object, anything else is a mistake and undefined. */
const part = (fields: Fields, key: string): Fields | undefined => {
  const value = fields[key] ?? {}
  return isFields(value) ? value : undefined
}

const REMOTE = /^(?:https?|ftp|s3):\/\//

/** The place of a node's `mgmt-ipv4` in the text of a configuration that several nodes share. */
const ADDRESS = "__clabMgmtIpv4__"

/** A text in which the node's name and address stand at their places; the address counts, and is not ignored then. */
const withPlaces = ({ "startup-config": text, ...fields }: Fields, name: string): Fields => {
  if (typeof text !== "string" || !text.includes("\n"))
    return { ...fields, ...(text === undefined ? {} : { "startup-config": text }) }
  const named = text.replaceAll("__clabNodeName__", name)
  const { "mgmt-ipv4": address, ...others } = fields
  if (typeof address !== "string" || !named.includes(ADDRESS)) return { ...fields, "startup-config": named }
  return { ...others, "startup-config": named.replaceAll(ADDRESS, address) }
}

/** A local configuration file, with the node's name as containerlab inserts it. */
const withConfiguration = (fields: Fields, name: string, note: Note): Fields => {
  const { "startup-config": file, ...others } = fields
  if (typeof file !== "string" || file.includes("\n")) return fields
  if (!REMOTE.test(file)) return { ...others, "startup-config": file.replaceAll("__clabNodeName__", name) }
  note("startup-config at an address", "the lab fetches nothing; save the file next to the topology", name)
  return others
}

const settingsOf = (fields: Fields, where: string, note: Note): Fields => {
  const { ports, ...others } = without(fields, ignoredOfNode, where, note)
  if (ports === undefined) return others
  if (!Array.isArray(ports)) return { ...others, ports }
  note("ports", WHY_NO_PUBLISHED_PORTS, where)
  return others
}

/** The node's own settings win over its group, the group over its kind, the kind over the defaults. */
const inherited = (node: Fields, topology: Fields, note: Note, name: string): Fields => {
  const { group, ...own } = node
  const defaults = part(topology, "defaults") ?? {}
  const groupName = group ?? defaults["group"]
  const groups = part(topology, "groups") ?? {}
  const ofGroup = typeof groupName === "string" ? (part(groups, groupName) ?? {}) : {}
  if (group !== undefined && Object.keys(ofGroup).length === 0) note("group", "no group has that name", name)
  const kind = own["kind"] ?? ofGroup["kind"] ?? defaults["kind"]
  const ofKind = typeof kind === "string" ? (part(part(topology, "kinds") ?? {}, kind) ?? {}) : {}
  const shared = defaults["startup-config"]
  const file = typeof shared === "string" && shared.includes("__clabNodeName__") ? { "startup-config": shared } : {}
  return { ...file, ...ofKind, ...ofGroup, ...own, ...(kind === undefined ? {} : { kind }) }
}

interface NodesRead {
  readonly nodes: Fields
  /** Names of omitted nodes, with their kind. */
  readonly others: ReadonlyMap<string, string>
}

const readNodes = (nodes: Fields, topology: Fields, note: Note): NodesRead => {
  const kept: Record<string, unknown> = {}
  const others = new Map<string, string>()
  const defaultKind = part(topology, "defaults")?.["kind"]
  for (const [name, value] of Object.entries(nodes)) {
    const own = value ?? {}
    const node = isFields(own) ? inherited(own, topology, note, name) : own
    const kind = isFields(node) ? node["kind"] : undefined
    if (typeof kind === "string" && isOtherKind(kind)) {
      others.set(name, kind)
      note(`kind: ${kind}`, "the lab simulates no such node, so it is left out with its links", name)
    } else if (isFields(node)) {
      const { kind: _, ...settings } = node
      const isSaid = (isFields(own) && own["kind"] !== undefined) || kind !== defaultKind
      const fields = withConfiguration(settingsOf(withPlaces(settings, name), name, note), name, note)
      kept[name] = isSaid ? { kind, ...fields } : fields
    } else kept[name] = node
  }
  return { nodes: kept, others }
}

const readDefaults = (defaults: Fields, note: Note): Fields => {
  const { group: _, ...fields } = settingsOf(defaults, "defaults", note)
  const { kind, ...others } = fields
  const kept = typeof kind === "string" && isOtherKind(kind) ? others : fields
  const file = kept["startup-config"]
  if (typeof file !== "string" || file.includes("\n")) return kept
  if (!file.includes("__clabNodeName__")) return withConfiguration(kept, "defaults", note)
  const { "startup-config": _file, ...rest } = kept
  return rest
}

/** cEOS writes `eth1_2` for Ethernet1/2. */
const portName = (port: string): string => (/^e[a-z]*\d+(?:_\d+)+$/i.test(port) ? port.replaceAll("_", "/") : port)

/** An end as `node:port`; anything else stays unchanged. */
const readEnd = (end: unknown, note: Note): unknown => {
  if (typeof end === "string") {
    const at = end.indexOf(":")
    return at < 0 ? end : `${end.slice(0, at)}:${portName(end.slice(at + 1))}`
  }
  if (!isFields(end) || typeof end["node"] !== "string" || end["interface"] === undefined) return end
  const { interface: port, node, ...more } = end
  const text = `${node}:${portName(String(port))}`
  for (const key of Object.keys(more)) note(`${key} of an end of a link`, WHY_NO_END_SETTINGS, text)
  return text
}

const nodeOf = (end: unknown): string => (typeof end === "string" ? (end.split(":")[0] ?? "") : "")

/** Why a link is omitted, or undefined. */
const reasonToLeaveOut = (type: unknown, ends: ReadonlyArray<unknown>, { nodes, others }: NodesRead) => {
  const outward = typeof type === "string" ? outwardLinks.get(type) : undefined
  if (outward !== undefined) return { what: `a link of type ${String(type)}`, why: outward }
  for (const end of ends) {
    const node = nodeOf(end)
    const why = Object.hasOwn(nodes, node) ? undefined : outwardLinks.get(node)
    if (why !== undefined) return { what: `a link to ${node}`, why }
    const kind = others.get(node)
    if (kind !== undefined) return { what: `a link to a node of kind ${kind}`, why: "that node is left out" }
  }
  const [only] = ends
  const isDummy =
    ends.length === 1 && typeof only === "string" && /^[^:]+:./.test(only) && Object.hasOwn(nodes, nodeOf(only))
  return isDummy ? { what: "a link with one end", why: "nothing is at its other end" } : undefined
}

const readLink = (link: Fields, nodes: NodesRead, note: Note): Fields | undefined => {
  const { endpoint, endpoints, type, ...more } = link
  const given = endpoints ?? (endpoint === undefined ? [] : Array.isArray(endpoint) ? endpoint : [endpoint])
  if (!Array.isArray(given)) return link
  const quiet: Note = () => {}
  const shown = given.map((end) => readEnd(end, quiet))
  const reason = reasonToLeaveOut(type, shown, nodes)
  const places = shown.filter((end) => typeof end === "string" && Object.hasOwn(nodes.nodes, nodeOf(end)))
  const where = places.length > 0 ? places.join(" – ") : shown.filter((end) => typeof end === "string").join(" – ")
  if (reason !== undefined) {
    note(reason.what, reason.why, where === "" ? "links" : where)
    return undefined
  }
  const ends = given.map((end) => readEnd(end, note))
  const others = without(more, ignoredOfLink, where, note)
  return { ...others, ...(type === undefined || type === "veth" ? {} : { type }), endpoints: ends }
}

const readLinks = (links: ReadonlyArray<unknown>, nodes: NodesRead, note: Note) => {
  const kept: Array<unknown> = []
  const places: Array<number> = []
  for (const [place, link] of links.entries()) {
    const read = isFields(link) ? readLink(link, nodes, note) : link
    if (read === undefined) continue
    kept.push(read)
    places.push(place)
  }
  return { kept, places }
}

/** Makes a parsed file a document of the lab. Never fails: mistakes stay in the document. */
export const read = (file: unknown): Reading => {
  if (!isFields(file)) return { document: file, notes: [], linkPlaces: [] }
  const { lines, note } = makeNotes()
  const around = without(file, ignoredOfFile, "the file", note)
  const topology = part(around, "topology")
  const given = topology === undefined ? undefined : part(topology, "nodes")
  if (topology === undefined || given === undefined || file["topology"] === undefined)
    return { document: around, notes: lines(), linkPlaces: [] }
  const { defaults: _defaults, groups, kinds, links, ...others } = topology
  const defaults = part(topology, "defaults")
  const nodes = readNodes(given, topology, note)
  const list = links ?? undefined
  const linked = Array.isArray(list) ? readLinks(list, nodes, note) : undefined
  const document = {
    ...around,
    topology: {
      ...others,
      ...(topology["defaults"] === undefined || topology["defaults"] === null
        ? {}
        : { defaults: defaults === undefined ? topology["defaults"] : readDefaults(defaults, note) }),
      // an object has been read by now; anything else is a mistake
      ...(isFields(kinds ?? {}) ? {} : { kinds }),
      ...(isFields(groups ?? {}) ? {} : { groups }),
      nodes: nodes.nodes,
      ...(list === undefined ? {} : { links: linked?.kept ?? list })
    }
  }
  return { document, notes: lines(), linkPlaces: linked?.places ?? [] }
}
