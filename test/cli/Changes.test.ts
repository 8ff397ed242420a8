/** What an operator does about a rollout, drift and stored configurations at the command line, against a server and switches of the lab. */
import { assert, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { accessNames } from "../scenarios/chaos/ManagedCampus.ts"
import { makeCampusWithRoles } from "../support/CampusWithRoles.ts"
import { command, dataFolder } from "../support/Program.ts"

const NAMES = accessNames(4)
const [ONE = "", OTHER = "", SILENT = ""] = NAMES

const make = Effect.gen(function* () {
  const campus = yield* makeCampusWithRoles({ names: NAMES, roles: "group_mappings: {}\nroles: {}\n" })
  const folder = yield* dataFolder
  const env = {
    SWITCHYARD_URL: campus.url,
    SWITCHYARD_TOKEN: yield* campus.tokenOf("administrator", "boss"),
    XDG_CONFIG_HOME: folder
  }
  const cli = (line: string) => command(env, line.split(" "))
  /** The job that a line has started. */
  const start = Effect.fnUntraced(function* (line: string) {
    const { code, err, out } = yield* cli(`${line} --json`)
    const [, id] = /"job_id": ?(\d+)/.exec(out) ?? []
    assert.isDefined(id, `${line}: ${code} ${out}${err}`)
    return Number(id)
  })
  return { ...campus, folder, cli, start }
})

class Site extends Context.Service<Site, Effect.Success<typeof make>>()("test/cli/Changes") {
  static readonly layer = Layer.effect(Site, make)
}

layer(Site.layer, { excludeTestServices: true })("At the command line", (it) => {
  it.effect("a type without a device is not in sync, and a descending order may be a word of its own", () =>
    Effect.gen(function* () {
      const { cli } = yield* Site
      expect(yield* cli("sync --type CORE --dry-run")).toMatchObject({
        code: 1,
        err: expect.stringContaining("No device matches: there is no managed device of the type CORE")
      })
      const { out } = yield* cli("devices --sort -hostname")
      expect(
        out
          .split("\n")
          .slice(1, 7)
          .map((line) => line.split(" ", 1)[0])
      ).toEqual(["lhv-dist2", "lhv-dist1", ...NAMES.toReversed()])
      expect((yield* cli("devices --sort=-hostname")).out).toBe(out)
    })
  )

  it.effect(
    "a rollout is tried again on the switch that was silent, after a question, until no device has failed",
    () =>
      Effect.gen(function* () {
        const { cli, lab, start } = yield* Site
        yield* (yield* lab.get(SILENT)).powerOff
        const dry = yield* start("sync --all --force --dry-run")
        expect(yield* cli(`job ${dry} --watch`)).toMatchObject({ code: 1 })
        expect((yield* cli(`retry ${dry} --json`)).out, "a dry run stays one").not.toContain("dry_run_job")
        const pushed = yield* start(`sync ${NAMES.join(" ")} --force --yes`)
        expect((yield* cli(`job ${pushed} --watch`)).err).toMatch(/partly failed/)
        yield* (yield* lab.get(SILENT)).powerOn
        const unasked = yield* cli(`retry ${pushed} --force`)
        expect(unasked).toMatchObject({ code: 1, err: expect.stringMatching(new RegExp(`Scope: 1 device: ${SILENT}`)) })
        const again = yield* start(`retry ${pushed} --force --yes`)
        expect(yield* cli(`job ${again} --watch`)).toMatchObject({ code: 0 })
        expect(yield* cli(`retry ${again}`)).toMatchObject({ code: 0, out: `No device of job ${again} has failed.\n` })
        expect(yield* cli("retry 4711")).toMatchObject({ code: 1, err: expect.stringContaining("No job with id 4711") })
      })
  )

  it.effect(
    "configurations of a device are listed, saved for their owner only, and compared in time and with another",
    () =>
      Effect.gen(function* () {
        const { cli, folder } = yield* Site
        const file = path.join(folder, "running.cfg")
        const listed = yield* cli(`config list ${ONE}`)
        const [, job = ""] = /\n(\d+) /.exec(listed.out) ?? []
        expect(listed.out).toMatch(/^JOB +ENDED +BY[^]*boss/)
        expect((yield* cli(`config download ${ONE} ${job}`)).out).toContain(`hostname ${ONE}`)
        expect((yield* cli(`config download ${ONE} generated`)).out).toContain(`hostname ${ONE}`)
        expect((yield* cli(`config download ${ONE} 2126-01-01`)).out).toContain(`hostname ${ONE}`)
        const saved = yield* cli(`config download ${ONE} --file ${file}`)
        expect(saved).toMatchObject({ code: 0, out: "", err: expect.stringContaining(`is in ${file}`) })
        expect(yield* Effect.promise(() => fs.readFile(file, "utf8"))).toContain(`hostname ${ONE}`)
        expect((yield* Effect.promise(() => fs.stat(file))).mode & 0o777).toBe(0o600)
        expect((yield* cli(`config blame ${ONE}`)).out).toMatch(new RegExp(`\\n${job} +boss +\\S+ +hostname ${ONE}\\n`))
        expect((yield* cli(`compare ${ONE} --from ${job}`)).out).toBe("Both are the same.\n")
        const found = yield* cli(`config search hostname --device ${ONE}`)
        expect(found.out).toMatch(new RegExp(`\\n${ONE} +${job} +\\S+ +hostname ${ONE}\\n`))
        expect((yield* cli("config search hostname --before 2020-01-01")).err).toMatch(/^No configuration of \d+ has/)
        expect(yield* cli(`config search ntp --device ${ONE} --before 2026-01-01`)).toMatchObject({ code: 2 })
        const two = yield* cli(`compare ${ONE} ${OTHER}`)
        expect(two.out).toMatch(new RegExp(`^--- ${ONE} \\(running\\)\\n\\+\\+\\+ ${OTHER} \\(running\\)\\n@@`))
        expect(two.out).toMatch(new RegExp(`\\n-hostname ${ONE}\\n\\+hostname ${OTHER}\\n`))
        expect(yield* cli(`compare ${ONE} --from yesterday`)).toMatchObject({
          code: 2,
          err: expect.stringContaining("yesterday names no configuration. Expected: running, generated")
        })
        expect(yield* cli(`config download ${ONE} 4711`)).toMatchObject({ code: 1, out: "" })
      })
  )

  it.effect("drift is found, shown, adopted as lines for the settings, and undone after a question", () =>
    Effect.gen(function* () {
      const { cli, folder, lab } = yield* Site
      expect(
        yield* cli("device add shed-a1 --type ACCESS --platform eos --address 10.99.0.4 --state MANAGED")
      ).toMatchObject({ code: 0 })
      const unproved = yield* cli("drift show shed-a1")
      expect(unproved).toMatchObject({ code: 1, err: expect.stringContaining("Nothing was proved yet on this device") })
      expect(yield* cli("device delete shed-a1 --yes")).toMatchObject({ code: 0 })
      expect(yield* cli("drift")).toMatchObject({ code: 0, err: "No device has drifted.\n" })
      ;(yield* lab.get(ONE)).configure("snmp-server location elsewhere\n")
      const found = yield* cli("drift check --watch")
      expect(found.out).toMatch(new RegExp(`NAME +STATE +FOUND +FOUND BY +JOB\\n${ONE} +MANAGED +\\S+ +boss +\\d+\\n$`))
      expect((yield* cli(`drift show ${ONE}`)).out).toMatch(/\n\+snmp-server location elsewhere\n/)
      const file = path.join(folder, "lines.txt")
      const adopted = yield* cli(`drift adopt ${ONE} --file ${file}`)
      expect(adopted.err).toContain("repo refresh settings")
      expect(yield* Effect.promise(() => fs.readFile(file, "utf8"))).toBe("snmp-server location elsewhere\n")
      const unasked = yield* cli("drift undo --all")
      expect(unasked).toMatchObject({ code: 1, err: expect.stringContaining(`Scope: 1 device: ${ONE}`) })
      expect(unasked.out).toContain("-snmp-server location elsewhere")
      expect(yield* cli(`drift undo ${ONE} --yes --watch`)).toMatchObject({ code: 0 })
      expect(yield* cli("drift undo --all")).toMatchObject({ code: 0, out: "No device has drifted.\n" })
      expect(yield* cli("drift undo")).toMatchObject({ code: 2 })
      const clean = yield* cli(`drift show ${ONE}`)
      assert.strictEqual(clean.out, `${ONE} runs what was proved last.\n`, clean.err)
    })
  )

  it.effect("an earlier configuration is restored after a question, which leaves the device unmanaged", () =>
    Effect.gen(function* () {
      const { cli, lab } = yield* Site
      const [, job = ""] = /\n(\d+) /.exec((yield* cli(`config list ${OTHER}`)).out) ?? []
      ;(yield* lab.get(OTHER)).configure("snmp-server location elsewhere\n")
      const unasked = yield* cli(`config restore ${OTHER} ${job}`)
      expect(unasked).toMatchObject({ code: 1, err: expect.stringContaining(`Scope: 1 device: ${OTHER}`) })
      expect(yield* cli(`config restore ${OTHER} ${job} --yes --watch`)).toMatchObject({ code: 0 })
      expect((yield* cli(`device ${OTHER}`)).out).toMatch(/state +Not managed/)
    })
  )

  it.effect("a rollout pauses between two switches, says so, and is resumed or refused in words of the command", () =>
    Effect.gen(function* () {
      const { cli, lab, start } = yield* Site
      const names = [ONE, SILENT, NAMES[3] ?? ""]
      const devices = yield* Effect.forEach(names, (name) => lab.get(name))
      // slow, so that there is time to pause
      for (const device of devices) {
        device.configure("snmp-server location elsewhere\n")
        device.setFault({ kind: "slow", bytesPerSecond: 1000 })
      }
      const job = yield* start(`sync ${names.join(" ")} --force --resync --batch 1 --yes`)
      const paused = yield* cli(`pause ${job} --reason lunch`)
      expect(paused).toMatchObject({ code: 0, out: expect.stringContaining(`switchyard resume ${job}`) })
      expect((yield* cli(`job ${job}`)).out).toContain("lunch")
      for (const device of devices) device.clearFaults()
      expect(yield* cli(`retry ${job}`)).toMatchObject({ code: 1, err: expect.stringContaining("has not ended") })
      expect(yield* cli(`resume ${job}`)).toMatchObject({ code: 0 })
      const ended = yield* cli(`job ${job} --watch`)
      assert.strictEqual(ended.code, 0, ended.err)
      expect(yield* cli(`pause ${job}`)).toMatchObject({ code: 1 })
      expect(yield* cli("findings")).toMatchObject({ code: 0 })
      expect(yield* cli(`sync ${ONE} --dry-run --dry-run-job ${job}`)).toMatchObject({
        code: 1,
        err: expect.stringContaining("--dry-run-job needs a push: leave out --dry-run")
      })
    })
  )
})
