/** The filters of the audit: their words in the address, and the API filters that they stand for. */
import type { auditKinds, publicKinds } from "../../../src/domain/events/Event.ts"

/** Kinds of the audit (docs/security.md#audit). */
export const KINDS: ReadonlyArray<(typeof auditKinds)[number] | (typeof publicKinds)[number]> = [
  "approval",
  "audit",
  "call",
  "certificate",
  "certificate_authority",
  "change",
  "device",
  "drift",
  "firmware",
  "host_key",
  "interface",
  "job",
  "linknet",
  "lock",
  "login",
  "mgmtdomain",
  "permission",
  "repository",
  "secret",
  "site",
  "stackmember",
  "sync",
  "token",
  "user",
  "window"
]

type Words = Readonly<Record<string, string | undefined>>

/** Words of the address that are filters; those that match a part of the field are `true`. */
const FIELDS = { kind: false, action: false, actor: true, hostname: true, at: true } as const

/** The filters of the API. */
export const filtersOf = (words: Words): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(FIELDS).flatMap(([field, isPart]) => {
      const text = words[field]?.trim() ?? ""
      return text === "" ? [] : [[`filter[${field}]${isPart ? "[contains]" : ""}`, text]]
    })
  )

/** Whether any filter is set. */
export const isFiltered = (words: Words): boolean => Object.keys(filtersOf(words)).length > 0

/** The query without filters. */
export const NOTHING: Readonly<Record<string, undefined>> = Object.fromEntries(
  [...Object.keys(FIELDS), "page"].map((field) => [field, undefined])
)
