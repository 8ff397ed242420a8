/**
 * The SSH side of a switch: login as the device offers it, shells, single commands, and file transfers. One connection is one
 * TCP socket that the listener accepted. See docs/switch-dialogues.md.
 */
import type { Socket } from "node:net"
import type {
  Algorithms,
  AuthContext,
  Connection as SshConnection,
  ParsedKey,
  Prompt,
  PublicKeyAuthContext,
  Session
} from "ssh2"
import { Server, utils } from "../drivers/ssh/Ssh2.ts"
import * as Faults from "./Faults.ts"
import { type Connection, type HostKey, pushRecord, type Switch } from "./Switch.ts"
import * as FileTransfer from "./FileTransfer.ts"
import type { Quirks } from "./eos/Quirks.ts"
import { createPrivateKey, sign } from "node:crypto"

const MODERN = {
  cipher: ["aes128-gcm@openssh.com", "aes256-gcm@openssh.com", "aes128-ctr", "aes256-ctr"],
  kex: ["curve25519-sha256", "curve25519-sha256@libssh.org", "ecdh-sha2-nistp256", "diffie-hellman-group14-sha256"]
} satisfies Algorithms

/** The algorithms on offer, by the quirk `ssh`. */
const ALGORITHMS: Readonly<Record<Required<Quirks>["ssh"], Algorithms>> = {
  modern: MODERN,
  group14sha1: { ...MODERN, kex: ["diffie-hellman-group14-sha1"] },
  cbc: { ...MODERN, cipher: ["aes128-cbc", "aes256-cbc", "3des-cbc"] }
}

const IDENT = "OpenSSH_8.7"

const MAX_LOGIN_TRIES = 6

/** Serves one accepted TCP connection to `address`. */
export const serve = (device: Switch, socket: Socket, address: string): void => {
  const banner = device.facts.loginBanner
  const algorithms = ALGORITHMS[device.behaviour.quirks.ssh]
  const options = { hostKeys: [{ key: device.hostKey() }], ident: IDENT, algorithms }
  const server = new Server(banner === undefined ? options : { ...options, banner }, (client) =>
    attach(device, client, connection)
  )
  const connection: Connection = {
    address,
    drop: () => socket.destroy(),
    silence: () => {
      device.connections.delete(connection)
      device.silenced.add(connection)
      socket.removeAllListeners("data")
      socket.on("data", () => undefined)
      socket.write = () => true
    }
  }
  device.connections.add(connection)
  socket.on("close", () => {
    device.connections.delete(connection)
    device.silenced.delete(connection)
  })
  socket.on("error", () => socket.destroy())
  if (Faults.strikes(device.faults, "cut", "connect", "before", 0)) return connection.drop()
  if (Faults.strikes(device.faults, "silent", "connect", "before", 0)) return connection.silence()
  if (isTurnedAway(device)) return turnAway(socket)
  server.injectSocket(socket)
  return undefined
}

/** Whether this connection is one of those that are closed before the next one is served. */
const isTurnedAway = (device: Switch): boolean => {
  const served = device.turnedAway >= device.behaviour.quirks.closesEarly
  device.turnedAway = served ? 0 : device.turnedAway + 1
  return !served
}

const turnAway = (socket: Socket): void => {
  socket.write(`SSH-2.0-${IDENT}\r\n`)
  socket.once("data", () => socket.destroy())
}

const attach = (device: Switch, client: SshConnection, connection: Connection) => {
  let user = ""
  let tries = 0
  client.on("error", () => connection.drop())
  client.on("authentication", (context) => {
    user = context.username
    tries += 1
    if (tries > MAX_LOGIN_TRIES) connection.drop()
    else authenticate(device, context, connection)
  })
  client.on("session", (accept) => openSession(device, user, accept(), connection))
}

const authenticate = (device: Switch, context: AuthContext, connection: Connection) => {
  if (Faults.strikes(device.faults, "silent", "login", "before", 0)) return connection.silence()
  if (Faults.strikes(device.faults, "cut", "login", "before", 0)) return connection.drop()
  const offered = device.facts.passwordAuthentication ? "password" : device.behaviour.authentication
  const refuse = () => context.reject(["publickey", offered])
  const accepts = (password: string) => mayLogin(device, context.username, password)
  const decide = (accepted: boolean) => {
    pushRecord(device.history, device.history.logins, {
      user: context.username,
      accepted,
      method: context.method === "publickey" ? "key" : "password",
      address: connection.address,
      at: Date.now()
    })
    if (accepted) context.accept()
    else refuse()
  }
  if (context.method === "publickey") {
    const isKnown = hasKey(device, context)
    // asked without a signature: whether it would do
    return isKnown && context.signature === undefined ? context.accept() : decide(isKnown && isSigned(context))
  }
  if (context.method === "keyboard-interactive" && offered === "keyboard-interactive") {
    const send: Parameters<typeof askQuestions>[2] = (...round) => context.prompt(...round)
    return askQuestions(device.behaviour.quirks.loginAsks, context.username, send, accepts, decide)
  }
  if (context.method === "password" && offered === "password") {
    if (device.behaviour.quirks.loginAsks === "newPassword")
      return context.requestChange("Expired", () => decide(false))
    return decide(accepts(context.password))
  }
  return refuse()
}

const publicKeyOf = ({ key }: PublicKeyAuthContext) => utils.parseKey(`${key.algo} ${key.data.toString("base64")}`)

/** The configuration has this key for this user. */
const hasKey = ({ facts }: Switch, context: PublicKeyAuthContext): boolean => {
  const shown = publicKeyOf(context)
  if (shown instanceof Error || !facts.users.has(context.username)) return false
  const known = facts.sshKeys.get(context.username) ?? new Set()
  return known.has(`${shown.type} ${context.key.data.toString("base64")}`)
}

const isSigned = (context: PublicKeyAuthContext): boolean => {
  const shown = publicKeyOf(context)
  const { blob, hashAlgo, signature } = context
  if (shown instanceof Error || blob === undefined || signature === undefined) return false
  return shown.verify(blob, signature, hashAlgo) === true
}

const mayLogin = (device: Switch, user: string, password: string): boolean => {
  if (device.faults.length > 0 && Faults.take(device.faults, "wrongPassword") !== undefined) return false
  const { users, passwords } = device.behaviour
  if (users[user] === password) return true
  const configured = device.facts.users.get(user)
  if (configured === undefined) return false
  if (configured.hash !== undefined && device.software.isHashOf(configured.hash, password)) return true
  return (configured.secret ?? passwords[configured.hash ?? ""] ?? passwords[user]) === password
}

const openSession = (device: Switch, user: string, session: Session, connection: Connection) => {
  let width = 80
  session.on("pty", (accept, _reject, info) => {
    if (info.cols > 0) width = info.cols
    accept?.()
  })
  session.on("window-change", (accept) => accept?.())
  session.on("env", (accept) => accept?.())
  session.on("shell", (accept) => device.software.shell(device, { user, channel: accept(), connection }, width))
  session.on("exec", (accept, _reject, info) =>
    device.software.exec(device, { user, channel: accept(), connection }, info.command)
  )
  session.on("subsystem", (accept, reject, { name }) => {
    if (!device.software.subsystem(device, name, () => ({ user, channel: accept(), connection }))) reject()
  })
  session.on("sftp", (accept, reject) => {
    if (device.behaviour.sftp) FileTransfer.serveSftp(device, accept())
    else reject()
  })
}

// Host keys.

const TRIES = 100

/** A key that is made when it is needed first: a lab of thousands of switches starts without waiting for their keys. */
export const lazyHostKey = (): HostKey => {
  let key: ParsedKey | undefined
  return () => (key ??= generate())
}

/** A new ed25519 key. ssh2 writes about one key in a few hundred in a form that it cannot read itself: then it tries again. */
const generate = (): ParsedKey => {
  for (let left = TRIES; ; left--) {
    const key = utils.parseKey(utils.generateKeyPairSync("ed25519").private)
    if (!(key instanceof Error)) return readOnce(key)
    if (left === 0) throw key
  }
}

/** ssh2 would read the key's text again for each signature, which costs more than to sign. */
const readOnce = (key: ParsedKey): ParsedKey => {
  const secret = createPrivateKey(key.getPrivatePEM())
  key.sign = (data) => sign(null, typeof data === "string" ? Buffer.from(data) : data, secret)
  return key
}

// Questions at a login by keyboard-interactive, round by round, as the AAA server of the site requires.

/** One round of questions; `password` and `name` are where their answers stand. */
interface Round {
  readonly instructions?: string
  readonly questions: ReadonlyArray<Prompt>
  readonly password?: number
  readonly name?: number
}

const hidden = (prompt: string): Prompt => ({ prompt, echo: false })
const first: Round = { questions: [hidden("Password: ")], password: 0 }

const ROUNDS: Readonly<Record<Required<Quirks>["loginAsks"], ReadonlyArray<Round>>> = {
  password: [first],
  nameAndPassword: [
    { questions: [{ prompt: "Username: ", echo: true }, hidden("Password for the network: ")], name: 0, password: 1 }
  ],
  passcode: [{ instructions: "Welcome", questions: [hidden("Enter PASSCODE: ")], password: 0 }],
  code: [first, { questions: [hidden("Verification code: ")] }],
  newPassword: [
    first,
    {
      instructions: "Your password has expired.",
      questions: [hidden("New password: "), hidden("Retype new password: ")]
    }
  ]
}

type Ask = (
  questions: Array<Prompt>,
  title: string,
  instructions: string,
  answer: (answers: Array<string>) => void
) => void

/** Asks all rounds. `mayLogin` judges a password; `decide` gets the result: whether the user may log in. */
const askQuestions = (
  kind: Required<Quirks>["loginAsks"],
  user: string,
  send: Ask,
  mayLogin: (password: string) => boolean,
  decide: (accepted: boolean) => void
): void => {
  const next = (rounds: ReadonlyArray<Round>): void => {
    const [round, ...later] = rounds
    if (round === undefined) return decide(true)
    const { instructions = "", name, password, questions } = round
    return send([...questions], "", instructions, (answers) => {
      if (name !== undefined && answers[name] !== user) return decide(false)
      const given = password === undefined ? undefined : answers[password]
      return given !== undefined && mayLogin(given) ? next(later) : decide(false)
    })
  }
  next(ROUNDS[kind])
}
