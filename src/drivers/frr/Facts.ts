/** What a switch is (docs/frr.md#reading). */
import { Effect } from "effect"
import type { ShownIdentity } from "../../domain/DeviceIdentity.ts"
import { frr } from "../../domain/platforms/Frr.ts"
import { compareNames, isSubinterface } from "../../domain/platforms/InterfaceNames.ts"
import { type ReadError, UnexpectedAnswer } from "../DriverErrors.ts"
import type { Facts } from "../Readings.ts"
import { readJson } from "./Answers.ts"
import { commands } from "./Dialect.ts"
import { type Links, Links as ShowLinks, nameOf } from "./Interfaces.ts"
import { need } from "./Programs.ts"
import type { Remote } from "./Remote.ts"

/** What firmware has in the place of a serial number that nobody has written. */
const placeholder =
  /^(?:0+|n\/?a|none|unknown|(?:system |chassis |default )?serial ?number|default string|not (?:specified|applicable|available)|to be filled.*|0?123456789.*|x+|\.+)$/i

const serialOf = (line: string): string | null => {
  const serial = line.trim()
  return serial === "" || placeholder.test(serial) ? null : serial
}

const identity = commands.machine.slice(0, 4)

/** A line of shell that tells name, model and serial number behind a mark of ours. */
export const askIdentity = identity.map((line) => `echo "identity:$(${line})"`).join("; ")

/** What it has told. */
export const shownIn = (told: string): ShownIdentity => {
  const [hostname = "", , model = "", serial = ""] = told
    .split("\n")
    .flatMap((line) => (line.startsWith("identity:") ? [line.slice("identity:".length)] : []))
  return { hostname: hostname || null, model: model || null, serial: serialOf(serial) }
}

/** The release in the first line of `show version`; undefined when the line is something else. */
export const releaseOf = (line: string): string | undefined => /^FRRouting (\S+)/.exec(line)?.[1]

/** The record from the lines that `commands.machine` gives, in their order. */
export const factsOf = (machine: string, release: string, links: Links): Facts => {
  const [hostname = "", fqdn = "", model = "", serial = "", uptime = ""] = machine.split("\n")
  return {
    hostname,
    fqdn: fqdn === "" ? hostname : fqdn,
    vendor: frr.vendor,
    model,
    serial_number: serialOf(serial),
    os_version: release,
    uptime: Number(uptime) || 0,
    interface_list: links
      .map(({ ifname }) => nameOf(ifname))
      .filter((name) => !isSubinterface(name))
      .toSorted(compareNames)
  }
}

/** See `DriverSession.facts`. */
export const facts: (remote: Remote) => Effect.Effect<Facts, ReadError> = Effect.fnUntraced(function* (remote) {
  yield* need(remote, "vtysh", "ip")
  const shown = yield* remote.query(commands.version)
  const release = releaseOf(shown)
  if (release === undefined) {
    const message = "this is not what FRRouting says"
    return yield* new UnexpectedAnswer({ hostname: remote.target.hostname, command: "show version", message })
  }
  // each gives one line, whatever becomes of it
  const asked = commands.machine.map((line) => `echo "$(${line})"`).join("; ")
  const machine = yield* remote.query(asked)
  return factsOf(machine, release, yield* readJson(remote, commands.links, ShowLinks))
})
