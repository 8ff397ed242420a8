/**
 * Whether a caller sees the secrets of a configuration, and the event that says that they saw them
 * (docs/security.md#who-sees-secrets).
 */
import { Effect } from "effect"
import type { Identity } from "../domain/access/Identity.ts"
import { isForSomeDevices, reaches, showsSecrets } from "../domain/access/PermissionRule.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { DerivedSecretStore, SecretTexts } from "../store/SecretStore.ts"
import { DeviceStore } from "../store/DeviceStore.ts"
import { EventStore } from "../store/EventStore.ts"
import { CallerDevices } from "./CallerDevices.ts"
import { Permissions } from "./Permissions.ts"
import { NotPermitted } from "./Permit.ts"

/** The secrets that a caller asks for: of a device, of a job, or both. */
export interface Sight {
  /** The kind of text, such as `running_config`. */
  readonly what: string
  readonly hostname?: string
  readonly jobId?: number
}

/** A text with secrets, and with marks in their place. */
export interface Texts<A> {
  readonly clear: A
  readonly hidden: A
  readonly differ: boolean
}

/** The secrets that callers may see. */
export const makeSecretSight = Effect.gen(function* () {
  const { SHOW_SECRETS } = yield* ServerConfig
  const secrets = yield* SecretTexts
  const derivedSecrets = yield* DerivedSecretStore
  const events = yield* EventStore

  const permissions = yield* Permissions
  const devices = yield* DeviceStore
  const callerDevices = yield* CallerDevices

  const asked = (hostnames: ReadonlyArray<string>) =>
    Effect.flatMap(devices.byHostnames(hostnames), callerDevices.of).pipe(
      // without usable settings no group is known, and no secret is shown
      Effect.catchTag(["NoSettings", "SettingsInvalid"], () => Effect.succeed([]))
    )

  /** Of these devices, those whose secrets this caller may see in clear. */
  const seen = Effect.fn("SecretSight.seen")(function* (caller: Identity, hostnames: ReadonlyArray<string>) {
    if (!SHOW_SECRETS) return new Set<string>()
    const held = yield* permissions.heldBy(caller)
    if (held === null) return new Set(hostnames)
    const showing = held.map(({ permission }) => permission).filter(showsSecrets)
    if (showing.some((permission) => !isForSomeDevices(permission))) return new Set(hostnames)
    if (showing.length === 0) return new Set<string>()
    const within = (yield* asked(hostnames)).filter((device) =>
      showing.some((permission) => reaches(permission, device))
    )
    return new Set(within.map(({ hostname }) => hostname))
  })

  const maySeeSecrets = (caller: Identity, hostname: string) =>
    Effect.map(seen(caller, [hostname]), (hostnames) => hostnames.has(hostname))

  /** Fails with NotPermitted for callers without the right to any secrets. */
  const mayAsk = Effect.fn("SecretSight.mayAsk")(function* (caller: Identity) {
    if (!SHOW_SECRETS) return yield* new NotPermitted({ rule: "SHOW_SECRETS is false: nobody is shown any", roles: [] })
    const held = yield* permissions.heldBy(caller)
    if (held === null || held.some(({ permission }) => showsSecrets(permission))) return
    const roles = [...(yield* permissions.roles)]
    return yield* new NotPermitted({
      rule: "none of your roles has the right show_secrets",
      roles: roles.flatMap(([name, allowed]) => (allowed.some(showsSecrets) ? [name] : []))
    })
  })

  /** Notes that the caller of this request sees secrets; must run before they are sent. */
  const shown = Effect.fn("SecretSight.shown")(({ hostname, jobId, what }: Sight) =>
    events.append({
      kind: "secret",
      action: "shown",
      isAudit: true,
      ...(hostname === undefined ? {} : { hostname }),
      ...(jobId === undefined ? {} : { jobId }),
      data: { what }
    })
  )

  /** The text of a device for this caller: in clear, which is noted, or with marks in the place of secrets. */
  const chosen = <A>(caller: Identity, sight: Sight & { readonly hostname: string }, texts: Texts<A>) =>
    Effect.gen(function* () {
      if (!texts.differ || !(yield* maySeeSecrets(caller, sight.hostname))) return texts.hidden
      yield* shown(sight)
      return texts.clear
    }).pipe(Effect.withSpan("SecretSight.chosen"))

  /** The configuration of a device as this caller may see it: in clear, which is noted, or with marks in the place of secrets. */
  const config = Effect.fn("SecretSight.config")(function* (
    caller: Identity,
    sight: Sight & { readonly hostname: string },
    text: string
  ) {
    const derived = yield* derivedSecrets.ofHosts([sight.hostname])
    const hidden = secrets.hide(text, derived.get(sight.hostname))
    return yield* chosen(caller, sight, { clear: text, hidden, differ: hidden !== text })
  })

  return { mayAsk, seen, shown, chosen, config }
})
