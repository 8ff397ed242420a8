/** A whole server that asks for tokens, with a `permissions.yml`, on managed switches of the lab; and requests in the name of people. */
import { Effect, type Layer } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as Managed from "../scenarios/chaos/ManagedCampus.ts"
import * as Campus from "./Campus.ts"
import { serve } from "./ServedCampus.ts"
import { makeIssuer, sign } from "./TokenKeys.ts"

export { type Ask, ended, jobIn } from "./Jobs.ts"

export interface CampusWithRoles {
  readonly names: ReadonlyArray<string>
  /** The text of `permissions.yml`. */
  readonly roles: string
  readonly variables?: Readonly<Record<string, string>>
  /** Another lab than that of the managed switches alone; it has to have these. */
  readonly lab?: ReturnType<typeof Managed.makeManagedLab>
  /** Additional fields of some switches. */
  readonly peculiar?: Managed.Peculiar
  /** Where its lines go. */
  readonly logging?: Layer.Layer<never>
  /** Commits the additional files of the repositories. */
  readonly prepare?: (folders: Campus.Folders) => Effect.Effect<unknown>
}

type Caller = (method: string, path: string, body?: unknown) => Effect.Effect<{ readonly text: string }>

/** Brings the newest commit of the settings into force, also one that takes away so much that it has to be named. */
export const confirmSettings = Effect.fnUntraced(function* (boss: Caller) {
  const { text } = yield* boss("PUT", "/repository/settings", { action: "REFRESH" })
  const [, confirm] = /Commit ([0-9a-f]{40}) is not in force/.exec(text) ?? []
  if (confirm !== undefined) yield* boss("PUT", "/repository/settings", { action: "REFRESH", confirm })
})

/** Starts it; settings and templates are in force. */
export const makeCampusWithRoles = Effect.fnUntraced(function* ({
  lab: made,
  logging,
  names,
  peculiar,
  prepare,
  roles,
  variables
}: CampusWithRoles) {
  const folders = yield* Campus.makeFoldersWithPlugin
  if (prepare !== undefined) yield* prepare(folders)
  const lab = yield* made ?? Managed.makeManagedLab(names, 0, 200, peculiar)
  const issuer = makeIssuer("ES256")
  const JWT_CERT = path.join(folders.folder, "public.pem")
  yield* Effect.promise(async () => {
    await fs.writeFile(JWT_CERT, issuer.publicPem)
    await fs.writeFile(path.join(folders.folder, "permissions.yml"), roles)
  })
  const env = {
    ...Campus.environment(lab, folders, folders.folder),
    JWT_ENABLED: "true",
    JWT_CERT,
    ROLES_CLAIM: "roles"
  }
  const { running, url } = yield* serve({ ...env, ...variables }, logging)
  yield* Effect.provide(Managed.seedManaged(names), running)

  /** A token of a user with this role, valid for so many seconds. */
  const tokenOf = (role: string, sub = role, seconds = 3600) =>
    sign(issuer, { sub, roles: [role], exp: Math.floor(Date.now() / 1000) + seconds })

  /** Requests of a user with this role, who has its name unless another is given. */
  const as = Effect.fnUntraced(function* (role: string, sub = role) {
    const token = yield* tokenOf(role, sub)
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    return (method: string, path: string, body?: unknown) =>
      Effect.promise(async () => {
        const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
        const response = await fetch(`${url}/api/v1.0${path}`, init)
        return { status: response.status, text: await response.text() }
      })
  })
  const boss = yield* as("administrator", "boss")
  while ((yield* boss("GET", "/settings")).status !== 200) yield* Effect.sleep(50)
  yield* boss("PUT", "/repository/templates", { action: "refresh" })
  return { as, boss, folders, lab, running, tokenOf, url }
})
