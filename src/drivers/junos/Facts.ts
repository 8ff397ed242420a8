/**
 * Facts of a device. A virtual chassis and a device with two routing engines answer for each of them: the device is then what the one
 * in charge says. A virtual chassis has the serial number of its first member, because that stays when another member takes charge.
 */
import { Clock, Effect } from "effect"
import type { ShownIdentity } from "../../domain/DeviceIdentity.ts"
import type { Facts } from "../../domain/DeviceReadings.ts"
import { junos as platform } from "../../domain/platforms/junos/Platform.ts"
import { compareNames } from "../../domain/platforms/Platforms.ts"
import type { DriverTarget } from "../Driver.ts"
import type { ReadError } from "../DriverErrors.ts"
import { child, type Element, findAll, textOf } from "../netconf/Xml.ts"
import type { Question } from "./Dialect.ts"
import {
  type EnginePart,
  firstText,
  isMember,
  type Junos,
  numberIn,
  partsOf,
  secondsOf,
  show,
  showIfKnown,
  textAt,
  unexpected
} from "./Answers.ts"

// Who is in charge.

/** The number of a member or of a routing engine, such as 1 in `fpc1`, `member1-re0`, `re1` and `node1`. */
const numberOf = (engine: string): number | null =>
  numberIn(/^(?:fpc|member)(\d+)/.exec(engine)?.[1] ?? /\d+$/.exec(engine)?.[0] ?? null)

/** The number of the member in charge; null where none is named. */
const masterMember = (members: Element): number | null => {
  const found = findAll(members, "member").find((member) => /^(?:master|primary)/i.test(textOf(member, "member-role")))
  return numberIn(textAt(found, "member-id"))
}

/** The slot of the routing engine in charge; null where none is named, or one in each of several chassis. */
const masterSlot = (engines: Element): number | null => {
  const all = findAll(engines, "route-engine")
  const found = all.filter((one) => /^(?:master|primary)$/i.test(textOf(one, "mastership-state")))
  return found.length === 1 ? numberIn(textAt(found[0], "slot")) : null
}

/** The answers that say who is in charge; null where they were not asked for or are not known. */
export interface Charge {
  readonly members: Element | null
  readonly engines: Element | null
}

/** The part of the one in charge; undefined if several differ and none of them is known to be it. */
const inCharge = (parts: ReadonlyArray<EnginePart>, { engines, members }: Charge): Element | undefined => {
  const [first, ...others] = parts
  if (first === undefined || others.length === 0) return first?.element
  const [byMember, bySlot] = [
    members === null ? null : masterMember(members),
    engines === null ? null : masterSlot(engines)
  ]
  const number = byMember ?? bySlot
  const named = number === null ? undefined : parts.find(({ engine }) => numberOf(engine) === number)
  // logins reach the member in charge, which some releases do not name by its number
  return (named ?? parts.find(({ engine }) => engine === "localre"))?.element
}

/** What all parts say alike; null if they differ. */
const agreed = (parts: ReadonlyArray<EnginePart>, read: (element: Element) => string | null): string | null => {
  const said = new Set(parts.map(({ element }) => read(element)))
  return said.size === 1 ? ([...said][0] ?? null) : null
}

// Single facts.

/** Texts of serial numbers that are none. */
const noSerial = /^(?:builtin|n\/?a|none|unknown|0+|-+)$/i

const realSerial = (text: string | null): string | null => (text === null || noSerial.test(text) ? null : text)

const nameIn = (software: Element): string | null => textAt(software, "host-name")
const modelIn = (software: Element): string | null => firstText(software, "product-model", "product-name")

/** Older releases name their release only behind the names of their packages. Packages of others have releases of their own. */
const versionIn = (software: Element): string | null => {
  const said = textAt(software, "junos-version")
  if (said !== null) return said
  const comments = findAll(software, "package-information").flatMap((one) => textAt(one, "comment") ?? [])
  return comments.flatMap((comment) => /^JUNOS\b.*\[(\d+\.\d+[A-Z]\S*?)\]/i.exec(comment)?.[1] ?? [])[0] ?? null
}

const isVirtual = (inventory: Element): boolean =>
  partsOf(inventory, "chassis").some(({ element }) => /virtual chassis/i.test(textOf(element, "description")))

/** Some chassis have their number on the board behind their slots only. */
const chassisSerial = (inventory: Element): string | null => {
  const chassis = partsOf(inventory, "chassis")[0]?.element
  const board = chassis?.children.find((one) => /^(?:backplane|midplane)$/i.test(textOf(one, "name")))
  return realSerial(textAt(chassis, "serial-number")) ?? realSerial(textAt(board, "serial-number"))
}

const firstMemberSerial = (members: Element): string | null => {
  const sorted = findAll(members, "member").toSorted(
    (one, other) => Number(textOf(one, "member-id")) - Number(textOf(other, "member-id"))
  )
  return sorted.flatMap((member) => realSerial(textAt(member, "member-serial-number")) ?? [])[0] ?? null
}

const serialIn = (inventory: Element, members: Element | null): string | null =>
  (members === null ? null : firstMemberSerial(members)) ?? chassisSerial(inventory)

/** Seconds since the start, from the time of the start where the release gives no length. */
const uptimeIn = (part: Element | undefined): number | null => {
  if (part === undefined) return null
  const booted = child(part, "system-booted-time")
  const length = secondsOf(child(booted, "time-length"))
  if (length !== null) return length
  const [now, start] = [
    secondsOf(child(child(part, "current-time"), "date-time")),
    secondsOf(child(booted, "date-time"))
  ]
  if (now !== null && start !== null) return now - start
  return secondsOf(child(child(part, "uptime-information"), "up-time"))
}

/** Ports and other interfaces without their units, in natural order; null if the answer has no list. */
export const portsOf = (interfaces: Element): ReadonlyArray<string> | null => {
  const lists = partsOf(interfaces, "interface-information")
  if (lists.length === 0) return null
  const names = lists.flatMap(({ element }) =>
    findAll(element, "physical-interface").flatMap((one) => textAt(one, "name") ?? [])
  )
  return [...new Set(names)].toSorted(compareNames)
}

// The record.

/** The answers that facts are made of. */
export interface FactAnswers extends Charge {
  readonly software: Element
  readonly inventory: Element
  readonly uptime: Element
  readonly interfaces: Element
}

/** The record, or null if the answer about the software says nothing of the device. */
export const factsOf = ({ interfaces, inventory, software, uptime, ...charge }: FactAnswers): Facts | null => {
  const parts = partsOf(software, "software-information")
  const own = inCharge(parts, charge)
  const read = (what: (element: Element) => string | null) => (own === undefined ? agreed(parts, what) : what(own))
  const hostname = read(nameIn)
  const model = read(modelIn)
  const os_version = read(versionIn)
  if (hostname === null && model === null && os_version === null) return null
  const uptimes = partsOf(uptime, "system-uptime-information")
  const facts: Facts = {
    hostname,
    fqdn: hostname,
    vendor: platform.vendor,
    model,
    serial_number: serialIn(inventory, charge.members),
    os_version,
    uptime: uptimeIn(inCharge(uptimes, charge) ?? uptimes[0]?.element),
    interface_list: portsOf(interfaces)
  }
  const missing = [
    ["get-software-information", "host-name", hostname],
    ["get-software-information", "product-model", model],
    ["get-software-information", "junos-version", os_version],
    ["get-chassis-inventory", "serial-number", facts.serial_number],
    ["get-system-uptime-information", "system-booted-time", facts.uptime],
    ["get-interface-information", "interface-information", facts.interface_list]
  ] as const
  const remarks = missing.flatMap(([question, field, value]) =>
    value === null
      ? [`"${question}" gives no ${field}${parts.length > 1 ? " that all parts of the device share" : ""}`]
      : []
  )
  return remarks.length === 0 ? facts : { ...facts, remarks }
}

/** Who is in charge, asked only of devices that have several. */
const charge = Effect.fnUntraced(function* (
  junos: Junos,
  parts: ReadonlyArray<EnginePart>,
  inventory: Element | null
): Effect.fn.Return<Charge, ReadError> {
  const isChassis = parts.some(isMember) || (inventory !== null && isVirtual(inventory))
  const members = isChassis ? yield* showIfKnown(junos, "get-virtual-chassis-information") : null
  const isDouble = parts.length > 1 && !isChassis
  return { members, engines: isDouble ? yield* showIfKnown(junos, "get-route-engine-information") : null }
})

/** See `DriverSession.facts`. */
export const facts = Effect.fnUntraced(function* (junos: Junos) {
  const software = yield* show(junos, "get-software-information")
  const inventory = yield* show(junos, "get-chassis-inventory")
  const uptime = yield* show(junos, "get-system-uptime-information")
  const interfaces = yield* show(junos, "get-interface-information", ["terse"])
  const known = yield* charge(junos, partsOf(software, "software-information"), inventory)
  const read = factsOf({ software, inventory, uptime, interfaces, ...known })
  if (read === null) {
    return yield* unexpected(
      junos,
      "get-software-information",
      "it gives neither host-name, product-model nor junos-version"
    )
  }
  const { remarks } = read
  if (remarks !== undefined) {
    yield* Effect.logInfo("The switch does not say everything about itself", { device: junos.target.hostname, remarks })
  }
  return read
})

/** What an account may not ask, and a release does not know, says nothing of who the device is. */
const shownOrNull = (junos: Junos, question: Question) =>
  Effect.catchTag(show(junos, question), ["CommandRejected", "UnexpectedAnswer"], () => Effect.succeed(null))

/** The identity that the device shows at a login, as far as it is asked for and the device says it. */
export const identity = Effect.fnUntraced(function* (
  junos: Junos,
  identify: NonNullable<DriverTarget["identify"]>
): Effect.fn.Return<ShownIdentity, ReadError> {
  const inventory = yield* shownOrNull(junos, "get-chassis-inventory")
  const software = identify === "serial" ? null : yield* shownOrNull(junos, "get-software-information")
  const parts = software === null ? [] : partsOf(software, "software-information")
  const known = yield* charge(junos, parts, inventory)
  const own = inCharge(parts, known)
  const read = (what: (element: Element) => string | null) => (own === undefined ? agreed(parts, what) : what(own))
  const serial = inventory === null ? null : serialIn(inventory, known.members)
  return { serial, model: read(modelIn), hostname: read(nameIn) }
})

/** Epoch seconds by our clock. */
export const nowSeconds = Effect.map(Clock.currentTimeMillis, (millis) => millis / 1000)
