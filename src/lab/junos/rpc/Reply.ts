/** Answers to requests, and the forms in which the device refuses. */
import type * as Faults from "../../Faults.ts"
import type { Switch } from "../../Switch.ts"
import type { Issue } from "../Config.ts"
import type { Login } from "../Database.ts"
import * as Facts from "../Facts.ts"
import * as Xml from "../Xml.ts"

/** What stands in the `rpc-reply`; the conversation may end behind it. */
export interface Reply {
  readonly body: string
  readonly closes?: boolean
}

/** Who asks what of which switch. */
export interface Asked {
  readonly device: Switch
  readonly login: Login
  readonly request: Xml.Element
}

/** One request that the device knows. */
export interface Request {
  /** The step at which faults strike. */
  readonly step: (device: Switch, request: Xml.Element) => Faults.Step
  readonly run: (asked: Asked) => Reply | Promise<Reply>
}

/** A request whose step is always the same. */
export const request = (step: Faults.Step, run: Request["run"]): Request => ({ step: () => step, run })

export const ok: Reply = { body: Xml.leaf("ok") }

const newError = ({ badElement, message, path, severity }: Issue, isBare: boolean): string =>
  Xml.around("rpc-error", [
    ...(isBare ? [] : [Xml.leaf("error-type", "protocol"), Xml.leaf("error-tag", "operation-failed")]),
    Xml.leaf("error-severity", severity),
    ...(path === undefined ? [] : [Xml.wide("error-path", path)]),
    ...(badElement === undefined ? [] : [Xml.around("error-info", Xml.wide("bad-element", badElement))]),
    Xml.wide("error-message", message)
  ])

const OLD = "http://xml.juniper.net/xnm/1.1/xnm"

const oldError = ({ badElement, message, path, severity }: Issue): string =>
  Xml.around(
    `xnm:${severity}`,
    [
      ...(path === undefined ? [] : [Xml.wide("edit-path", path)]),
      ...(badElement === undefined ? [] : [Xml.wide("statement", badElement)]),
      Xml.wide("message", message)
    ],
    { xmlns: OLD, "xmlns:xnm": OLD }
  )

/** What the device says, as elements. Warnings have neither type nor tag. */
export const issuesAsXml = (device: Switch, issues: ReadonlyArray<Issue>): string => {
  const { bareErrors, oldErrors } = device.behaviour.junos
  return issues
    .map((issue) => (oldErrors ? oldError(issue) : newError(issue, bareErrors || issue.severity === "warning")))
    .join("")
}

/** The answer to something that the device refuses. */
export const refusal = (device: Switch, message: string): Reply => ({
  body: issuesAsXml(device, [{ severity: "error", message }])
})

/** `ok`, with the warnings that stand beside it. */
export const okWith = (device: Switch, issues: ReadonlyArray<Issue>): Reply => ({
  body: `${issuesAsXml(device, issues)}${issues.some(({ severity }) => severity === "error") ? "" : Xml.leaf("ok")}`
})

const MAY_ALL = new Set(["super-user", "superuser"])
const MAY_LOOK = new Set(["read-only", "operator", "unauthorized"])

/** Whether a user may see secrets; a class of the configuration says so among its permissions. */
export const seesSecrets = (device: Switch, user: string): boolean => {
  if (device.behaviour.junos.hidesSecrets) return false
  const name = Facts.classOf(device.running, user)
  return (
    MAY_ALL.has(name) ||
    Facts.permissionsOf(device.running, name).some((one) => one === "all" || one.startsWith("secret"))
  )
}

/** Whether a user may change the configuration. */
export const mayConfigure = (device: Switch, user: string): boolean => {
  const name = Facts.classOf(device.running, user)
  if (MAY_ALL.has(name)) return true
  return (
    !MAY_LOOK.has(name) && Facts.permissionsOf(device.running, name).some((one) => one === "all" || one === "configure")
  )
}
