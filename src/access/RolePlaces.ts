/** The lines of `permissions.yml` that give roles and permissions, so that an explanation can name them (docs/roles.md#asking-beforehand). Pure. */
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml"
import type { Identity } from "../domain/access/Identity.ts"
import { readyRoles } from "../domain/access/PermissionFile.ts"

/** Lines count from 1; `undefined` and null: not in the file. */
export interface RolePlaces {
  readonly defaultRole: number | null
  /** Of each role that the file defines: its own line, and that of each of its permissions in the order of the compiled role. */
  readonly roles: ReadonlyMap<string, { readonly line: number; readonly permissions: ReadonlyArray<number> }>
  /** By attribute, value and role. */
  readonly mappings: ReadonlyMap<string, number>
}

export const NO_PLACES: RolePlaces = { defaultRole: null, roles: new Map(), mappings: new Map() }

const keyOf = (attribute: string, value: string, role: string): string => JSON.stringify([attribute, value, role])

const isNode = (value: unknown): value is Node => isMap(value) || isSeq(value) || isScalar(value)

/** The places in a text that was read without a mistake. */
export const rolePlaces = (text: string): RolePlaces => {
  const counter = new LineCounter()
  const { contents } = parseDocument(text, { lineCounter: counter })
  const lineOf = (node: unknown): number => (isNode(node) ? counter.linePos(node.range?.[0] ?? 0).line : 1)
  const entries = (node: unknown) =>
    isMap(node)
      ? node.items.map(({ key, value }) => ({
          name: isScalar(key) ? String(key.value) : "",
          line: lineOf(key),
          value
        }))
      : []
  const at = (node: unknown, name: string): unknown => entries(node).find((entry) => entry.name === name)?.value

  const roles = entries(at(contents, "roles")).map(({ line, name, value }) => {
    const base = entries(value).find((entry) => entry.name === "extends")
    const own = at(value, "permissions")
    const ready = base !== undefined && isScalar(base.value) ? readyRoles.get(String(base.value.value)) : undefined
    return [
      name,
      {
        line,
        permissions: [
          ...(ready ?? []).map(() => base?.line ?? line),
          ...(isSeq(own) ? own.items.map((item) => lineOf(item)) : [])
        ]
      }
    ] as const
  })
  const mappings = entries(at(contents, "group_mappings")).flatMap((attribute) =>
    entries(attribute.value).flatMap((value) =>
      (isSeq(value.value) ? value.value.items : []).map(
        (role) => [keyOf(attribute.name, value.name, isScalar(role) ? String(role.value) : ""), lineOf(role)] as const
      )
    )
  )
  const standard = entries(at(contents, "config")).find(({ name }) => name === "default_permissions")
  return { defaultRole: standard?.line ?? null, roles: new Map(roles), mappings: new Map(mappings) }
}

/** Why somebody has a role, as a sentence without its end, and the line that says so. */
export interface HeldBecause {
  readonly why: string
  readonly line: number | null
}

interface Given {
  readonly defaultRole: string | null
  readonly mappings: Readonly<Record<string, Readonly<Record<string, ReadonlyArray<string>>>>>
}

/** Why this identity has the role. */
export const whyHeld = (
  role: string,
  { attributes, roles, way }: Identity,
  given: Given,
  places: RolePlaces
): HeldBecause => {
  if (given.defaultRole === role) return { why: `everybody has the role ${role}`, line: places.defaultRole }
  for (const [attribute, values] of Object.entries(given.mappings)) {
    const own = Object.hasOwn(attributes, attribute) ? (attributes[attribute] ?? []) : []
    const value = own.find((one) => Object.hasOwn(values, one) && values[one]?.includes(role) === true)
    if (value !== undefined)
      return {
        why: `${attribute} ${value} has the role ${role}`,
        line: places.mappings.get(keyOf(attribute, value, role)) ?? null
      }
  }
  if (!roles.includes(role)) return { why: `the role ${role} is theirs`, line: null }
  return {
    why:
      way === "token"
        ? `the token was given the role ${role}`
        : way === "password"
          ? `the user was given the role ${role} here`
          : `the sign-in brought the role ${role}`,
    line: null
  }
}
