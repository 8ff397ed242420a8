/** Junos as the software of a simulated switch: how the lab asks the other files of this folder. */
import type { ServerChannel } from "ssh2"
import type { Channel, Software, Switch } from "../Switch.ts"
import * as Terminal from "../Terminal.ts"
import * as Braces from "./Braces.ts"
import * as CommandLine from "./CommandLine.ts"
import * as Commits from "./Commits.ts"
import * as Database from "./Database.ts"
import * as Facts from "./Facts.ts"
import * as Hardware from "./Hardware.ts"
import * as Netconf from "./Netconf.ts"
import { isHashOf } from "./Secrets.ts"
import * as SetLines from "./SetLines.ts"

/** Statements in braces or as commands, added to a configuration. */
const merged = (running: string, text: string): string => {
  const root = Braces.parse(running)
  if (/^\s*(?:set|delete|deactivate|activate) /.test(text)) SetLines.read(root, text)
  else Braces.read(root, text)
  return Braces.print(root)
}

const MOST_TERMINALS = 900

const makeShell = (
  device: Switch,
  { connection, user }: Channel,
  width: number,
  logOut: () => void,
  tell: (text: string) => void
): CommandLine.Shell => {
  device.terminal = (device.terminal % MOST_TERMINALS) + 1
  const login = Database.logIn(device, { user, client: "cli", terminal: `pts/${device.terminal}`, drop: logOut, tell })
  return {
    device,
    login,
    width,
    reader: undefined,
    gone: false,
    isConfiguring: false,
    path: [],
    logOut,
    hangUp: connection.drop,
    silence: connection.silence
  }
}

/** The login is over when its channel is, however that ends. */
const endsWith = (device: Switch, stream: ServerChannel, { login }: CommandLine.Shell) => {
  stream.on("close", () => {
    if (Database.of(device).logins.has(login.pid)) Commits.loginEnded(device, login, "lost")
  })
}

const openShell = (device: Switch, channel: Channel, width: number): void => {
  const stream = channel.channel
  const printer = Terminal.makePrinter(device, (bytes) => {
    if (stream.writable) stream.write(bytes)
  })
  const logOut = () => {
    printer.flush()
    stream.exit(0)
    stream.end()
  }
  const shell = makeShell(device, channel, width, logOut, (text) => {
    printer.print(text.replaceAll("\n", "\r\n"))
    printer.flush()
  })
  endsWith(device, stream, shell)
  if (CommandLine.breaksAt(shell, "login", "after")) return
  const terminal = Terminal.make(shell, CommandLine.language(device), printer, CommandLine.greeting(shell))
  stream.on("data", (chunk: Buffer) => Terminal.receive(terminal, chunk))
  stream.on("end", logOut)
  stream.on("error", () => channel.connection.drop())
}

/** The way into NETCONF where the subsystem is refused. */
const XML_MODE = /^xml-mode netconf need-trailer$/

const openExec = (device: Switch, channel: Channel, line: string): void => {
  if (XML_MODE.test(line.trim())) return Netconf.serve(device, channel)
  const stream = channel.channel
  stream.on("error", () => channel.connection.drop())
  const shell = makeShell(
    device,
    channel,
    32_767,
    () => undefined,
    () => undefined
  )
  endsWith(device, stream, shell)
  const finish = (text: string) => {
    if (shell.gone) return
    stream.write(text)
    stream.exit(/^(?:error:|unknown command)/m.test(text) ? 1 : 0)
    stream.end()
  }
  Promise.resolve(CommandLine.run(shell, line)).then(finish, (error: unknown) => finish(`error: ${String(error)}\n`))
  return undefined
}

const subsystem = (device: Switch, name: string, accept: () => Channel): boolean => {
  const isEnabled = device.facts.addresses.length > 0 || device.facts.wantsDhcp
  if (name !== "netconf" || device.behaviour.junos.noSubsystem || !isEnabled) return false
  if (!Facts.hasNetconf(device.running)) return false
  Netconf.serve(device, accept())
  return true
}

const wentDown = (device: Switch): void => {
  const database = Database.of(device)
  if (database.timer !== undefined) clearTimeout(database.timer.handle)
  if (database.timer !== undefined) database.timer.revision.pending = false
  database.timer = undefined
  database.logins.clear()
  Database.forget(database)
}

/** What other people have open when the switch starts. */
const openForeign = (device: Switch): void => {
  const { lockedBy, uncommitted } = device.behaviour.junos
  if (uncommitted !== "") {
    const login = foreignLogin(device, "operator")
    Database.edit(device, login, (root) => SetLines.read(root, uncommitted))
    Database.logOut(device, login)
  }
  if (lockedBy !== "") foreign(device, lockedBy, undefined)
}

const cameUp = (device: Switch): void => {
  remember(device)
  openForeign(device)
}

/** The history lives on the disk; a switch that starts for the first time gets its first entry. */
const remember = (device: Switch): void => {
  const database = Database.of(device)
  if (database.history[0]?.text === device.running) return
  Database.push(database, {
    user: "root",
    client: "other",
    log: undefined,
    comment: undefined,
    pending: false,
    text: device.running
  })
}

const sessions: Software["sessions"] = (device) =>
  [...Database.of(device).logins.values()]
    .filter(({ mode }) => mode !== undefined)
    .map(({ mode = "shared", pid, user }) => ({ name: String(pid), state: mode, user }))

const timer: Software["timer"] = (device) => {
  const running = Database.of(device).timer
  return running === undefined
    ? undefined
    : { session: running.revision.log ?? "", remainingMs: Math.max(0, running.expiresAt - Date.now()) }
}

const foreignLogin = (device: Switch, user: string): Database.Login =>
  Database.logIn(device, {
    user,
    client: "cli",
    terminal: "pts/9",
    drop: () => undefined,
    tell: () => undefined
  })

/** Somebody else takes the exclusive lock, or has committed with a timer. */
const foreign: Software["foreign"] = (device, name, timerSeconds) => {
  if (timerSeconds !== undefined) return Commits.foreignTimer(device, name, timerSeconds)
  const login = foreignLogin(device, name)
  const [refused] = Database.open(device, login, "exclusive").filter(({ severity }) => severity === "error")
  if (refused !== undefined) Database.logOut(device, login)
  return refused?.message
}

/** Somebody logs in at the console, types these lines, and goes away without logging out. Gives what is shown. */
const atConsole: NonNullable<Software["atConsole"]> = async (device, lines) => {
  const shell: CommandLine.Shell = {
    device,
    login: foreignLogin(device, "operator"),
    width: 80,
    reader: undefined,
    gone: false,
    isConfiguring: false,
    path: [],
    logOut: () => undefined,
    hangUp: () => undefined,
    silence: () => undefined
  }
  let shown = ""
  for (const line of lines) shown += await CommandLine.typed(shell, line)
  Commits.loginEnded(device, shell.login, "lost")
  return shown
}

/** The software of every Junos switch. */
export const software: Software = {
  platform: "junos",
  read: Facts.read,
  ports: Facts.ports,
  portName: Hardware.portName,
  bundle: (group) => `ae${group}`,
  vlanPort: Facts.vlanPort,
  isManagement: Hardware.isManagement,
  print: (text) => merged("", text),
  merged,
  configure: Commits.byHand,
  swapped: Database.reset,
  showRunning: (device) => device.running,
  showStartup: (device) => device.startup,
  systemDescription: ({ hardware, version }) => Hardware.systemDescription(hardware.model, version),
  imageOf: Hardware.imageOf,
  versionOf: Hardware.versionOf,
  isHashOf,
  wentDown,
  cameUp,
  sessions,
  timer,
  foreign,
  atConsole,
  shell: openShell,
  exec: openExec,
  subsystem
}
