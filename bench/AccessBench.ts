/**
 * What roles cost: pages of 10,000 devices over 32 connections, and jobs that are accepted, without a `permissions.yml`, for an
 * administrator, and for somebody who may work on some of the devices. Processor time of the server, because it is steadier than a rate.
 */
import { Effect } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { forSeconds, load, makeClient } from "./BenchClient.ts"
import { DEVICES, seed } from "./BenchFleet.ts"
import { startServer, usageOf } from "./BenchServer.ts"
import { environment, folderOf } from "./BenchSite.ts"
import { makeTokens } from "./BenchToken.ts"
import { post } from "./JobsBench.ts"
import { row } from "./Measured.ts"

const READERS = 32
const POSTERS = 16
const SECONDS = 5

// the globs are of 1,111 switches, the types of all
const FILE = `roles:
  building: { extends: port-editor, interfaces: ["far1*:*"] }
  access-operator: { extends: operator, device_types: [ACCESS] }
`

interface Site {
  readonly what: string
  /** Roles of the caller; undefined without a file. */
  readonly roles?: ReadonlyArray<string>
}

const sites: ReadonlyArray<Site> = [
  { what: "no permissions.yml" },
  { what: "an administrator", roles: ["administrator"] },
  { what: "an editor of the ports of 1,111 devices", roles: ["building"] },
  { what: "an operator of 10,000 by their type", roles: ["access-operator"] }
]

const randomPage = () => `/devices?per_page=50&page=${1 + Math.floor(Math.random() * (DEVICES / 50))}`

const measure = Effect.fnUntraced(function* ({ roles, what }: Site) {
  const folder = yield* folderOf
  if (roles !== undefined) {
    mkdirSync(path.join(folder, "data"), { recursive: true })
    writeFileSync(path.join(folder, "data", "permissions.yml"), FILE)
  }
  const { JWT_CERT, issue } = makeTokens(folder)
  const token = yield* issue({ roles })
  const env = { ...environment(folder, 22), JWT_CERT, ROLES_CLAIM: "roles", JOB_DELAY: "3600" }
  const { database, pid, port } = yield* startServer(folder, env, yield* issue({ roles: ["administrator"] }))
  const api = makeClient(port, token)
  yield* Effect.provide(seed(), database)
  /** The rate a second, and milliseconds of processor time of the server for each. */
  const costOf = Effect.fnUntraced(function* (work: () => Promise<number>) {
    yield* Effect.promise(work)
    const before = usageOf(pid).seconds
    const count = yield* Effect.promise(work)
    return { rate: count / SECONDS, milliseconds: ((usageOf(pid).seconds - before) * 1000) / count }
  })
  const read = yield* costOf(async () => (await load(port, READERS, randomPage, forSeconds(SECONDS), token)).count)
  const posted = yield* costOf(async () => {
    const goesOn = forSeconds(SECONDS)
    let count = 0
    const posting = async () => {
      for (; goesOn(); count++) await post(api, { hostname: "far1", dry_run: true })
    }
    await Promise.all(Array.from({ length: POSTERS }, posting))
    return count
  })
  const shown = ({ milliseconds, rate }: typeof read) => `${rate.toFixed(0)}/s, ${milliseconds.toFixed(2)} ms each`
  return [
    row(`GET /devices, a random page each: ${what}`, "≤ 10 % more than without", shown(read), read),
    row(`job accepted: ${what}`, "≤ 10 % more than without", shown(posted), posted)
  ]
}, Effect.scoped)

/** The rows of the table. */
export const rows = Effect.map(Effect.forEach(sites, measure), (all) => all.flat())
