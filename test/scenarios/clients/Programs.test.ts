/** The program in the README of each client, word for word, against a whole server with switches of the lab. */
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { Switchyard } from "../../../clients/typescript/src/index.ts"
import { makeCampusWithRoles } from "../../support/CampusWithRoles.ts"
import { buildTypeScript, clients, python, WITHOUT_PYTHON } from "./Clients.ts"

const NAMES = ["acc1", "acc2"]

const makeSite = Effect.gen(function* () {
  const campus = yield* makeCampusWithRoles({ names: NAMES, roles: "group_mappings: {}\nroles: {}\n" })
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(path.join(tmpdir(), "switchyard-clients-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const env = { SWITCHYARD_URL: campus.url, SWITCHYARD_TOKEN: yield* campus.tokenOf("administrator", "program") }
  return { ...campus, folder, env }
})

class Site extends Context.Service<Site, Effect.Success<typeof makeSite>>()("test/clients/Programs") {
  static readonly layer = Layer.effect(Site, makeSite)
}

/** The first block of a README in this language: its program. */
const programOf = (client: string, language: string): string => {
  const readme = readFileSync(path.join(clients, client, "README.md"), "utf8")
  const [, program] = new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, "m").exec(readme) ?? []
  if (program === undefined) throw new Error(`the README of ${client} has no program`)
  return program
}

const run = (program: string, words: ReadonlyArray<string>, options: { cwd: string; env: Record<string, string> }) =>
  Effect.callback<string>((resume) => {
    const env = { PATH: process.env["PATH"] ?? "", ...options.env }
    execFile(program, [...words], { cwd: options.cwd, env }, (error, out, complaints) =>
      resume(error === null ? Effect.succeed(out) : Effect.die(new Error(`${out}${complaints}`)))
    )
  })

/** What both programs print: the switches, a difference, the push and its undo; and the switches run what they ran. */
const proveOutput = Effect.fnUntraced(function* (out: string, before: ReadonlyArray<string>) {
  assert.match(out, /^acc1 10\.\S+ \S+$/m)
  assert.match(out, /\(score [\d.]+\)\n[^]*^\+/m)
  assert.match(out, /2 of 2 are done\njob \d+ ended: success\njob \d+ took it back: success\n$/)
  const { lab } = yield* Site
  const now = yield* Effect.forEach(NAMES, (name) => Effect.map(lab.get(name), (one) => one.running()))
  assert.deepStrictEqual(now, before)
})

const running = Effect.gen(function* () {
  const { lab } = yield* Site
  return yield* Effect.forEach(NAMES, (name) => Effect.map(lab.get(name), (one) => one.running()))
})

describe("The program of the README", () => {
  layer(Site.layer, { excludeTestServices: true })((it) => {
    it.effect("lists, shows, pushes and takes back in TypeScript", () =>
      Effect.gen(function* () {
        const { env, folder } = yield* Site
        const before = yield* running
        const site = path.join(folder, "typescript")
        mkdirSync(site)
        yield* buildTypeScript(path.join(site, "node_modules/@switchyard/client"))
        const file = path.join(site, "program.mjs")
        writeFileSync(file, programOf("typescript", "js"))
        yield* proveOutput(yield* run(process.execPath, [file], { cwd: site, env }), before)
      })
    )

    it.effect("is followed by events and pages of the same server", () =>
      Effect.gen(function* () {
        const { env } = yield* Site
        const network = new Switchyard({ url: env.SWITCHYARD_URL, token: env.SWITCHYARD_TOKEN })
        yield* Effect.promise(async () => {
          const started = []
          for (const hostname of NAMES) started.push((await network.syncDevices({ hostname, dry_run: true })).job_id)
          const ended: Array<number | null> = []
          for await (const event of network.events({ kind: ["job"], since: 0 })) {
            if (event.action === "ended") ended.push(event.job_id)
            if (started.every((id) => ended.includes(id))) break
          }
          const jobs = []
          for await (const job of network.allJobs({ sort: "-id", per_page: 1 })) jobs.push(job.id)
          assert.includeMembers(jobs, ended)
          assert.includeMembers(jobs, started)
          const device = await network.device("acc1")
          assert.strictEqual(device.state, "MANAGED")
          const failure = await network
            .updateDevice(device.id, { management_ip: "127.0.0.1" })
            .catch((error: unknown) => error)
          assert.deepInclude(failure, { status: 400, field: "management_ip" })
        })
      })
    )

    it.effect("lists, shows, pushes and takes back in Python", (context) =>
      Effect.gen(function* () {
        if (python === undefined) return context.skip(WITHOUT_PYTHON)
        const { env, folder } = yield* Site
        const before = yield* running
        const file = path.join(folder, "program.py")
        writeFileSync(file, programOf("python", "python"))
        const words = ["-W", "error", "-B", file]
        const PYTHONPATH = path.join(clients, "python/src")
        yield* proveOutput(yield* run(python, words, { cwd: folder, env: { ...env, PYTHONPATH } }), before)
      })
    )
  })
})
