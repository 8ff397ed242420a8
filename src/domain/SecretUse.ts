/**
 * Secrets by name: their kind, where the texts in force name them, which switches that concerns, and whether one is missing or unused
 * (docs/security.md#where-secrets-are-used). Values never come here. Pure.
 */
import { Schema } from "effect"
import { inNaturalOrder, namesInOrder } from "./Natural.ts"

export const secretKinds = ["login", "template", "device", "plugin", "alert", "repository", "server"] as const
export type SecretKind = (typeof secretKinds)[number]

export const secretSources = ["environment", "file", "database"] as const
export type SecretSource = (typeof secretSources)[number]

export const secretStandings = ["used", "missing", "optional", "unused", "waiting"] as const
export type SecretStanding = (typeof secretStandings)[number]

export const secretPlaces = ["templates", "settings", "alerts", "plugins", "switches", "server"] as const
export type SecretPlace = (typeof secretPlaces)[number]

/** The switches that a use concerns: all, or those of a type, a group, a platform or a state, or one. */
const Scope = Schema.Struct({
  by: Schema.Literals(["all", "type", "group", "platform", "state", "device"]),
  /** Empty for all. */
  name: Schema.String
}).annotate({ identifier: "SecretScope" })
export type SecretScope = typeof Scope.Type

/** One place that names a secret. */
export const SecretUse = Schema.Struct({
  of: Schema.Literals(secretPlaces),
  /** Path in its repository; null for what is no file of one. */
  file: Schema.NullOr(Schema.String),
  line: Schema.NullOr(Schema.Int),
  scope: Schema.NullOr(Scope)
}).annotate({ identifier: "SecretUse" })
export type SecretUse = typeof SecretUse.Type

export const ListedSecret = Schema.Struct({
  name: Schema.String,
  kind: Schema.Literals(secretKinds),
  /** `waiting`: set in the database, and read at the next start. */
  standing: Schema.Literals(secretStandings),
  /** Null: not set. */
  source: Schema.NullOr(Schema.Literals(secretSources)),
  /** For the database only. */
  set_at: Schema.NullOr(Schema.String),
  set_by: Schema.NullOr(Schema.String),
  uses: Schema.Array(SecretUse),
  /** The number of switches that its uses concern. */
  devices: Schema.Int,
  /** The first of them. */
  hostnames: Schema.Array(Schema.String)
}).annotate({ identifier: "Secret" })
export type ListedSecret = typeof ListedSecret.Type

const KINDS: ReadonlyArray<readonly [prefix: string, kind: SecretKind]> = [
  ["PASSWORD_", "login"],
  ["SSH_KEY_", "login"],
  ["TEMPLATE_SECRET_", "template"],
  ["DEVICE_SECRET_", "device"],
  ["PLUGIN_SECRET_", "plugin"],
  ["ALERT_SECRET_", "alert"],
  ["GITREPO_", "repository"]
]

export const kindOfSecret = (name: string): SecretKind =>
  KINDS.find(([prefix]) => name.startsWith(prefix))?.[1] ?? "server"

// Uses in the texts in force.

export interface NamedUse extends SecretUse {
  readonly name: string
  /** It asks whether the secret is set, so that it can do without. */
  readonly isOptional?: true
}

/** A place that looks a secret up by a computed name, so that any secret may be meant. */
export interface ComputedUse {
  readonly file: string
  readonly line: number
}

const blank = (text: string): string => text.replaceAll(/[^\n]/g, " ")

/** The text without comments, with its lines in their places. */
const withoutJinjaComments = (text: string): string => text.replaceAll(/\{#[\s\S]*?#\}/g, blank)
const withoutYamlComments = (text: string): string => text.replaceAll(/(^|\s)#.*$/gm, (found) => blank(found))

const matches = (text: string, pattern: RegExp) =>
  text.split("\n").flatMap((line, index) => [...line.matchAll(pattern)].map((match) => ({ match, line: index + 1 })))

const named = (
  text: string,
  pattern: RegExp,
  prefix: string,
  place: Pick<SecretUse, "of" | "file" | "scope">
): ReadonlyArray<NamedUse> =>
  matches(text, pattern).map(({ line, match }) => ({
    ...place,
    name: prefix + (match.slice(1).find((group) => group !== undefined) ?? match[0]),
    line
  }))

const IN_TEMPLATE =
  /\bTEMPLATE_SECRET(?:_([A-Za-z0-9_]+)|\.(?!get\b|items\b|keys\b|values\b)(\w+)|\[\s*['"](\w+)['"]\s*\])/g
const COMPUTED =
  /(?<!['"]\w+['"]\s+(?:not\s+)?in\s+)\bTEMPLATE_SECRET(?![A-Za-z0-9_])(?!\.get\(\s*['"])(?!\.(?!get\b|items\b|keys\b|values\b)\w)(?!\[\s*['"]\w+['"]\s*\])/g

/** `"RADIUS" in TEMPLATE_SECRET`, and `TEMPLATE_SECRET.get("RADIUS", "none")`. */
const WHETHER_SET = /['"](\w+)['"]\s+(?:not\s+)?in\s+TEMPLATE_SECRET(?!\w)|\bTEMPLATE_SECRET\.get\(\s*['"](\w+)['"]/g

/** Each platform has a directory of its own (docs/templates.md#files). */
const platformScope = (path: string): SecretScope | null => {
  const [name = "", file] = path.split("/")
  return file === undefined ? null : { by: "platform", name }
}

const settingsScope = (path: string): SecretScope | null => {
  const [folder, name = ""] = path.split("/")
  switch (folder) {
    case "global":
    case "fabric":
      return { by: "all", name: "" }
    case "core":
    case "dist":
    case "access":
      return { by: "type", name: folder.toUpperCase() }
    case "groups":
      return { by: "group", name }
    case "devices":
      return { by: "device", name }
    default:
      return null
  }
}

type Files = Readonly<Record<string, string>>

export interface UsedTexts {
  readonly templates: Files
  readonly settings: Files
  /** The text of `alerts.yml` and of the file of plugins; empty without one. */
  readonly alerts: string
  readonly plugins: string
}

/** The places of these texts that name secrets, and those that compute a name. */
export const secretUsesIn = ({ alerts, plugins, settings, templates }: UsedTexts) => {
  const computed: Array<ComputedUse> = []
  const uses: Array<NamedUse> = []
  for (const [file, text] of Object.entries(templates)) {
    const said = withoutJinjaComments(text)
    uses.push(...named(said, IN_TEMPLATE, "TEMPLATE_SECRET_", { of: "templates", file, scope: platformScope(file) }))
    uses.push(
      ...named(said, WHETHER_SET, "TEMPLATE_SECRET_", { of: "templates", file, scope: platformScope(file) }).map(
        (use): NamedUse => ({ ...use, isOptional: true })
      )
    )
    computed.push(...matches(said, COMPUTED).map(({ line }) => ({ file, line })))
  }
  for (const [file, text] of Object.entries(settings)) {
    const place = { of: "settings", file, scope: settingsScope(file) } as const
    uses.push(...named(withoutYamlComments(text), /\bDEVICE_SECRET_[A-Z0-9_]+/g, "", place))
  }
  const alertFile = { of: "alerts", file: "alerts.yml", scope: null } as const
  uses.push(
    ...named(withoutYamlComments(alerts), /\b(?:url_)?secret:\s*["']?([A-Z][A-Z0-9_]*)/g, "ALERT_SECRET_", alertFile)
  )
  const pluginFile = { of: "plugins", file: null, scope: null } as const
  uses.push(
    ...named(withoutYamlComments(plugins), /_secret["']?:\s*["']?([A-Z][A-Z0-9_]*)/g, "PLUGIN_SECRET_", pluginFile)
  )
  return { uses, computed }
}

// The list.

/** A switch as far as scopes need it. */
export interface ScopedDevice {
  readonly hostname: string
  readonly device_type: string
  readonly platform: string | null
  readonly state: string
}

export interface SecretFacts {
  readonly uses: ReadonlyArray<NamedUse>
  readonly isComputed: boolean
  /** What this server has, by name. */
  readonly sources: ReadonlyMap<string, SecretSource>
  /** What the database has. */
  readonly stored: ReadonlyArray<{ readonly name: string; readonly set_at: string; readonly set_by: string }>
  readonly devices: ReadonlyArray<ScopedDevice>
  readonly groups: ReadonlyMap<string, ReadonlyArray<string>>
}

const NAMED = 20

const LOGIN = /^(?:PASSWORD|SSH_KEY)_(DHCP_BOOT|DISCOVERED|INIT|MANAGED)/

/** The states of switches that each login is for (docs/security.md#logins-of-switches). */
const LOGIN_STATES: Readonly<Record<string, ReadonlyArray<string>>> = {
  DHCP_BOOT: ["DHCP_BOOT", "PRE_CONFIGURED"],
  DISCOVERED: ["DISCOVERED"],
  INIT: ["INIT"],
  MANAGED: ["MANAGED", "MANAGED_NOIF", "UNMANAGED"]
}

const hasLogin = (login: string, { state }: ScopedDevice): boolean => LOGIN_STATES[login]?.includes(state) === true

const reached = ({ by, name }: SecretScope, { devices, groups }: SecretFacts): ReadonlyArray<string> => {
  const those = (test: (device: ScopedDevice) => boolean) => devices.filter(test).map(({ hostname }) => hostname)
  switch (by) {
    case "all":
      return those(() => true)
    case "type":
      return those(({ device_type }) => device_type === name)
    case "platform":
      return those(({ platform }) => platform === name)
    case "state":
      return those((device) => hasLogin(name, device))
    case "device":
      return those(({ hostname }) => hostname === name)
    case "group":
      return groups.get(name) ?? []
  }
}

/** Kinds that are useless if nothing names them. */
const NAMED_KINDS: ReadonlySet<SecretKind> = new Set(["template", "device", "plugin", "alert"])

const loginUse = (state: string): SecretUse => ({
  of: "switches",
  file: null,
  line: null,
  scope: { by: "state", name: state }
})

const usesOf = (name: string, { uses }: SecretFacts): ReadonlyArray<SecretUse> => {
  const found = uses
    .filter((use) => use.name === name)
    .map(({ isOptional: _isOptional, name: _name, ...use }) => use)
    .toSorted((one, other) => inNaturalOrder(one.file ?? "", other.file ?? "") || (one.line ?? 0) - (other.line ?? 0))
  if (found.length > 0) return found
  const state = LOGIN.exec(name)?.[1]
  if (state !== undefined) return [loginUse(state)]
  return NAMED_KINDS.has(kindOfSecret(name)) ? [] : [{ of: "server", file: null, line: null, scope: null }]
}

/** Passwords of states that have switches, and neither a password nor a key. */
const missingLogins = ({ devices, sources }: SecretFacts): ReadonlyArray<string> =>
  Object.keys(LOGIN_STATES)
    .filter(
      (login) =>
        devices.some((device) => hasLogin(login, device)) &&
        !sources.has(`PASSWORD_${login}`) &&
        !sources.has(`SSH_KEY_${login}`)
    )
    .map((login) => `PASSWORD_${login}`)

const ORDER: Readonly<Record<SecretStanding, number>> = { missing: 0, waiting: 1, unused: 2, used: 3, optional: 4 }

/** All secrets that are set or named: missing ones first, then those that wait, then unused ones. */
export const listSecrets = (facts: SecretFacts): ReadonlyArray<ListedSecret> => {
  const stored = new Map(facts.stored.map((one) => [one.name, one]))
  const names = namesInOrder(
    new Set([...facts.sources.keys(), ...stored.keys(), ...facts.uses.map(({ name }) => name), ...missingLogins(facts)])
  )
  const all = names.map((name): ListedSecret => {
    const uses = usesOf(name, facts)
    const kind = kindOfSecret(name)
    const own = stored.get(name)
    const source = facts.sources.get(name) ?? (own === undefined ? null : "database")
    const isNamed = uses.length > 0 || (kind === "template" && facts.isComputed)
    const standing = ((): SecretStanding => {
      if (source === null)
        return facts.uses.some((use) => use.name === name && use.isOptional === true) ? "optional" : "missing"
      if (!facts.sources.has(name)) return "waiting"
      return isNamed ? "used" : "unused"
    })()
    const hostnames = namesInOrder(new Set(uses.flatMap(({ scope }) => (scope === null ? [] : reached(scope, facts)))))
    return {
      name,
      kind,
      standing,
      source,
      set_at: source === "database" ? (own?.set_at ?? null) : null,
      set_by: source === "database" ? (own?.set_by ?? null) : null,
      uses,
      devices: hostnames.length,
      hostnames: hostnames.slice(0, NAMED)
    }
  })
  return all.toSorted((one, other) => ORDER[one.standing] - ORDER[other.standing])
}
