/**
 * The identity of a caller, the principal that a fiber acts for, and the person behind a name (docs/security.md#audit). Their
 * permissions follow from `permissions.yml`.
 */
import { Context } from "effect"

/**
 * How a caller was authenticated: with tokens off, by a plain JWT, by the site's identity provider, by a password, by one of
 * our own API tokens.
 */
export const ways = ["open", "jwt", "oidc", "password", "token"] as const
export type Way = (typeof ways)[number]

/** A caller. */
export interface Identity {
  /** At most 255 characters: the length that jobs, events and the audit store. */
  readonly name: string
  readonly way: Way
  /** The key of the person behind it (`Person.ts`): the owner of a token. */
  readonly person: string
  /** Names of roles that came with the login; roles that `permissions.yml` gives by attributes are not among them. */
  readonly roles: ReadonlyArray<string>
  /** The identity provider's claims about the person, or those of a plain JWT: texts by the name of each. */
  readonly attributes: Readonly<Record<string, ReadonlyArray<string>>>
}

/** The caller of a server that requires no tokens. */
export const everybody: Identity = { name: "admin", way: "open", person: "open", roles: [], attributes: {} }

// The principal that a fiber acts for: the caller of a request, or the creator of a job. The database records it with each
// change (docs/security.md#audit), so that no function between the request and the statement has to pass it on.

export interface Acting {
  readonly name: string
  /** `server` for the server's own work, `none` for a caller without proof of identity. */
  readonly way: Way | "server" | "none"
  /** The address from which the request came; null without a request. */
  readonly address: string | null
  /** The running job; null outside jobs. */
  readonly job: number | null
  /** The key of the person (`Person.ts`) who owns the request. */
  readonly person?: string
}

/** The server itself. */
export const server: Acting = { name: "server", way: "server", address: null, job: null }

/** The principal of this fiber. */
export const Acting = Context.Reference<Acting>("switchyard/domain/access/Acting", { defaultValue: () => server })

// One principal per person (docs/security.md#persons): the person behind a call, with any of their tokens. A person is a local
// user, a subject of an issuer, or a named machine account. Bounds and fair queues count persons; approvals compare them. Pure.

/** The owner of the places that the server's own work takes. */
export const SERVER_PERSON = "server"

/** The caller that this fiber works for: a key as below, or `address:…` before the caller is known. */
export const Person = Context.Reference<string>("switchyard/domain/access/Person", {
  defaultValue: () => SERVER_PERSON
})

/** Keys of persons. Names of users and accounts have no spaces, so keys of different kinds never collide. */
export const localPerson = (name: string): string => `local:${name}`
export const machinePerson = (name: string): string => `machine:${name}`
export const addressPerson = (address: string): string => `address:${address}`
export const subjectPerson = (way: "jwt" | "oidc", issuer: string, subject: string): string =>
  `${way}:${issuer} ${subject}`
/** The creator of a token from before persons existed: only the name was stored. */
export const namedPerson = (name: string): string => `name:${name}`

/** A person in a comparison. */
export interface Somebody {
  /** Null where only names are known. */
  readonly person: string | null
  readonly names: ReadonlyArray<string>
}

/**
 * A text without regard to case and spelling: full-width letters, ligatures, ß and ss, invisible characters, and spaces at the
 * ends or doubled do not make a different name.
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

/** The name without the issuer before it, which it has where a local user has the same name. */
const withoutIssuer = (name: string): string => /^https?:\/\/[^#]*#(.+)$/.exec(name)?.[1] ?? name

/** The names under which a person is known: their own, and those from a provider. */
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

/** Whether two are, or may be, the same person: in doubt neither may decide for the other. */
export const maySamePerson = (one: Somebody, other: Somebody): boolean =>
  (one.person !== null && other.person !== null && folded(one.person) === folded(other.person)) ||
  one.names.some((name) => other.names.some((another) => isSameName(name, another)))
