/**
 * A campus whose access switches are managed already, for tests that break a sync at a chosen point: the switches run an
 * old configuration of their own and the database says what they should run, so the next live sync changes all of them.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type LabShape, makeLab } from "../../../src/lab/Lab.ts"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import type { Node } from "../../../src/lab/Topology.ts"
import type { Device } from "../../../src/domain/Device.ts"
import type { DeviceResult, Job } from "../../../src/domain/Job.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { InterfaceStore } from "../../../src/store/InterfaceStore.ts"
import * as Campus from "../../support/Campus.ts"

const MODEL = "CCS-720XP-24ZY4-F"
const FIRST_ADDRESS = 10

/** The names of the switches, which are their hostnames too. The settings have groups for single digits. */
export const accessNames = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `lhv-acc${index + FIRST_ADDRESS}`)

/** Addresses of one third octet that are used; further switches go into the next one, below a wider gateway. */
const PER_OCTET = 250
const NARROW = 24
/** Room for 16 octets, which are some 4,000 switches. */
const WIDE = 20

/** The length of the prefix in which so many switches have their addresses. */
const prefixFor = (count: number): number => (FIRST_ADDRESS + count < PER_OCTET ? NARROW : WIDE)

export const addressOf = (index: number): string => {
  const number = FIRST_ADDRESS + index
  const octet = Math.floor(number / PER_OCTET)
  return `10.196.${16 + octet}.${(number % PER_OCTET) + Math.min(octet, 1)}`
}

/** The configuration of a switch before its first sync: enough to be reachable, and nothing of the templates. */
const oldConfig = (hostname: string, address: string): string => `hostname ${hostname}
username switchyard privilege 15 role network-admin secret sha512 ${Campus.HASH}
aaa authorization exec default local
lldp run
vlan 3016
   name OLD-MANAGEMENT
interface Vlan3016
   ip address ${address}/24
`

/** The managed access switch of the lab with this number, from 0. */
export const managedNode = (name: string, index: number): Node => ({
  role: "access",
  gateway: true,
  model: MODEL,
  ports: 28,
  "startup-config": oldConfig(name, addressOf(index))
})

/** The peculiarities of all switches, or of each. */
export type Peculiar = Partial<Node> | ReadonlyArray<Partial<Node>>

const isOfEach = (peculiar: Peculiar): peculiar is ReadonlyArray<Partial<Node>> => Array.isArray(peculiar)

/** The lab of so many managed access switches. `commitMs` is how long each takes to commit, see `Peculiar`. */
export const makeManagedLab = (
  names: ReadonlyArray<string>,
  commitMs = 0,
  historyLimit = 200,
  peculiar: Peculiar = {},
  links: ReadonlyArray<Campus.Link> = []
) =>
  makeLab(
    {
      name: "managed",
      topology: {
        defaults: {
          kind: "eos",
          passwords: { switchyard: Campus.PASSWORD, [Campus.NEXT_HASH]: Campus.NEXT_PASSWORD },
          version: "4.31.4M",
          commitMs
        },
        nodes: Object.fromEntries(
          names.map((name, index) => {
            const own = isOfEach(peculiar) ? peculiar[index] : peculiar
            return [name, { ...managedNode(name, index), ...own }]
          })
        ),
        links
      }
    },
    { historyLimit }
  )

/** The rows of managed switches of one platform. */
export interface ManagedRows {
  readonly platform: string
  readonly model: string
  /** Ports to users, and those to the distribution switches. */
  readonly ports: ReadonlyArray<string>
  readonly uplinks: ReadonlyArray<string>
}

const eosRows: ManagedRows = {
  platform: "eos",
  model: MODEL,
  ports: [1, 2, 3, 4].map((port) => `Ethernet${port}`),
  uplinks: ["Ethernet27", "Ethernet28"]
}

const seedPorts = Effect.fnUntraced(function* (device: Device, { ports, uplinks }: ManagedRows) {
  const interfaces = yield* InterfaceStore
  for (const port of ports) yield* interfaces.put(device.id, port, "ACCESS_AUTO", null)
  for (const port of uplinks) yield* interfaces.put(device.id, port, "ACCESS_UPLINK", null)
})

/** The rows of the switches, MANAGED and not synchronized, and their site. */
export const seedManaged = Effect.fnUntraced(function* (names: ReadonlyArray<string>, rows = eosRows) {
  yield* Campus.seedSiteOf(prefixFor(names.length))
  const devices = yield* DeviceStore
  return yield* Effect.forEach(names, (hostname, index) =>
    devices
      .insert({
        hostname,
        state: "MANAGED",
        device_type: "ACCESS",
        platform: rows.platform,
        management_ip: addressOf(index),
        model: rows.model,
        synchronized: false
      })
      .pipe(Effect.tap((device) => seedPorts(device, rows)))
  )
})

/** Gives every device a new description on its first port: the next sync has something to change on each. */
export const wantChange = Effect.fnUntraced(function* (devices: ReadonlyArray<Device>, description: string) {
  const interfaces = yield* InterfaceStore
  const sql = yield* SqlClient.SqlClient
  for (const { id } of devices) yield* interfaces.put(id, "Ethernet1", "ACCESS_AUTO", { description })
  yield* sql`update device set synchronized = false where ${sql.in(
    "id",
    devices.map(({ id }) => id)
  )}`
})

const VOLATILE = /^! (?:Command|device|Time|Startup-config)/

/** A printed configuration without its header lines. */
export const stripped = (text: string | undefined): string =>
  (text ?? "")
    .split("\n")
    .filter((line) => !VOLATILE.test(line))
    .join("\n")

/** As `stripped`, with what is the device's own taken out. */
export const comparable = (text: string | undefined, hostname: string, address: string): string =>
  stripped(text)
    .replaceAll(new RegExp(`\\b${hostname}\\b`, "g"), "HOST")
    .replaceAll(new RegExp(`\\b${address.replaceAll(".", "\\.")}\\b`, "g"), "ADDRESS")

/** Sessions and timers on a switch that are ours. */
export const debrisOn = (device: LabSwitch): ReadonlyArray<string> => {
  const timer = device.timer()
  return [
    ...device
      .sessions()
      .filter(({ name, state }) => name.startsWith("job") && (state === "pending" || state === "pendingCommitTimer"))
      .map(({ name, state }) => `session ${name} (${state})`),
    ...(timer?.session.startsWith("job") === true ? [`timer of ${timer.session}`] : [])
  ]
}

const isDevices = (result: unknown): result is { readonly devices: Readonly<Record<string, DeviceResult>> } =>
  typeof result === "object" && result !== null && "devices" in result

/** The record of a sync about each device. */
export const devicesOf = ({ result }: Job): Readonly<Record<string, DeviceResult>> =>
  isDevices(result) ? result.devices : {}

/** The switches of the lab in the order of their names. */
export const switchesOf = (lab: LabShape, names: ReadonlyArray<string>) =>
  Effect.orDie(Effect.forEach(names, (name) => lab.get(name)))
