/** Requests about the system: software, hardware, members, times. With several engines or members each one answers for itself. */
import type { Switch } from "../../Switch.ts"
import * as Database from "../Database.ts"
import * as State from "../State.ts"
import * as Xml from "../Xml.ts"
import { issuesAsXml, refusal, type Request, request } from "./Reply.ts"

/** Names of the engines that answer; one alone needs no name. */
const enginesOf = ({ behaviour: { junos } }: Switch): ReadonlyArray<string> =>
  junos.members > 1
    ? Array.from({ length: junos.members }, (_, member) => `fpc${member}`)
    : Array.from({ length: junos.routingEngines }, (_, number) => `re${number}`)

const byEngine = (device: Switch, answer: (engine: number) => string): string => {
  const names = enginesOf(device)
  if (names.length < 2) return answer(0)
  return Xml.around(
    "multi-routing-engine-results",
    names.map((name, number) => Xml.around("multi-routing-engine-item", [Xml.leaf("re-name", name), answer(number)]))
  )
}

const model = ({ hardware }: Switch) => hardware.model.toLowerCase()

const reading =
  (answer: (device: Switch) => string): Request["run"] =>
  ({ device }) => ({ body: answer(device) })

const system = (device: Switch): string =>
  Xml.around("system-information", [
    Xml.leaf("hardware-model", model(device)),
    Xml.leaf("os-name", "junos"),
    Xml.leaf("os-version", device.version),
    Xml.leaf("serial-number", device.hardware.serial),
    Xml.leaf("host-name", device.facts.hostname)
  ])

const packageOf = (name: string, comment: string) =>
  Xml.around("package-information", [Xml.leaf("name", name), Xml.leaf("comment", comment)])

const software = (device: Switch): string =>
  byEngine(device, () =>
    Xml.around("software-information", [
      Xml.leaf("host-name", device.facts.hostname),
      Xml.leaf("product-model", model(device)),
      Xml.leaf("product-name", model(device)),
      ...(State.isOldRelease(device)
        ? [packageOf("junos", `JUNOS Base OS boot [${device.version}]`)]
        : [
            Xml.leaf("junos-version", device.version),
            packageOf("os-kernel", `JUNOS OS Kernel 64-bit [${device.version}]`)
          ])
    ])
  )

const module = (name: string, serial: string, description: string) =>
  Xml.around("chassis-module", [
    Xml.leaf("name", name),
    Xml.leaf("version", "REV 12"),
    Xml.leaf("part-number", "650-059881"),
    Xml.leaf("serial-number", serial),
    Xml.leaf("description", description),
    Xml.leaf("model-number", description)
  ])

const inventory = (device: Switch): string => {
  const { hardware } = device
  const members = State.members(device)
  const isVirtual = members.length > 1
  return Xml.around(
    "chassis-inventory",
    Xml.around(
      "chassis",
      [
        Xml.leaf("name", "Chassis"),
        ...(isVirtual ? [] : [Xml.leaf("serial-number", hardware.serial)]),
        Xml.leaf("description", isVirtual ? "Virtual Chassis" : hardware.model),
        ...members.map(({ id, serial }) => module(`FPC ${id}`, serial, hardware.model))
      ],
      { "junos:style": "inventory" }
    )
  )
}

const seconds = (milliseconds: number) => Math.floor(milliseconds / 1000)

const stamp = (at: number) => Xml.leaf("date-time", Database.moment(at), { "junos:seconds": seconds(at) })

const since = (name: string, at: number, ...more: ReadonlyArray<string>) =>
  Xml.around(name, [
    stamp(at),
    Xml.leaf("time-length", Database.span(seconds(Date.now() - at)), { "junos:seconds": seconds(Date.now() - at) }),
    ...more
  ])

const uptime = (device: Switch): string =>
  byEngine(device, () => {
    const [last] = Database.of(device).history
    return Xml.around("system-uptime-information", [
      Xml.around("current-time", stamp(Date.now())),
      Xml.leaf("time-source", "NTP CLOCK"),
      since("system-booted-time", device.bootedAt),
      since("protocols-started-time", device.bootedAt),
      since("last-configured-time", last?.at ?? device.bootedAt, Xml.leaf("user", last?.user ?? "root"))
    ])
  })

const virtualChassis: Request["run"] = ({ device }) => {
  const members = State.members(device)
  if (members.length < 2)
    return refusal(device, "command is not valid on this platform: virtual chassis is not configured")
  return {
    body: Xml.around("virtual-chassis-information", [
      Xml.around("virtual-chassis-id-information", Xml.leaf("virtual-chassis-id", "19ab.1c23.4d5e")),
      Xml.around(
        "member-list",
        members.map(({ id, role, serial }) =>
          Xml.around("member", [
            Xml.leaf("member-status", "Prsnt"),
            Xml.leaf("member-id", id),
            Xml.leaf("fpc-slot", `(FPC ${id})`),
            Xml.leaf("member-serial-number", serial),
            Xml.leaf("member-model", model(device)),
            Xml.leaf("member-priority", 128),
            Xml.leaf("member-mixed-mode", "N"),
            Xml.leaf("member-role", role)
          ])
        )
      )
    ])
  }
}

const routingEngines = (device: Switch): string =>
  byEngine(device, (engine) =>
    Xml.around(
      "route-engine-information",
      Xml.around("route-engine", [
        Xml.leaf("slot", engine),
        Xml.leaf("mastership-state", engine === 0 ? "master" : "backup"),
        Xml.leaf("status", "OK"),
        Xml.leaf("memory-buffer-utilization", 41),
        Xml.leaf("cpu-idle", 92),
        Xml.leaf("model", "RE"),
        Xml.leaf("up-time", Database.span(seconds(Date.now() - device.bootedAt)), {
          "junos:seconds": seconds(Date.now() - device.bootedAt)
        })
      ])
    )
  )

const users: Request["run"] = ({ device }) => ({
  body: Xml.around(
    "system-users-information",
    Xml.around(
      "uptime-information",
      Xml.around(
        "user-table",
        [...Database.of(device).logins.values()].map(({ pid, terminal, user }) =>
          Xml.around("user-entry", [Xml.leaf("user", user), Xml.leaf("tty", terminal), Xml.leaf("pid", pid)])
        )
      )
    )
  )
})

const alarms = (device: Switch): string =>
  Xml.around("alarm-information", Xml.around("alarm-summary", Xml.leaf("no-active-alarms"))) + issuesAsXml(device, [])

/** By the name of their element. */
export const requests: ReadonlyArray<readonly [string, Request]> = [
  ["get-system-information", request("showVersion", reading(system))],
  ["get-software-information", request("showVersion", reading(software))],
  ["get-chassis-inventory", request("showVersion", reading(inventory))],
  ["get-system-uptime-information", request("showState", reading(uptime))],
  ["get-virtual-chassis-information", request("showVersion", virtualChassis)],
  ["get-route-engine-information", request("showState", reading(routingEngines))],
  ["get-system-users-information", request("showSessions", users)],
  ["get-alarm-information", request("showState", reading(alarms))],
  ["get-system-alarm-information", request("showState", reading(alarms))]
]
