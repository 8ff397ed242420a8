/**
 * The forge where the repositories are, and its people as persons of this server (docs/reviewing.md#approvals): the site says who is who in FORGE_PEOPLE. A name that
 * only looks alike is another person: who is not named is not known. Pure.
 */
import { Schema, SchemaGetter } from "effect"
import type { ForgeApproval } from "../Proposal.ts"
import { folded, maySamePerson } from "./Identity.ts"

const PAIR = /^\s*([^\s=,]{1,100})\s*=\s*([^=,]{1,255}?)\s*$/

const pairsOf = (text: string): ReadonlyArray<readonly [login: string, person: string]> | null => {
  const pairs = text
    .split(",")
    .filter((part) => part.trim() !== "")
    .map((part) => PAIR.exec(part))
  if (pairs.some((pair) => pair === null)) return null
  return pairs.map((pair) => [(pair?.[1] ?? "").toLowerCase(), pair?.[2] ?? ""] as const)
}

/** `maria-k=maria,otto=otto@example.org`: the names at the forge, in lower case, with the names here. */
export const ForgePeopleText = Schema.String.pipe(
  Schema.check(
    Schema.makeFilter((text: string) => pairsOf(text) !== null || "Expected login=name, separated by commas")
  ),
  Schema.decodeTo(Schema.Array(Schema.Tuple([Schema.String, Schema.String])), {
    decode: SchemaGetter.transform((text: string) => (pairsOf(text) ?? []).map(([a, b]) => [a, b] as const)),
    encode: SchemaGetter.transform((pairs: ReadonlyArray<readonly [string, string]>) =>
      pairs.map(([login, person]) => `${login}=${person}`).join(",")
    )
  })
)

/** The address of the forge for people, such as `https://github.com`. */
export const ForgeUrl = Schema.String.pipe(
  Schema.check(
    Schema.makeFilter((text: string) => {
      const url = URL.canParse(text) ? new URL(text) : null
      const isPlain = url !== null && url.username === "" && url.password === "" && url.search === "" && url.hash === ""
      return (
        (isPlain && /^https?:$/.test(url.protocol)) || "Expected a URL such as https://git.example.org, without a login"
      )
    })
  )
)

/** A project of the forge: `network/settings`. */
export const ForgeProject = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^[\w.-]+(?:\/[\w.-]+)+$/, { message: "Expected a project such as network/settings" }))
)

/** Whether two names here are, or may be, the same person. */
export const isSamePerson = (one: string, other: string): boolean =>
  folded(one) !== "" && maySamePerson({ person: null, names: [one] }, { person: null, names: [other] })

// Whose approvals count (docs/reviewing.md#approvals).

/** A word at the forge as it was reported. */
export interface ReportedApproval extends Pick<ForgeApproval, "login" | "decision" | "commit" | "at"> {}

/** People at the forge by their folded name there: who they are here. */
export type ForgePeople = ReadonlyMap<string, string>

const WHY = {
  rejected: "asks for changes",
  earlier: "is about an earlier commit",
  unknown: "FORGE_PEOPLE does not say who this is here",
  own: "proposed it",
  twice: "counts once"
} as const

/**
 * The approvals at the forge, each with whether it counts. These do not count: one by a person who is not known here, one by an author
 * of the proposal (`authors`), one about an earlier commit, and a second one by the same person.
 */
export const judgeApprovals = (
  reported: ReadonlyArray<ReportedApproval>,
  {
    authors,
    commit,
    people
  }: {
    readonly authors: ReadonlyArray<string>
    readonly commit: string | null
    readonly people: ForgePeople
  }
): ReadonlyArray<ForgeApproval> => {
  const counted: Array<string> = []
  return reported.map((one) => {
    const person = people.get(one.login.toLowerCase()) ?? null
    const why = ((): string | null => {
      if (one.decision === "rejected") return WHY.rejected
      if (one.commit !== null && commit !== null && one.commit !== commit) return WHY.earlier
      if (person === null) return WHY.unknown
      if (authors.some((author) => isSamePerson(author, person))) return WHY.own
      return counted.some((other) => isSamePerson(other, person)) ? WHY.twice : null
    })()
    if (why === null && person !== null) counted.push(person)
    return { ...one, person, counts: why === null, why_not: why }
  })
}

/** These persons, each once, without some others. */
export const distinctPersons = (
  names: ReadonlyArray<string>,
  without: ReadonlyArray<string> = []
): ReadonlyArray<string> =>
  names.reduce<ReadonlyArray<string>>(
    (known, name) => ([...known, ...without].some((one) => isSamePerson(one, name)) ? known : [...known, name]),
    []
  )
