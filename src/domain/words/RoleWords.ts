/**
 * What a role allows as people say it: `May change ports and push to switches of EAST, at most 10 at a time.` The calls behind the words are
 * those of docs/roles.md; the page asks for no call to write them. Pure.
 */
import { offersCall, showsAccess } from "../access/CallSubjects.ts"
import { includes } from "../access/Glob.ts"
import type { Permission } from "../access/PermissionRule.ts"
import { typeWords } from "./DeviceWords.ts"
import { jobTitle } from "./JobWords.ts"
import { switches } from "./Units.ts"
import { inSentence, joined, textOf } from "./Word.ts"

/** A thing that a role can allow, and the call that is it. */
export interface Ability {
  /** Follows `May`: `change ports`. */
  readonly words: string
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  /** Below `/api/v1.0`, with names that stand for any. */
  readonly path: string
  /** A right that it needs in addition. */
  readonly right?: string
  /** It acts on switches, so that limits to some of them are said. */
  readonly isOfDevices?: true
  /** It is a job, so that limits of jobs are said. */
  readonly isJob?: true
  /** Its lack is worth a word. */
  readonly isTold?: true
}

/** The abilities, reading first. */
export const abilities: ReadonlyArray<Ability> = [
  { words: "see switches", method: "GET", path: "/devices", isOfDevices: true },
  { words: "see configurations", method: "GET", path: "/device/x/running_config", isOfDevices: true },
  { words: "see jobs", method: "GET", path: "/jobs", isOfDevices: true },
  { words: "read the audit", method: "GET", path: "/audit", isOfDevices: true },
  { words: "read settings and templates", method: "GET", path: "/repository/settings/files" },
  { words: "see where secrets are used", method: "GET", path: "/secrets" },
  { words: "see who has which access", method: "GET", path: "/auth/persons", right: "audit" },
  {
    words: "see secrets in configurations",
    method: "GET",
    path: "/device/x/running_config",
    right: "show_secrets",
    isOfDevices: true
  },
  { words: "change ports", method: "PUT", path: "/device/x/interfaces", isOfDevices: true, isTold: true },
  { words: "restart ports", method: "PUT", path: "/device/x/interface_status", isOfDevices: true },
  {
    words: "write lines of their own into ports",
    method: "PUT",
    path: "/device/x/interfaces",
    right: "free_lines",
    isOfDevices: true
  },
  { words: "push to switches", method: "POST", path: "/device_syncto", isOfDevices: true, isJob: true, isTold: true },
  { words: "push a text", method: "POST", path: "/device/x/apply_config", isOfDevices: true, isJob: true },
  {
    words: "push outside of maintenance windows",
    method: "POST",
    path: "/device_syncto",
    right: "emergency",
    isOfDevices: true,
    isJob: true
  },
  { words: "undo what a job did", method: "POST", path: "/job/1/revert", isOfDevices: true, isJob: true },
  { words: "pause and stop jobs", method: "PUT", path: "/job/1", isOfDevices: true },
  { words: "approve what others ask for", method: "POST", path: "/job/1/approve", isOfDevices: true, isTold: true },
  { words: "add switches", method: "POST", path: "/device" },
  { words: "bring in switches that run already", method: "POST", path: "/onboarding", right: "trust" },
  { words: "set up new switches", method: "POST", path: "/device_init/1", isOfDevices: true, isTold: true },
  { words: "change records of switches", method: "PUT", path: "/device/1", isOfDevices: true },
  { words: "remove switches", method: "DELETE", path: "/device/1", isOfDevices: true },
  { words: "accept the key of a switch", method: "POST", path: "/device/x/trust", right: "trust", isOfDevices: true },
  {
    words: "upgrade firmware",
    method: "POST",
    path: "/firmware/upgrade",
    isOfDevices: true,
    isJob: true,
    isTold: true
  },
  { words: "fetch settings and templates", method: "PUT", path: "/repository/settings" },
  { words: "report leases", method: "POST", path: "/dhcp_leases" },
  { words: "silence alerts", method: "POST", path: "/alerts/mutes" },
  { words: "read metrics", method: "GET", path: "/metrics" }
]

const isNarrow = ({ device_types, groups, interfaces }: Permission): boolean =>
  device_types !== undefined || groups !== undefined || interfaces !== undefined

const allows = (permission: Permission, { method, path, right }: Ability): boolean =>
  right === "audit"
    ? showsAccess(permission)
    : offersCall(permission, method, path) && (right === undefined || includes(permission.rights ?? [], right))

const everything = (permission: Permission): boolean =>
  permission.methods?.includes("*") === true &&
  permission.endpoints?.some((glob) => glob === "*" || glob === "**") === true &&
  !isNarrow(permission) &&
  permission.jobs === undefined &&
  permission.live !== false &&
  permission.max_devices === undefined

/** `, only for switches of EAST and of type access, only ports lhv-a*:Ethernet*`. */
const whichDevices = ({ device_types, groups, interfaces, states }: Permission): string => {
  const named = [
    ...(groups?.includes("*") === false ? [`of ${groups.length === 0 ? "no group" : joined(groups)}`] : []),
    ...(device_types?.includes("*") === false
      ? [`of type ${joined(device_types.map((type) => inSentence(textOf(typeWords, type))))}`]
      : []),
    ...(states === undefined ? [] : ["that are not set up yet"])
  ]
  const where = named.length === 0 ? "" : `, only for switches ${named.join(" and ")}`
  return interfaces === undefined ? where : `${where}, only ports ${joined(interfaces)}`
}

const whichJobs = ({ approval, jobs = ["*"], live, max_devices }: Permission): string => {
  const isPlain = jobs.includes("*") || jobs.join() === "sync_devices"
  const kinds = isPlain ? "" : `, only by ${joined(jobs.map((name) => inSentence(jobTitle(name))))}`
  const most = max_devices === undefined ? "" : `; at most ${switches(max_devices)} at a time`
  const dry = live === false ? "; previews only" : ""
  return `${kinds}${most}${dry}${approval === true ? "; another person must approve" : ""}`
}

const limitOf = (permission: Permission, { isJob, isOfDevices, method }: Ability): string =>
  [
    isOfDevices === true ? whichDevices(permission) : "",
    permission.fields !== undefined && method !== "GET" ? ", only some fields" : "",
    isJob === true ? whichJobs(permission) : ""
  ].join("")

/** A sentence about a role, and the place of the permission that it tells. */
export interface RoleSentence {
  readonly text: string
  /** The permissions behind it, by their place in the role. */
  readonly from: ReadonlyArray<number>
}

/** What the permissions allow, in sentences; the last one says what they do not allow. */
export const abilitySentences = (permissions: ReadonlyArray<Permission>): ReadonlyArray<RoleSentence> => {
  const whole = permissions.findIndex(everything)
  if (whole >= 0) {
    const waits = permissions[whole]?.approval === true ? "; another person must approve what changes switches" : ""
    return [{ text: `May do everything${waits}.`, from: [whole] }]
  }
  const groups = new Map<string, { readonly words: Array<string>; readonly from: Set<number> }>()
  const lacking: Array<string> = []
  for (const ability of abilities) {
    const found = permissions.flatMap((permission, place) =>
      allows(permission, ability) ? [{ permission, place }] : []
    )
    // the widest permission tells the limits: one without any comes first
    const [best] = found.toSorted(
      (one, other) => limitOf(one.permission, ability).length - limitOf(other.permission, ability).length
    )
    if (best === undefined) {
      if (ability.isTold === true) lacking.push(ability.words)
      continue
    }
    const kind = ability.method === "GET" ? "read" : "act"
    const limit = limitOf(best.permission, ability)
    const group = groups.get(`${kind}${limit}`) ?? { words: [], from: new Set<number>() }
    group.words.push(ability.words)
    group.from.add(best.place)
    groups.set(`${kind}${limit}`, group)
  }
  const told = [...groups].map(([key, { from, words }]): RoleSentence => {
    const limit = key.replace(/^(?:read|act)/, "")
    return { text: `May ${joined(words)}${limit}.`, from: [...from] }
  })
  if (told.length === 0) return [{ text: "May do nothing.", from: [] }]
  return lacking.length === 0 ? told : [...told, { text: `May not ${joined(lacking, "or")}.`, from: [] }]
}
