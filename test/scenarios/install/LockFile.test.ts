/** The requirements of `npm ci` for a lock file, checked without npm and without a network. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { readFileSync } from "node:fs"
import * as path from "node:path"

const Names = Schema.Record(Schema.String, Schema.String)
const Package = Schema.Struct({
  version: Schema.optionalKey(Schema.String),
  integrity: Schema.optionalKey(Schema.String),
  libc: Schema.optionalKey(Schema.Array(Schema.String)),
  bin: Schema.optionalKey(Schema.Union([Schema.String, Names])),
  engines: Schema.optionalKey(Names),
  dependencies: Schema.optionalKey(Names),
  devDependencies: Schema.optionalKey(Names),
  optionalDependencies: Schema.optionalKey(Names)
})
const Lock = Schema.fromJsonString(Schema.Struct({ packages: Schema.Record(Schema.String, Package) }))

const read = (name: string) => readFileSync(path.resolve(import.meta.dirname, "../../..", name), "utf8")
const manifest = Schema.decodeUnknownSync(Schema.fromJsonString(Package))(read("package.json"))
const { packages } = Schema.decodeUnknownSync(Lock)(read("package-lock.json"))
const locked = Object.entries(packages).filter(([place]) => place !== "")

/** Whether a package at `place` finds one of this name: in its own folder or in one above. */
const isFound = (place: string, name: string): boolean => {
  const own = place === "" ? `node_modules/${name}` : `${place}/node_modules/${name}`
  if (own in packages) return true
  if (place === "") return false
  const above = place.lastIndexOf("/node_modules/")
  return isFound(above === -1 ? "" : place.slice(0, above), name)
}

describe("The lock file", () => {
  it("names the packages of package.json", () => {
    assert.deepEqual(packages[""], manifest, "run `npm install`")
  })

  it("has every package that another one needs or may need on some platform", () => {
    const missing = Object.entries(packages).flatMap(([place, entry]) =>
      Object.keys({ ...entry.dependencies, ...entry.devDependencies, ...entry.optionalDependencies })
        .filter((name) => !isFound(place, name))
        .map((name) => `${place} needs ${name}`)
    )
    assert.deepEqual(missing, [], "pin a version of which the registry has every platform's package")
  })

  it("has the checksum of every package", () => {
    assert.deepEqual(
      locked.filter(([, { integrity }]) => integrity === undefined).map(([place]) => place),
      []
    )
  })

  it("contains nothing that npm 10 removes and npm 11 adds, so that an installation changes nothing", () => {
    assert.deepEqual(
      locked.filter(([, { libc }]) => libc !== undefined).map(([place]) => place),
      [],
      "write it with npm 10"
    )
  })
})

describe("package.json", () => {
  it("pins every direct dependency to one version", () => {
    const named = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies }
    assert.deepEqual(
      Object.entries(named).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)),
      []
    )
  })
})
