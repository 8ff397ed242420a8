/** A NETCONF server that keeps a candidate and a history as Junos does, and answers single requests as a test says, also wrongly. */
import { Effect } from "effect"
import { make as makeDriver } from "../../../src/drivers/junos/Driver.ts"
import { SshLimits } from "../../../src/drivers/ssh/SshLimits.ts"
import { helloOf, make, replyTo } from "../../support/ScriptedNetconf.ts"

export const OLD = "system {\n    host-name old;\n}\n"
export const NEW = "system {\n    host-name new;\n}\n"

export interface Entry {
  readonly user: string
  readonly client: string
  readonly at: number
  readonly log: string
  readonly minutes: number | null
  isPending: boolean
}

export interface State {
  running: string
  candidate: string
  /** The newest first. */
  history: Array<Entry>
  /** Epoch seconds. */
  now: number
  /** The words of the requests. */
  readonly asked: Array<string>
  readonly bodies: Array<string>
}

/** What the request asks for, with the database or the purpose where it has one. */
const wordOf = (body: string): string => {
  const [, word = ""] = /^<([\w-]+)/.exec(body) ?? []
  if (body.includes("compare=")) return "compare"
  const [, database] = /database="(\w+)"/.exec(body) ?? []
  if (database !== undefined) return database
  return body.includes("<check/>") ? "check" : word
}

const unescaped = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&")

const entryText = ({ at, client, isPending, log, minutes, user }: Entry): string =>
  `<commit-history><user>${user}</user><client>${client}</client><date-time seconds="${at}">then</date-time>${minutes === null ? "" : `<comment>commit confirmed, rollback in ${minutes}mins</comment>`}${log === "" ? "" : `<log>${log}</log>`}${isPending ? "<commit-confirmed>rollback pending</commit-confirmed>" : ""}</commit-history>`

const textIn = (body: string, name: string): string | undefined =>
  new RegExp(`<${name}>([\\s\\S]*)</${name}>`).exec(body)?.[1]

/** The device commits, and says so. */
export const commit = (state: State, body: string): string => {
  const minutes = textIn(body, "confirm-timeout")
  state.running = state.candidate
  state.now += 1
  state.history.unshift({
    user: "switch",
    client: "netconf",
    at: state.now,
    log: textIn(body, "log") ?? "",
    minutes: minutes === undefined ? null : Number(minutes),
    isPending: minutes !== undefined
  })
  return "<commit-results><routing-engine><name>re0</name><commit-success/></routing-engine></commit-results>"
}

/** The device takes the newest commit back by itself. */
export const rollBack = (state: State): void => {
  for (const entry of state.history) entry.isPending = false
  state.running = OLD
  state.candidate = OLD
  state.now += 300
  state.history.unshift({ user: "root", client: "other", at: state.now, log: "", minutes: null, isPending: false })
}

const OK = "<ok/>"

const usual: Readonly<Record<string, (state: State, body: string) => string>> = {
  lock: () => OK,
  unlock: () => OK,
  "discard-changes": (state) => {
    state.candidate = state.running
    return OK
  },
  "load-configuration": (state, body) => {
    // set lines are not read: there is one that anybody sends
    state.candidate = unescaped(textIn(body, "configuration-text") ?? NEW)
    return `<load-configuration-results>${OK}</load-configuration-results>`
  },
  committed: ({ running }) => `<configuration-text>\n## Last commit: now by switch\n${running}</configuration-text>`,
  candidate: ({ candidate }) => `<configuration-text>\n## Last changed: now\n${candidate}</configuration-text>`,
  compare: ({ candidate, running }) =>
    `<configuration-information><configuration-output>\n${candidate === running ? "" : "[edit system]\n-  host-name old;\n+  host-name new;\n"}</configuration-output></configuration-information>`,
  check: (state) => {
    const [newest] = state.history
    if (newest !== undefined) newest.isPending = false
    return "<commit-results><routing-engine><name>re0</name><commit-check-success/></routing-engine></commit-results>"
  },
  "commit-configuration": commit,
  "get-commit-information": ({ history }) =>
    `<commit-information>${history.map(entryText).join("")}</commit-information>`,
  "get-database-status-information": () => "<database-status-information></database-status-information>",
  "get-route-engine-information": () =>
    "<route-engine-information><route-engine><mastership-state>master</mastership-state></route-engine></route-engine-information>",
  "get-system-uptime-information": ({ now }) =>
    `<system-uptime-information><current-time><date-time seconds="${now}">now</date-time></current-time></system-uptime-information>`
}

export const refusing = (message: string, more = "", severity = "error"): string =>
  `<rpc-error><error-type>protocol</error-type><error-tag>operation-failed</error-tag><error-severity>${severity}</error-severity>${more}<error-message>\n${message}\n</error-message></rpc-error>`

/** Answers that a test gives instead of the usual ones, by the words of the requests. */
export type Answers = Record<string, (state: State, body: string) => string>

/** Starts a device; `login` opens a session on it. The answers can be altered while it runs. */
export const scriptedJunos = Effect.fnUntraced(function* (answers: Answers = {}) {
  const state: State = {
    running: OLD,
    candidate: OLD,
    history: [{ user: "alice", client: "cli", at: 1000, log: "", minutes: null, isPending: false }],
    now: 2000,
    asked: [],
    bodies: []
  }
  const { target } = yield* make(helloOf("candidate:1.0", "confirmed-commit:1.0"), (one) => {
    const word = wordOf(one.body)
    state.asked.push(word)
    state.bodies.push(one.body)
    const answer = answers[word] ?? usual[word] ?? (() => refusing(`syntax error: ${word}`))
    const prefix = 'xmlns:junos="http://xml.juniper.net/junos/21.4R3/junos"'
    one.send(replyTo(one, answer(state, one.body)).replace("<rpc-reply ", `<rpc-reply ${prefix} `))
  })
  const driver = yield* makeDriver
  return { state, answers, port: target.port ?? 0, login: driver.open(target) }
})

/** The connection limits of a test. */
export const limits = Effect.provide(SshLimits.layer())
