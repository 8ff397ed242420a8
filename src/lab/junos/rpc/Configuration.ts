/** Requests about the configuration: locks, loading, reading in its formats, comparing, the history, who else is in. */
import * as Faults from "../../Faults.ts"
import type { Switch } from "../../Switch.ts"
import * as Braces from "../Braces.ts"
import * as Commits from "../Commits.ts"
import * as Config from "../Config.ts"
import type { Entry, Issue } from "../Config.ts"
import * as ConfigXml from "../ConfigXml.ts"
import * as Database from "../Database.ts"
import * as Inheritance from "../Inheritance.ts"
import * as SetLines from "../SetLines.ts"
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
  request,
  seesSecrets
} from "./Reply.ts"

const XNM = "http://xml.juniper.net/xnm/1.1/xnm"

const hasError = (issues: ReadonlyArray<Issue>): boolean => issues.some(({ severity }) => severity === "error")

const guarded =
  (run: (asked: Asked) => Reply): Request["run"] =>
  (asked) =>
    mayConfigure(asked.device, asked.login.user)
      ? run(asked)
      : refusal(asked.device, `permission denied: ${asked.request.name}`)

const opened =
  (mode: (request: Xml.Element) => Database.OpenMode) =>
  ({ device, login, request: given }: Asked): Reply => {
    const wanted = mode(given)
    const issues = Database.open(device, login, wanted)
    return okWith(device, hasError(issues) || wanted === "private" ? issues : [])
  }

const modeOf = (element: Xml.Element): Database.OpenMode =>
  Xml.child(element, "private") !== undefined
    ? "private"
    : Xml.child(element, "exclusive") !== undefined
      ? "exclusive"
      : "shared"

const close: Request["run"] = ({ device, login }) => {
  Database.close(device, login)
  return ok
}

const unlock: Request["run"] = (asked) =>
  asked.login.mode === "exclusive" ? close(asked) : refusal(asked.device, "configuration database is not locked")

// Loading.

const rejected = (device: Switch, text: string): Issue | undefined => {
  if (device.faults.length === 0) return undefined
  const line = (pattern: string) => text.split("\n").find((one) => new RegExp(pattern).test(one))
  const fault = Faults.take(device.faults, "reject", ({ pattern }) => line(pattern) !== undefined)
  if (fault === undefined) return undefined
  return {
    severity: "error",
    message: fault.message ?? "syntax error",
    badElement: line(fault.pattern)?.trim() ?? ""
  }
}

const received = (device: Switch, text: string): string => {
  const cut = device.faults.length === 0 ? undefined : Faults.takeAt(device.faults, "truncate", "load")
  return cut === undefined ? text : text.split("\n").slice(0, cut.lines).join("\n")
}

const WHOLE = new Set(["override", "update"])

/** Adds a text in one of the formats to a candidate, as the action says. */
export const loadInto = (
  device: Switch,
  candidate: Entry,
  given: { readonly action: string; readonly text?: string; readonly set?: string; readonly xml?: Xml.Element }
): ReadonlyArray<Issue> => {
  const { action } = given
  const text = received(device, given.text ?? given.set ?? "")
  const wrong = rejected(device, text)
  if (WHOLE.has(action) && given.set !== undefined)
    return [{ severity: "error", message: `${action} needs a whole configuration` }]
  const target = WHOLE.has(action) ? Config.empty() : candidate
  const issues =
    given.xml !== undefined
      ? ConfigXml.load(target, given.xml)
      : given.set !== undefined
        ? SetLines.read(target, text)
        : Braces.read(target, text, action === "replace" ? "replace" : "merge")
  if (target !== candidate) Database.replace(candidate, target)
  return wrong === undefined ? issues : [...issues, wrong]
}

const ACTIONS = new Set(["merge", "override", "update", "replace", "set"])

const loaded = (asked: Asked): ReadonlyArray<Issue> => {
  const { device, login } = asked
  const { action = "merge", rescue, rollback } = asked.request.attributes
  if (rollback !== undefined) return Database.rollback(device, login, Number(rollback))
  if (rescue !== undefined) return Database.rescue(device, login)
  if (!ACTIONS.has(action) || (action === "update" && device.behaviour.junos.noLoadUpdate))
    return [{ severity: "error", message: "invalid value", badElement: action }]
  const text = Xml.child(asked.request, "configuration-text")?.text
  const set = Xml.child(asked.request, "configuration-set")?.text
  const xml = Xml.child(asked.request, "configuration")
  if (text === undefined && set === undefined && xml === undefined)
    return [{ severity: "error", message: "missing mandatory argument", badElement: "configuration" }]
  return Database.edit(device, login, (candidate) => {
    if (action === "override") Database.of(device).overridden = true
    return loadInto(device, candidate, {
      action,
      ...(text === undefined ? {} : { text }),
      ...(set === undefined ? {} : { set }),
      ...(xml === undefined ? {} : { xml })
    })
  })
}

const load = guarded((asked) => {
  const { device } = asked
  const warnings = device.behaviour.junos.loadWarnings.map((message): Issue => ({ severity: "warning", message }))
  const issues = [...loaded(asked), ...warnings]
  const errors = issues.filter(({ severity }) => severity === "error").length
  const { okBesideErrors, oldErrors, prefixed } = device.behaviour.junos
  // a device that keeps to the standard says ok alone
  if (errors === 0 && prefixed) return ok
  const end = [
    ...(errors > 0 ? [Xml.leaf("load-error-count", errors)] : []),
    ...(errors === 0 || okBesideErrors ? [Xml.leaf(oldErrors && errors === 0 ? "load-success" : "ok")] : [])
  ]
  return { body: Xml.around("load-configuration-results", [issuesAsXml(device, issues), ...end]) }
})

/** `edit-config` of the standard: merges or replaces by its default operation. */
const edit = guarded((asked) => {
  const { device, login, request: given } = asked
  const config = Xml.child(given, "config")
  const text = Xml.child(Xml.child(given, "config-text"), "configuration-text")?.text
  const xml = Xml.child(config, "configuration")
  const action = Xml.textOf(given, "default-operation") === "replace" ? "override" : "merge"
  return okWith(
    device,
    Database.edit(device, login, (candidate) =>
      loadInto(device, candidate, {
        action,
        ...(text === undefined ? {} : { text }),
        ...(xml === undefined ? {} : { xml })
      })
    )
  )
})

const discard = guarded(({ device, login }) => okWith(device, Database.rollback(device, login, 0)))

// Reading.

const isCommitted = ({ attributes }: Xml.Element): boolean => attributes["database"] === "committed"

/** The candidate as the device states it. */
const stated = (device: Switch, login: Database.Login): Entry => {
  const truth = Database.candidate(device, login)
  const how = device.faults.length === 0 ? undefined : Faults.take(device.faults, "misstates")?.how
  if (how === undefined) return truth
  if (how === "old") return Database.committed(device)
  const lacking = Braces.parse(Commits.withoutLastNew(device.running, Braces.print(truth)))
  if (how === "lacksLine") return lacking
  const shown = Config.clone(truth)
  Database.edit(device, login, (candidate) => {
    Database.replace(candidate, lacking)
    return []
  })
  return shown
}

/** The line that stands above a configuration, and the same as attributes. */
export const stamp = (device: Switch, committed: boolean) => {
  const { changedBy, history } = Database.of(device)
  const [last] = history
  const at = last?.at ?? device.bootedAt
  const user = last?.user ?? "root"
  if (committed || changedBy === undefined || !Database.isDirty(device))
    return {
      line: `## Last commit: ${Database.moment(at)} by ${user}`,
      attributes: {
        "junos:commit-seconds": Math.floor(at / 1000),
        "junos:commit-localtime": Database.moment(at),
        "junos:commit-user": user
      }
    }
  return {
    line: `## Last changed: ${Database.moment(changedBy.at)}`,
    attributes: {
      "junos:changed-seconds": Math.floor(changedBy.at / 1000),
      "junos:changed-localtime": Database.moment(changedBy.at)
    }
  }
}

const truncated = (device: Switch, step: "showRunning" | "showCandidate", text: string): string => {
  const cut = device.faults.length === 0 ? undefined : Faults.takeAt(device.faults, "truncate", step)
  return cut === undefined ? text : `${text.split("\n").slice(0, cut.lines).join("\n")}\n`
}

const compared = ({ device, login, request: given }: Asked): Reply => {
  const number = Number(given.attributes["rollback"] ?? 0)
  const secrets = seesSecrets(device, login.user) ? "marked" : "hidden"
  const text = isCommitted(given)
    ? Commits.between(device, number, 0, secrets)
    : Database.compare(device, login, number, secrets)
  if (text === undefined) return refusal(device, `could not open configuration file /config/juniper.conf.${number}.gz`)
  return {
    body: Xml.around("configuration-information", Xml.leaf("configuration-output", `\n${text}`))
  }
}

const getConfiguration: Request["run"] = (asked) => {
  const { device, login, request: given } = asked
  const { compare, format = "xml", inherit } = given.attributes
  if (compare !== undefined) return compared(asked)
  const committed = isCommitted(given)
  const secrets = seesSecrets(device, login.user) ? "marked" : "hidden"
  const whole = committed ? Database.committed(device) : stated(device, login)
  const resolved = inherit === undefined ? whole : Inheritance.expanded(whole)
  const filter = Xml.child(given, "configuration")
  const shown = filter === undefined ? resolved : ConfigXml.filtered(resolved, filter)
  const { attributes, line } = stamp(device, committed)
  const step = committed ? "showRunning" : "showCandidate"
  if (format === "text") {
    const text = truncated(device, step, `${line}\n${Braces.print(shown, secrets)}`)
    return { body: Xml.leaf("configuration-text", `\n${text}`, { xmlns: XNM }) }
  }
  if (format === "set" && !device.behaviour.junos.noSetForm)
    return { body: Xml.leaf("configuration-set", `\n${truncated(device, step, SetLines.print(shown, [], secrets))}`) }
  if (format !== "xml") return refusal(device, `invalid value: ${format}`)
  return { body: Xml.around("configuration", ConfigXml.print(shown, secrets), { xmlns: XNM, ...attributes }) }
}

/** `get-config` of the standard. */
const getConfig: Request["run"] = ({ device, login, request: given }) => {
  const committed = Xml.child(Xml.child(given, "source"), "candidate") === undefined
  const secrets = seesSecrets(device, login.user) ? "marked" : "hidden"
  const whole = committed ? Database.committed(device) : stated(device, login)
  const filter = Xml.child(Xml.child(given, "filter"), "configuration")
  const shown = filter === undefined ? whole : ConfigXml.filtered(whole, filter)
  const config = Xml.around("configuration", ConfigXml.print(shown, secrets), {
    xmlns: XNM,
    ...stamp(device, committed).attributes
  })
  return { body: Xml.around("data", [config, statusOf(device)]) }
}

const rollbackInformation: Request["run"] = ({ device, login, request: given }) => {
  const number = Number(Xml.textOf(given, "rollback") ?? 0)
  const other = Xml.textOf(given, "compare")
  const secrets = seesSecrets(device, login.user) ? "marked" : "hidden"
  const text =
    other === undefined
      ? (Database.of(device).history[number]?.text ?? (number === 0 ? device.running : undefined))
      : Commits.between(device, number, Number(other), secrets)
  if (text === undefined) return refusal(device, `could not open configuration file /config/juniper.conf.${number}.gz`)
  const shown = other === undefined ? Braces.print(Braces.parse(text), secrets) : text
  return {
    body: Xml.around(
      "rollback-information",
      Xml.around("configuration-information", Xml.leaf("configuration-output", `\n${shown}`))
    )
  }
}

// History and who else is in.

const seconds = (name: string, at: number) =>
  Xml.leaf(name, Database.moment(at), { "junos:seconds": Math.floor(at / 1000) })

const PENDING = "rollback pending"

const commitInformation: Request["run"] = ({ device }) => {
  const { noPendingMark } = device.behaviour.junos
  return {
    body: Xml.around(
      "commit-information",
      Database.of(device).history.map(({ at, client, comment, log, pending, user }, index) =>
        Xml.around("commit-history", [
          Xml.leaf("sequence-number", index),
          Xml.leaf("user", user),
          Xml.leaf("client", client),
          seconds("date-time", at),
          ...(comment === undefined ? [] : [Xml.leaf("comment", comment)]),
          ...(log === undefined ? [] : [Xml.leaf("log", log)]),
          ...(pending && !noPendingMark ? [Xml.leaf("commit-confirmed", PENDING)] : [])
        ])
      )
    )
  }
}

const revisionInformation: Request["run"] = ({ device, request: given }) => {
  const [last] = Database.of(device).history
  if (device.behaviour.junos.noRevisions)
    return { body: issuesAsXml(device, [{ severity: "error", message: "syntax error", badElement: given.name }]) }
  if (last === undefined) return { body: Xml.leaf("commit-revision-information") }
  return {
    body: Xml.around("commit-revision-information", [
      Xml.leaf("revision", last.id),
      Xml.leaf("user", last.user),
      Xml.leaf("client", last.client),
      seconds("date-time", last.at),
      ...(last.log === undefined ? [] : [Xml.leaf("comment", last.log)])
    ])
  }
}

const statusOf = (device: Switch): string => {
  const inside = [...Database.of(device).logins.values()]
    .filter(({ mode }) => mode !== undefined)
    .map(({ mode, path, pid, since, terminal, user }) => {
      const idle = Math.floor((Date.now() - since) / 1000)
      return Xml.around("database-status", [
        Xml.leaf("user", user),
        Xml.leaf("terminal", terminal),
        Xml.leaf("pid", pid),
        seconds("start-time", since),
        Xml.leaf("idle-time", Database.span(idle), { "junos:seconds": idle }),
        ...(mode === "shared" ? [] : [Xml.leaf(mode ?? "")]),
        Xml.leaf("edit-path", `[edit${path === "" ? "" : ` ${path}`}]`)
      ])
    })
  return inside.length === 0 ? "" : Xml.around("database-status-information", inside)
}

const databaseStatus: Request["run"] = ({ device }) => ({
  body: statusOf(device) === "" ? Xml.leaf("database-status-information") : statusOf(device)
})

// The rescue configuration.

const saveRescue = guarded(({ device }) => {
  Database.of(device).rescue = device.running
  return {
    body: Xml.around(
      "rescue-management-results",
      Xml.around("routing-engine", [Xml.leaf("name", "re0"), Xml.leaf("success")])
    )
  }
})

const deleteRescue = guarded(({ device }) => {
  Database.of(device).rescue = undefined
  return ok
})

const rescueInformation: Request["run"] = ({ device, login }) => {
  const text = Database.of(device).rescue
  if (text === undefined) return refusal(device, "No existing rescue configuration is set.")
  const shown = Braces.print(Braces.parse(text), seesSecrets(device, login.user) ? "marked" : "hidden")
  return {
    body: Xml.around(
      "rescue-information",
      Xml.around("configuration-information", Xml.leaf("configuration-output", `\n${shown}`))
    )
  }
}

const readingStep: Request["step"] = (_device, given) =>
  given.attributes["compare"] === undefined
    ? isCommitted(given) ||
      (given.name === "get-config" && Xml.child(Xml.child(given, "source"), "candidate") === undefined)
      ? "showRunning"
      : "showCandidate"
    : "diff"

/** By the name of their element. */
export const requests: ReadonlyArray<readonly [string, Request]> = [
  ["lock-configuration", request("openSession", guarded(opened(() => "exclusive")))],
  ["lock", request("openSession", guarded(opened(() => "exclusive")))],
  ["unlock-configuration", request("abort", unlock)],
  ["unlock", request("abort", unlock)],
  ["open-configuration", request("openSession", guarded(opened(modeOf)))],
  ["close-configuration", request("abort", close)],
  [
    "load-configuration",
    { step: (_device, { attributes }) => (attributes["rollback"] === "0" ? "clean" : "load"), run: load }
  ],
  ["edit-config", request("load", edit)],
  ["discard-changes", request("clean", discard)],
  ["get-configuration", { step: readingStep, run: getConfiguration }],
  ["get-config", { step: readingStep, run: getConfig }],
  ["get-rollback-information", request("diff", rollbackInformation)],
  ["get-commit-information", request("showSessions", commitInformation)],
  ["get-commit-revision-information", request("showSessions", revisionInformation)],
  ["get-database-status-information", request("showSessions", databaseStatus)],
  ["request-save-rescue-configuration", request("write", saveRescue)],
  ["request-delete-rescue-configuration", request("write", deleteRescue)],
  ["get-rescue-information", request("show", rescueInformation)]
]
