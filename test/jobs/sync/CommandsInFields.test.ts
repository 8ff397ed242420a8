/**
 * Random commands of the switch in every field that carries text, over the API of a whole server, in dry runs: the switch stays as it
 * is. Ports are bounced live, so there the line has to be refused. A failure prints its seed.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { refusedLines } from "../../../src/domain/CandidateGate.ts"
import { eos } from "../../../src/domain/platforms/eos/Platform.ts"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import * as Managed from "../../scenarios/chaos/ManagedCampus.ts"
import * as Campus from "../../support/Campus.ts"
import { Choice, hostileLine } from "../../support/lab/RandomCandidates.ts"
import { serve } from "../../support/ServedCampus.ts"

const RUNS_PER_PLACE = 4
/** Another campaign: `FIRST_SEED=… npx vitest …`. */
const FIRST_SEED = Number(process.env["FIRST_SEED"] ?? 1)
const LIMIT = 600_000

const ACCESS = "lhv-acc10"
const DIST = "lhv-dist1"

const stateOf = (device: LabSwitch) => ({
  running: device.running(),
  startup: device.startup(),
  image: device.bootImage(),
  power: device.power(),
  files: [...device.files()].map(([name, { modified, size }]) => `${name} ${size} ${modified}`),
  open: device.sessions().filter(({ state }) => state === "pending" || state === "pendingCommitTimer"),
  timer: device.timer()?.session,
  commits: device.commits().filter(({ kind }) => kind !== "abort").length
})

type Repository = "settings" | "templates"

const makeScene = Effect.gen(function* () {
  const folders = yield* Campus.makeFolders
  const lab = yield* Campus.makeSite({ [ACCESS]: Managed.managedNode(ACCESS, 0) }, Campus.uplinks(ACCESS, 1))
  const env = { ...Campus.environment(lab, folders, folders.folder), COMMIT_CONFIRMED_WAIT: "0" }
  const { api, running } = yield* serve(env)
  yield* Effect.orDie(Effect.provideContext(Managed.seedManaged([ACCESS]), running))
  const refresh = Effect.fnUntraced(function* (name: Repository) {
    for (;;) {
      const reply = yield* api.send("PUT", `/repository/${name}`, { action: "REFRESH" })
      // at the start the server reads the repository automatically
      if (!JSON.stringify(reply.body).includes("refreshing")) return reply
      yield* Effect.sleep("20 millis")
    }
  })
  const read = (name: Repository, file: string) =>
    Effect.promise(() => fs.readFile(path.join(folders[name].folder, file), "utf8"))
  /** Commits a file and brings it into force; what was said when that is refused. */
  const commit = Effect.fnUntraced(function* (name: Repository, file: string, text: string) {
    yield* folders[name].commit({ [file]: text })
    const { body, status } = yield* refresh(name)
    return status === 200 ? undefined : JSON.stringify(body)
  })
  /** Runs a job, and gives what was answered. */
  const run = Effect.fnUntraced(function* (where: string, body: unknown) {
    const reply = yield* api.send("POST", where, body)
    const { job_id } = reply.body
    return JSON.stringify(job_id === undefined ? reply.body : yield* api.ended(job_id))
  })
  const dryRun = (hostname: string) => run("/device_syncto", { hostname, dry_run: true, force: true })
  return { api, commit, dryRun, lab, read, refresh, run }
})
type Scene = Effect.Success<typeof makeScene>

interface Place {
  readonly hostname: string
  /** The file that it stands in, which is put back afterwards. */
  readonly file?: readonly [repository: Repository, file: string]
  /** Puts the line there, of the file of this text, and has the device dry-run; what was answered. */
  readonly attempt: (scene: Scene, line: string, choice: Choice, text: string) => Effect.Effect<string>
}

/** The text as a value of YAML. */
const yaml = (text: string): string => JSON.stringify(text)

const inFile = (
  hostname: string,
  file: readonly [Repository, string],
  change: (text: string, line: string, choice: Choice) => string
): Place => ({
  hostname,
  file,
  attempt: Effect.fnUntraced(function* ({ commit, dryRun }, line, choice, text) {
    return (yield* commit(...file, change(text, line, choice))) ?? (yield* dryRun(hostname))
  })
})

const setting = (hostname: string, file: string, key: string): Place =>
  inFile(hostname, ["settings", file], (_, line) => `---\n${key}: ${yaml(line)}\n`)

const PORTS = `devices/${DIST}/interfaces.yml`
const BOUNCE = "eos/bounce-up.j2"

const PLACES: Readonly<Record<string, Place>> = {
  "a template": inFile(ACCESS, ["templates", "eos/access.j2"], (text, line, choice) => {
    const lines = text.split("\n")
    lines.splice(choice.below(2) * lines.length, 0, line)
    return lines.join("\n")
  }),
  "cli_append_str of an access switch": setting(ACCESS, "access/base_system.yml", "cli_append_str"),
  "cli_prepend_str of an access switch": setting(ACCESS, "access/base_system.yml", "cli_prepend_str"),
  "cli_append_str of a distribution switch": setting(DIST, `devices/${DIST}/base_system.yml`, "cli_append_str"),
  "cli_prepend_str of a distribution switch": setting(DIST, `devices/${DIST}/base_system.yml`, "cli_prepend_str"),
  "the custom configuration of a port": inFile(DIST, ["settings", PORTS], (text, line) =>
    text.replace(/config: \|\n(?: {6}.*\n)+/, () => `config: ${yaml(`description a\n${line}\nno switchport`)}\n`)
  ),
  "cli_append_str of a port in the settings": inFile(DIST, ["settings", PORTS], (text, line) =>
    text.replace('    description: "Roof', (found) => `    cli_append_str: ${yaml(line)}\n${found}`)
  ),
  "cli_append_str of a port": {
    hostname: ACCESS,
    attempt: Effect.fnUntraced(function* ({ api, dryRun }, line) {
      const put = (cli_append_str: string | null) =>
        api.send("PUT", `/device/${ACCESS}/interfaces`, { interfaces: { Ethernet1: { data: { cli_append_str } } } })
      const { body } = yield* put(line)
      const said = yield* dryRun(ACCESS)
      yield* put(null)
      return JSON.stringify(body) + said
    })
  },
  apply_config: {
    hostname: ACCESS,
    attempt: Effect.fnUntraced(function* ({ lab, run }, line, choice) {
      const device = yield* Effect.orDie(lab.get(ACCESS))
      const lines = device
        .running()
        .replace(/^end\n$/m, "")
        .split("\n")
      lines.splice(choice.below(lines.length), 0, line)
      return yield* run(`/device/${ACCESS}/apply_config`, { full_config: lines.join("\n"), dry_run: true })
    })
  },
  "a template that bounces ports": {
    hostname: ACCESS,
    file: ["templates", BOUNCE],
    attempt: Effect.fnUntraced(function* ({ api, commit }, line, _choice, text) {
      // what passes is configuration, and a bounce sends it
      if (refusedLines(eos, `interface Ethernet1\n${line}\n`).length === 0) return "not tried"
      const refused = yield* commit(
        "templates",
        BOUNCE,
        text.replace("{% endfor %}", (end) => `${line}\n${end}`)
      )
      if (refused !== undefined) return refused
      const asked = { bounce_interfaces: ["Ethernet1"] }
      const { body, status } = yield* api.send("PUT", `/device/${ACCESS}/interface_status`, asked)
      assert.notStrictEqual(status, 200, line)
      return JSON.stringify(body)
    })
  }
}

it.live(
  "changes nothing on a switch, whichever field contains its commands",
  () =>
    Effect.gen(function* () {
      const scene = yield* makeScene
      yield* scene.refresh("templates")
      yield* scene.refresh("settings")
      for (const hostname of [ACCESS, DIST]) assert.include(yield* scene.dryRun(hostname), '"failed":false')
      let seed = FIRST_SEED
      for (const [name, { attempt, file, hostname }] of Object.entries(PLACES)) {
        const device = yield* Effect.orDie(scene.lab.get(hostname))
        const before = stateOf(device)
        const text = file === undefined ? "" : yield* scene.read(...file)
        for (let number = 0; number < RUNS_PER_PLACE; number++, seed++) {
          const choice = new Choice(seed)
          const line = number === 0 ? choice.from(["abort", "reload now", "write memory"]) : hostileLine(choice)
          const said = yield* attempt(scene, line, choice, text)
          assert.deepStrictEqual(stateOf(device), before, `seed ${seed}, ${name}: ${JSON.stringify(line)}: ${said}`)
          if (number === 0) assert.include(said, "is no configuration", `${name}: "${line}" got nowhere`)
        }
        if (file !== undefined) yield* scene.commit(...file, text)
      }
    }).pipe(Effect.scoped),
  LIMIT
)
