/**
 * Show commands about the box and its configuration. See docs/switch-dialogues.md#eos-reading and
 * docs/switch-dialogues.md#running-configuration-and-hash.
 */
import * as ConfigDiff from "../ConfigDiff.ts"
import * as ConfigSessions from "../ConfigSessions.ts"
import type { Output } from "../Shell.ts"
import { showRunning, showStartup, withHeader } from "../PrintedConfig.ts"
import { withDefaults } from "../Spelling.ts"
import * as Switch from "../../Switch.ts"
import * as Answers from "./Answers.ts"
import { type Call, type Command, command } from "./Command.ts"

/** `4.31.4M` → `4.31.4M-36737551.4314M`: the build that a release number stands for. */
export const internalVersion = (version: string): string => {
  let hash = 0
  for (const character of version) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 10_000_000
  return `${version}-3${String(hash).padStart(7, "0")}.${version.replaceAll(".", "")}`
}

const version = ({ device }: Call) => ({
  mfgName: "Arista",
  modelName: device.hardware.model,
  hardwareRevision: "12.03",
  serialNumber: device.hardware.serial,
  systemMacAddress: device.hardware.mac,
  hwMacAddress: device.hardware.mac,
  configMacAddress: "00:00:00:00:00:00",
  version: device.version,
  architecture: "x86_64",
  internalVersion: internalVersion(device.version),
  internalBuildId: "5c1b0e6f-3f9c-4c5f-9d1e-1f0a2b3c4d5e",
  imageFormatVersion: "3.0",
  imageOptimization: "Default",
  bootupTimestamp: device.bootedAt / 1000,
  uptime: Switch.uptime(device),
  memTotal: 4_020_220,
  memFree: 2_400_132,
  isIntlVersion: false
})

const versionText = ({ device }: Call): string =>
  [
    `Arista ${device.hardware.model}`,
    "Hardware version: 12.03",
    `Serial number: ${device.hardware.serial}`,
    `Hardware MAC address: ${device.hardware.mac}`,
    `System MAC address: ${device.hardware.mac}`,
    "",
    `Software image version: ${device.version}`,
    "Architecture: x86_64",
    `Internal build version: ${internalVersion(device.version)}`,
    "",
    `Uptime: ${Math.floor(Switch.uptime(device) / 60)} minutes`,
    "Total memory: 4020220 kB",
    "Free memory: 2400132 kB",
    ""
  ].join("\n")

const hostname = ({ device }: Call) => {
  const { hostname, domain } = device.facts
  return { hostname, fqdn: domain === undefined ? hostname : `${hostname}.${domain}` }
}

const hostnameText = (call: Call) => `Hostname: ${hostname(call).hostname}\nFQDN:     ${hostname(call).fqdn}\n`

const inventory = ({ device }: Call) => ({
  systemInformation: {
    name: device.hardware.model,
    description: device.hardware.description,
    mfgDate: "2022-05-12",
    hardwareRev: "12.03",
    serialNum: device.hardware.serial
  },
  cardSlots: {},
  powerSupplySlots: {},
  fanTraySlots: {},
  xcvrSlots: {}
})

const inventoryText = ({ device }: Call): string =>
  [
    "System Information",
    "  Model                     Description",
    "  ------------------------- ----------------------------------------------------",
    `  ${device.hardware.model.padEnd(25)} ${device.hardware.description}`,
    "",
    "  HW Version    Serial Number    Mfg Date",
    "  ------------- ---------------- ----------",
    `  ${"12.03".padEnd(13)} ${device.hardware.serial.padEnd(16)} 2022-05-12`,
    ""
  ].join("\n")

const bootConfig = ({ device }: Call): Output =>
  `Software image: flash:/${device.bootImage}\nConsole speed: (not set)\nAboot password (encrypted): (not set)\n`

/** The session that the command names; without a name the one that the shell is in. */
const sessionOf = ({ args, device, shell }: Call) => {
  if (args["name"] !== undefined) return device.sessions.get(args["name"])
  return shell.mode.kind === "session" ? shell.mode.session : undefined
}

const sessionDiff = (call: Call): Output => {
  const session = sessionOf(call)
  if (session === undefined) return "% Session does not exist\n"
  const diff = ConfigSessions.diff(call.device, session)
  return diff === "" ? "\n" : diff
}

const sessionConfig = (call: Call): Output => {
  const session = sessionOf(call)
  if (session === undefined) return "% Session does not exist\n"
  return withHeader(call.device, "session-config", session.committed ?? ConfigSessions.candidate(session))
}

const certificates = ({ device }: Call): Output =>
  [...device.certificates.keys()]
    .toSorted()
    .map((name) => `${name}:\n   Certificate: installed\n`)
    .join("")

const keys = ({ device }: Call): Output =>
  [...device.keys.keys()]
    .toSorted()
    .map((name) => `${name}:\n   Key type: RSA\n`)
    .join("")

const extensions = { user: true }

/** Commands of this file. */
export const commands: ReadonlyArray<Command> = [
  command("show version", "showVersion", Answers.text(versionText), { json: Answers.document(version), user: true }),
  command("show hostname", "show", hostnameText, { json: Answers.document(hostname), user: true }),
  command("show inventory", "show", inventoryText, { json: Answers.document(inventory), user: true }),
  command("show clock", "show", () => `${new Date().toUTCString()}\nTimezone: UTC\nClock source: local\n`, extensions),
  command("show uptime", "show", ({ device }) => `${Switch.uptime(device)} seconds\n`, extensions),
  command(
    "show privilege",
    "show",
    ({ shell }) => `Current privilege level is ${shell.privileged ? 15 : 1}\n`,
    extensions
  ),
  command("show boot-config", "boot", bootConfig),
  command("show running-config", "showRunning", ({ device }) => showRunning(device)),
  command("show running-config all", "showRunning", ({ device }) =>
    withHeader(device, "running-config all", withDefaults(device.running))
  ),
  command("show startup-config", "show", ({ device }) => showStartup(device) ?? "% No startup configuration\n"),
  command("show running-config diffs", "show", ({ device }) =>
    device.behaviour.quirks.withoutRunningDiffs
      ? "% Invalid input (at token 2: 'diffs')\n"
      : ConfigDiff.unsaved(device.startup ?? "", device.running)
  ),
  command("show session-config", "show", sessionConfig),
  command("show session-config diffs", "diff", sessionDiff),
  command("show session-config named <name>", "show", sessionConfig),
  command("show session-config named <name> diffs", "diff", sessionDiff),
  command("show management security ssl certificate", "show", certificates),
  command("show management security ssl key", "show", keys)
]
