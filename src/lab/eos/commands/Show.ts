/**
 * Show commands about the box, its configuration and its configuration sessions. See docs/switch-dialogues.md#eos-reading and
 * docs/switch-dialogues.md#running-configuration-and-hash.
 */
import * as ConfigSessions from "../ConfigSessions.ts"
import { withDefaults } from "../Defaults.ts"
import * as Differences from "../Differences.ts"
import type { Output } from "../Shell.ts"
import { showRunning, showStartup, withHeader } from "../Wording.ts"
import * as Switch from "../../Switch.ts"
import { type Call, type Command, command, jsonAnswer, textAnswer } from "./Command.ts"
import { isAtLeast } from "../Hardware.ts"

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
  return withHeader(call.device, "session-config", ConfigSessions.statement(call.device, session))
}

const namedConfig = (call: Call): Output =>
  call.device.behaviour.quirks.withoutNamedConfig ? "% Invalid input (at token 2: 'named')\n" : sessionConfig(call)

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
  command("show version", "showVersion", textAnswer(versionText), {
    json: jsonAnswer(version),
    user: true
  }),
  command("show hostname", "show", hostnameText, { json: jsonAnswer(hostname), user: true }),
  command("show inventory", "show", inventoryText, { json: jsonAnswer(inventory), user: true }),
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
    withHeader(device, "running-config all", withDefaults(device))
  ),
  command("show startup-config", "show", ({ device }) => showStartup(device) ?? "% No startup configuration\n"),
  command("show running-config diffs", "show", ({ device }) =>
    device.behaviour.quirks.withoutRunningDiffs
      ? "% Invalid input (at token 2: 'diffs')\n"
      : Differences.unsaved(device.startup ?? "", device.running)
  ),
  command("show session-config", "showCandidate", sessionConfig),
  command("show session-config diffs", "diff", sessionDiff),
  command("show session-config named <name>", "showCandidate", namedConfig),
  command("show session-config named <name> diffs", "diff", sessionDiff),
  command("show management security ssl certificate", "show", certificates),
  command("show management security ssl key", "show", keys)
]

// `show configuration sessions` in the two forms that EOS has had for a running commit timer.

/** Where a release shows a timer that runs, unless the switch is peculiar. */
const placeOf = (device: Switch.Switch) => {
  const { timerShown } = device.behaviour.quirks
  return timerShown === "release" ? (isAtLeast(device, 4, 32) ? "top" : "session") : timerShown
}

const UNCONVERTED = { errors: ["This is an unconverted command"] }

const sessionDocument = (device: Switch.Switch, session: ConfigSessions.ConfigSession) => {
  const timer = shownTimer(device)
  const shown = session.state === "pendingCommitTimer" && placeOf(device) === "session" ? timer : undefined
  const open = session.state === "pending"
  return {
    state: session.state === "pendingCommitTimer" && shown === undefined ? "committed" : session.state,
    ...(shown === undefined ? {} : { commitBy: onUptimeScale(device, shown.expiresAt) }),
    ...(session.completedAt === undefined ? {} : { completedTime: session.completedAt / 1000 }),
    commitUser: open ? "" : session.user,
    description: "",
    instances: open ? { "1": { user: session.user, terminal: session.terminal, currentTerminal: false } } : {}
  }
}

/** The timer, unless the switch hides it. */
const shownTimer = ({ timer }: Switch.Switch) => (timer?.hidden === undefined ? timer : undefined)

/** The sessions that the switch lists. */
const listed = ({ sessions, timer }: Switch.Switch) =>
  [...sessions.values()].filter(({ name }) => timer?.hidden !== "session" || timer.session !== name)

const sessionsDocument = ({ device }: Call) => {
  const { maxPending, maxSaved, mergesAtCommit, savesAtCommit, sessionsWithoutJson } = device.behaviour.quirks
  if (sessionsWithoutJson) return UNCONVERTED
  const timer = placeOf(device) === "top" ? shownTimer(device) : undefined
  return {
    sessions: Object.fromEntries(listed(device).map((session) => [session.name, sessionDocument(device, session)])),
    maxSavedSessions: maxSaved,
    maxOpenSessions: maxPending,
    mergeOnCommit: mergesAtCommit,
    saveToStartupConfigOnCommit: savesAtCommit,
    ...(timer === undefined
      ? {}
      : {
          commitTimerSessionName: timer.session,
          commitTimerExpireTime: onUptimeScale(device, timer.expiresAt)
        })
  }
}

/** Seconds since boot at a time given in milliseconds since 1970. */
const onUptimeScale = (device: Switch.Switch, at: number) => (at - device.bootedAt) / 1000

const abled = (on: boolean) => (on ? "enabled" : "disabled")

const sessionsText = ({ device, shell }: Call): string => {
  const { maxPending, maxSaved, mergesAtCommit, savesAtCommit } = device.behaviour.quirks
  const lines = [
    `Maximum number of completed sessions: ${maxSaved}`,
    `Maximum number of pending sessions: ${maxPending}`,
    `Merge on commit is ${abled(mergesAtCommit)}`,
    `Autosave to startup-config on commit is ${abled(savesAtCommit)}`,
    ""
  ]
  const timer = shownTimer(device)
  if (timer !== undefined && placeOf(device) !== "never") {
    lines.push(`Session with pending commit timer: ${timer.session}`)
    lines.push(
      `Time left until commit timer expiry: in ${clock(Math.max(0, (timer.expiresAt - Date.now()) / 1000))}`,
      ""
    )
  }
  lines.push("  Name             State     User  Terminal Completed Time      Committed By")
  lines.push("- ---------------- --------- ----- -------- ------------------- ------------")
  for (const session of listed(device))
    lines.push(row(session, shell.mode.kind === "session" && shell.mode.session === session))
  return `${lines.join("\n")}\n`
}

const row = (session: ConfigSessions.ConfigSession, mine: boolean) => {
  const open = session.state === "pending"
  const state = session.state === "pendingCommitTimer" ? "committed" : session.state
  const completed =
    session.completedAt === undefined ? "" : new Date(session.completedAt).toISOString().slice(0, 19).replace("T", " ")
  return (
    `${mine ? "*" : " "} ${session.name.padEnd(16)} ${state.padEnd(9)} ${(open ? session.user : "").padEnd(5)} ` +
    `${(open ? session.terminal : "").padEnd(8)} ${completed.padEnd(19)} ${open ? "" : session.user}`
  ).trimEnd()
}

const two = (value: number) => String(value).padStart(2, "0")

const clock = (seconds: number) => {
  const whole = Math.floor(seconds)
  return `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`
}

/** Commands of this file. */
export const sessionCommands = [
  command("show configuration sessions", "showSessions", sessionsText, { json: sessionsDocument }),
  command("show configuration sessions detail", "showSessions", sessionsText, { json: sessionsDocument })
]
