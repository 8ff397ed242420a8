/** Show commands of the operational mode as text, with the pipes that people use behind them. */
import type { Switch } from "../Switch.ts"
import * as Braces from "./Braces.ts"
import * as Commits from "./Commits.ts"
import * as Config from "./Config.ts"
import type { Entry } from "./Config.ts"
import * as Database from "./Database.ts"
import type { Login } from "./Database.ts"
import * as Inheritance from "./Inheritance.ts"
import { stamp } from "./rpc/Configuration.ts"
import { seesSecrets } from "./rpc/Reply.ts"
import * as SetLines from "./SetLines.ts"
import * as State from "./State.ts"

/** A command and what follows each of its pipes. */
interface Line {
  readonly words: ReadonlyArray<string>
  readonly pipes: ReadonlyArray<ReadonlyArray<string>>
}

/** Words in quotation marks are one word. */
export const split = (line: string): Line => {
  const [command = "", ...pipes] = line.split(/\s\|\s*|^\|\s*/)
  const words = (text: string) =>
    [...text.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "")
  return { words: words(command), pipes: pipes.map(words) }
}

const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd()
    )
    .map((line) => `${line}\n`)
    .join("")
}

const secretsOf = (device: Switch, login: Login): Braces.SecretView =>
  seesSecrets(device, login.user) ? "marked" : "hidden"

const hasPipe = (pipes: Line["pipes"], ...words: ReadonlyArray<string>) =>
  pipes.some((pipe) => words.every((word, index) => pipe[index] === word))

/** A section of a configuration as a pipe asks for it; undefined when the path names nothing. */
export const configuration = (
  device: Switch,
  login: Login,
  root: Entry,
  path: ReadonlyArray<string>,
  pipes: Line["pipes"]
): string | undefined => {
  const secrets = secretsOf(device, login)
  const resolved = hasPipe(pipes, "display", "inheritance") ? Inheritance.expanded(root) : root
  const found = path.length === 0 ? { entry: resolved } : Config.find(resolved, path)
  if (found === undefined) return undefined
  if (hasPipe(pipes, "display", "set")) return SetLines.print(found.entry, path, secrets)
  return Braces.print(found.entry, secrets)
}

const showConfiguration = (device: Switch, login: Login, path: ReadonlyArray<string>, pipes: Line["pipes"]): string => {
  const compare = pipes.find(([word]) => word === "compare")
  if (compare !== undefined)
    return (
      Commits.between(device, Number(compare[2] ?? 1), 0, secretsOf(device, login)) ?? "error: no such rollback file\n"
    )
  const text = configuration(device, login, Database.committed(device), path, pipes) ?? ""
  return path.length > 0 || hasPipe(pipes, "display", "set") ? text : `${stamp(device, true).line}\n${text}`
}

const commits = (device: Switch): string =>
  Database.of(device)
    .history.map(({ at, client, comment, log, pending, user }, index) => {
      const head = `${String(index).padEnd(4)}${Database.moment(at)} by ${user} via ${client}${comment === undefined ? "" : ` ${comment}`}\n`
      const mark = pending && !device.behaviour.junos.noPendingMark ? "    rollback pending\n" : ""
      return head + (log === undefined ? "" : `    ${log}\n`) + mark
    })
    .join("")

const version = (device: Switch): string => {
  const { hardware } = device
  const one = `Hostname: ${device.facts.hostname}\nModel: ${hardware.model.toLowerCase()}\nJunos: ${device.version}\nJUNOS OS Kernel 64-bit  [${device.version}]\n`
  const members = State.members(device)
  return members.length < 2 ? one : members.map(({ id }) => `fpc${id}:\n${"-".repeat(74)}\n${one}`).join("\n")
}

const interfaces = (device: Switch): string =>
  table([
    ["Interface", "Admin", "Link", "Proto", "Local"],
    ...State.ports(device).flatMap((port) => [
      [port.name, port.admin, port.oper, "", ""],
      ...port.units.map((unit) => [
        unit.name,
        unit.isDown ? "down" : "up",
        port.oper,
        unit.families[0]?.name ?? "",
        unit.families[0]?.addresses[0] ?? ""
      ])
    ])
  ])

const descriptions = (device: Switch): string =>
  table([
    ["Interface", "Admin", "Link", "Description"],
    ...State.ports(device)
      .filter(({ description }) => description !== "")
      .map(({ admin, description, name, oper }) => [name, admin, oper, description])
  ])

const lldp = (device: Switch): string =>
  table([
    ["Local Interface", "Parent Interface", "Chassis Id", "Port info", "System Name"],
    ...State.neighbours(device).map((one) => [one.port, "-", one.chassisId, one.neighbourPort, one.systemName])
  ])

const stations = (device: Switch): string =>
  table([
    ["Vlan name", "MAC address", "MAC flags", "Age", "Logical interface"],
    ...State.stations(device).map(({ mac, port, vlan }) => [
      State.vlanName(device, vlan),
      mac,
      "D",
      "-",
      State.logical(port)
    ])
  ])

const arp = (device: Switch): string =>
  table([
    ["MAC Address", "Address", "Interface", "Flags"],
    ...State.stations(device)
      .filter(({ ip }) => ip !== undefined)
      .map(({ ip = "", mac, vlan }) => [mac, ip, device.software.vlanPort(device.running, vlan), "none"])
  ])

const hardware = (device: Switch): string =>
  table([
    ["Item", "Version", "Part number", "Serial number", "Description"],
    ["Chassis", "", "", device.hardware.serial, device.hardware.model],
    ...State.members(device).map(({ id, serial }) => [
      `FPC ${id}`,
      "REV 12",
      "650-059881",
      serial,
      device.hardware.model
    ])
  ])

const uptime = (device: Switch): string => {
  const [last] = Database.of(device).history
  return (
    `Current time: ${Database.moment(Date.now())}\nSystem booted: ${Database.moment(device.bootedAt)}\n` +
    `Last configured: ${Database.moment(last?.at ?? device.bootedAt)} by ${last?.user ?? "root"}\n`
  )
}

const vlans = (device: Switch): string =>
  table([
    ["Routing instance", "VLAN name", "Tag"],
    ...Config.entriesOf(Config.at(Inheritance.effective(Database.committed(device)), "vlans"), "").map((vlan) => [
      "default-switch",
      vlan.key ?? "",
      Config.value(vlan, "vlan-id") ?? ""
    ])
  ])

const virtualChassis = (device: Switch): string => {
  const members = State.members(device)
  if (members.length < 2) return "error: command is not valid on the " + device.hardware.model.toLowerCase() + "\n"
  return table([
    ["Member ID", "Status", "Serial No", "Model", "Role"],
    ...members.map(({ id, role, serial }) => [
      `${id} (FPC ${id})`,
      "Prsnt",
      serial,
      device.hardware.model.toLowerCase(),
      role
    ])
  ])
}

const SHOWS: Readonly<Record<string, (device: Switch) => string>> = {
  "show version": version,
  "show chassis hardware": hardware,
  "show virtual-chassis": virtualChassis,
  "show interfaces terse": interfaces,
  "show interfaces descriptions": descriptions,
  "show lldp neighbors": lldp,
  "show ethernet-switching table": stations,
  "show arp no-resolve": arp,
  "show arp": arp,
  "show vlans": vlans,
  "show system uptime": uptime,
  "show system commit": commits
}

const rollback = (device: Switch, login: Login, words: ReadonlyArray<string>): string => {
  const secrets = secretsOf(device, login)
  const number = Number(words[3])
  const other = words[4] === "compare" ? Number(words[5]) : undefined
  const text =
    other === undefined ? Database.of(device).history[number]?.text : Commits.between(device, number, other, secrets)
  if (text === undefined) return `error: could not open configuration file /config/juniper.conf.${number}.gz\n`
  return other === undefined ? Braces.print(Braces.parse(text), secrets) : text
}

const piped = (text: string, pipes: Line["pipes"]): string => {
  let lines = text.split("\n").slice(0, -1)
  for (const [word, argument = ""] of pipes) {
    if (word === "match") lines = lines.filter((line) => new RegExp(argument, "i").test(line))
    else if (word === "except") lines = lines.filter((line) => !new RegExp(argument, "i").test(line))
    else if (word === "count") lines = [`Count: ${lines.length} lines`]
    else if (word === "last") lines = lines.slice(-Number(argument || 10))
  }
  return lines.map((line) => `${line}\n`).join("")
}

/** The answer of a show command; undefined when the device has none of that name. */
export const run = (device: Switch, login: Login, line: string): string | undefined => {
  const { pipes, words } = split(line)
  const name = words.join(" ")
  if (words[0] !== "show") return undefined
  if (words[1] === "configuration") return piped(showConfiguration(device, login, words.slice(2), pipes), pipes)
  if (name.startsWith("show system rollback ")) return piped(rollback(device, login, words), pipes)
  if (name === "show system configuration rescue") {
    const text = Database.of(device).rescue
    return text === undefined
      ? "error: No existing rescue configuration is set.\n"
      : piped(Braces.print(Braces.parse(text), secretsOf(device, login)), pipes)
  }
  const found = SHOWS[name]
  return found === undefined ? undefined : piped(found(device), pipes)
}
