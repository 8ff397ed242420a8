/** The typed values of ports, as the API expects them. Pure. */

/** A stored port. */
export interface StoredPort {
  readonly name: string
  readonly configtype: string
  readonly data: Readonly<Record<string, unknown>> | null
}

/** The fields of the form. `null`: unchanged; several ports may have different values. */
export interface Edits {
  readonly vlan: string | null
  readonly description: string | null
  readonly enabled: boolean | null
  /** Additional lines at the end of a port's configuration. */
  readonly lines: string | null
}

export const NO_EDITS: Edits = { vlan: null, description: null, enabled: null, lines: null }

const isTextOrNull = (value: unknown): boolean => value === null || typeof value === "string"

/** Whether a value that was kept is one of edits. */
const isEdits = (value: unknown): value is Edits =>
  typeof value === "object" &&
  value !== null &&
  ["vlan", "description", "lines"].every((field) => isTextOrNull(Reflect.get(value, field))) &&
  "enabled" in value &&
  (value.enabled === null || typeof value.enabled === "boolean")

/** What the user has chosen and typed; `pinned`: the version of the ports that they saw when they began to type. */
export interface Typed {
  readonly names: ReadonlyArray<string>
  readonly edits: Edits
  readonly pinned: string | null
}

export const UNTOUCHED: Typed = { names: [], edits: NO_EDITS, pinned: null }

/** Whether a value that was kept is one. */
export const isTyped = (value: unknown): value is Typed =>
  typeof value === "object" &&
  value !== null &&
  "names" in value &&
  Array.isArray(value.names) &&
  value.names.every((name) => typeof name === "string") &&
  "edits" in value &&
  isEdits(value.edits) &&
  "pinned" in value &&
  isTextOrNull(value.pinned)

/** The types that a user may give to ports; the others belong to the topology. */
const EDITABLE: ReadonlySet<string> = new Set([
  "ACCESS_AUTO",
  "ACCESS_UNTAGGED",
  "ACCESS_TAGGED",
  "UNKNOWN",
  "UNMANAGED"
])

export const isEditable = ({ configtype }: StoredPort): boolean => EDITABLE.has(configtype)

const text = (value: unknown): string => (typeof value === "string" || typeof value === "number" ? String(value) : "")

/** The VLAN of a port, `""` for one that the network decides. */
export const vlanOf = ({ configtype, data }: StoredPort): string => {
  if (configtype === "ACCESS_UNTAGGED") return text(data?.["untagged_vlan"])
  if (configtype !== "ACCESS_TAGGED") return ""
  const tagged = data?.["tagged_vlan_list"]
  return Array.isArray(tagged) ? tagged.map(text).join(", ") : ""
}

export const descriptionOf = ({ data }: StoredPort): string => text(data?.["description"])

export const linesOf = ({ data }: StoredPort): string => text(data?.["cli_append_str"])

/** A port is enabled unless its data say otherwise. */
export const isEnabled = ({ data }: StoredPort): boolean => data?.["enabled"] !== false

/** The value that all ports have; null when they differ. */
export const common = <A>(ports: ReadonlyArray<StoredPort>, of: (port: StoredPort) => A): A | null => {
  const values = new Set(ports.map(of))
  const [only] = values
  return values.size === 1 && only !== undefined ? only : null
}

const vlanChange = (vlan: string | null) => {
  if (vlan === null) return {}
  if (vlan === "") return { configtype: "ACCESS_AUTO", data: { untagged_vlan: null } }
  return { configtype: "ACCESS_UNTAGGED", data: { untagged_vlan: vlan } }
}

/** The body for these ports. */
export const bodyOf = (names: ReadonlyArray<string>, { description, enabled, lines, vlan }: Edits) => {
  const { data: vlanData = {}, ...rest } = vlanChange(vlan)
  const data = {
    ...vlanData,
    ...(description === null ? {} : { description }),
    ...(enabled === null ? {} : { enabled }),
    ...(lines === null ? {} : { cli_append_str: lines === "" ? null : lines })
  }
  const change = { ...rest, ...(Object.keys(data).length === 0 ? {} : { data }) }
  return { interfaces: Object.fromEntries(names.map((name) => [name, change])) }
}

export const hasEdits = (edits: Edits): boolean => Object.values(edits).some((value) => value !== null)
