/** Checks that plugins answer, through the API on the lab: with read-only commands, and whatever a plugin does (docs/plugins.md). */
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { CheckResult, PlannedCheck } from "../../../src/domain/Job.ts"
import * as Managed from "../../scenarios/chaos/ManagedCampus.ts"
import type { JobReply } from "../../support/ApiClient.ts"
import * as Campus from "../../support/Campus.ts"
import { seconds, timer } from "../../support/Patience.ts"
import { serve } from "../../support/ServedCampus.ts"

const Task = Schema.Struct({
  checks: Schema.optionalKey(Schema.Array(CheckResult)),
  planned_checks: Schema.optionalKey(Schema.Array(PlannedCheck))
})

/** What a job says of a switch, and the results of its checks. */
const told = ({ result }: JobReply, hostname: string) => {
  const device = result?.devices?.[hostname]
  const tasks = (device?.job_tasks ?? []).map((task) => Schema.decodeUnknownSync(Task)(task))
  return {
    failed: device?.failed ?? true,
    text: JSON.stringify(device),
    checks: tasks.flatMap(({ checks = [] }) => checks),
    planned: tasks.flatMap(({ planned_checks = [] }) => planned_checks)
  }
}

/**
 * A plugin of a site that does as the description of a port says, once it is there: on the switch whose name stands in its variables, and
 * only there.
 */
const ATTACKER = `
import { parentPort } from "node:worker_threads"
const acts = {
  hang: () => new Promise(() => {}),
  spin: () => { for (;;); },
  crash: () => process.exit(3),
  throw: () => { throw new Error("no idea, " + "t0ps3cret") },
  flood: () => { for (;;) parentPort.postMessage('{"type":"log","text":"x"}') },
  large: () => Array.from({ length: 100000 }, (_, n) => ({ name: "item " + n })),
  nonsense: () => ({ held: true }),
  nameless: () => [{ label: "one" }],
  twice: () => [{ name: "one" }, { name: "one" }]
}
export default ({ vars }) => ({
  checks: {
    acts: {
      commands: () => ["show interfaces status"],
      items: async ({ device, outputs: [text] }) => {
        const act = device.hostname === vars.victim && /desk (\\w+)/.exec(text)?.[1]
        return (await acts[act]?.()) ?? [{ name: "one" }]
      }
    },
    asks: {
      commands: ({ arguments: given }) => [given.command],
      items: ({ outputs }) => outputs.map((text, index) => ({ name: "output " + index, text }))
    }
  }
})
`

const checks = (body: string, more = "") => `checks:
  own:
    for: all
    reads:
      plugin:
${body.replace(/^/gm, "        ")}
    must: no_lost
    settle: 0
    try_again: 1 s
${more}`

const DESKS = checks(`name: show
function: lines
with: { command: show interfaces status, matching: '^(\\S+) .*desk' }`)
const ACTS = checks("name: attacker\nfunction: acts")
const asking = (command: string) =>
  checks(`name: attacker\nfunction: asks\nwith: { command: ${JSON.stringify(command)} }`, "    before: refuse\n")

/** A server with plugins, and switches that run what the settings say. */
const makeScene = Effect.gen(function* () {
  const names = Managed.accessNames(2)
  const [victim = ""] = names
  const folders = yield* Campus.makeFolders
  const lab = yield* Managed.makeManagedLab(names)
  const switches = yield* Managed.switchesOf(lab, names)
  const plugins = path.join(folders.folder, "site-plugins")
  yield* Effect.promise(async () => {
    await fs.mkdir(plugins)
    await fs.writeFile(path.join(plugins, "attacker.mjs"), ATTACKER)
    await fs.writeFile(
      path.join(folders.folder, "plugins.yml"),
      `plugins: [{filename: show.ts}, {filename: attacker.mjs, vars: {victim: ${victim}, token: t0ps3cret}}, {filename: absent.mjs}]\n`
    )
  })
  const own = {
    COMMIT_CONFIRMED_WAIT: "0",
    COMMIT_CONFIRMED_TIMEOUT: timer(120),
    PLUGIN_FOLDER: plugins,
    PLUGIN_TIMEOUT: String(Math.ceil(seconds(3) / 1_000))
  }
  const { api, running } = yield* serve({ ...Campus.environment(lab, folders, folders.folder), ...own })
  yield* Effect.provideContext(Managed.seedManaged(names), running)
  const refresh = (name: string) => api.send("PUT", `/repository/${name}`, { action: "REFRESH" })
  for (const name of ["templates", "settings"]) {
    while ((yield* refresh(name)).status !== 200) yield* Effect.sleep("50 millis")
  }
  const sync = { all: true, dry_run: false, resync: true }
  yield* api.run("/device_syncto", { ...sync, force: true })
  const commitChecks = (text: string) =>
    Effect.andThen(folders.templates.commit({ "checks.yml": text }), refresh("templates"))
  const describe = (description: string) =>
    Effect.forEach(names, (hostname) =>
      Effect.map(
        api.send("PUT", `/device/${hostname}/interfaces`, {
          interfaces: { Ethernet2: { configtype: "ACCESS_AUTO", data: { description } } }
        }),
        ({ status }) => assert.strictEqual(status, 200)
      )
    )
  /** Gives a port of each switch another description, and brings it to them. */
  const change = Effect.fnUntraced(function* (description: string, more: object = {}) {
    yield* describe(description)
    const job = yield* api.run("/device_syncto", { ...sync, ...more })
    return names.map((hostname) => told(job, hostname))
  })
  const runs = (description: string) => switches.map((device) => device.running().includes(description))
  return { api, change, commitChecks, runs, switches, victim }
})

it.live("are refused at their line if the plugin, or its function, is not there", () =>
  Effect.gen(function* () {
    const { api, commitChecks } = yield* makeScene
    for (const [body, why] of [
      ["name: other\nfunction: lines", /checks\.yml, line 7.*the plugin other is not listed in PLUGIN_FILE/],
      ["name: absent\nfunction: lines", /line 7.*the plugin absent is not loaded/],
      ["name: attacker\nfunction: lines", /line 7.*the plugin attacker has no function lines; it has acts, asks/]
    ] as const) {
      const refused = yield* commitChecks(checks(body))
      assert.notStrictEqual(refused.status, 200, body)
      assert.match(JSON.stringify(refused.body), why)
    }
    assert.strictEqual((yield* commitChecks(DESKS)).status, 200)
    assert.include(JSON.stringify((yield* api.send("GET", "/checks")).body), "lines by the plugin show")
    assert.include(JSON.stringify((yield* api.send("GET", "/plugins")).body), '"checks":["lines"]')
  }).pipe(Effect.scoped)
)

it.live("compare what a command shows before and after a change, and take a change back that they do not bear", () =>
  Effect.gen(function* () {
    const { api, change, commitChecks, runs, victim } = yield* makeScene
    assert.strictEqual((yield* commitChecks(DESKS)).status, 200)
    for (const { checks: results, failed, text } of yield* change("desk one")) {
      assert.isFalse(failed, text)
      assert.deepStrictEqual(
        results.map(({ held, name }) => [name, held]),
        [["own", true]]
      )
    }
    const tried = yield* api.send("GET", `/device/${victim}/checks`)
    assert.include(JSON.stringify(tried.body), `"now":"1 item"`)
    const [dry] = yield* change("chair one", { dry_run: true })
    assert.match(dry?.planned[0]?.sentence ?? "", /^reads lines by the plugin show 0 s after/)
    for (const { text } of yield* change("chair one")) {
      assert.include(text, "CheckFailed: A check failed after the commit: own: ")
      assert.include(text, "before 1 item, now 0 items (gone: Et2), but none may be gone")
    }
    assert.deepStrictEqual(
      [runs("desk one"), runs("chair one")],
      [
        [true, true],
        [false, false]
      ]
    )
  }).pipe(Effect.scoped)
)

it.live("whose plugin hangs, crashes, floods or answers nonsense are unknown, and the other switch is changed", () =>
  Effect.gen(function* () {
    const { change, commitChecks, runs } = yield* makeScene
    assert.strictEqual((yield* commitChecks(ACTS)).status, 200)
    const acts: ReadonlyArray<readonly [string, RegExp]> = [
      ["hang", /acts took longer than \d+ seconds/],
      ["spin", /acts took longer than \d+ seconds/],
      ["crash", /it ended itself \(exit code 3\)/],
      ["throw", /no idea, <hidden>/],
      ["flood", /it wrote what is no answer|memory/],
      ["large", /its answer has \d+ characters/],
      ["nonsense", /its answer is no list of items/],
      ["nameless", /item 1 has no name/],
      ["twice", /two items are named one/]
    ]
    for (const [act, why] of acts) {
      const [attacked, other] = yield* change(`desk ${act}`)
      assert.include(attacked?.text ?? "", "CheckUnread: A check could not be read after the commit: own", act)
      assert.match(attacked?.text ?? "", why)
      assert.notInclude(attacked?.text ?? "", "t0ps3cret")
      assert.isNull(attacked?.checks[0]?.held)
      assert.isFalse(other?.failed, other?.text)
      assert.deepStrictEqual(runs(`desk ${act}`), [false, true])
    }
  }).pipe(Effect.scoped)
)

it.live("give no command that writes, and get no secret", () =>
  Effect.gen(function* () {
    const { change, commitChecks, runs, switches } = yield* makeScene
    for (const command of [
      "write memory",
      "show version | redirect flash:stolen",
      "show version > flash:stolen",
      "show version | tee flash:stolen",
      "show version\nreload now",
      "sh version",
      "show snmp comm"
    ]) {
      assert.strictEqual((yield* commitChecks(asking(command))).status, 200)
      for (const { text } of yield* change("desk written")) {
        assert.match(text, /CommandRejected: it was not sent/, command)
      }
    }
    const sent = switches.flatMap((device) => device.commands().map(({ command }) => command))
    assert.deepStrictEqual(
      sent.filter((command) => /stolen|snmp comm|^sh version|reload/.test(command)),
      []
    )
    assert.deepStrictEqual(
      switches.map((device) => device.files().has("stolen")),
      [false, false]
    )
    assert.deepStrictEqual(runs("desk written"), [false, false])

    const equal = asking("show running-config | section username").replace(
      "must: no_lost",
      "must: { every: { text: x } }"
    )
    assert.strictEqual((yield* commitChecks(equal)).status, 200)
    for (const { text } of yield* change("desk read")) {
      assert.match(text, /secret sha512 \*{8}/)
      assert.notInclude(text, Campus.HASH)
    }
  }).pipe(Effect.scoped)
)

it.live("end their own session alone when a command shows too much, and the change goes on", () =>
  Effect.gen(function* () {
    const { change, commitChecks, runs, switches } = yield* makeScene
    const own = checks(`name: attacker\nfunction: asks\nwith: { command: show logging }`)
    assert.strictEqual((yield* commitChecks(own)).status, 200)
    for (const device of switches) device.setFault({ kind: "logFlood", messages: 20_000 })
    for (const { checks: results, failed, text } of yield* change("desk flooded")) {
      assert.isFalse(failed, text)
      assert.match(results[0]?.ignored ?? "", /could not be read before the change: CommandFailed: "show logging"/)
      assert.match(results[0]?.ignored ?? "", /is longer than 0\.25 MiB/)
    }
    assert.deepStrictEqual(runs("desk flooded"), [true, true])
  }).pipe(Effect.scoped)
)
