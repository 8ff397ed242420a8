/** Devices that show secrets with another salt at each load, end to end on the lab (docs/changes.md#salted-secrets). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Job } from "../../../src/domain/Job.ts"
import { refresh } from "../../../src/jobs/repositories/RefreshRepository.ts"
import { clearOf, isHashOf } from "../../../src/lab/eos/ConfigFacts.ts"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import { keepLines } from "../../support/LogLines.ts"
import * as Lab from "./SyncLab.ts"

const NTP = "0832494D1B1C11"
const USER = "username probe privilege 1 role network-operator secret"

const templateWith = (password: string, ntp = NTP) => `aaa authorization exec default local
!
username switchyard privilege 15 role network-admin secret sha512 {{ TEMPLATE_SECRET_SWITCHYARD_HASH }}
${USER} ${password}
!
ntp authentication-key 1 md5 7 ${ntp}
`

const environment: Parameters<typeof Lab.withLab>[2] = ({ templates }) =>
  Effect.as(templates.commit({ "eos/users.j2": templateWith("first-password") }), {})

const push = Effect.fnUntraced(function* (lab: Lab.SyncLab, template: string) {
  yield* lab.repositories.templates.commit({ "eos/users.j2": template })
  yield* refresh("templates", "tester")
})

const diffOf = (job: Job) => Lab.syncTask(job)?.diff

const dryRun = ({ names }: Lab.SyncLab) => Lab.sync({ dry_run: true, hostnames: names })

const shownHash = (device: LabSwitch) => /^username probe .* sha512 (\S+)$/m.exec(device.running())?.[1] ?? ""
const shownKey = (device: LabSwitch) => /^ntp authentication-key 1 md5 7 (\S+)$/m.exec(device.running())?.[1] ?? ""

/** Nothing is to be done on the device, which is known to run what the settings say. */
const nothingToDo = Effect.fnUntraced(function* (lab: Lab.SyncLab) {
  const job = yield* dryRun(lab)
  assert.deepInclude(Lab.syncTask(job), { diff: "", failed: false }, JSON.stringify(job.result))
  assert.strictEqual(job.change_score, 1)
  assert.deepStrictEqual(yield* Lab.synchronized(lab), lab.names)
})

for (const personality of ["salting", "saltingAtCommit"] as const) {
  it.live(
    `proves changes in each mode on a device of the personality ${personality}, and finds nothing to do afterwards`,
    () =>
      Lab.withLab(
        1,
        (lab) =>
          Effect.gen(function* () {
            const device = Lab.switchAt(lab, 0)
            yield* nothingToDo(lab)
            for (const mode of [0, 1, 2]) {
              yield* Lab.want(lab, `mode${mode}`)
              const shown = diffOf(yield* dryRun(lab)) ?? ""
              assert.match(shown, new RegExp(`\\+ +description wanted mode${mode}`))
              assert.notMatch(shown, /^[+-].*(username|ntp)/m)
              const before = shownHash(device)
              const job = yield* Lab.sync({ confirm_mode_override: mode })
              assert.deepStrictEqual(Lab.outcomes(job), { [device.name]: "ok" })
              assert.deepInclude(Lab.syncTask(job), { diff: shown, proof: "promised-text" })
              assert.notProperty(Lab.syncTask(job), "remarks")
              if (mode === 2) yield* Lab.followUp(job)
              assert.strictEqual(Lab.described(device), `wanted mode${mode}`)
              assert.notStrictEqual(shownHash(device), before)
              assert.strictEqual(clearOf(shownKey(device)), clearOf(NTP))
              yield* nothingToDo(lab)
              yield* Lab.nothingLeft(lab)
            }
          }),
        environment,
        { personality }
      )
  )
}

it.live("shows and pushes a changed secret, names it once, and undoes it", () =>
  Lab.withLab(
    1,
    (lab) =>
      Effect.gen(function* () {
        const device = Lab.switchAt(lab, 0)
        yield* push(lab, templateWith("second-password"))
        const shown = yield* dryRun(lab)
        assert.match(diffOf(shown) ?? "", /^-username probe .*\n\+username probe /m)
        assert.notMatch(diffOf(shown) ?? "", /^[+-]ntp/m)
        const remarks = Lab.syncTask(shown)?.remarks ?? []
        assert.lengthOf(remarks, 1)
        assert.match(remarks[0] ?? "", /^Line \d+ "username probe .* secret \*{8}": .*could not be compared$/)

        const job = yield* Lab.sync()
        assert.deepInclude(Lab.syncTask(job), { failed: false, proof: "promised-text", remarks })
        assert.isTrue(isHashOf(shownHash(device), "second-password"))
        yield* nothingToDo(lab)
        yield* Lab.want(lab, "other")
        assert.notProperty(Lab.syncTask(yield* Lab.sync()), "remarks")
        yield* nothingToDo(lab)

        yield* push(lab, templateWith("second-password", "104D000A0618"))
        assert.match(diffOf(yield* dryRun(lab)) ?? "", /^-ntp authentication-key .*\n\+ntp authentication-key /m)
        const second = yield* Lab.sync()
        assert.strictEqual(clearOf(shownKey(device)), clearOf("104D000A0618"))
        yield* nothingToDo(lab)

        const undone = yield* Lab.run("revert_job", { job_id: second.id, dry_run: false })
        assert.deepStrictEqual(Lab.outcomes(undone), { [device.name]: "ok" }, JSON.stringify(undone))
        assert.match(JSON.stringify(undone.result), /"proof":"promised-text"/)
        assert.strictEqual(clearOf(shownKey(device)), clearOf(NTP))
        assert.isTrue(isHashOf(shownHash(device), "second-password"))
        const again = diffOf(yield* dryRun(lab)) ?? ""
        assert.match(again, /^-ntp authentication-key/m)
        assert.notMatch(again, /^[+-]username/m)
        yield* Lab.nothingLeft(lab)
      }),
    environment,
    { personality: "salting" }
  )
)

it.live("does not report an unknown configuration when only the salts differ from the promised text", () =>
  Lab.withLab(
    1,
    (lab) =>
      Effect.gen(function* () {
        const device = Lab.switchAt(lab, 0)
        yield* Lab.want(lab, "two")
        // its later salts are unknown
        device.setFault({ kind: "cut", step: "commit", when: "after", times: 1 })
        const job = yield* Lab.sync({ confirm_mode_override: 0 })
        const text = Lab.outcomes(job)[device.name] ?? ""
        assert.match(text, /CommitError: The device could not be proved to run the new configuration/)
        assert.notMatch(text, /neither/)
        assert.deepStrictEqual(yield* Lab.synchronized(lab), [])
        assert.strictEqual(Lab.outcomes(yield* Lab.sync({ force: true }))[device.name], "ok")
        yield* nothingToDo(lab)
      }),
    environment,
    { personality: "saltingAtCommit" }
  )
)

it.live("shows a secret that was changed on the device", () =>
  Lab.withLab(
    1,
    (lab) =>
      Effect.gen(function* () {
        Lab.switchAt(lab, 0).configure(`${USER} sha512 $6$by$hand\n`)
        const job = yield* Lab.sync({ dry_run: true, hostnames: lab.names, force: true })
        assert.match(diffOf(job) ?? "", /^-username probe .*<hidden:\w{4}>\n\+username probe /m)
      }),
    environment,
    { personality: "salting" }
  )
)

it.live("stores digests that reveal no secret, in rows and in log lines", () => {
  const log = keepLines("Info")
  return Lab.withLab(
    1,
    (lab) =>
      Effect.gen(function* () {
        yield* push(lab, templateWith("second-password"))
        yield* Lab.sync()
        const sql = yield* SqlClient.SqlClient
        const [proved] = yield* sql<{
          secrets: Record<string, ReadonlyArray<string>>
        }>`select secrets from proved_config`
        const lines = Object.keys(proved?.secrets ?? {})
        assert.includeMembers(lines, ["ntp authentication-key 1 md5 ********", `${USER} ********`])
        for (const digest of Object.values(proved?.secrets ?? {}).flat()) assert.match(digest, /^[\w-]{43}$/)
        const rows = yield* sql<{ text: string }>`select concat(c.protocol::text, p.secrets::text) as text
            from config_change c join proved_config p using (device_id)`
        const kept = [...rows.map(({ text }) => text), JSON.stringify(log.lines)].join("\n")
        for (const secret of ["first-password", "second-password", NTP, shownHash(Lab.switchAt(lab, 0))]) {
          assert.notInclude(kept, secret)
        }
      }),
    environment,
    { personality: "salting" }
  ).pipe(Effect.provide(log.layer))
})
