/** Who somebody is, as far as the way in which they came in says it. What they may do follows from it and from `permissions.yml`. */

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
