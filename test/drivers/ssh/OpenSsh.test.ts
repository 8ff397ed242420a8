/** The driver against real OpenSSH servers: it logs in, or says precisely why not. */
import { assert, describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { createDiffieHellman, createDiffieHellmanGroup } from "node:crypto"
import { once } from "node:events"
import { connect } from "node:net"
import { monitorEventLoopDelay } from "node:perf_hooks"
import type { DriverTarget } from "../../../src/drivers/Driver.ts"
import * as EosDriver from "../../../src/drivers/eos/Driver.ts"
import { SshLimits, type SshLimitsOptions } from "../../../src/drivers/ssh/SshLimits.ts"
import * as SshTransport from "../../../src/drivers/ssh/Transport.ts"
import { missing, noAccounts, type SshdOptions, startSshd, targetOf } from "../../support/OpenSsh.ts"
import { utils } from "../../../src/drivers/ssh/Ssh2.ts"
import { sshKeyPair } from "../../support/SshKeyPair.ts"
import { sshServer } from "../../support/SshServer.ts"

const open = Effect.fnUntraced(function* (target: DriverTarget, limits: SshLimitsOptions = {}) {
  const driver = yield* EosDriver.make.pipe(Effect.provide(SshLimits.layer({ refusedDelay: 0.2, ...limits })))
  return yield* driver.open(target)
})

/** Logs in; if no user can, gets as far as the refusal of the password. */
const reaches = Effect.fnUntraced(function* (options: SshdOptions, more: Partial<DriverTarget> = {}) {
  const target = { ...targetOf(yield* startSshd(options)), ...more }
  if (noAccounts === undefined) return void expect((yield* open(target)).hostKey).toMatch(/^SHA256:/)
  return void expect(yield* Effect.flip(open(target))).toMatchObject({ _tag: "ConnectAuthError" })
})

const refused = Effect.fnUntraced(function* (options: SshdOptions, more: Partial<DriverTarget> = {}) {
  const target = { ...targetOf(yield* startSshd(options)), ...more }
  return yield* Effect.flip(open(target))
})

const sha1Group = ["KexAlgorithms diffie-hellman-group14-sha1"]
const cbc = ["Ciphers aes128-cbc,aes256-cbc"]
const exchangeOnly = ["KexAlgorithms diffie-hellman-group-exchange-sha256"]

const keyPair = (type: "ed25519" | "rsa" | "ecdsa", passphrase?: string) => {
  switch (type) {
    case "rsa":
      return utils.generateKeyPairSync("rsa", { bits: 2048 })
    case "ecdsa":
      return utils.generateKeyPairSync("ecdsa", { bits: 256 })
    case "ed25519":
      return sshKeyPair(passphrase)
  }
}

const why = (reason: string | undefined) => (reason === undefined ? "" : ` (${reason})`)

describe.skipIf(missing !== undefined)(`algorithms of a real OpenSSH server${why(missing)}`, () => {
  it.live("with a key of the kind ed25519 are agreed", () => reaches({ hostKey: "ed25519" }).pipe(Effect.scoped))

  it.live("with ssh-rsa and SHA-1 only are agreed", () =>
    reaches({ hostKey: "rsa", lines: ["HostKeyAlgorithms ssh-rsa"] }).pipe(Effect.scoped)
  )

  it.live("with group14 and SHA-1 only are agreed by the profile legacy, and named by the other", () =>
    Effect.gen(function* () {
      yield* reaches({ lines: sha1Group }, { algorithms: "legacy" })
      expect(yield* refused({ lines: sha1Group })).toMatchObject({
        _tag: "ConnectionException",
        whileDoing: "handshake",
        message:
          "the switch offers no key exchange algorithm of the profile modern, but diffie-hellman-group14-sha1; allow it with the setting ssh: {algorithms: legacy} of the device or its group"
      })
    }).pipe(Effect.scoped)
  )

  it.live("with CBC only are agreed by the profile legacy, and named by the other", () =>
    Effect.gen(function* () {
      yield* reaches({ lines: cbc }, { algorithms: "legacy" })
      expect((yield* refused({ lines: cbc })).message).toContain(
        "no cipher algorithm of the profile modern, but aes128-cbc, aes256-cbc; allow it"
      )
    }).pipe(Effect.scoped)
  )

  it.live("with no common ones are named, and no setting is promised to help", () =>
    Effect.gen(function* () {
      const lines = ["KexAlgorithms sntrup761x25519-sha512@openssh.com"]
      expect((yield* refused({ lines })).message).toContain(
        "but sntrup761x25519-sha512@openssh.com; the profile legacy has none of them either"
      )
    }).pipe(Effect.scoped)
  )

  it.live("with group exchange only are agreed without blocking the thread", () =>
    Effect.gen(function* () {
      const before = performance.now()
      createDiffieHellman(createDiffieHellmanGroup("modp15").getPrime(), 2)
      const usual = performance.now() - before
      const delay = monitorEventLoopDelay({ resolution: 1 })
      delay.enable()
      for (const kex of ["sha256", "sha1"]) {
        yield* reaches(
          { lines: [`KexAlgorithms diffie-hellman-group-exchange-${kex}`] },
          { algorithms: kex === "sha1" ? "legacy" : "modern" }
        )
      }
      delay.disable()
      assert.isBelow(delay.max / 1e6, usual / 2, `ssh2's own way takes ${usual} ms`)
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(noAccounts !== undefined)(`a login to a real OpenSSH server${why(noAccounts)}`, () => {
  it.live("works with the method password, on a real terminal", () =>
    Effect.gen(function* () {
      const session = yield* open(targetOf(yield* startSshd()))
      expect(session.hostKey).toMatch(/^SHA256:/)
    }).pipe(Effect.scoped)
  )

  it.live("works with keyboard-interactive, asked once or twice", () =>
    Effect.gen(function* () {
      for (const questions of [1, 2]) yield* reaches({ questions })
    }).pipe(Effect.scoped)
  )

  it.live("needs both methods if the server wants both", () =>
    reaches({
      questions: 1,
      lines: ["AuthenticationMethods password,keyboard-interactive", "PasswordAuthentication yes"]
    }).pipe(Effect.scoped)
  )

  it.live("is refused with the server's words when it counts too many failures", () =>
    Effect.gen(function* () {
      const wrong = { password: Redacted.make("no") }
      expect(yield* refused({ lines: ["MaxAuthTries 1"] }, wrong)).toMatchObject({
        _tag: "ConnectAuthError",
        message: expect.stringContaining("Too many authentication failures")
      })
      expect(yield* refused({}, wrong)).toMatchObject({ _tag: "ConnectAuthError" })
    }).pipe(Effect.scoped)
  )

  it.live("is tried again while the server has no room (MaxStartups 1)", () =>
    Effect.gen(function* () {
      const sshd = yield* startSshd({ lines: ["MaxStartups 1:100:1"] })
      const other = connect({ host: "127.0.0.1", port: sshd.port })
      yield* Effect.promise(() => once(other, "data"))
      const login = yield* Effect.forkChild(open(targetOf(sshd), { refusedRetries: 1_000 }))
      const turnedAway = Effect.suspend(() => (/drop connection|MaxStartups/.test(sshd.log()) ? Effect.void : poll))
      const poll: Effect.Effect<void> = Effect.andThen(Effect.sleep("10 millis"), () => turnedAway)
      yield* turnedAway
      other.destroy()
      expect((yield* Fiber.join(login)).hostKey).toMatch(/^SHA256:/)
    }).pipe(Effect.scoped)
  )

  it.live("works with MaxSessions 1, and a second channel is refused in a sentence", () =>
    Effect.gen(function* () {
      const target = targetOf(yield* startSshd({ lines: ["MaxSessions 1"] }))
      yield* open(target)
      const limits = yield* SshLimits.pipe(Effect.provide(SshLimits.layer()))
      const transport = yield* SshTransport.openTransport(target, limits, 30)
      yield* transport.shell
      expect((yield* Effect.flip(transport.exec("scp -t x"))).message).toMatch(
        /^the switch opens no further channel on this connection/
      )
    }).pipe(Effect.scoped)
  )

  it.live("works with group exchange only", () => reaches({ lines: exchangeOnly }).pipe(Effect.scoped))
})

describe("keyboard-interactive of a small server", () => {
  it.live(
    "receives the password for each of two questions in one round, and nothing in a round without questions",
    () =>
      Effect.gen(function* () {
        const given: Array<ReadonlyArray<string>> = []
        const server = yield* sshServer({
          authenticate: (context) => {
            if (context.method !== "keyboard-interactive") return context.reject(["keyboard-interactive"])
            const questions = [
              { prompt: "Password: ", echo: false },
              { prompt: "Again: ", echo: false }
            ]
            return context.prompt(questions, (first) => {
              given.push(first)
              context.prompt([], (second) => {
                given.push(second)
                context.accept()
              })
            })
          },
          shell: (channel) => {
            channel.write("sw1#")
            channel.on("data", (typed: Buffer) => channel.write(typed.toString().replaceAll("\n", "\r\nsw1#")))
          }
        })
        const target = { ...targetOf({ port: server.port, log: () => "" }), username: "any" }
        expect((yield* open(target)).hostKey).toBe(server.hostKey)
        expect(given).toEqual([["sesame", "sesame"], []])
      }).pipe(Effect.scoped)
  )
})

describe.skipIf(noAccounts !== undefined)(`keys at a real OpenSSH server${why(noAccounts)}`, () => {
  const cases = [
    ["ed25519", undefined],
    ["ed25519", "sesame street"],
    ["rsa", undefined],
    ["ecdsa", undefined]
  ] as const
  for (const [type, passphrase] of cases)
    it.live(`of the type ${type}${passphrase === undefined ? "" : ", encrypted,"} are enough for a login`, () =>
      Effect.gen(function* () {
        const pair = keyPair(type, passphrase)
        const server = yield* startSshd({ authorizedKey: pair.public, lines: ["AuthenticationMethods publickey"] })
        const key = {
          text: Redacted.make(pair.private),
          passphrase: passphrase === undefined ? null : Redacted.make(passphrase)
        }
        const target = { ...targetOf(server), password: Redacted.make("never asked"), key }
        expect((yield* open(target)).hostKey).toMatch(/^SHA256:/)
      }).pipe(Effect.scoped)
    )

  it.live("that it does not know are refused, without a password attempt in addition", () =>
    Effect.gen(function* () {
      const server = yield* startSshd({ authorizedKey: keyPair("ed25519").public })
      const other = { text: Redacted.make(keyPair("ed25519").private), passphrase: null }
      const error = yield* Effect.flip(open({ ...targetOf(server), key: other }))
      expect(error).toMatchObject({ _tag: "ConnectAuthError" })
      expect(server.log()).not.toMatch(/Accepted password|Failed password/)
      const unreadable = { text: Redacted.make("-----BEGIN MARKED SECRET-----"), passphrase: null }
      const wrong = yield* Effect.flip(open({ ...targetOf(server), key: unreadable }))
      expect(wrong.message).toContain("the private key cannot be read")
      expect(JSON.stringify(wrong)).not.toContain("MARKED")
    }).pipe(Effect.scoped)
  )
})
