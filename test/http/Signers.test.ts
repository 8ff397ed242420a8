/** The API gives the signature of each commit that it names; an unsigned commit causes an event and an alert. The keys are real. */
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { CommitSignature } from "../../src/domain/CommitSignature.ts"
import { gitIn } from "../git/gitRemote.ts"
import { has, signedCommit, sshSigner } from "../git/signers.ts"
import * as Managed from "../scenarios/chaos/ManagedCampus.ts"
import { listen } from "../support/AlertReceiver.ts"
import { SECRET } from "../support/AlertSite.ts"
import * as Campus from "../support/Campus.ts"
import { keepLines } from "../support/LogLines.ts"
import * as Program from "../support/Program.ts"
import { serve } from "../support/ServedCampus.ts"

const alertsFile = (url: string) => `receivers:
  noc: { type: webhook, url: "${url}", secret: HOOK }
ready:
  unsigned_commit: { to: noc, wait: 0s }
`

const makeScene = Effect.gen(function* () {
  const keys = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(path.join(tmpdir(), "switchyard-keys-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const sam = sshSigner(keys, "sam@lindhaven.example")
  const mallory = sshSigner(keys, "mallory@lindhaven.example")
  writeFileSync(path.join(keys, "allowed"), sam.allowed)
  const names = Managed.accessNames(1)
  const lab = yield* Managed.makeManagedLab(names)
  const folders = yield* Campus.makeFolders
  const { received, url } = yield* listen()
  const env = {
    ...Campus.environment(lab, folders, folders.folder),
    ALERT_SECRET_HOOK: SECRET,
    SETTINGS_SIGNATURES: "warn",
    SETTINGS_ALLOWED_SIGNERS: path.join(keys, "allowed"),
    PROPOSAL_POLL: "0"
  }
  const git = gitIn(folders.settings.folder)
  yield* folders.settings.commit({ "alerts.yml": alertsFile(url) })
  signedCommit(git, sam)
  const { api, running } = yield* serve(env, keepLines("Info").layer)
  yield* Effect.provideContext(Managed.seedManaged(names), running)
  const refresh = (name: string) => api.send("PUT", `/repository/${name}`, { action: "refresh" })
  yield* refresh("templates")
  yield* Program.until(Effect.map(refresh("settings"), ({ status }) => status === 200))
  return { api, git, mallory, names, received, refresh, sam }
})

const Blamed = Schema.Struct({
  data: Schema.Struct({
    lines: Schema.Array(
      Schema.Struct({
        text: Schema.String,
        job_id: Schema.NullOr(Schema.Int),
        template: Schema.NullOr(Schema.Struct({ file: Schema.String })),
        settings: Schema.Array(Schema.Struct({ name: Schema.String }))
      })
    )
  })
})

/** Every signature in an answer, as `settings_signature signed sam@lindhaven.example`. */
const signaturesIn = (value: unknown, key = ""): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null) return []
  if (key.endsWith("signature")) {
    const { signer, state } = Schema.decodeUnknownSync(CommitSignature)(value)
    return [[key, state, ...(signer === null ? [] : [signer])].join(" ")]
  }
  return Object.entries(value).flatMap(([name, one]) => signaturesIn(one, name))
}

it.live.skipIf(!has("ssh-keygen"))("Each commit is shown with its signer, or why it has none", () =>
  Effect.gen(function* () {
    const { api, git, mallory, names, received, refresh, sam } = yield* makeScene
    const [name = ""] = names
    const shownIn = (path: string) => Effect.map(api.send("GET", path), ({ body }) => signaturesIn(body))
    const audit = Effect.map(api.send("GET", "/audit?per_page=300"), ({ body }) => body)
    const signed = `signature signed ${sam.name}`
    assert.deepStrictEqual(signaturesIn((yield* refresh("settings")).body), [signed])
    const job = yield* api.run("/device_syncto", { hostnames: names, dry_run: false, force: true, resync: true })
    for (const where of [
      `/job/${job.id}`,
      "/jobs",
      `/device/${name}/configs`,
      `/device/${name}/blame`,
      `/changes/${job.id}/report`
    ])
      assert.include(yield* shownIn(where), `settings_${signed}`, where)
    assert.include(yield* shownIn("/repository/settings/branches"), signed)
    assert.include(signaturesIn(yield* audit), signed)
    assert.include(signaturesIn(yield* audit), `settings_${signed}`)

    const blamed = yield* api.send("GET", `/device/${name}/blame?of=running`)
    const lines = Schema.decodeUnknownSync(Blamed)(blamed.body).data.lines
    const ntp = lines.find(({ text }) => text.startsWith("ntp server"))
    assert.deepInclude(ntp, { job_id: job.id }, JSON.stringify(lines))
    assert.strictEqual(ntp?.settings[0]?.name, "ntp_servers")
    assert.match(ntp?.template?.file ?? "", /^eos\//)
    // the switch adds it, and no job gave it
    const added = lines.filter(({ job_id, template }) => job_id === null && template === null)
    assert.isNotEmpty(added, JSON.stringify(lines))
    assert.strictEqual((yield* api.send("GET", `/device/${name}/blame?of=walking`)).status, 400)
    assert.strictEqual(received.length, 0)

    // a branch of a stranger, proposed
    git("checkout", "-q", "-b", "other")
    signedCommit(git, mallory)
    git("checkout", "-q", "main")
    const checked = yield* api.send("POST", "/repository/settings/check", { branch: "other" })
    assert.deepStrictEqual(signaturesIn(checked.body), ["signature foreign"])
    const opened = yield* api.send("POST", "/proposals", { repository: "settings", branch: "other" })
    assert.strictEqual(opened.body.status, "success", JSON.stringify(opened.body))
    yield* Program.until(Effect.map(shownIn("/proposals"), (shown) => shown.includes("signature foreign")))

    // under warn an unsigned commit comes into force, with one event
    git("commit", "-q", "--allow-empty", "-m", "An unsigned change")
    const warned = yield* refresh("settings")
    assert.deepStrictEqual(signaturesIn(warned.body), ["signature unsigned"])
    assert.match(JSON.stringify(warned.body), /Commit \w{12} of the settings by [^"]+ is not signed/)
    yield* refresh("settings")
    yield* Program.until(Effect.sync(() => received.length === 1))
    assert.match(received[0]?.body ?? "", /Commit \w{12} of settings came into force and is not signed/)
    assert.match(JSON.stringify(yield* audit), /"action":"unsigned"/)
    assert.deepStrictEqual(yield* shownIn("/repository/settings"), ["signature unsigned"])

    // a signed one ends the alert
    signedCommit(git, sam)
    yield* refresh("settings")
    yield* Program.until(Effect.sync(() => received.length === 2))
    assert.include(received[1]?.body ?? "", '"type":"alert.resolved"')
  }).pipe(Effect.scoped)
)
