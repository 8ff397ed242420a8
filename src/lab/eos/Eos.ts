/** EOS as the software of a simulated switch: how the lab asks the other files of this folder. */
import * as FileTransfer from "../FileTransfer.ts"
import { type Behaviour, type Channel, setRunning, type Software, type Switch } from "../Switch.ts"
import * as Terminal from "../Terminal.ts"
import { run } from "./CommandLine.ts"
import * as ConfigFacts from "./ConfigFacts.ts"
import * as Loader from "./ConfigLoader.ts"
import * as ConfigSessions from "./ConfigSessions.ts"
import { render } from "./ConfigTree.ts"
import * as Hardware from "./Hardware.ts"
import * as Shell from "./Shell.ts"
import { showRunning, showStartup } from "./Wording.ts"
import { longName } from "./Words.ts"

const print = (text: string, { quirks }: Behaviour) =>
  render(Loader.parse(quirks.saltsSecrets ? ConfigFacts.saltedText(text) : text))

const merged = (running: string, text: string): string => {
  const root = Loader.parse(running)
  const loader = Loader.make(root, Loader.LENIENT)
  for (const line of text.split("\n")) Loader.feed(loader, line)
  Loader.finish(loader)
  return render(root)
}

const wentDown = (device: Switch): void => {
  device.sessions.clear()
  if (device.timer !== undefined) clearTimeout(device.timer.handle)
  device.timer = undefined
}

const MOST_TERMINALS = 900

const makeShell = (
  device: Switch,
  user: string,
  connection: Channel["connection"],
  width: number,
  logOut: () => void
) => {
  device.terminal = (device.terminal % MOST_TERMINALS) + 1
  return Shell.make({
    device,
    user,
    terminal: `vty${device.terminal}`,
    width,
    logOut,
    hangUp: connection.drop,
    silence: connection.silence
  })
}

const openShell = (device: Switch, { channel, connection, user }: Channel, width: number) => {
  let printer: Terminal.Printer | undefined
  const logOut = () => {
    printer?.flush()
    channel.exit(0)
    channel.end()
  }
  const shell = makeShell(device, user, connection, width, logOut)
  if (Shell.breaksAt(shell, "login", "after")) return
  printer = Terminal.makePrinter(device, (bytes) => {
    if (channel.writable) channel.write(bytes)
  })
  const login = `Last login: ${new Date().toUTCString()} from ${connection.address}\n${device.facts.motd ?? ""}`
  const terminal = Terminal.make(
    shell,
    { run, prompt: Shell.prompt, pages: device.behaviour.quirks.pages },
    printer,
    login
  )
  channel.on("data", (chunk: Buffer) => Terminal.receive(terminal, chunk))
  channel.on("end", logOut)
  channel.on("error", () => connection.drop())
}

const openExec = (device: Switch, { channel, connection, user }: Channel, line: string) => {
  channel.on("error", () => connection.drop())
  const transfer = FileTransfer.parse(line)
  if (transfer !== undefined) return FileTransfer.serve(device, transfer, channel)
  const shell = makeShell(device, user, connection, 32_767, () => undefined)
  const finish = (text: string) => {
    if (shell.gone) return
    channel.write(text)
    channel.exit(text.startsWith("% ") ? 1 : 0)
    channel.end()
  }
  const output = run(shell, line)
  if (typeof output === "string") finish(output)
  else output.then(finish, (error: unknown) => finish(`% Internal error: ${String(error)}\n`))
  return undefined
}

/** The software of every EOS switch. */
export const software: Software = {
  platform: "eos",
  read: ConfigFacts.read,
  ports: ConfigFacts.interfaces,
  portName: longName,
  bundle: (group) => `Port-Channel${group}`,
  vlanPort: (_text, vlan) => `Vlan${vlan}`,
  isManagement: (port) => port.startsWith("Management"),
  print,
  merged,
  configure: setRunning,
  swapped: ({ certificates, keys }) => {
    certificates.clear()
    keys.clear()
  },
  showRunning,
  showStartup,
  systemDescription: Hardware.systemDescription,
  imageOf: Hardware.imageOf,
  versionOf: Hardware.versionOf,
  isHashOf: ConfigFacts.isHashOf,
  wentDown,
  cameUp: ConfigSessions.openForeign,
  sessions: (device) => [...device.sessions.values()].map(({ name, state, user }) => ({ name, state, user })),
  timer: ({ timer }) =>
    timer === undefined
      ? undefined
      : { session: timer.session, remainingMs: Math.max(0, timer.expiresAt - Date.now()) },
  foreign: ConfigSessions.foreign,
  shell: openShell,
  exec: openExec,
  subsystem: () => false
}
