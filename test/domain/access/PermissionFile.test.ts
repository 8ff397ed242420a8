import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import { readPermissions, readyRoles, rolesOf } from "../../../src/domain/access/PermissionFile.ts"

const sites = {
  config: { default_permissions: "viewer" },
  group_mappings: { email: { "alice@example.org": ["admin"] }, groups: { netops: ["admin", "viewer"] } },
  roles: {
    admin: { permissions: [{ methods: ["*"], endpoints: ["*"], pages: ["*"], rights: ["*"] }] },
    viewer: { permissions: [{ methods: ["GET"], endpoints: ["/devices"], pages: ["Devices"], rights: ["read"] }] },
    closet: { extends: "port-editor", groups: ["closet-a"] }
  }
}

const read = (data: unknown) => Result.getOrThrow(readPermissions(data))
const names = (attributes: Readonly<Record<string, ReadonlyArray<string>>>, roles: ReadonlyArray<string> = []) =>
  rolesOf(read(sites), { attributes, roles }).map(({ name }) => name)

describe("permissions.yml", () => {
  it("gives the default role to all callers, and others by attributes and way of sign-on", () => {
    expect(names({})).toEqual(["viewer"])
    expect(names({ email: ["alice@example.org"] })).toEqual(["viewer", "admin"])
    expect(names({ groups: ["guests", "netops"] })).toEqual(["viewer", "admin"])
    expect(names({}, ["closet", "unheard"])).toEqual(["viewer", "closet"])
    expect(names({ constructor: ["name"] })).toEqual(["viewer"])
  })

  it("narrows a role by the conditions next to its permissions, and never widens it", () => {
    const allowed = read({
      roles: {
        many: { extends: "port-editor", max_devices: 50, jobs: ["sync_devices", "apply_config"], live: true },
        both: { groups: ["a", "b"], live: true, permissions: [{ groups: ["b", "c"], live: false, max_devices: 3 }] },
        any: { groups: ["*"], device_types: ["ACCESS"], permissions: [{ groups: ["b"], device_types: ["*"] }] }
      }
    }).roles
    expect(allowed.get("many")?.at(-1)).toMatchObject({ max_devices: 10, jobs: ["sync_devices"] })
    expect(allowed.get("both")).toEqual([{ groups: ["b"], live: false, max_devices: 3 }])
    expect(allowed.get("any")).toEqual([{ groups: ["b"], device_types: ["ACCESS"] }])
  })

  it("contains the ready roles, and can narrow them", () => {
    const [, closet] = rolesOf(read(sites), { attributes: {}, roles: ["closet"] })
    expect(closet?.permissions.length).toBeGreaterThan(1)
    expect(closet?.permissions.every(({ groups }) => groups?.[0] === "closet-a")).toBe(true)
    expect(rolesOf(read(sites), { attributes: {}, roles: ["administrator"] })).toHaveLength(2)
  })

  it("gives a site's own roles the rights that their paths meant earlier, and ready ones none", () => {
    const own = (permission: object) => ({ permissions: [{ methods: ["*"], ...permission }] })
    const { impliedFreeLines, roles } = read({
      roles: {
        all: own({ endpoints: ["*"] }),
        stars: own({ endpoints: ["**"] }),
        named: own({ endpoints: ["*"], rights: ["*"] }),
        east: own({ endpoints: ["*"], groups: ["EAST"] }),
        applying: own({ endpoints: ["/device/*/apply_config"], rights: ["write"] }),
        ports: own({ endpoints: ["/device/*/interfaces"] }),
        operating: { extends: "operator", groups: ["EAST"] }
      }
    })
    expect(impliedFreeLines).toEqual(["all", "stars", "east", "applying"])
    const rights = (role: string) => roles.get(role)?.flatMap((permission) => permission.rights ?? [])
    expect(rights("all")).toEqual(["free_lines", "trust", "spellings"])
    expect(rights("stars")).toEqual(["free_lines", "trust", "spellings"])
    expect(rights("east")).toEqual(["free_lines"])
    expect(rights("applying")).toEqual(["write", "free_lines"])
    expect(rights("ports")).toEqual([])
    for (const role of [...readyRoles.keys()].filter((name) => name !== "administrator").concat("operating")) {
      expect(rights(role)).not.toContain("trust")
      expect(rights(role)).not.toContain("free_lines")
      expect(rights(role)).not.toContain("*")
    }
  })

  it.each([
    ["no default role", { ...sites, config: { default_permissions: "nobody" } }, "Default permission is not defined"],
    [
      "a mapped role that is not there",
      { ...sites, group_mappings: { groups: { a: ["nobody"] } } },
      "Role permission:nobody is not defined, but is request for a in groups"
    ],
    ["no ready role", { roles: { x: { extends: "king" } } }, "roles.x.extends: there is no ready role king"],
    [
      "a glob that is none",
      { roles: { x: { permissions: [{ endpoints: ["[z-a]"] }] } } },
      "roles.x: [z-a] is not a glob"
    ],
    [
      "a state that there is not",
      { roles: { x: { extends: "operator", states: ["BROKEN"] } } },
      "roles.x.states: BROKEN is not one of UNKNOWN, PRE_CONFIGURED"
    ],
    ["a word that nobody knows", { roles: { x: { permissions: [{ method: ["GET"] }] } } }, "method"],
    ["no roles", { config: {} }, "roles"]
  ])("is refused with %s", (_, data, why) => {
    const found = readPermissions(data)
    expect(Result.isFailure(found) ? found.failure : "").toContain(why)
  })
})
