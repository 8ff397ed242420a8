/** How switches are logged in to by their settings, through the API of a whole server, each switch with another quirk. */
import { assert, describe, expect, it } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"
import { makeLab } from "../../src/lab/Lab.ts"
import type { Node } from "../../src/lab/Topology.ts"
import { validationMessage } from "../../src/settings/SettingsProblem.ts"
import { validateSettings } from "../../src/settings/SettingValidator.ts"
import * as Campus from "../support/Campus.ts"
import { serve } from "../support/ServedCampus.ts"
import { sshServer } from "../support/SshServer.ts"
import { sshTargetOf } from "../../src/devices/Logins.ts"

const FINGERPRINT = `SHA256:${"A".repeat(43)}`

const refusalOf = (ssh: unknown): string => {
  const outcome = validateSettings({ ssh })
  return Result.isFailure(outcome) ? validationMessage(outcome.failure, () => "test") : ""
}

describe("the setting ssh", () => {
  it("is refused by name and place when it is wrong", () => {
    const jump_host = { host: "gate", username: "hop", password_secret: "DEVICE_SECRET_GATE", host_key: FINGERPRINT }
    expect(refusalOf({ jump_host, algorithms: "legacy", port: 2222, window_bytes: 1, prompt: "[*] *" })).toBe("")
    expect(refusalOf({ algorithms: "weak" })).toContain("setting ssh->algorithms, bad value: weak")
    expect(refusalOf({ port: 0 })).toContain("Input should be greater than or equal to 1")
    expect(refusalOf({ prompt: "* * *" })).toContain("a prompt may have at most 2 wildcards (*)")
    expect(refusalOf({ enable_secret: "sesame" })).toContain("DEVICE_SECRET_ followed by capitals, digits or _")
    expect(refusalOf({ jump_host: { ...jump_host, host_key: "abc" } })).toContain("setting ssh->jump_host->host_key")
    const { host_key: _, ...unpinned } = jump_host
    expect(refusalOf({ jump_host: unpinned })).toContain("Field required")
  })

  it("names a secret that the server does not have", () => {
    const outcome = validateSettings({ ssh: { enable_secret: "DEVICE_SECRET_X" } })
    const ssh = Result.getOrThrow(outcome).ssh
    expect(Result.flip(sshTargetOf(ssh, new Map()))).toEqual(
      Result.succeed(
        "the setting ssh->enable_secret names DEVICE_SECRET_X, which the server does not have in its environment"
      )
    )
    const target = Result.getOrThrow(sshTargetOf(ssh, new Map([["DEVICE_SECRET_X", Redacted.make("sesame")]])))
    expect(JSON.stringify(target)).not.toContain("sesame")
  })
})

/** A switch with its quirk, and what its settings say. */
interface Case {
  readonly quirks?: Node["quirks"]
  /** Lines of its configuration that are not those of a fabric switch. */
  readonly change?: readonly [string, string]
  readonly ssh?: string
}

const cases: Readonly<Record<string, Case>> = {
  "lhv-group14": { quirks: { ssh: "group14sha1" }, ssh: "ssh: {algorithms: legacy}" },
  "lhv-cbc": { quirks: { ssh: "cbc" }, ssh: "ssh: {algorithms: legacy}" },
  "lhv-refused": { quirks: { ssh: "cbc" } },
  "lhv-early": { quirks: { closesEarly: 2 } },
  "lhv-pages": { quirks: { pages: true } },
  "lhv-learnt": { quirks: { prompt: "[%D] *%H*, Zürich" } },
  "lhv-told": { quirks: { prompt: "%H, %D " }, ssh: 'ssh: {prompt: "lhv-told, * ", window_bytes: 512}' },
  "lhv-enable": {
    change: ["aaa authorization exec default local", "enable secret 0 sesame"],
    ssh: "ssh: {enable_secret: DEVICE_SECRET_ENABLE}"
  },
  "lhv-nosecret": { ssh: "ssh: {enable_secret: DEVICE_SECRET_MISSING}" },
  "lhv-behind": {}
}

const names = Object.keys(cases)

const makeNetwork = Effect.suspend(() =>
  makeLab({
    name: "logins",
    topology: {
      defaults: { kind: "eos", passwords: { switchyard: Campus.PASSWORD }, version: "4.31.4M" },
      nodes: Object.fromEntries(
        names.map((name, index) => {
          const { change, quirks } = cases[name] ?? {}
          const node = Campus.fabricNode("CORE", name, 20 + index)
          const text = String(node["startup-config"])
          const startup = change === undefined ? text : text.replace(...change)
          return [name, { ...node, "startup-config": startup, ...(quirks === undefined ? {} : { quirks }) }]
        })
      )
    }
  })
)

const filesOf = (name: string, ssh: string) => ({
  [`devices/${name}/base_system.yml`]: `${ssh}\n`,
  [`devices/${name}/interfaces.yml`]: "{}\n",
  [`devices/${name}/routing.yml`]: "{}\n"
})

const makeServer = Effect.gen(function* () {
  const folders = yield* Campus.makeFolders
  const network = yield* makeNetwork
  const gate = yield* sshServer({
    authenticate: (context) =>
      context.method === "password" && context.password === "over" ? context.accept() : context.reject(["password"]),
    forward: (host) => ({ host: host.replace(/^10\./, "127."), port: network.port })
  })
  const jump = `ssh: {jump_host: {host: 127.0.0.1, port: ${gate.port}, username: hop, password_secret: DEVICE_SECRET_GATE, host_key: "${gate.hostKey}"}}`
  const settings = names.map((name) => [name, name === "lhv-behind" ? jump : cases[name]?.ssh] as const)
  yield* folders.settings.commit(
    Object.assign({}, ...settings.map(([name, ssh]) => (ssh === undefined ? {} : filesOf(name, ssh))))
  )
  const secrets = { DEVICE_SECRET_ENABLE: "sesame", DEVICE_SECRET_GATE: "over" }
  const env = { ...Campus.environment(network, folders, folders.folder), ...secrets }
  const { api, running } = yield* serve(env)
  // the first refresh makes devices unsynchronized
  while ((yield* api.send("GET", "/settings")).status !== 200) yield* Effect.sleep("50 millis")
  yield* Effect.provideContext(
    Effect.forEach(names, (name, index) => Campus.seedFabric("CORE", name, 20 + index)),
    running
  )
  return { api, gate, network, settings: folders.settings }
})

describe("switches with unusual SSH servers", () => {
  it.live("are logged in to by their settings, or fail with the exact reason", () =>
    Effect.gen(function* () {
      const { api, gate, network, settings } = yield* makeServer
      const read = (name: string) => api.send("GET", `/device/${name}/running_config`)
      for (const name of names.filter((one) => one !== "lhv-refused" && one !== "lhv-nosecret")) {
        const { body } = yield* read(name)
        const device = yield* Effect.orDie(network.get(name))
        assert.strictEqual(body.data["config"], device.running(), `${name}: ${JSON.stringify(body.message)}`)
      }
      assert.strictEqual(gate.connections(), 1)
      assert.include(
        String((yield* read("lhv-refused")).body.message),
        "the switch offers no cipher algorithm of the profile modern, but aes128-cbc, aes256-cbc, 3des-cbc"
      )
      assert.include(
        String((yield* read("lhv-nosecret")).body.message),
        "the setting ssh->enable_secret names DEVICE_SECRET_MISSING, which the server does not have"
      )
      const shown = yield* api.send("GET", "/settings?hostname=lhv-cbc")
      assert.deepInclude(shown.body.data["settings"] as object, {
        ssh: {
          algorithms: "legacy",
          port: null,
          window_bytes: null,
          prompt: null,
          username: null,
          password_secret: null,
          password_next_secret: null,
          key_secret: null,
          key_passphrase_secret: null,
          enable_secret: null,
          jump_host: null
        }
      })

      // another login is no other configuration
      yield* settings.commit(filesOf("lhv-cbc", "ssh: {algorithms: modern}"))
      const refreshed = yield* api.send("PUT", "/repository/settings", { action: "REFRESH" })
      assert.strictEqual(refreshed.status, 200, JSON.stringify(refreshed.body))
      assert.include(String((yield* read("lhv-cbc")).body.message), "no cipher algorithm of the profile modern")
      const record = yield* api.send("GET", "/device/lhv-cbc")
      assert.include(JSON.stringify(record.body.data), '"synchronized":true')
    }).pipe(Effect.scoped)
  )
})
