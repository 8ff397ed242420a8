/**
 * Who somebody is, in whose name a fiber works, and which person is behind a name (docs/security.md#audit). What they may do follows
 * from `permissions.yml`.
 */
import { Context } from "effect"

/** How somebody came in: with tokens off, by a plain JWT, by the site's identity provider, by a password, by an API token of ours. */
export const ways = ["open", "jwt", "oidc", "password", "token"] as const
export type Way = (typeof ways)[number]

/** Somebody who calls. */
export interface Identity {
  /** At most 255 characters: what jobs, events and the audit keep. */
  readonly name: string
  readonly way: Way
  /** The key of the person behind it (`Person.ts`): the owner of a token. */
  readonly person: string
  /** Names of roles that came with the way in; those that `permissions.yml` gives by attributes are not among them. */
  readonly roles: ReadonlyArray<string>
  /** What the identity provider says of the person, or the claims of a plain JWT: texts by the name of each. */
  readonly attributes: Readonly<Record<string, ReadonlyArray<string>>>
}

/** The caller of a server that asks for no tokens. */
export const everybody: Identity = { name: "admin", way: "open", person: "open", roles: [], attributes: {} }

// In whose name a fiber works: the caller of a request, or whoever scheduled a job. The database notes it beside each change
// (docs/security.md#audit), so that nothing between the request and the statement has to pass it on.

export interface Acting {
  readonly name: string
  /** `server` for what nobody has asked for, `none` for somebody who did not prove who they are. */
  readonly way: Way | "server" | "none"
  /** The address that the request came from; null where there is none. */
  readonly address: string | null
  /** The job that does it; null outside jobs. */
  readonly job: number | null
  /** The key of the person (`Person.ts`): what is asked for is theirs. */
  readonly person?: string
}

/** The server itself. */
export const server: Acting = { name: "server", way: "server", address: null, job: null }

/** Who acts in this fiber. */
export const Acting = Context.Reference<Acting>("switchyard/domain/access/Acting", { defaultValue: () => server })

// One principal per person (docs/security.md#persons): whoever is behind a call, whichever of their tokens it came with. A person is a
// local user, a subject of an issuer, or a named machine account. Bounds and fair queues count persons; approvals compare them. Pure.

/** In whose name places are taken where nobody has called: the server's own work. */
export const SERVER_PERSON = "server"

/** Whose call this fiber works for: a key as below, or `address:…` before it is known who calls. */
export const Person = Context.Reference<string>("switchyard/domain/access/Person", {
  defaultValue: () => SERVER_PERSON
})

/** Keys of persons. Names of users and accounts have no spaces, so that no two kinds meet. */
export const localPerson = (name: string): string => `local:${name}`
export const machinePerson = (name: string): string => `machine:${name}`
export const addressPerson = (address: string): string => `address:${address}`
export const subjectPerson = (way: "jwt" | "oidc", issuer: string, subject: string): string =>
  `${way}:${issuer} ${subject}`
/** Whoever made a token before persons were known: only their name was kept. */
export const namedPerson = (name: string): string => `name:${name}`

/** Somebody to be compared. */
export interface Somebody {
  /** Null where only names are known. */
  readonly person: string | null
  readonly names: ReadonlyArray<string>
}

/**
 * A text without regard to case and spelling: full-width letters, ligatures, ß and ss, characters that are not seen, and spaces at the ends
 * or doubled make no other name.
 */
export const folded = (text: string): string =>
  text
    .normalize("NFKC")
    .toUpperCase()
    .toLowerCase()
    .normalize("NFKC")
    .replaceAll(/[\p{Cf}\u{34f}\u{307}]/gu, "")
    .replaceAll(/\s+/g, " ")
    .trim()

const TELLING = ["preferred_username", "upn", "email"] as const

/** The name without the issuer that stands before it where a local user has the same. */
const withoutIssuer = (name: string): string => /^https?:\/\/[^#]*#(.+)$/.exec(name)?.[1] ?? name

/** The names under which somebody is known: their own, and what a provider says of them. */
export const namesOf = ({ attributes, name }: Pick<Identity, "name" | "attributes">): ReadonlyArray<string> => [
  name,
  withoutIssuer(name),
  ...TELLING.flatMap((attribute) => (Object.hasOwn(attributes, attribute) ? (attributes[attribute] ?? []) : []))
]

const isSameName = (one: string, other: string): boolean => {
  const [a, b] = [folded(one), folded(other)]
  if (a === b) return a !== ""
  // a local user maria may be maria@example.org of the provider; maria@example.org and maria@example.net are two
  return a.includes("@") !== b.includes("@") && a.split("@", 1)[0] === b.split("@", 1)[0]
}

/** Whether two are, or may be, the same person: whoever may be the same decides nothing for the other. */
export const maySamePerson = (one: Somebody, other: Somebody): boolean =>
  (one.person !== null && other.person !== null && folded(one.person) === folded(other.person)) ||
  one.names.some((name) => other.names.some((another) => isSameName(name, another)))
