/**
 * The building blocks of the settings model. Each is an Effect schema of the *validated* value, and has as an annotation the
 * rule by which text from a repository becomes that value: the allowed conversions and the message for an invalid value
 * (docs/settings-repository.md#forms-of-values and docs/settings-repository.md#messages). `SettingValidator` reads the rules to
 * validate, `FileModels` to document, so the model is written down once.
 */
import { Predicate, Schema } from "effect"

/** Bounds of an integer: `gt`/`lt` exclude the bound, `ge`/`le` include it. `strict` refuses every conversion. */
export interface IntegerRule {
  readonly kind: "integer"
  readonly gt?: number
  readonly ge?: number
  readonly lt?: number
  readonly le?: number
  readonly strict?: boolean
}

/**
 * A text of one line, or with `lines` of several: at most `maxLength` characters, then the pattern, then a check in code that
 * returns the message.
 */
export interface TextRule {
  readonly kind: "text"
  readonly lines?: boolean
  readonly maxLength?: number
  readonly pattern?: Pattern
  readonly check?: (value: string) => string | undefined
}

/** The required form of a value. */
export type Rule = { readonly nullable?: boolean } & (
  | IntegerRule
  | TextRule
  | { readonly kind: "boolean" }
  | { readonly kind: "choice"; readonly values: ReadonlyArray<string> }
  | { readonly kind: "integerOrText"; readonly integer: IntegerRule; readonly text: TextRule }
  | { readonly kind: "list"; readonly item: SettingField }
  | { readonly kind: "mapping"; readonly value: SettingField }
  | { readonly kind: "model"; readonly name: string; readonly fields: ReadonlyArray<NamedField> }
)

/** A rule with the properties of its place: description, default (none: required) and a check against its siblings. */
export interface SettingField {
  readonly rule: Rule
  readonly description?: string
  readonly default?: { readonly value: unknown }
  readonly check?: SiblingCheck
}

/** A field of a model. */
export interface NamedField extends SettingField {
  readonly name: string
}

/** Checks a value and the validated fields before it; returns the message for an invalid value. */
export type SiblingCheck = (value: unknown, siblings: Readonly<Record<string, unknown>>) => string | undefined

const FIELD = "switchyard/settingField"

/** The rule of a schema from this module. A schema from elsewhere has none, which is a defect of the model. */
export const fieldOf = (schema: Schema.Constraint): SettingField => {
  const field = Schema.resolveAnnotations(schema)?.[FIELD]
  if (!isSettingField(field)) throw new Error("the settings model contains a schema without a rule")
  return field
}

const isSettingField = (value: unknown): value is SettingField =>
  Predicate.hasProperty(value, "rule") && Predicate.hasProperty(value.rule, "kind")

const carry = (field: SettingField) => ({
  [FIELD]: field,
  ...(field.description === undefined ? {} : { description: field.description })
})

const describe = (rule: Rule, description: string | undefined): SettingField =>
  description === undefined ? { rule } : { rule, description }

/** A text with its bounds. */
export const text = (options: Omit<TextRule, "kind"> & { readonly description?: string } = {}): Schema.String => {
  const { description, ...bounds } = options
  const checks = bounds.pattern === undefined ? [] : [Schema.isPattern(bounds.pattern.regExp)]
  const schema = bounds.maxLength === undefined ? checks : [Schema.isMaxCodePoints(bounds.maxLength), ...checks]
  const [first, ...rest] = schema
  const base = first === undefined ? Schema.String : Schema.String.check(first, ...rest)
  return base.annotate(carry(describe({ kind: "text", ...bounds }, description)))
}

/** An integer with its bounds. */
export const integer = (options: Omit<IntegerRule, "kind"> & { readonly description?: string } = {}): Schema.Number => {
  const { description, ...bounds } = options
  const lowest = bounds.ge ?? (bounds.gt === undefined ? Number.MIN_SAFE_INTEGER : bounds.gt + 1)
  const highest = bounds.le ?? (bounds.lt === undefined ? Number.MAX_SAFE_INTEGER : bounds.lt - 1)
  return Schema.Int.check(Schema.isBetween({ minimum: lowest, maximum: highest })).annotate(
    carry(describe({ kind: "integer", ...bounds }, description))
  )
}

/** A boolean, also written as `yes`, `on`, `1` and their opposites. */
export const flag: Schema.Boolean = Schema.Boolean.annotate(carry({ rule: { kind: "boolean" } }))

/** One of a few words. */
export const choice = <const Values extends ReadonlyArray<string>>(values: Values) =>
  Schema.Literals(values).annotate(carry({ rule: { kind: "choice", values } }))

/** An integer, or a text such as a range. */
export const integerOrText = (integerBounds: Omit<IntegerRule, "kind">, textBounds: Omit<TextRule, "kind">) =>
  Schema.Union([integer(integerBounds), text(textBounds)]).annotate(
    carry({
      rule: {
        kind: "integerOrText",
        integer: { kind: "integer", ...integerBounds },
        text: { kind: "text", ...textBounds }
      }
    })
  )

/** A list; the order is kept. */
export const list = <S extends Schema.Constraint>(item: S) =>
  Schema.Array(item).annotate(carry({ rule: { kind: "list", item: fieldOf(item) } }))

/** A mapping from free names to values; the order of the file is kept, hence a `Map`. */
export const mapping = <S extends Schema.Constraint>(value: S) =>
  Schema.ReadonlyMap(Schema.String, value).annotate(carry({ rule: { kind: "mapping", value: fieldOf(value) } }))

/** The same, or null. */
const nullable = <S extends Schema.Constraint>(schema: S) => {
  const field = fieldOf(schema)
  return Schema.NullOr(schema).annotate(carry({ ...field, rule: { ...field.rule, nullable: true } }))
}

/** A field that may be absent; it then has its default. */
export const optional = <S extends Schema.Top>(schema: S, value: S["Type"]): S["Rebuild"] =>
  schema.annotate({ [FIELD]: { ...fieldOf(schema), default: { value } } })

/** A field that may be absent or null; null is its default. */
export const absent = <S extends Schema.Constraint>(schema: S) => optional(nullable(schema), null)

/** A field with a description of its own, or with a check against the fields before it. */
export const refine = <S extends Schema.Top>(
  schema: S,
  extra: { readonly description?: string; readonly check?: SiblingCheck }
): S["Rebuild"] => schema.annotate(carry({ ...fieldOf(schema), ...extra }))

/** A mapping with known fields. Unknown keys are dropped. The order of the fields is that of messages and output. */
export const model = <const Fields extends Schema.Struct.Fields>(name: string, fields: Fields) => {
  const named = Object.entries(fields).map(([key, schema]) => ({ name: key, ...fieldOf(schema) }))
  return Schema.Struct(fields).annotate({
    identifier: name,
    ...carry({ rule: { kind: "model", name, fields: named } })
  })
}

// The published patterns and descriptions of the settings schema, each once (docs/settings-repository.md#forms-of-values).
// `source` is the text that clients see in the schema; `regExp` is the matched expression, which differs where the published
// text would backtrack exponentially in JavaScript. Messages express it in `words`, because no author finds a wrong letter with
// 400 characters of pattern.

/** A pattern as published, an equivalent test that is linear in the length of the text, and a description of valid values. */
export interface Pattern {
  readonly source: string
  readonly regExp: RegExp
  readonly words: string
}

// no leading zeros: some readers take such a number as octal
const octet = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
const ipv4 = `(?:${octet}\\.){3}${octet}`
const hex = "[0-9a-fA-F]{1,4}"
const ipv6 =
  `((${hex}:){7,7}${hex}|(${hex}:){1,7}:|(${hex}:){1,6}:${hex}|(${hex}:){1,5}(:${hex}){1,2}|` +
  `(${hex}:){1,4}(:${hex}){1,3}|(${hex}:){1,3}(:${hex}){1,4}|(${hex}:){1,2}(:${hex}){1,5}|` +
  `${hex}:((:${hex}){1,6})|:((:${hex}){1,7}|:))`
// a name whose last part is a number would be read as an address
const label = "[a-zA-Z0-9-]{1,63}"
const hostname = `^(${label}\\.)*(?![0-9]+$)${label}$`
const dottedName = "^([a-zA-Z0-9_-]{1,63}\\.?)+$"

const pattern = (source: string, words: string, linear = source): Pattern => ({
  source,
  regExp: new RegExp(linear),
  words
})

const DOTTED = "parts of 1 to 63 letters, digits, _ or -, separated by single dots"

/** All patterns by their name. */
export const Patterns = {
  host: pattern(
    `^(${ipv4}|${ipv6}|${hostname})$`,
    "an IPv4 address (four numbers up to 255 without leading zeros), an IPv6 address, or a host name of letters, digits, - and dots whose last part is no number"
  ),
  hostname: pattern(
    hostname,
    "a host name of letters, digits and -, its parts separated by single dots and at most 63 characters long, the last one no number"
  ),
  domain: pattern(
    "^([a-zA-Z0-9-]{1,63})(\\.[a-zA-Z0-9-]{1,63})+$",
    "a domain name of at least two parts of letters, digits and -, separated by single dots"
  ),
  ipv4Address: pattern(`^${ipv4}$`, "an IPv4 address such as 10.0.0.1, without a prefix length"),
  ipv4Interface: pattern(`^${ipv4}\\/[0-9]{1,2}$`, "an IPv4 address with a prefix length, such as 10.0.0.1/24"),
  ipv6Address: pattern(`^${ipv6}$`, "an IPv6 address such as 2001:db8::1, without a prefix length"),
  ipv6Interface: pattern(`^${ipv6}\\/[0-9]{1,3}$`, "an IPv6 address with a prefix length, such as 2001:db8::1/64"),
  prefix: pattern(
    `(?<![0-9.])(${ipv4}\\/[0-9]{1,2}|${ipv6}\\/[0-9]{1,3})`,
    "an IPv4 or IPv6 prefix with its length, such as 10.0.0.0/8 or 2001:db8::/32"
  ),
  vlanName: pattern("^[a-zA-Z][a-zA-Z0-9-_]{0,31}$", "a letter followed by at most 31 letters, digits, - or _"),
  interfaceName: pattern(
    "^([a-zA-Z0-9\\/\\.:-])+$",
    "an interface name of letters, digits, /, ., : and -",
    "^[a-zA-Z0-9\\/\\.:-]+$"
  ),
  interfaceRange: pattern(
    "^([a-zA-Z0-9\\/\\.:\\-\\[\\]])+$",
    "one interface name, or a range such as Ethernet[1-48], of letters, digits, /, ., :, -, [ and ]",
    "^[a-zA-Z0-9\\/\\.:\\-\\[\\]]+$"
  ),
  interfaceClass: pattern(
    "^(custom|downlink|fabric|mirror|port_template_[a-zA-Z0-9_]+)$",
    "custom, downlink, fabric, mirror, or port_template_ followed by the name of a template"
  ),
  acceptReject: pattern("^(accept|reject)$", "accept or reject"),
  maskRange: pattern("^[0-9]{1,3}([-][0-9]{1,3})?$", "a prefix length such as 24, or a range of them such as 16-24"),
  groupName: pattern(dottedName, DOTTED, "^[a-zA-Z0-9_-]+(\\.[a-zA-Z0-9_-]+)*\\.?$"),
  aclName: pattern(dottedName, DOTTED, "^[a-zA-Z0-9_-]+(\\.[a-zA-Z0-9_-]+)*\\.?$"),
  secretName: pattern(
    "^DEVICE_SECRET_[A-Z0-9_]{1,100}$",
    "the name of an environment variable of the server: DEVICE_SECRET_ followed by capitals, digits or _"
  ),
  fingerprint: pattern(
    "^SHA256:[A-Za-z0-9+/]{43}$",
    "a fingerprint as `ssh-keygen -l` prints it: SHA256: followed by 43 characters"
  )
} as const

/** The descriptions that fields carry in the schema and in messages. */
export const Descriptions = {
  host: "Hostname, FQDN or IP address",
  hostname: "Hostname or FQDN",
  domainName: "DNS domain name",
  ipv4: "IPv4 address",
  ipv4Interface: "IPv4 address in CIDR/prefix notation (0.0.0.0/0)",
  ipv6: "IPv6 address",
  ipv6Interface: "IPv6 address in CIDR/prefix notation (::/0)",
  prefix: "IPv4 or IPv6 prefix",
  vlanName: "Max 32 alphanumeric chars, beginning with a non-numeric character",
  vlanId: "Numeric 802.1Q VLAN ID, 1-4094",
  vni: "VXLAN Network Identifier",
  vrfId: "VRF identifier, integer between 1-65535",
  mtu: "MTU (Maximum transmission unit) value between 68-9214",
  asn: "BGP Autonomous System number, 1-4294967295 (asdot notation not supported)",
  interfaceName: "Interface name",
  interfaceRange: "Interface range pattern or interface name",
  interfaceClass: "Interface class: custom, downlink or uplink",
  interfaceDescription: "Interface description, 0-64 characters",
  port: "TCP or UDP port number, 0-65535",
  ttl: "Numeric IP TTL, 1-255",
  maxRoutes: "Maximum number of routes to receive from peer",
  acceptReject: "Value has to be 'accept' or 'reject'",
  maskRange: "Prefix size or range 0-128",
  secretName: "Name of an environment variable of the server, DEVICE_SECRET_...",
  fingerprint: "Fingerprint of an SSH host key, SHA256:...",
  groupPriority: "Group priority 0-100, default 0, higher value means higher priority"
} as const
