/** The words of each kind of event in the audit: who did what to what. Pure. */
import {
  about,
  account,
  action,
  actor,
  type AuditedKind,
  devices,
  inJob,
  jobOf,
  plain,
  quoted,
  quotedReason,
  row,
  type Speech,
  text,
  together
} from "./AuditParts.ts"
import { alert, approval, login, proposal, repository } from "./AuditOfPeople.ts"
import { certificate, change, device, hostKey, job, ports, sync } from "./AuditOfSwitches.ts"
import { counted } from "./Units.ts"

/** The sentences of each kind; a kind without them does not compile. */
export const speeches: Readonly<Record<AuditedKind, Speech>> = {
  device,
  interface: ports,
  stackmember: { said: row("stack member"), fold: (event) => `${together(event)} ${event.hostname}` },
  linknet: { said: row("link"), fold: together },
  mgmtdomain: { said: row("management network"), fold: together },
  site: { said: row("site") },
  job,
  change,
  sync,
  lock: {
    said: ([event]) => [actor(event), ` released the lock “${text(event, "name")}”`, ...inJob(event)],
    tone: "warn"
  },
  joblock: {
    said: ([event]) => [actor(event), ` released the lock “${text(event, "name")}”`, ...inJob(event)],
    tone: "warn"
  },
  repository,
  commit: repository,
  proposal,
  report: {
    said: ([event]) => [actor(event), ` took the report of change ${text(event, "change")}`]
  },
  firmware: plain,
  drift: {
    said: about({ found: ["runs something else than it should", "run something else than they should"] }),
    tone: "wait",
    fold: together
  },
  host_key: hostKey,
  identity: {
    said: ([event]) => [
      `Another switch than `,
      ...devices([event]),
      ` answers at ${text(event, "address")}: its ${text(event, "fact")} is ${text(event, "shown")}`
    ],
    tone: "bad"
  },
  certificate,
  certificate_authority: { said: ([event]) => [actor(event), ` ${action(event)} the certificate authority`] },
  plugin: plain,
  alert,
  reachability: {
    said: about({
      unreachable: ["stopped answering", "stopped answering"],
      reachable: ["answers again", "answer again"]
    }),
    tone: ({ action }) => (action === "unreachable" ? "bad" : "good"),
    fold: ({ action }) => action
  },
  database: { said: () => ["The database was started again"], tone: "warn" },
  disk: {
    said: ([event]) => [
      `The disk of ${text(event, "server")} ${event.action === "low" ? "is nearly full" : "has room again"}: ${text(event, "free_percent")} % free`
    ],
    tone: ({ action }) => (action === "low" ? "bad" : "good")
  },
  approval,
  audit: { said: ([event]) => [actor(event), ` ${action(event)} the audit`], tone: "warn" },
  call: {
    said: ([event, ...more]) => [
      actor(event),
      more.length === 0 ? " was refused a call" : ` was refused ${counted(more.length + 1, "call")}`,
      quotedReason(event)
    ],
    tone: "warn",
    fold: (event) => `${event.actor} ${event.address} ${text(event, "reason")}`
  },
  login,
  permission: { said: () => ["Other roles are in force"], tone: "warn" },
  person: {
    said: ([event]) => [
      actor(event),
      event.action === "withdrawn"
        ? " withdrew the access of "
        : event.action === "admitted"
          ? " let in again "
          : ` ${action(event)} `,
      { name: text(event, "name") || text(event, "person") }
    ],
    tone: ({ action }) => (action === "withdrawn" ? "warn" : "quiet")
  },
  secret: {
    said: ([event]) => [
      actor(event),
      ` saw secrets in ${text(event, "what") || "a text"}`,
      ...(event.hostname === null ? [] : [" of ", { device: event.hostname }]),
      ...inJob(event)
    ],
    tone: "warn"
  },
  spelling: { said: ([event]) => [actor(event), ` ${action(event)} a learnt spelling of a line`] },
  token: { said: account("token") },
  user: { said: account("user") },
  window: {
    said: ([event]) => {
      const closed = text(event, "overrides")
      return [
        actor(event),
        closed === "" ? " called" : " changed switches outside of their windows with",
        ...jobOf(event),
        closed === "" ? " an emergency" : "",
        quoted(text(event, "reason"))
      ]
    },
    tone: "warn"
  }
}
