/**
 * Roles that every site has without writing them (docs/roles.md#ready-roles). A role of the same name in `permissions.yml` replaces
 * one, and a role with `extends` narrows one. `port-editor` is made for that: `extends: port-editor` and the `groups` of a closet.
 */
import type { Permission } from "./PermissionRule.ts"

/** What everybody may ask: who they are, and what the server is. */
const self: Permission = { methods: ["GET", "POST"], endpoints: ["/auth/*", "/system/version"] }

const reading: Permission = { methods: ["GET"], endpoints: ["*"], pages: ["*"], rights: ["read"] }

/** Questions that are sent with a body and change nothing. */
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
      "/events",
      "/find"
    ],
    pages: ["Dashboard", "Devices", "Jobs"],
    rights: ["read", "write"]
  },
  {
    methods: ["PUT"],
    endpoints: ["/device/{hostname}/interfaces", "/device/{hostname}/interface_status"],
    rights: ["write"]
  },
  {
    methods: ["POST"],
    endpoints: ["/device_syncto", "/device_syncto/hostname/{hostname}"],
    jobs: ["sync_devices"],
    max_devices: 10,
    rights: ["write"]
  }
]

const provisioner: ReadonlyArray<Permission> = [
  self,
  reading,
  asking,
  {
    methods: ["POST"],
    endpoints: ["/device", "/device_init/{id}", "/discover_device", "/device_discover"],
    rights: ["write"]
  },
  { methods: ["POST"], endpoints: ["/device_update_facts", "/device_update_interfaces"], rights: ["write"] },
  {
    methods: ["PUT"],
    endpoints: ["/device/{id}", "/device/{hostname}/stackmember", "/job/{id}"],
    rights: ["write"]
  }
]

const operator: ReadonlyArray<Permission> = [
  self,
  { methods: ["GET", "POST", "PUT"], endpoints: ["*"], pages: ["*"], rights: ["read", "write", "emergency"] },
  {
    methods: ["DELETE"],
    endpoints: ["/linknets", "/linknet/{id}", "/joblocks", "/alerts/mutes/{id}"],
    rights: ["write"]
  }
]

const dhcpHook: ReadonlyArray<Permission> = [
  self,
  { methods: ["GET"], endpoints: ["/devices"] },
  { methods: ["POST"], endpoints: ["/device", "/device_discover"] },
  { methods: ["PUT"], endpoints: ["/device/{id}"] }
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

/** Roles by name. */
export const readyRoles: ReadonlyMap<string, ReadonlyArray<Permission>> = new Map([
  ["reader", [self, reading, asking]],
  ["port-editor", portEditor],
  ["provisioner", provisioner],
  ["operator", operator],
  ["administrator", [{ methods: ["*"], endpoints: ["*"], pages: ["*"], rights: ["*"] }]],
  ["dhcp-hook", dhcpHook],
  ["monitoring", monitoring]
])
