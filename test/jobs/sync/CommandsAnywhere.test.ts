/**
 * Random commands of the switch in every field that carries text, over the API of a whole server, in dry runs: the switch stays as it
 * is. Ports are bounced live, so there the line has to be refused. A failure prints its seed.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { refusedLines } from "../../../src/domain/CandidateGate.ts"
import { eos } from "../../../src/domain/platforms/Eos.ts"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import type { TestRepository } from "../../support/Campus.ts"
import * as Managed from "../../scenarios/chaos/ManagedCampus.ts"
import * as Campus from "../../support/Campus.ts"
import { Choice, hostileLine } from "../../support/lab/RandomCandidates.ts"
import { serve } from "../../support/ServedCampus.ts"

const RUNS_PER_PLACE = 5
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

const makeScene = Effect.gen(function* () {
  const folders = yield* Campus.makeFolders
  const lab = yield* Campus.makeSite({ [ACCESS]: Managed.managedNode(ACCESS, 0) }, Campus.uplinks(ACCESS, 1))
  const env = { ...Campus.environment(lab, folders, folders.folder), COMMIT_CONFIRMED_WAIT: "0" }
  const { api, running } = yield* serve({ ...env, ALLOW_APPLY_CONFIG_LIVERUN: "true" })
  yield* Effect.provideContext(Managed.seedManaged([ACCESS]), running)
  const refresh = Effect.fnUntraced(function* (name: "settings" | "templates") {
    for (;;) {
      const reply = yield* api.send("PUT", `/repository/${name}`, { action: "REFRESH" })
      // at the start the server reads the repository by itself
      if (!JSON.stringify(reply.body).includes("refreshing")) return reply
      yield* Effect.sleep("20 millis")
    }
  })
  /** Commits these files and brings them into force; what is refused is taken back. */
  const commit = Effect.fnUntraced(function* (name: "settings" | "templates", files: Record<string, string>) {
    const repository: TestRepository = folders[name]
    const before: Record<string, string | null> = {}
    for (const file of Object.keys(files)) {
      before[file] = yield* Effect.promise(() =>
        fs.readFile(path.join(repository.folder, file), "utf8").catch(() => null)
      )
    }
    yield* repository.commit(files)
    const { body, status } = yield* refresh(name)
    const restore = Effect.andThen(repository.commit(before), refresh(name))
    if (status !== 200) yield* restore
    return { inForce: status === 200, said: JSON.stringify(body), restore }
  })
  const read = (name: "settings" | "templates", file: string) =>
    Effect.promise(() => fs.readFile(path.join(folders[name].folder, file), "utf8"))
  /** Runs a job and says how it went for the device; a request that is refused is told as it is. */
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
  /** Puts the line there and has the device dry-run or asked; what was answered. */
  readonly attempt: (scene: Scene, line: string, choice: Choice) => Effect.Effect<string>
}

/** The text as a value of YAML. */
const yaml = (text: string): string => JSON.stringify(text)

const inFile = (
  name: "settings" | "templates",
  hostname: string,
  file: string,
  change: (text: string, line: string, choice: Choice) => string
): Place => ({
  hostname,
  attempt: Effect.fnUntraced(function* (scene, line, choice) {
    const text = file.startsWith("devices/lhv-acc") ? "" : yield* scene.read(name, file)
    const { inForce, restore, said: refusal } = yield* scene.commit(name, { [file]: change(text, line, choice) })
    if (!inForce) return refusal
    const said = yield* scene.dryRun(hostname)
    yield* restore
    return said
  })
})

const setting = (hostname: string, key: string): Place =>
  inFile("settings", hostname, `devices/${hostname}/base_system.yml`, (_, line) => `---\n${key}: ${yaml(line)}\n`)

const PLACES: Readonly<Record<string, Place>> = {
  "a template": inFile("templates", ACCESS, "eos/access.j2", (text, line, choice) => {
    const lines = text.split("\n")
    lines.splice(choice.below(2) * lines.length, 0, line)
    return lines.join("\n")
  }),
  "cli_append_str of an access switch": setting(ACCESS, "cli_append_str"),
  "cli_prepend_str of an access switch": setting(ACCESS, "cli_prepend_str"),
  "cli_append_str of a distribution switch": setting(DIST, "cli_append_str"),
  "cli_prepend_str of a distribution switch": setting(DIST, "cli_prepend_str"),
  "a banner": inFile(
    "settings",
    ACCESS,
    `devices/${ACCESS}/base_system.yml`,
    (_, line) => `---\nbanner_login: ${yaml(`hello\nEOF\n${line}\nbanner login\nx`)}\n`
  ),
  "the custom configuration of a port": inFile("settings", DIST, `devices/${DIST}/interfaces.yml`, (text, line) =>
    text.replace(/config: \|\n(?: {6}.*\n)+/, () => `config: ${yaml(`description a\n${line}\nno switchport`)}\n`)
  ),
  "cli_append_str of a port in the settings": inFile(
    "settings",
    DIST,
    `devices/${DIST}/interfaces.yml`,
    (text, line) => text.replace("    redundant_link: false\n", () => `$&    cli_append_str: ${yaml(line)}\n`.slice(2))
  ),
  "cli_append_str of a port": {
    hostname: ACCESS,
    attempt: ({ api, dryRun }, cli_append_str) =>
      Effect.gen(function* () {
        const interfaces = { Ethernet1: { data: { cli_append_str } } }
        const { body } = yield* api.send("PUT", `/device/${ACCESS}/interfaces`, { interfaces })
        const said = JSON.stringify(body) + (yield* dryRun(ACCESS))
        yield* api.send("PUT", `/device/${ACCESS}/interfaces`, { interfaces: { Ethernet1: { data: null } } })
        return said
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
    attempt: Effect.fnUntraced(function* (scene, line, choice) {
      // what passes is configuration, and a bounce sends it
      if (refusedLines(eos, `interface Ethernet1\n${line}\n`).length === 0) return "not tried"
      const file = choice.from(["bounce-down.j2", "bounce-up.j2"])
      const text = yield* scene.read("templates", `eos/${file}`)
      const { inForce, restore, said } = yield* scene.commit("templates", {
        [`eos/${file}`]: text.replace("   no poe disabled\n", "$&").replace("{% endfor %}", () => `${line}\n{% endfor %}`)
      })
      if (!inForce) return said
      const asked = { bounce_interfaces: ["Ethernet1"] }
      const { body, status } = yield* scene.api.send("PUT", `/device/${ACCESS}/interface_status`, asked)
      assert.notStrictEqual(status, 200, line)
      yield* restore
      return JSON.stringify(body)
    })
  }
}

it.live(
  "changes nothing on a switch, in whichever field its commands stand",
  () =>
    Effect.gen(function* () {
      const scene = yield* makeScene
      yield* scene.refresh("templates")
      yield* scene.refresh("settings")
      for (const hostname of [ACCESS, DIST]) {
        const said = yield* scene.dryRun(hostname)
        assert.include(said, '"failed":false', said)
      }
      let seed = FIRST_SEED
      for (const [name, { attempt, hostname }] of Object.entries(PLACES)) {
        const device = yield* Effect.orDie(scene.lab.get(hostname))
        const before = stateOf(device)
        const answers: Array<string> = []
        // the first line of each place is a command for sure
        for (const last = seed + RUNS_PER_PLACE; seed < last; seed++) {
          const choice = new Choice(seed)
          const line = answers.length === 0 ? choice.from(["abort", "reload now", "write memory"]) : hostileLine(choice)
          const said = yield* attempt(scene, line, choice)
          answers.push(`${JSON.stringify(line)}: ${said}`)
          assert.deepStrictEqual(stateOf(device), before, `seed ${seed}, ${name}: ${JSON.stringify(line)}: ${said}`)
        }
        assert.match(answers[0] ?? "", /is no configuration/, `${name}: the line got nowhere`)
      }
    }).pipe(Effect.scoped),
  LIMIT
)
