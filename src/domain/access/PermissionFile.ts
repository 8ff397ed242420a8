/**
 * `permissions.yml`: roles, their holders, and their permissions (docs/roles.md). The form is that of existing sites; roles may
 * build on the ready ones. Pure.
 */
import { Result, Schema } from "effect"
import { coversCall, includes, isGlob } from "./Glob.ts"
import type { Identity } from "./Identity.ts"
import { deviceStates } from "../../../machines/device/DeviceEvents.ts"
import { isEverything, Permission } from "./PermissionRule.ts"

// Roles that every site has automatically (docs/roles.md#ready-roles). A role of the same name in `permissions.yml` replaces
// one, and a role with `extends` narrows one. `port-editor` is made for that: `extends: port-editor` and the `groups` of a
// closet.

/** Calls that everybody may make: about themselves, and about the server. */
const self: Permission = { methods: ["GET", "POST"], endpoints: ["/auth/*", "/system/version"] }

const reading: Permission = { methods: ["GET"], endpoints: ["*"], pages: ["*"], rights: ["read"] }

/** Reads that are sent with a body and change nothing. */
const asking: Permission = {
  methods: ["POST"],
  endpoints: [
    "/settings/model",
    "/settings/model/{file}",
    "/device_initcheck/{id}",
    "/device/{hostname}/render",
    "/firmware/upgradecheck",
    "/repository/{name}/check"
  ]
}

const portEditor: ReadonlyArray<Permission> = [
  self,
  {
    methods: ["GET"],
    endpoints: [
      "/devices",
      "/device/*",
      "/statecharts",
      "/groups",
      "/groups/*",
      "/jobs",
      "/job/{id}",
      "/job/{id}/diffs",
      "/job/{id}/progress",
      "/events",
      "/find",
      "/configs",
      "/views"
    ],
    pages: ["Dashboard", "Devices", "Jobs"],
    rights: ["read", "write"]
  },
  {
    methods: ["PUT"],
    endpoints: ["/device/{hostname}/interfaces", "/device/{hostname}/interface_status"],
    rights: ["write"]
  },
  { methods: ["POST"], endpoints: ["/device/{hostname}/interfaces/preview"] },
  {
    methods: ["POST"],
    endpoints: ["/device_syncto", "/device_syncto/hostname/{hostname}"],
    jobs: ["sync_devices"],
    max_devices: 10,
    rights: ["write"]
  }
]

const ANY = ["*"]

/** States of a switch to which the server does not yet send a login of the fleet. */
const BLANK = ["UNKNOWN", "PRE_CONFIGURED", "DHCP_BOOT", "DISCOVERED"]

/** Fields that any device may get and that affect neither its address nor its login. */
const described = { description: ANY, site_id: ANY, site: ANY }

/** A switch before discovery or initialisation, which gives it its management address. */
const blank = {
  ...described,
  hostname: ANY,
  device_type: ANY,
  state: BLANK,
  ztp_mac: ANY,
  dhcp_ip: ANY,
  serial: ANY,
  platform: ANY,
  vendor: ANY,
  model: ANY,
  os_version: ANY
}

const provisioner: ReadonlyArray<Permission> = [
  self,
  reading,
  asking,
  { methods: ["POST"], endpoints: ["/device"], fields: blank, rights: ["write"] },
  { methods: ["PUT"], endpoints: ["/device/{id}"], states: BLANK, fields: blank, rights: ["write"] },
  { methods: ["PUT"], endpoints: ["/device/{id}"], fields: described, rights: ["write"] },
  { methods: ["POST"], endpoints: ["/discover_device", "/device_discover"], states: BLANK, rights: ["write"] },
  {
    methods: ["POST"],
    endpoints: ["/device_init/{id}", "/new_devices", "/device_update_facts", "/device_update_interfaces"],
    rights: ["write"]
  },
  {
    methods: ["PUT"],
    endpoints: ["/device/{hostname}/stackmember", "/new_devices/{id}", "/job/{id}"],
    rights: ["write"]
  }
]

const operator: ReadonlyArray<Permission> = [
  self,
  {
    methods: ["GET", "POST", "PUT"],
    endpoints: ["*"],
    pages: ["*"],
    rights: ["read", "write", "emergency", "skip_checks"]
  },
  {
    methods: ["DELETE"],
    endpoints: [
      "/linknets",
      "/linknet/{id}",
      "/joblocks",
      "/alerts/mutes/{id}",
      "/learned_lines/{id}",
      "/views/{id}",
      "/proposals/{id}"
    ],
    rights: ["write", "spellings"]
  }
]

/** States in which a switch has the address of its lease. */
const LEASED = ["DHCP_BOOT", "DISCOVERED"]

/** The facts that a DHCP server knows: a switch has asked for a lease, and got this address. */
const dhcpHook: ReadonlyArray<Permission> = [
  self,
  { methods: ["POST"], endpoints: ["/dhcp_leases"] },
  // the calls of earlier hooks
  { methods: ["GET"], endpoints: ["/devices"] },
  {
    methods: ["POST"],
    endpoints: ["/device"],
    fields: {
      hostname: ANY,
      ztp_mac: ANY,
      dhcp_ip: ANY,
      platform: ANY,
      state: ["DHCP_BOOT"],
      device_type: ["UNKNOWN"]
    }
  },
  {
    methods: ["POST"],
    endpoints: ["/device_discover", "/discover_device"],
    states: LEASED,
    fields: { ztp_mac: ANY, dhcp_ip: ANY }
  },
  { methods: ["PUT"], endpoints: ["/device/{id}"], states: LEASED, fields: { dhcp_ip: ANY } }
]

const monitoring: ReadonlyArray<Permission> = [
  self,
  {
    methods: ["GET"],
    endpoints: [
      "/devices",
      "/device/{name}",
      "/jobs",
      "/job/{id}",
      "/joblocks",
      "/linknets",
      "/groups",
      "/events",
      "/metrics"
    ],
    rights: ["read"]
  }
]

/** People who look after others' work: everything that happened, who has which access, and where secrets are used. They change nothing. */
const auditor: ReadonlyArray<Permission> = [
  self,
  {
    methods: ["GET"],
    endpoints: [
      "/devices",
      "/device/*",
      "/statecharts",
      "/groups",
      "/groups/*",
      "/jobs",
      "/job/*",
      "/events",
      "/configs",
      "/audit",
      "/audit/*",
      "/windows",
      "/secrets",
      "/views",
      "/auth/*"
    ],
    pages: ["Dashboard", "Devices", "Groups", "Jobs"],
    rights: ["read", "audit"]
  }
]

/** Roles by name. */
export const readyRoles: ReadonlyMap<string, ReadonlyArray<Permission>> = new Map([
  ["reader", [self, reading, asking]],
  ["port-editor", portEditor],
  ["provisioner", provisioner],
  ["operator", operator],
  ["administrator", [{ methods: ["*"], endpoints: ["*"], pages: ["*"], rights: ["*"] }]],
  ["auditor", auditor],
  ["dhcp-hook", dhcpHook],
  ["monitoring", monitoring]
])

const list = Schema.Array(Schema.String)

/** A role as the file has it. Its other fields narrow the permissions that it takes over by `extends`. */
const Role = Schema.Struct({
  extends: Schema.optionalKey(Schema.String),
  permissions: Schema.optionalKey(Schema.Array(Permission)),
  groups: Schema.optionalKey(list),
  device_types: Schema.optionalKey(list),
  interfaces: Schema.optionalKey(list),
  states: Schema.optionalKey(list),
  jobs: Schema.optionalKey(list),
  live: Schema.optionalKey(Schema.Boolean),
  max_devices: Schema.optionalKey(Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(1)))),
  approval: Schema.optionalKey(Schema.Boolean)
})

const FileSchema = Schema.Struct({
  config: Schema.optionalKey(
    Schema.NullOr(Schema.Struct({ default_permissions: Schema.optionalKey(Schema.NullOr(Schema.String)) }))
  ),
  approval: Schema.optionalKey(Schema.NullOr(Schema.Struct({ security: Schema.optionalKey(Schema.Boolean) }))),
  group_mappings: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.Record(Schema.String, list)))),
  roles: Schema.Record(Schema.String, Role)
})
type PermissionFile = typeof FileSchema.Type

/** Roles by name, ready for checks. */
export interface Permissions {
  readonly roles: ReadonlyMap<string, ReadonlyArray<Permission>>
  /** The role of every caller; null without one. */
  readonly defaultRole: string | null
  /** By attribute and its value: roles. */
  readonly mappings: Readonly<Record<string, Readonly<Record<string, ReadonlyArray<string>>>>>
  /** Roles that have `free_lines` without naming it, because they may set whole configurations. */
  readonly impliedFreeLines: ReadonlyArray<string>
  /** Requests that would undermine approvals need an approval themselves (docs/security.md#four-eyes). */
  readonly securityApproval: boolean
}

/** A role of a caller. */
export interface HeldRole {
  readonly name: string
  readonly permissions: ReadonlyArray<Permission>
}

const decode = Schema.decodeUnknownResult(FileSchema, { onExcessProperty: "error" })

type Lists = Pick<Permission, "groups" | "device_types" | "interfaces" | "states" | "jobs">

/** The items in both lists; `*` names everything. */
const common = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (a.includes("*")) return b
  return b.includes("*") ? a : a.filter((word) => b.includes(word))
}

const commonLists = (a: Lists, b: Lists): Lists => ({
  ...a,
  ...b,
  ...(a.groups && b.groups ? { groups: common(a.groups, b.groups) } : {}),
  ...(a.device_types && b.device_types ? { device_types: common(a.device_types, b.device_types) } : {}),
  ...(a.interfaces && b.interfaces ? { interfaces: common(a.interfaces, b.interfaces) } : {}),
  ...(a.states && b.states ? { states: common(a.states, b.states) } : {}),
  ...(a.jobs && b.jobs ? { jobs: common(a.jobs, b.jobs) } : {})
})

/** The permission within the other fields of its role: none of them extends the permission. */
const narrowed = (role: typeof Role.Type, permission: Permission): Permission => {
  const { approval, extends: _base, live, max_devices, permissions: _own, ...lists } = role
  const limits = [max_devices, permission.max_devices].filter((limit) => limit !== undefined)
  return {
    ...permission,
    ...commonLists(permission, lists),
    ...(live === false ? { live } : {}),
    ...(approval === true ? { approval } : {}),
    ...(limits.length === 0 ? {} : { max_devices: Math.min(...limits) })
  }
}

const APPLY_CONFIG = "/device/{hostname}/apply_config"

/**
 * A site's own permission with the rights that it had before these rights existed: a role that may set a whole configuration
 * may set free lines on a port, and a role that may do everything may trust as well. A permission from a ready role has exactly
 * the rights written there.
 */
const withFormerRights = (own: Permission): Permission => {
  const { rights = [] } = own
  const former = [
    ...(coversCall(own, "POST", APPLY_CONFIG) ? ["free_lines"] : []),
    ...(isEverything(own) ? ["trust", "spellings"] : [])
  ].filter((right) => !includes(rights, right))
  return former.length === 0 ? own : { ...own, rights: [...rights, ...former] }
}

const compile = ({ approval, config, group_mappings, roles }: PermissionFile): Result.Result<Permissions, string> => {
  const compiled = new Map<string, ReadonlyArray<Permission>>(readyRoles)
  const impliedFreeLines: Array<string> = []
  for (const [name, role] of Object.entries(roles)) {
    const base = role.extends === undefined ? [] : readyRoles.get(role.extends)
    if (base === undefined) {
      return Result.fail(
        `roles.${name}.extends: there is no ready role ${role.extends} (${[...readyRoles.keys()].join(", ")})`
      )
    }
    const own = (role.permissions ?? []).map((permission) => narrowed(role, permission))
    const complete = own.map(withFormerRights)
    const hasFreeLines = ({ rights = [] }: Permission) => includes(rights, "free_lines")
    if (complete.some(hasFreeLines) && !own.some(hasFreeLines)) impliedFreeLines.push(name)
    compiled.set(name, [...base.map((permission) => narrowed(role, permission)), ...complete])
  }
  const defaultRole = config?.default_permissions ?? null
  if (defaultRole !== null && !compiled.has(defaultRole)) return Result.fail("Default permission is not defined")
  const mappings = group_mappings ?? {}
  for (const [attribute, values] of Object.entries(mappings)) {
    for (const [value, wanted] of Object.entries(values)) {
      const unknown = wanted.find((role) => !compiled.has(role))
      if (unknown !== undefined) {
        return Result.fail(`Role permission:${unknown} is not defined, but is request for ${value} in ${attribute}`)
      }
    }
  }
  for (const [name, permissions] of compiled) {
    const globs = permissions.flatMap(({ endpoints = [], interfaces = [] }) => [...endpoints, ...interfaces])
    const bad = globs.find((glob) => !isGlob(glob))
    if (bad !== undefined) return Result.fail(`roles.${name}: ${bad} is not a glob`)
    const state = permissions
      .flatMap(({ states = [] }) => states)
      .find((word) => !deviceStates.some((known) => known === word))
    if (state !== undefined) {
      return Result.fail(`roles.${name}.states: ${state} is not one of ${deviceStates.join(", ")}`)
    }
  }
  return Result.succeed({
    roles: compiled,
    defaultRole,
    mappings,
    impliedFreeLines,
    securityApproval: approval?.security === true
  })
}

/** The roles of a file, given as plain data; or its first mistake. */
export const readPermissions = (data: unknown): Result.Result<Permissions, string> =>
  Result.flatMap(
    Result.mapError(decode(data), (error) => error.message),
    compile
  )

/** The roles of a caller: the default one, those of their attributes, and those that came with the login. */
export const rolesOf = (permissions: Permissions, { attributes, roles }: Pick<Identity, "attributes" | "roles">) => {
  const { defaultRole, mappings } = permissions
  const mapped = Object.entries(mappings).flatMap(([attribute, values]) =>
    (Object.hasOwn(attributes, attribute) ? (attributes[attribute] ?? []) : []).flatMap((value) =>
      Object.hasOwn(values, value) ? (values[value] ?? []) : []
    )
  )
  const names = new Set([...(defaultRole === null ? [] : [defaultRole]), ...mapped, ...roles])
  return [...names].flatMap((name): ReadonlyArray<HeldRole> => {
    const found = permissions.roles.get(name)
    return found === undefined ? [] : [{ name, permissions: found }]
  })
}
