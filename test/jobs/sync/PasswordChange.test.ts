/** Changing the login of managed switches by their own configuration (docs/security.md#changing-passwords). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs/promises"
import { sshKeyPair } from "../../support/SshKeyPair.ts"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { refresh } from "../../../src/jobs/repositories/RefreshRepository.ts"
import { SyncDevices } from "../../../src/domain/jobs/ChangeJobs.ts"
import * as Campus from "../../support/Campus.ts"
import { timer } from "../../support/Patience.ts"
import * as Lab from "./SyncLab.ts"

const NEXT = { PASSWORD_MANAGED_NEXT: Campus.NEXT_PASSWORD }
const PROMOTED = { PASSWORD_MANAGED: Campus.NEXT_PASSWORD, PASSWORD_MANAGED_NEXT: "" }

const SECONDS = { COMMIT_CONFIRMED_TIMEOUT: timer(60) }

const ok = (lab: Lab.SyncLab) => Object.fromEntries(lab.names.map((name) => [name, "ok"]))

const oldLine =
  "username switchyard privilege 15 role network-admin secret sha512 {{ TEMPLATE_SECRET_SWITCHYARD_HASH }}"
const newLine = `username switchyard privilege 15 role network-admin secret sha512 ${Campus.NEXT_HASH}`
const otherUser = newLine.replace("switchyard", "switchyard2")

/** Puts these lines in the place of the one that gives us our login. */
const template = Effect.fnUntraced(function* (lab: Lab.SyncLab, ...lines: ReadonlyArray<string>) {
  const { templates } = lab.repositories
  const text = yield* Effect.promise(() => fs.readFile(`${templates.folder}/eos/users.j2`, "utf8"))
  assert.include(text, oldLine)
  yield* templates.commit({ "eos/users.j2": text.replace(oldLine, lines.join("\n")) })
  yield* refresh("templates", "tester")
})

/** The result of a sync of the only switch whose template has these lines instead of the one with our login. */
const pushLogin = Effect.fnUntraced(function* (lab: Lab.SyncLab, mode: number, ...lines: ReadonlyArray<string>) {
  yield* template(lab, ...lines)
  const job = yield* Lab.sync({ hostnames: lab.names, confirm_mode_override: mode })
  return Lab.outcomes(job)[lab.names[0] ?? ""] ?? ""
})

/** Runs a test in a server with these variables, on switches that a server without them has brought up to date. */
const withNext = <A, E>(
  count: number,
  next: Readonly<Record<string, string>>,
  body: (lab: Lab.SyncLab) => Lab.Serving<A, E>,
  environment: Readonly<Record<string, string>> = SECONDS
) => Lab.withServers(count, (lab, serve) => serve(body(lab), next), environment)

/** How many logins each switch has refused. */
const refused = (lab: Lab.SyncLab) =>
  lab.switches.map((device) => device.logins().filter(({ accepted }) => !accepted).length)

const secretOf = (device: LabSwitch) => (device.running().includes(Campus.NEXT_HASH) ? "new" : "old")
const none = (lab: Lab.SyncLab) => lab.names.map(() => 0)

for (const mode of [0, 1, 2]) {
  it.live(
    `changes the password of all switches in mode ${mode} without one refused login, and continues after it was promoted`,
    () =>
      Lab.withServers(
        2,
        (lab, serve) =>
          Effect.gen(function* () {
            yield* serve(
              Effect.gen(function* () {
                yield* template(lab, newLine)
                const job = yield* Lab.sync({ hostnames: lab.names, confirm_mode_override: mode })
                assert.deepStrictEqual(Lab.outcomes(job), ok(lab))
                if (mode === 2) assert.deepStrictEqual(Lab.outcomes(yield* Lab.followUp(job)), ok(lab))
                assert.deepStrictEqual(lab.switches.map(secretOf), ["new", "new"])
                assert.deepStrictEqual(yield* Lab.synchronized(lab), lab.names)
              }),
              NEXT
            )
            // the next server remembers which one counts
            yield* serve(
              Effect.gen(function* () {
                yield* Lab.want(lab, "two")
                assert.deepStrictEqual(Lab.outcomes(yield* Lab.sync({ hostnames: lab.names })), ok(lab))
              }),
              NEXT
            )
            yield* serve(
              Effect.gen(function* () {
                yield* Lab.want(lab, "three")
                assert.deepStrictEqual(Lab.outcomes(yield* Lab.sync({ hostnames: lab.names })), ok(lab))
                yield* Lab.nothingLeft(lab)
              }),
              PROMOTED
            )
            assert.deepStrictEqual(refused(lab), none(lab))
          }),
        SECONDS
      )
  )
}

it.live("works with a fleet of which half has the new password", () =>
  withNext(
    2,
    NEXT,
    (lab) =>
      Effect.gen(function* () {
        yield* template(lab, newLine)
        yield* Lab.sync({ hostnames: lab.names.slice(0, 1) })
        assert.deepStrictEqual(lab.switches.map(secretOf), ["new", "old"])
        for (const mode of [1, 0]) {
          const dry = yield* Lab.run("sync_devices", { dry_run: true, hostnames: lab.names })
          assert.deepStrictEqual(Lab.outcomes(dry), ok(lab))
          yield* Lab.want(lab, `mode${mode}`)
          yield* Lab.sync({ hostname: lab.names[0] ?? "", confirm_mode_override: mode })
        }
        assert.deepStrictEqual(refused(lab), none(lab))
        yield* Lab.nothingLeft(lab)
      }),
    {}
  )
)

it.live(
  "takes a password back that is not the one of the settings, and rarely asks again until the switch has the old one",
  () =>
    withNext(
      1,
      { PASSWORD_MANAGED_NEXT: "mistyped" },
      (lab) =>
        Effect.gen(function* () {
          const text = yield* pushLogin(lab, 1, newLine)
          assert.match(text, /ConnectAuthError: .*USERNAME_MANAGED_NEXT and PASSWORD_MANAGED_NEXT/)
          assert.match(text, /before|old/)
          assert.deepStrictEqual(lab.switches.map(secretOf), ["old"])
          assert.deepStrictEqual(yield* Lab.synchronized(lab), [])
          assert.isAtMost(refused(lab)[0] ?? 0, 3)
          yield* Lab.nothingLeft(lab)
          // the old one still counts
          const read = yield* Lab.run("sync_devices", { dry_run: true, hostnames: lab.names })
          assert.deepStrictEqual(Lab.outcomes(read), ok(lab))
        }),
      { COMMIT_CONFIRMED_TIMEOUT: timer(8) }
    )
)

it.live("reports a switch without a commit timer as unreadable if its password is unknown", () =>
  withNext(
    1,
    { PASSWORD_MANAGED_NEXT: "mistyped" },
    (lab) =>
      Effect.gen(function* () {
        const text = yield* pushLogin(lab, 0, newLine)
        assert.match(text, /ConnectAuthError: /)
        assert.match(text, /not certain/)
        assert.deepStrictEqual(yield* Lab.synchronized(lab), [])
        assert.isAtMost(refused(lab)[0] ?? 0, 3)
      }),
    {}
  )
)

const pair = sshKeyPair()
const keyLine = `username switchyard ssh-key ${pair.public}`

it.live("proves a new password although the server logs in with a key", () =>
  Lab.withServers(
    1,
    (lab, serve) =>
      Effect.gen(function* () {
        const [name = ""] = lab.names
        yield* serve(
          Effect.gen(function* () {
            yield* template(lab, oldLine, keyLine)
            assert.deepStrictEqual(Lab.outcomes(yield* Lab.sync({ hostnames: lab.names })), ok(lab))
          }),
          {}
        )
        // the settings and the templates have different new passwords
        yield* serve(
          Effect.gen(function* () {
            yield* template(lab, newLine)
            const job = yield* Lab.sync({ hostnames: lab.names })
            assert.match(Lab.outcomes(job)[name] ?? "", /ConnectAuthError: .*PASSWORD_MANAGED_NEXT/)
            assert.deepStrictEqual(lab.switches.map(secretOf), ["old"])
            yield* Lab.nothingLeft(lab)
          }),
          { SSH_KEY_MANAGED: pair.private, PASSWORD_MANAGED_NEXT: "mistyped" }
        )
        const before = refused(lab)
        yield* serve(
          Effect.gen(function* () {
            assert.deepStrictEqual(Lab.outcomes(yield* Lab.sync({ hostnames: lab.names })), ok(lab))
            assert.deepStrictEqual(lab.switches.map(secretOf), ["new"])
            yield* Lab.nothingLeft(lab)
          }),
          { SSH_KEY_MANAGED: pair.private, ...NEXT }
        )
        assert.deepStrictEqual(refused(lab), before)
      }),
    { COMMIT_CONFIRMED_TIMEOUT: timer(20) }
  )
)

const USER = { USERNAME_MANAGED_NEXT: "switchyard2", PASSWORD_MANAGED_NEXT: Campus.NEXT_PASSWORD }

it.live("changes to another user in two steps: first it is added and proved, then the old one is removed", () =>
  withNext(2, USER, (lab) =>
    Effect.gen(function* () {
      yield* template(lab, oldLine, otherUser)
      assert.deepStrictEqual(Lab.outcomes(yield* Lab.sync({ hostnames: lab.names })), ok(lab))
      assert.deepStrictEqual(
        lab.switches.map((device) => device.logins().at(-1)?.user),
        ["switchyard2", "switchyard2"]
      )
      const { templates } = lab.repositories
      const file = `${templates.folder}/eos/users.j2`
      const text = yield* Effect.promise(() => fs.readFile(file, "utf8"))
      yield* templates.commit({ "eos/users.j2": text.replace(`${oldLine}\n`, "") })
      yield* refresh("templates", "tester")
      assert.deepStrictEqual(Lab.outcomes(yield* Lab.sync({ hostnames: lab.names })), ok(lab))
      assert.isFalse(lab.switches.some((device) => device.running().includes("username switchyard ")))
      assert.deepStrictEqual(refused(lab), none(lab))
      yield* Lab.nothingLeft(lab)
    })
  )
)

for (const mode of [0, 1]) {
  it.live(`does not count a new user as done in mode ${mode} whose password is not the one of the settings`, () =>
    withNext(1, { ...USER, PASSWORD_MANAGED_NEXT: "mistyped" }, (lab) =>
      Effect.gen(function* () {
        const text = yield* pushLogin(lab, mode, oldLine, otherUser)
        assert.match(text, /refuses the login that it brings/)
        assert.match(text, /ConnectAuthError: /)
        assert.deepStrictEqual(yield* Lab.synchronized(lab), [])
        assert.deepStrictEqual(lab.switches.map(secretOf), [mode === 0 ? "new" : "old"])
        const last = lab.switches[0]?.logins().at(-1)
        assert.deepInclude(last, mode === 0 ? { user: "switchyard2" } : { user: "switchyard", accepted: true })
        yield* Lab.nothingLeft(lab)
      })
    )
  )
}

it.live(
  "takes the new password back everywhere when one switch of a mode-2 sync fails, and works with the old one again",
  () =>
    Lab.withServers(
      2,
      (lab, serve) =>
        serve(
          Effect.gen(function* () {
            yield* template(lab, newLine)
            lab.switches[1]?.setFault({ kind: "error", step: "commitTimer", message: "% Internal error", times: 1 })
            const job = yield* Lab.sync({ hostnames: lab.names, confirm_mode_override: 2 })
            assert.notInclude(Object.values(Lab.outcomes(job)), "ok")
            assert.deepStrictEqual(lab.switches.map(secretOf), ["old", "old"])
            yield* Lab.nothingLeft(lab)
            const dry = yield* Lab.run("sync_devices", { dry_run: true, hostnames: lab.names })
            assert.deepStrictEqual(Lab.outcomes(dry), ok(lab))
            // the first login after the rollback tries the new password once
            assert.isAtMost(Math.max(...refused(lab)), 1)
          }),
          NEXT
        ),
      SECONDS
    )
)

it.live("proves the new password although the server was stopped between the commit and the proof", () =>
  Lab.withServers(
    2,
    (lab, serve) =>
      Effect.gen(function* () {
        const id = yield* serve(
          Effect.gen(function* () {
            yield* template(lab, newLine)
            for (const device of lab.switches)
              device.setFault({ kind: "slow", step: "showSessions", milliseconds: 500 })
            const engine = yield* JobEngine
            const job = yield* engine.start(SyncDevices, { dry_run: false, hostnames: lab.names }, { user: "tester" })
            yield* Lab.until(() => lab.switches.every((device) => device.timer() !== undefined))
            return job
          }),
          NEXT
        )
        for (const device of lab.switches) device.clearFaults()
        const job = yield* serve(
          Effect.flatMap(JobEngine, (engine) => engine.ended(id)),
          NEXT
        )
        assert.deepStrictEqual(Lab.outcomes(job), ok(lab))
        assert.deepStrictEqual(lab.switches.map(secretOf), ["new", "new"])
        assert.isAtMost(Math.max(...refused(lab)), 1)
        yield* serve(Lab.nothingLeft(lab), NEXT)
      }),
    SECONDS
  )
)
