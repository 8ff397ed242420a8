/** Logins by key, and logins that the settings give a group, through the API of a whole server. */
import { assert, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { sshKeyPair } from "../support/SshKeyPair.ts"
import type { LabSwitch } from "../../src/lab/LabSwitch.ts"
import * as Campus from "../support/Campus.ts"
import { serve } from "../support/ServedCampus.ts"

const [WITH, WITHOUT] = ["lhv-dist1", "lhv-dist2"] as const

/** A server with these variables, and two managed switches; the first has the public key of `pair`. */
const makeScene = Effect.fnUntraced(function* (
  pair: { readonly public: string },
  variables: (folder: string) => Promise<Record<string, string>>,
  settings: Readonly<Record<string, string>> = {}
) {
  const folders = yield* Campus.makeFolders
  yield* folders.settings.commit({ "global/note.txt": "first\n", ...settings })
  const network = yield* Campus.makeSite({}, [])
  const [first, second] = yield* Effect.orDie(Effect.all([network.get(WITH), network.get(WITHOUT)]))
  first.configure(`username switchyard ssh-key ${pair.public}\n`)
  const own = yield* Effect.promise(() => variables(folders.folder))
  const env = { ...Campus.environment(network, folders, folders.folder), ...own }
  const { api, running } = yield* serve(env)
  while ((yield* api.send("GET", "/settings")).status !== 200) yield* Effect.sleep("50 millis")
  for (const [name, last] of [
    [WITH, 11],
    [WITHOUT, 12]
  ] as const)
    yield* Effect.provideContext(Campus.seedFabric("DIST", name, last), running)
  const read = (hostname: string) => api.send("GET", `/device/${hostname}/running_config`)
  return { api, read, first, second }
})

const tries = (device: LabSwitch) =>
  device.logins().map(({ accepted, method, user }) => `${user} ${method} ${accepted ? "accepted" : "refused"}`)

it.live("a login tries the key first, the password if it is refused, and then the login that was accepted last", () =>
  Effect.gen(function* () {
    const pair = sshKeyPair()
    const { first, read, second } = yield* makeScene(pair, async () => ({ SSH_KEY_MANAGED: pair.private }))
    for (const name of [WITH, WITHOUT, WITH, WITHOUT]) assert.strictEqual((yield* read(name)).status, 200, name)
    assert.deepEqual(tries(first), ["switchyard key accepted", "switchyard key accepted"])
    assert.deepEqual(tries(second), [
      "switchyard key refused",
      "switchyard password accepted",
      "switchyard password accepted"
    ])
  }).pipe(Effect.scoped)
)

it.live("a login needs no password with an encrypted key in a file, and errors name the attempts", () =>
  Effect.gen(function* () {
    const pair = sshKeyPair("sesame street")
    const { first, read, second } = yield* makeScene(pair, async (folder) => {
      const file = path.join(folder, "fleet.key")
      await fs.writeFile(file, pair.private)
      return { PASSWORD_MANAGED: "", SSH_KEY_MANAGED_FILE: file, SSH_KEY_MANAGED_PASSPHRASE: "sesame street" }
    })
    assert.strictEqual((yield* read(WITH)).status, 200)
    assert.deepEqual(tries(first), ["switchyard key accepted"])
    assert.include(String((yield* read(WITHOUT)).body.message), "ConnectAuthError")
    assert.isTrue(tries(second).every((line) => line === "switchyard key refused"))
  }).pipe(Effect.scoped)
)

it.live("the server does not start with an unreadable key, and does not show it", () =>
  Effect.gen(function* () {
    const wrong: ReadonlyArray<readonly [Record<string, string>, RegExp]> = [
      [{ SSH_KEY_MANAGED: "MARKED, but no key" }, /SSH_KEY_MANAGED: the private key cannot be read/],
      [{ SSH_KEY_MANAGED_FILE: "/nowhere/fleet.key" }, /SSH_KEY_MANAGED_FILE: the file cannot be read/]
    ]
    for (const [variables, sentence] of wrong) {
      const login = { USERNAME_MANAGED: "noc", PASSWORD_MANAGED: "x", JWT_ENABLED: "false" }
      const started = yield* Effect.exit(Effect.scoped(serve({ ...login, ...variables })))
      assert.isTrue(Exit.isFailure(started))
      const text = Exit.isFailure(started) ? Cause.pretty(started.cause) : ""
      assert.match(text, sentence)
      assert.notInclude(text, "MARKED")
    }
  })
)

const ofDevice = (name: string, text: string) => ({
  [`devices/${name}/base_system.yml`]: text,
  [`devices/${name}/interfaces.yml`]: "{}\n",
  [`devices/${name}/routing.yml`]: "{}\n"
})

it.live("a group's login from the settings is used for its devices, and never the fleet's login", () =>
  Effect.gen(function* () {
    const pair = sshKeyPair()
    const login = "{username: closet, password_secret: DEVICE_SECRET_CLOSET, key_secret: DEVICE_SECRET_CLOSET_KEY}"
    const { api, first, read, second } = yield* makeScene(
      pair,
      async () => ({ DEVICE_SECRET_CLOSET: "broom", DEVICE_SECRET_CLOSET_KEY: pair.private }),
      ofDevice(WITHOUT, `ssh: ${login}\n`)
    )
    assert.strictEqual((yield* read(WITH)).status, 200)
    assert.deepEqual(tries(first), ["switchyard password accepted"])
    const refused = yield* read(WITHOUT)
    assert.include(
      String(refused.body.message),
      "tried ssh->key_secret of its settings, ssh->password_secret of its settings"
    )
    assert.deepEqual(tries(second), ["closet key refused", "closet password refused"])
    second.configure(`username closet privilege 15 role network-admin secret 0 broom\n`)
    assert.strictEqual((yield* read(WITHOUT)).status, 200)
    second.configure(`username closet ssh-key ${pair.public}\n`)
    const shown = yield* api.send("GET", `/settings?hostname=${WITHOUT}`)
    assert.notInclude(JSON.stringify(shown.body), "broom")
    assert.isTrue(tries(second).every((line) => line.startsWith("closet ")))
  }).pipe(Effect.scoped)
)
