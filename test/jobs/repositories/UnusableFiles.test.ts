/** Unusable files of a repository: refused with their place, or ignored and listed, by every reader. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { Console, Effect, Option } from "effect"
import { execFile } from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { promisify } from "node:util"
import { checkRepositories } from "../../../src/cli/RepositoryCheck.ts"
import * as Campus from "../../support/Campus.ts"
import { keepLines } from "../../support/LogLines.ts"
import { serve } from "../../support/ServedCampus.ts"

const run = promisify(execFile)
const git = (folder: string, ...args: ReadonlyArray<string>) =>
  run("git", ["-C", folder, "-c", "user.name=Jane \u001b[31m\u0085Doe", "-c", "user.email=jane@example.org", ...args])

type Name = "settings" | "templates"

interface Case {
  readonly name: string
  /** The file that is reported or ignored. */
  readonly file: string
  readonly make: (folder: string, file: string) => Promise<unknown>
  /** The message about it; undefined if it is ignored. */
  readonly says?: RegExp
  readonly line?: number
  /** Only git knows it: a working copy has none. */
  readonly inGit?: boolean
}

const POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n"
const BINARY = Buffer.from([0, 0, 0, 1, 0x42, 0x75, 0x64, 0x31, 0xff, 0xfe, 0, 0x0a])

const write = (text: string | Buffer) => async (folder: string, file: string) => {
  const target = path.join(folder, file)
  await fs.mkdir(path.dirname(target), { recursive: true })
  await fs.writeFile(target, text)
}
const append = (text: string | Buffer) => (folder: string, file: string) => fs.appendFile(path.join(folder, file), text)
const link = (to: string) => async (folder: string, file: string) => {
  await fs.rm(path.join(folder, file), { force: true })
  await fs.symlink(to, path.join(folder, file))
}
const module = async (folder: string, file: string) => {
  const { stdout } = await git(folder, "rev-parse", "HEAD")
  await git(folder, "update-index", "--add", "--cacheinfo", `160000,${stdout.trim()},${file}`)
}

/** The parts that both repositories share; `ours` is a file that is read. */
const everywhere = (folder: string, ours: string): ReadonlyArray<Case> => [
  { name: "the folder settings of a file manager", file: `${folder}/.DS_Store`, make: write(BINARY) },
  { name: "the swap file of an editor", file: `${folder}/x.yml.swp`, make: write(BINARY) },
  { name: "a hidden swap file of an editor", file: `${folder}/.x.yml.swp`, make: write(BINARY) },
  { name: "a README that is no text", file: `${folder}/README`, make: write(BINARY) },
  {
    name: "a name with control characters",
    file: `${folder}/base\\u0007\\u001b[2J.yml`,
    make: (work) => write("{}\n")(work, `${folder}/base\u0007\u001b[2J.yml`),
    says: /its name holds the control character U\+0007/
  },
  { name: "a pointer of Git LFS", file: ours, make: write(POINTER), says: /Git LFS pointer/, line: 1 },
  { name: "a submodule", file: `${folder}/more`, make: module, says: /submodule/, inGit: true },
  { name: "a link out of the repository", file: ours, make: link("../../../../etc/hostname"), says: /leads out/ },
  { name: "an absolute link", file: ours, make: link("/etc/hostname"), says: /leads out/ },
  { name: "a link to nowhere", file: ours, make: link("nowhere.yml"), says: /leads nowhere/ },
  {
    name: "bytes that are no UTF-8",
    file: ours,
    make: write(Buffer.from("one: 1\ntwo: gr\u00fcn\n", "latin1")),
    says: /not UTF-8/,
    line: 2
  },
  { name: "a NUL", file: ours, make: write("one: 1\ntwo: 2\n\u0000\n"), says: /U\+0000/, line: 3 },
  { name: "an escape sequence", file: ours, make: write("# one\n# \u001b[2Jtwo\n"), says: /U\+001B/, line: 2 }
]

const cases: Readonly<Record<Name, ReadonlyArray<Case>>> = {
  settings: [
    ...everywhere("global", "global/vxlans.yml"),
    { name: "a list on top", file: "global/vxlans.yml", make: write("- vxlans\n"), says: /mapping/, line: 1 },
    {
      name: "a text on top",
      file: "access/base_system.yml",
      make: write("\n# no\nvxlans\n"),
      says: /mapping/,
      line: 3
    },
    { name: "nothing where there was something", file: "global/vxlans.yml", make: write(""), says: /empty/, line: 1 },
    {
      name: "an escape for NUL",
      file: "access/base_system.yml",
      make: append('\norganization_name: "a\\0b"\n'),
      says: /organization_name.*U\+0000/s
    },
    {
      name: "an escape for half of a surrogate pair",
      file: "access/base_system.yml",
      make: append('\norganization_name: "a\\ud800b"\n'),
      says: /organization_name/
    },
    {
      name: "an escape in a key",
      file: "access/base_system.yml",
      make: append('\n"organi\\x07zation": "b"\n'),
      says: /U\+0007/
    }
  ],
  templates: [
    ...everywhere("eos", "eos/access.j2"),
    ...everywhere("eos", "eos/mapping.yml").filter(({ says }) => says !== undefined),
    { name: "a list on top", file: "eos/mapping.yml", make: write("- ACCESS\n"), says: /mapping/i },
    { name: "nothing where there was something", file: "eos/mapping.yml", make: write(""), says: /mapping/i }
  ]
}

/** The output of `switchyard check` about a working copy, and whether it succeeds. */
const checked = (name: Name, folder: string) => {
  const lines: Array<string> = []
  const say = (...parts: ReadonlyArray<unknown>) => void lines.push(parts.join(" "))
  const kept: Console.Console = Object.assign(Object.create(console), { log: say, error: say })
  const given = Option.some(folder)
  const none = Option.none<string>()
  return checkRepositories({
    settings: name === "settings" ? given : none,
    templates: name === "templates" ? given : none,
    devices: none,
    against: none
  }).pipe(
    Effect.match({ onFailure: (error) => error._tag, onSuccess: () => "good" }),
    Effect.provideService(Console.Console, kept),
    Effect.provide(NodeServices.layer),
    Effect.map((end) => ({ end, text: lines.join("\n") }))
  )
}

const site = Effect.gen(function* () {
  const folders = yield* Campus.makeFolders
  const { layer: logging, lines } = keepLines("Info")
  const { api, running, url } = yield* serve(Campus.environment({ port: 1 }, folders, folders.folder), logging)
  const refresh = (name: Name) => api.send("PUT", `/repository/${name}`, { action: "REFRESH" })
  for (const name of ["settings", "templates"] as const) {
    let answer = yield* refresh(name)
    while (answer.status === 503) {
      yield* Effect.sleep("50 millis")
      answer = yield* refresh(name)
    }
    assert.strictEqual(answer.status, 200, JSON.stringify(answer.body))
  }
  return { ...folders, api, running, url, lines, refresh }
})

for (const name of ["settings", "templates"] as const) {
  it.live(
    `a refresh reports ${name} with file and line, the old commit stays in force, and no path of the server is shown`,
    () =>
      Effect.gen(function* () {
        const { api, folder, lines, refresh, ...folders } = yield* site
        const { folder: work } = folders[name]
        const inForce = Effect.map(api.send("GET", `/repository/${name}`), ({ body }) => JSON.stringify(body))
        const good = (yield* Effect.promise(() => git(work, "rev-parse", "HEAD"))).stdout.trim()
        const told: Array<string> = []
        for (const { file, inGit = false, line, make, name: what, says } of cases[name]) {
          const before = yield* inForce
          yield* Effect.promise(async () => {
            await make(work, file)
            if (!inGit) await git(work, "add", "-A")
            await git(
              work,
              "commit",
              "-q",
              "--author",
              "J\u001b[2J\u2028ane <jane@example.org>",
              "-m",
              `${what}\u0007\u202e`
            )
            await git(work, "branch", "-f", "case")
          })
          const place = `${what}: ${file}`
          const branch = yield* api.send("POST", `/repository/${name}/check`, { branch: "case" })
          assert.strictEqual(branch.status, 200, `${place} ${JSON.stringify(branch.body)}`)
          const answer = yield* refresh(name)
          const local = inGit ? undefined : yield* checked(name, work)
          told.push(JSON.stringify([branch.body, answer.body]))
          if (says === undefined) {
            assert.strictEqual(answer.status, 200, `${place} ${JSON.stringify(answer.body)}`)
            assert.include(JSON.stringify(answer.body), `"ignored":["${file}"]`, place)
            assert.include(JSON.stringify(branch.body), `"ignored":["${file}"]`, place)
            assert.include(local?.text ?? "", `Ignored: ${file}`, place)
          } else {
            assert.oneOf(answer.status, [400, 500], `${place} ${JSON.stringify(answer.body)}`)
            const message = JSON.stringify(answer.body)
            assert.match(message, says, place)
            assert.include(message, JSON.stringify(file).slice(1, -1), place)
            const problems = JSON.stringify(branch.body)
            assert.match(problems, says, place)
            if (line !== undefined) {
              assert.include(message, `"line":${line}`, `${place} ${message}`)
              assert.include(problems, `"line":${line}`, `${place} ${problems}`)
            }
            if (local !== undefined && !what.startsWith("nothing")) {
              assert.strictEqual(local.end, "MistakesFound", `${place} ${local.text}`)
              assert.match(local.text, says, place)
              assert.include(local.text, file, place)
            }
            assert.strictEqual(yield* inForce, before, place)
          }
          yield* Effect.promise(async () => {
            await git(work, "reset", "-q", "--hard", good)
            await git(work, "clean", "-q", "-f", "-d")
          })
        }
        yield* refresh(name)
        const jobs = yield* api.send("GET", "/jobs?per_page=100")
        const events = yield* api.send("GET", "/events?limit=500")
        const commits = yield* api.send("GET", `/repository/${name}/commits`)
        const everything = [
          ...told,
          ...lines.map((one) => JSON.stringify(one)),
          ...[jobs, events, commits].map((one) => JSON.stringify(one.body))
        ]
        for (const text of everything) {
          // what JSON writes as an escape, and what it does not
          assert.notMatch(text, /(?<!\\)\\u00[01]|[\u007f-\u009f\u2028\u2029]/, text.slice(0, 500))
          assert.notInclude(text, folder, text.slice(0, 500))
          assert.notMatch(text, /SQLSTATE|\/etc\/hostname/, text.slice(0, 500))
        }
      }).pipe(Effect.scoped)
  )
}
