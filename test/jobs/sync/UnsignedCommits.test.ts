/** What is sent to switches once signatures are required while unsigned commits are in force, with real keys. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { SyncDevices } from "../../../src/domain/jobs/ChangeJobs.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { refresh } from "../../../src/jobs/repositories/RefreshRepository.ts"
import { gitIn } from "../../git/gitRemote.ts"
import { has, signedCommit, sshSigner } from "../../git/signers.ts"
import * as Lab from "./SyncLab.ts"

const withSsh = it.live.skipIf(!has("ssh-keygen"))

/** A signer, and the variables of a server that requires their signatures of both repositories. */
const makeKeys = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(path.join(tmpdir(), "switchyard-keys-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const sam = sshSigner(folder, "sam@lindhaven.example")
  const file = path.join(folder, "allowed")
  writeFileSync(file, sam.allowed)
  const required = {
    SETTINGS_SIGNATURES: "require",
    SETTINGS_ALLOWED_SIGNERS: file,
    TEMPLATES_SIGNATURES: "require",
    TEMPLATES_ALLOWED_SIGNERS: file
  }
  return { sam, required }
})

const REASON =
  /^Signatures are required, and no allowed signer has signed what is in force: settings \w{12}, templates \w{12}\./

withSsh("nothing of an unsigned commit is pushed or declared, and what a person undoes goes back", () =>
  Lab.withServers(2, (lab, serve) =>
    Effect.gen(function* () {
      const { required, sam } = yield* makeKeys
      yield* serve(Lab.syncWanted(lab, "two"))
      yield* serve(
        Effect.gen(function* () {
          yield* Lab.want(lab, "three")
          const dry = yield* Lab.run("sync_devices", { dry_run: true, hostnames: lab.names })
          assert.strictEqual(dry.outcome, "success")
          assert.match(JSON.stringify(dry.result), /"remarks":\["Signatures are required/)
          const [name = ""] = lab.names
          for (const [job, args] of [
            ["sync_devices", { dry_run: false, hostnames: lab.names }],
            ["sync_devices", { dry_run: false, hostnames: lab.names, force: true, urgent: true }],
            ["manage_onboarded", { hostnames: [name] }]
          ] as const) {
            const { exception, status } = yield* Lab.run(job, args)
            assert.strictEqual(status, "EXCEPTION", job)
            assert.strictEqual(exception?.type, "UnsignedCommits", `${job}: ${JSON.stringify(exception)}`)
            assert.match(exception?.message ?? "", REASON)
          }
          assert.deepStrictEqual(lab.switches.map(Lab.described), ["wanted two", "wanted two"])
        }),
        required
      )
      const signed = {
        settings: signedCommit(gitIn(lab.repositories.settings.folder), sam),
        templates: signedCommit(gitIn(lab.repositories.templates.folder), sam)
      }
      yield* serve(
        Effect.gen(function* () {
          yield* refresh("templates", "tester")
          yield* refresh("settings", "tester")
          const job = yield* Lab.sync()
          assert.deepInclude(job, {
            outcome: "success",
            settings_commit: signed.settings,
            settings_signature: { state: "signed", signer: sam.name, key: sam.fingerprint, why: null }
          })
          assert.strictEqual(job.templates_signature?.state, "signed")
          assert.deepStrictEqual(lab.switches.map(Lab.described), ["wanted three", "wanted three"])
          yield* Lab.nothingLeft(lab)
        }),
        required
      )
    })
  )
)

withSsh("a rollout that began before signatures were required is not continued with its unsigned commits", () =>
  Lab.withServers(3, (lab, serve) =>
    Effect.gen(function* () {
      const { required, sam } = yield* makeKeys
      const [first] = lab.switches
      yield* serve(Lab.want(lab, "two"))
      const before = first?.commands().length ?? 0
      first?.setFault({ kind: "slow", step: "load", milliseconds: 5_000 })
      const id = yield* serve(
        Effect.gen(function* () {
          const engine = yield* JobEngine
          const args = { dry_run: false, batch_size: 1, confirm_mode_override: 1 }
          const job = yield* engine.start(SyncDevices, args, { user: "tester" })
          // the change is in the candidate, and not committed yet
          yield* Lab.until(() =>
            (first?.commands() ?? []).slice(before).some((one) => /configure session job/.test(JSON.stringify(one)))
          )
          return job
        })
      )
      first?.clearFaults()
      // what is in force by then is signed, and the job still has its own commits
      signedCommit(gitIn(lab.repositories.settings.folder), sam)
      signedCommit(gitIn(lab.repositories.templates.folder), sam)
      yield* serve(
        Effect.gen(function* () {
          yield* refresh("templates", "tester")
          yield* refresh("settings", "tester")
          const job = yield* Effect.flatMap(JobEngine, (engine) => engine.ended(id))
          const { not_started } = Lab.stopped(job)
          assert.includeMembers([...not_started], lab.names.slice(1), JSON.stringify(job.result))
          assert.match(JSON.stringify(job.result), /"stopped":"Signatures are required/)
          assert.deepStrictEqual(lab.switches.map(Lab.described), ["wanted one", "wanted one", "wanted one"])
          yield* Lab.nothingLeft(lab)
          yield* Lab.sync()
          assert.deepStrictEqual(lab.switches.map(Lab.described), ["wanted two", "wanted two", "wanted two"])
        }),
        required
      )
    })
  )
)
