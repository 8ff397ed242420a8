/**
 * How the settings say to log in to a device (docs/settings-repository.md#logins-of-switches): algorithms, port, window,
 * prompt, a login of its own, enable password and jump host, with the secrets that they name. Without settings everything is as usual.
 */
import { Effect, type Redacted, Result, Schema } from "effect"
import type { Device } from "../domain/Device.ts"
import type { DriverTarget, JumpHost } from "../drivers/Driver.ts"
import { type PrivateKey, ServerConfig } from "../ServerConfig.ts"
import { ActiveSettings, type SettingsError } from "../settings/ActiveSettings.ts"
import type { SettingsSnapshot } from "../settings/SettingsSnapshot.ts"
import type { OwnLogin } from "./Logins.ts"
import { makeSharedRead } from "../store/GroupedStatement.ts"
import type { SshSettings } from "../settings/BaseModels.ts"

/** The part of a target that settings decide, and the login that they give in the place of the fleet's. */
export interface SshTarget extends Pick<
  DriverTarget,
  "algorithms" | "port" | "windowBytes" | "prompt" | "enablePassword" | "jumpHost"
> {
  readonly login?: OwnLogin
}

/** The settings cannot tell how to log in. Trying again does not help. */
export class SshSettingsUnusable extends Schema.TaggedError<SshSettingsUnusable>()("SshSettingsUnusable", {
  message: Schema.String
}) {}

type Secrets = ReadonlyMap<string, Redacted.Redacted>

const secretOf = (secrets: Secrets, key: string, name: string): Result.Result<Redacted.Redacted, string> => {
  const secret = secrets.get(name)
  return secret === undefined
    ? Result.fail(`the setting ${key} names ${name}, which the server does not have in its environment`)
    : Result.succeed(secret)
}

const jumpHostOf = (secrets: Secrets, jump: NonNullable<SshSettings["jump_host"]>): Result.Result<JumpHost, string> =>
  Result.map(secretOf(secrets, "ssh->jump_host->password_secret", jump.password_secret), (password) => ({
    host: jump.host,
    port: jump.port,
    username: jump.username,
    password,
    hostKey: jump.host_key,
    algorithms: jump.algorithms
  }))

/** A key is read once, so each text is one object. */
const keys = new WeakMap<Redacted.Redacted, PrivateKey>()

const keyOf = (text: Redacted.Redacted, passphrase: Redacted.Redacted | null): PrivateKey => {
  const known = keys.get(text)
  if (known !== undefined && known.passphrase === passphrase) return known
  const key = { text, passphrase }
  keys.set(text, key)
  return key
}

const NO_SECRET = "the setting ssh->username needs ssh->password_secret or ssh->key_secret beside it"

/** The login of its own that the settings give a device; none where they say nothing of one. */
const loginOf = (secrets: Secrets, ssh: SshSettings): Result.Result<OwnLogin | undefined, string> =>
  Result.gen(function* () {
    const { key_passphrase_secret, key_secret, password_next_secret, password_secret, username } = ssh
    const named = (key: string, name: string | null) =>
      name === null ? Result.succeed(null) : secretOf(secrets, `ssh->${key}`, name)
    const password = yield* named("password_secret", password_secret)
    const nextPassword = yield* named("password_next_secret", password_next_secret)
    const text = yield* named("key_secret", key_secret)
    const passphrase = yield* named("key_passphrase_secret", key_passphrase_secret)
    if (password === null && text === null)
      return yield* username === null && nextPassword === null ? Result.succeed(undefined) : Result.fail(NO_SECRET)
    return {
      ...(username === null ? {} : { username }),
      ...(password === null ? {} : { password }),
      ...(nextPassword === null || password === null ? {} : { nextPassword }),
      ...(text === null ? {} : { key: keyOf(text, passphrase) })
    }
  })

/** What the settings of a device mean, with the values of the secrets that they name. */
export const sshTargetOf = (ssh: SshSettings | null, secrets: Secrets): Result.Result<SshTarget, string> =>
  Result.gen(function* () {
    if (ssh === null) return {}
    const { algorithms, enable_secret, jump_host, port, prompt, window_bytes } = ssh
    const login = yield* loginOf(secrets, ssh)
    return {
      algorithms,
      ...(login === undefined ? {} : { login }),
      ...(port === null ? {} : { port }),
      ...(window_bytes === null ? {} : { windowBytes: window_bytes }),
      ...(prompt === null ? {} : { prompt }),
      ...(enable_secret === null
        ? {}
        : { enablePassword: yield* secretOf(secrets, "ssh->enable_secret", enable_secret) }),
      ...(jump_host === null ? {} : { jumpHost: yield* jumpHostOf(secrets, jump_host) })
    }
  })

/** Reads it for a device from the settings in force. */
export const makeSshSettings = Effect.gen(function* () {
  const active = yield* ActiveSettings
  const { deviceSecrets } = yield* ServerConfig
  // hundreds of devices log in at once, and which commit is in force is a question to the database
  const shared = makeSharedRead<SettingsSnapshot | null, Exclude<SettingsError, { readonly _tag: "NoSettings" }>>()
  const snapshot = active.snapshot.pipe(Effect.catchTag("NoSettings", () => Effect.succeed(null)))

  const current = shared("", snapshot).pipe(
    Effect.catchTag("SettingsInvalid", ({ message }) => new SshSettingsUnusable({ message }))
  )

  return Effect.fnUntraced(function* (device: Device) {
    const found = yield* current
    if (found === null) return {}
    const effective = found.layering.forDevice(device)
    const target = Result.isFailure(effective)
      ? Result.fail(effective.failure.map(({ message }) => message.trim()).join("; "))
      : sshTargetOf(effective.success.settings.ssh, deviceSecrets)
    if (Result.isSuccess(target)) return target.success
    const message = `The settings do not say how to log in to ${device.hostname}: ${target.failure}`
    return yield* new SshSettingsUnusable({ message })
  })
})
