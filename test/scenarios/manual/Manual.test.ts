/** The manual names everything that the code has: what is added without a word in the manual fails here. */
import { assert, describe, it } from "@effect/vitest"
import { OpenApi } from "effect/http-api"
import { readFileSync } from "node:fs"
import * as path from "node:path"
import { settingMeanings } from "../../../scripts/manual/SettingMeanings.ts"
import { madeDocuments } from "../../../scripts/manual.ts"
import { Device, deviceStates } from "../../../src/domain/Device.ts"
import { configTypes } from "../../../src/domain/Interface.ts"
import { jobFunctions } from "../../../src/jobs/JobList.ts"
import { Api } from "../../../src/api/Api.ts"
import { inputsOf, variablesOf } from "../../templates/Campus.ts"

const read = (name: string) => readFileSync(path.resolve(import.meta.dirname, "../../../docs", name), "utf8")

/** Words that stand in code spans. */
const namedIn = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/`([^`\n]+)`/g)].map(([, word]) => word ?? ""))

const missing = (document: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const named = namedIn(read(document))
  return names.filter((name) => !named.has(name))
}

const at = (value: unknown, ...keys: ReadonlyArray<string>): unknown =>
  keys.reduce<unknown>(
    (found, key) =>
      typeof found === "object" && found !== null
        ? Object.entries(found).find(([name]) => name === key)?.[1]
        : undefined,
    value
  )

const document: unknown = OpenApi.fromApi(Api)

const resolved = (schema: unknown): unknown => {
  const reference = at(schema, "$ref")
  return typeof reference === "string" ? resolved(at(document, ...reference.slice(2).split("/"))) : schema
}

const keysOf = (schema: unknown): ReadonlyArray<string> => Object.keys(at(resolved(schema), "properties") ?? {})

/** The schema of a route's body in the API document. */
const bodyOf = (path: string, method: string): unknown =>
  resolved(at(document, "paths", path, method, "requestBody", "content", "application/json", "schema"))

describe("the manual", () => {
  it("contains the generated parts that the code requires", () => {
    for (const { file, made, now } of madeDocuments()) {
      assert.strictEqual(now, made, `${path.basename(file)} is not what \`npm run docs\` makes`)
    }
  })

  it("has a section for each kind of job", () => {
    const headings = read("jobs.md")
      .split("\n")
      .filter((line) => line.startsWith("## "))
      .map((line) => line.slice(3))
    assert.deepEqual(
      jobFunctions.map(({ definition }) => definition.name).filter((name) => !headings.includes(name)),
      []
    )
  })

  it("names every variable of templates", () => {
    for (const hostname of ["lhv-acc1", "lhv-dist1", "lhv-core1"]) {
      const settings = new Set(Object.keys(inputsOf(hostname).settings))
      const own = Object.keys(variablesOf(inputsOf(hostname))).filter(
        (name) => !settings.has(name) && !name.startsWith("TEMPLATE_SECRET_")
      )
      assert.deepEqual(missing("templates.md", own), [], hostname)
    }
  })

  it("names every key of a port in templates, or has it among the settings", () => {
    for (const hostname of ["lhv-acc1", "lhv-dist1"]) {
      const ports = variablesOf(inputsOf(hostname))["interfaces"]
      assert.isTrue(Array.isArray(ports))
      const keys = new Set((Array.isArray(ports) ? ports : []).flatMap((port: object) => Object.keys(port)))
      assert.deepEqual(missing("settings-repository.md", missing("templates.md", [...keys])), [], hostname)
    }
  })

  it("names the fields and states of a device", () => {
    assert.deepEqual(missing("api.md", Object.keys(Device.fields)), [])
    assert.deepEqual(missing("concepts.md", [...deviceStates]), [])
  })

  it("names the types and data keys of ports", () => {
    assert.deepEqual(missing("api.md", [...configTypes]), [])
    const interfaces = at(bodyOf("/api/v1.0/device/{hostname}/interfaces", "put"), "properties", "interfaces")
    const port = resolved(at(resolved(interfaces), "additionalProperties"))
    const data = at(port, "properties", "data")
    const alternatives = at(data, "anyOf")
    const keys = (Array.isArray(alternatives) ? alternatives : [data]).flatMap(keysOf)
    assert.include(keys, "untagged_vlan")
    assert.deepEqual(missing("api.md", keys), [])
  })

  it("names the arguments of a sync and of an upgrade", () => {
    const sync = keysOf(bodyOf("/api/v1.0/device_syncto", "post"))
    assert.include(sync, "hostname")
    assert.deepEqual(missing("changes.md", sync), [])
    const upgrade = keysOf(bodyOf("/api/v1.0/firmware/upgrade", "post"))
    assert.include(upgrade, "staggered_upgrade")
    assert.deepEqual(missing("api.md", upgrade), [])
  })

  it("explains no unknown key of the settings", () => {
    const described = madeDocuments().find(({ file }) => file.endsWith("settings-repository.md"))?.made ?? ""
    const stale = Object.values(settingMeanings)
      .flatMap((meanings) => Object.keys(meanings))
      .filter((key) => !described.includes(`\`${key}\``))
    assert.deepEqual(stale, [])
  })
})
