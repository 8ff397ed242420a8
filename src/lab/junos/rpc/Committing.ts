/** Requests that commit, check, end sessions, and restart the switch. */
import type { Switch } from "../../Switch.ts"
import type { Issue } from "../Config.ts"
import * as Commits from "../Commits.ts"
import * as Database from "../Database.ts"
import * as Facts from "../Facts.ts"
import * as Xml from "../Xml.ts"
import {
  type Asked,
  issuesAsXml,
  mayConfigure,
  ok,
  okWith,
  refusal,
  type Reply,
  type Request,
  request
} from "./Reply.ts"

const SECONDS_A_MINUTE = 60

/** Whole minutes of the vendor's form. */
const minutesOf = (given: Xml.Element): number | undefined => {
  if (Xml.child(given, "confirmed") === undefined) return undefined
  const text = Xml.textOf(given, "confirm-timeout")
  return text === undefined ? Commits.DEFAULT_MINUTES : Number.parseInt(text)
}

/** The standard's form has seconds, which the device cuts to whole minutes: a few seconds are none, that is at once. */
const minutesOfSeconds = (given: Xml.Element): number | undefined => {
  if (Xml.child(given, "confirmed") === undefined) return undefined
  const text = Xml.textOf(given, "confirm-timeout")
  return text === undefined ? Commits.DEFAULT_MINUTES : Math.floor(Number.parseInt(text) / SECONDS_A_MINUTE)
}

/** The routing engines that a commit reaches, which answer for themselves; without `synchronize` it is the first one. */
const engines = ({ behaviour: { junos } }: Switch, synchronized: boolean): ReadonlyArray<string> =>
  junos.members > 1
    ? Array.from({ length: junos.members }, (_, member) => `fpc${member}`)
    : Array.from({ length: synchronized ? Math.max(1, junos.routingEngines) : 1 }, (_, number) => `re${number}`)

/** Whether a commit goes to all routing engines: it says so, or the configuration does. */
export const isSynchronized = (device: Switch, given: Xml.Element): boolean =>
  Xml.child(given, "synchronize") !== undefined || Facts.synchronizes(device.running)

/** Minutes begin with one. */
const NO_MINUTES = "Value is not within range (1..65535)"

const notice = (minutes: number) =>
  `commit confirmed will be automatically rolled back in ${minutes} minutes unless confirmed`

const resultsOf = (device: Switch, check: boolean, minutes: number | undefined, synchronized: boolean): string => {
  const output = minutes === undefined ? "" : Xml.leaf("output", notice(minutes))
  const success = Xml.leaf(check ? "commit-check-success" : "commit-success")
  const each = engines(device, synchronized).map((name) =>
    Xml.around("routing-engine", [Xml.leaf("name", name), success], { "junos:style": check ? "show-name" : "normal" })
  )
  return output + each.join("")
}

const answerOf = ({ device, request: given }: Asked, check: boolean, { issues, minutes }: Commits.Outcome): Reply => {
  const { prefixed, siblingOk, unclosedEngine } = device.behaviour.junos
  const synchronized = isSynchronized(device, given)
  const said = issuesAsXml(device, issues)
  if (issues.some(({ severity }) => severity === "error")) {
    const [first = "re0"] = engines(device, synchronized)
    const inside = Xml.around("routing-engine", [Xml.leaf("name", first), said])
    return { body: Xml.around("commit-results", inside) }
  }
  // a device that keeps to the standard says ok alone
  if (prefixed) return ok
  if (unclosedEngine)
    return { body: `<commit-results>\n${said}<routing-engine>\n<name>re0</name>\n<ok/>\n</commit-results>\n` }
  const results = Xml.around("commit-results", [said, resultsOf(device, check, minutes, synchronized)])
  return { body: siblingOk ? `${results}${Xml.leaf("ok")}` : results }
}

const committed = async (asked: Asked, wanted: Commits.Request): Promise<Reply> => {
  const { device, login } = asked
  if (wanted.confirmed !== undefined && !(wanted.confirmed > 0)) return refusal(device, NO_MINUTES)
  if (!mayConfigure(device, login.user)) return refusal(device, "permission denied: commit-configuration")
  return answerOf(asked, wanted.check, await Commits.commit(device, login, wanted))
}

const logOf = (given: Xml.Element): string | undefined => Xml.textOf(given, "log")

const wantedOf = (given: Xml.Element): Commits.Request => ({
  check: Xml.child(given, "check") !== undefined,
  confirmed: minutesOf(given),
  log: logOf(given)
})

const commitConfiguration: Request["run"] = (asked) =>
  Xml.child(asked.request, "at-time") === undefined
    ? committed(asked, wantedOf(asked.request))
    : refusal(asked.device, "at-time is not supported")

/** The standard's answers are `ok` alone. */
const plainly = async ({ device, login }: Asked, wanted: Commits.Request): Promise<Reply> => {
  if (!mayConfigure(device, login.user)) return refusal(device, "permission denied: commit")
  return okWith(device, (await Commits.commit(device, login, wanted)).issues)
}

const standardOf = (given: Xml.Element): Commits.Request => ({
  check: false,
  confirmed: minutesOfSeconds(given),
  log: logOf(given)
})

const CHECK: Commits.Request = { check: true, confirmed: undefined, log: undefined }

const notThere = (badElement: string): Issue => ({ severity: "error", message: "invalid session-id", badElement })

const kill: Request["run"] = ({ device, login, request: given }) => {
  const id = Xml.textOf(given, "session-id") ?? ""
  const other = Database.of(device).logins.get(Number(id))
  if (other === undefined || other === login) return { body: issuesAsXml(device, [notThere(id)]) }
  Commits.loginEnded(device, other, "killed")
  other.drop()
  return ok
}

const end: Request["run"] = () => ({ ...ok, closes: true })

const reboot: Request["run"] = ({ device, login }) => {
  if (!mayConfigure(device, login.user)) return refusal(device, "permission denied: request-reboot")
  // the answer goes out first
  setImmediate(() => device.world.reload(device))
  return {
    body: Xml.around("request-reboot-results", Xml.leaf("request-reboot-status", `Shutdown NOW! [pid ${login.pid}]`))
  }
}

/** Back to the factory: no configuration, no history; starts by DHCP. */
export const zeroize = (device: Switch): void => {
  device.startup = undefined
  setImmediate(() => {
    device.world.reload(device)
    Database.reset(device)
  })
}

const erase: Request["run"] = ({ device, login }) => {
  if (!mayConfigure(device, login.user)) return refusal(device, "permission denied: request-system-zeroize")
  zeroize(device)
  return { body: issuesAsXml(device, [{ severity: "warning", message: "zeroizing re0" }]) }
}

/** By the name of their element. */
export const requests: ReadonlyArray<readonly [string, Request]> = [
  [
    "commit-configuration",
    { step: (device, given) => Commits.stepOf(device, wantedOf(given)), run: commitConfiguration }
  ],
  [
    "commit",
    {
      step: (device, given) => Commits.stepOf(device, standardOf(given)),
      run: (asked) => plainly(asked, standardOf(asked.request))
    }
  ],
  ["validate", { step: (device) => Commits.stepOf(device, CHECK), run: (asked) => plainly(asked, CHECK) }],
  ["kill-session", request("other", kill)],
  ["close-session", request("other", end)],
  ["request-end-session", request("other", end)],
  ["request-reboot", request("reload", reboot)],
  ["request-system-zeroize", request("reload", erase)]
]
