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

/** States of a switch that no login of the fleet goes to yet. */
const BLANK = ["UNKNOWN", "PRE_CONFIGURED", "DHCP_BOOT", "DISCOVERED"]

/** What is said of any device and decides neither where it is nor how it is logged in to. */
const described = { description: ANY, site_id: ANY, site: ANY }

/** A switch that is still to be discovered or initialised, which gives it its management address. */
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
    endpoints: ["/device_init/{id}", "/device_update_facts", "/device_update_interfaces"],
    rights: ["write"]
  },
  { methods: ["PUT"], endpoints: ["/device/{hostname}/stackmember", "/job/{id}"], rights: ["write"] }
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

/** States in which a switch has the address of its lease. */
const LEASED = ["DHCP_BOOT", "DISCOVERED"]

/** What a DHCP server knows: a switch has asked for a lease, and got this address. */
const dhcpHook: ReadonlyArray<Permission> = [
  self,
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
