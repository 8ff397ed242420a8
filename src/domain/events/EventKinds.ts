/** The kinds of events, and who may hear of them (docs/events.md#kinds). */

import { isObject } from "../fields/Values.ts"

/** What every reader may hear of, as far as it is about devices and jobs of theirs. */
export const publicKinds = [
  "device",
  "interface",
  "stackmember",
  "linknet",
  "mgmtdomain",
  "site",
  "job",
  "change",
  "sync",
  "lock",
  "repository",
  "firmware",
  "drift",
  "host_key",
  "identity",
  "certificate",
  "plugin",
  "alert",
  "reachability",
  "database",
  "disk"
] as const

/** What only those hear of who may read the whole audit. The last two were the names of `repository` and `lock`. */
export const auditKinds = [
  "approval",
  "audit",
  "call",
  "certificate_authority",
  "login",
  "permission",
  "person",
  "secret",
  "token",
  "user",
  "window",
  "commit",
  "joblock"
] as const

/** What is told to whoever asks for it by name, and not kept. */
export const toldKinds = ["log", "step"] as const

export type ToldKind = (typeof toldKinds)[number]

/** All that can be asked for. */
export const eventKinds: ReadonlySet<string> = new Set([...publicKinds, ...auditKinds, ...toldKinds])

const everybodys: ReadonlySet<string> = new Set(publicKinds)

/** Whether a kind is only for those who may read the audit; so is one that nobody has listed. */
export const isForAudit = (kind: string): boolean => !everybodys.has(kind)

const MOVING = ["hostname", "device_type", "state"]

/** Whether other devices may be in a group, or within somebody's reach, by an event. */
export const movesDevices = ({
  action,
  data,
  kind
}: {
  readonly kind: string
  readonly action: string
  readonly data: Readonly<Record<string, unknown>>
}): boolean => {
  if (kind === "repository") return action === "in force"
  if (kind !== "device") return false
  const { after } = data
  return action === "created" || (isObject(after) && MOVING.some((name) => Object.hasOwn(after, name)))
}
