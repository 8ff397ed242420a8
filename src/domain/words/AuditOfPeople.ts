/** What the audit says of people and what they decide: sign-ins, approvals, proposals, commits and alerts. Pure. */
import {
  action,
  actor,
  OWN,
  type Part,
  personOf,
  quoted,
  quotedReason,
  type Said,
  signedIn,
  type Speech,
  text
} from "./AuditParts.ts"

export const repository: Speech = {
  said: ([event]) => {
    const name = text(event, "repository")
    const commit = text(event, "after") || text(event, "commit")
    const signed = signedIn(event)
    const named: Said =
      commit === ""
        ? [`a commit of the ${name}`]
        : [`the ${name} commit `, { commit, repository: name }, signed === "" ? "" : `${signed},`]
    const why = text(event, "message")
    switch (event.action) {
      case "in force":
        return [actor(event), " brought ", ...named, " into force"]
      case "refused":
        return [...named, ` was refused: ${why}`]
      case "waiting":
        return [...named, ` waits for a confirmation: ${why}`]
      case "unsigned":
        return [`the ${name} commit `, { commit, repository: name }, ` came into force and ${text(event, "phrase")}`]
      case "failed":
        return [actor(event), ` could not fetch the ${name}: ${why}`]
      default:
        return [...named, `: ${action(event)}`]
    }
  },
  tone: ({ action }) => (action === "in force" ? "good" : action === "refused" || action === "failed" ? "bad" : "warn")
}

export const login: Speech = {
  said: ([event]) => {
    const name = text(event, "name") || event.actor
    if (event.action === "refused" || event.action === "locked")
      return [`A sign-in `, ...(OWN.has(name) ? [] : ["as ", { name }]), ` was refused`, quotedReason(event)]
    return [
      { name },
      event.action === "ended" ? " signed out" : event.action === "refreshed" ? " stayed signed in" : " signed in"
    ]
  },
  tone: ({ action }) => (action === "refused" ? "warn" : "quiet"),
  fold: (event) => `${event.action} ${text(event, "name")} ${event.actor} ${event.address} ${text(event, "reason")}`
}

export const approval: Speech = {
  said: ([event]) => {
    const about: Said =
      event.job_id === null
        ? [`request ${text(event, "id") || text(event, "request")}`.trim()]
        : [{ job: event.job_id, text: `change ${event.job_id}` }]
    const asker = text(event, "started_by") || text(event, "asked_by")
    const of: Said = asker === "" ? [] : [", asked for by ", personOf(asker)]
    const comment = quoted(text(event, "comment"))
    switch (event.action) {
      case "asked":
        return [actor(event), " asked for approval of ", ...about, quotedReason(event)]
      case "approved":
        return [actor(event), " approved ", ...about, ...of, comment]
      case "rejected":
        return [actor(event), " rejected ", ...about, ...of, comment]
      case "expired":
        return ["Nobody decided about ", ...about, " in time", ...of]
      case "unneeded":
        return [...about, " needs no approval any more", ...of]
      case "carried out":
        return ["What was approved as ", ...about, " was carried out", ...of]
      default:
        return [actor(event), `: ${action(event)}: `, ...about]
    }
  },
  tone: ({ action }) => (action === "asked" ? "wait" : action === "rejected" ? "bad" : "good")
}

export const alert: Speech = {
  said: ([event]) => {
    const of = [text(event, "rule"), text(event, "hostname"), text(event, "group")].filter((part) => part !== "")
    switch (event.action) {
      case "acknowledged":
        return [actor(event), ` looks after the alert “${text(event, "title")}”`, quoted(text(event, "comment"))]
      case "muted":
        return [actor(event), ` silenced alerts of ${of.join(", ")}`, quoted(text(event, "reason"))]
      case "unmuted":
        return [actor(event), ` ended the silence of ${of.join(", ")}`]
      case "replayed":
        return [actor(event), " sent messages again that were not delivered"]
      default:
        return [actor(event), `: ${action(event)}`]
    }
  }
}

export const proposal: Speech = {
  said: ([event]) => {
    const branch: Part = { name: text(event, "branch") }
    const of = [" of the ", text(event, "repository")]
    switch (event.action) {
      case "opened":
        return [
          event.data["at_forge"] === true ? { name: text(event, "by") } : actor(event),
          " proposed the branch ",
          branch,
          ...of
        ]
      case "checked":
        return ["The proposed branch ", branch, ...of, " was checked", quoted(text(event, "summary"))]
      case "merged":
        return ["The proposed branch ", branch, ...of, " was merged"]
      case "closed":
        return ["The proposal of the branch ", branch, ...of, " was closed", quoted(text(event, "why"))]
      case "superseded":
        return ["Another proposal took the place of that of the branch ", branch, ...of]
      case "reviewed":
        return [{ name: text(event, "login") }, ` said of the branch `, branch, ...of, `: ${text(event, "decision")}`]
      default:
        return [actor(event), `: ${action(event)}: the branch `, branch, ...of]
    }
  }
}
