/** Handlers of settings, their model, groups and repositories (docs/settings-repository.md). */
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { permitted } from "../../access/Permit.ts"
import { Api } from "../../api/Api.ts"
import { ServerConfig, type ServerSettings } from "../../ServerConfig.ts"
import type { RepositoryName } from "../../store/RepositoryStore.ts"
import { answered, asCaller } from "../core/HandlerErrors.ts"
import { Repositories, type RepositoryFailed, type RepositoryInvalid } from "../../jobs/repositories/Repositories.ts"
import { type GroupView, type SettingsTarget, SettingsView } from "../../settings/SettingsView.ts"
import type { DeviceType } from "../../domain/Device.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { BadRequest, Conflict, enveloped, InternalError, NotFound, ServiceUnavailable } from "../../api/Answers.ts"
import { RefreshRepository } from "../../domain/jobs/UpkeepJobs.ts"
import type { RefreshRequest } from "../../domain/requests/OperationRequests.ts"

// Groups, one group, and the operating systems in a group (docs/settings-repository.md#groups).

const shape = (groups: ReadonlyArray<GroupView>) =>
  enveloped({
    groups: Object.fromEntries(groups.map(({ hostnames, name }) => [name, hostnames])),
    group_settings: Object.fromEntries(
      groups.map(({ group_priority, name, regex, templates_branch }) => [
        name,
        { regex, group_priority, templates_branch }
      ])
    )
  })

const named = (name: string) => (groups: ReadonlyArray<GroupView>) => groups.find((group) => group.name === name)

/** Answers of the group routes. */
const makeGroups = Effect.gen(function* () {
  const settings = yield* SettingsView
  const devices = yield* DeviceStore

  return {
    all: Effect.map(settings.groups, shape),
    one: Effect.fn("Groups.one")(function* (name: string) {
      const group = named(name)(yield* settings.groups)
      if (group === undefined) {
        return yield* new NotFound({ message: "No such group found, or group is not valid" })
      }
      return shape([group])
    }),
    osVersions: Effect.fn("Groups.osVersions")(function* (name: string) {
      const failure = (reason: string) => `Exception while getting group ${name}: ${reason}`
      const groups = yield* Effect.catchTag(settings.groups, "SettingsUnavailable", ({ message }) =>
        Effect.fail(new ServiceUnavailable({ message: failure(message) }))
      )
      const group = named(name)(groups)
      if (group === undefined) {
        return yield* new NotFound({ message: failure(`Could not find group ${name}`) })
      }
      const members = yield* devices.selectManaged({ hostnames: group.hostnames })
      const versions = new Map<string, Array<string>>()
      for (const { hostname, os_version } of members) {
        if (os_version !== null) versions.set(os_version, [...(versions.get(os_version) ?? []), hostname])
      }
      return enveloped({ groups: Object.fromEntries([[name, Object.fromEntries(versions)]]) })
    })
  }
})

// GET /settings: whose settings are asked for, and the answer (docs/settings-repository.md#answers).

const refuse = (message: string) => new BadRequest({ message })

/** The device or type whose settings are requested. */
interface EffectiveQuery {
  readonly hostname?: string
  /** With a hostname it overrides the device's own type. */
  readonly device_type?: DeviceType
}

/** Answers with the settings of the query's target. */
const makeEffective = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const settings = yield* SettingsView

  const targetOf = Effect.fnUntraced(function* ({ device_type, hostname }: EffectiveQuery) {
    if (hostname !== undefined) {
      const device = yield* devices
        .getByHostname(hostname)
        .pipe(Effect.catchTag("DeviceNotFound", () => Effect.fail(refuse("Hostname not found in database"))))
      const type = device_type ?? device.device_type
      return { _tag: "Device", device: { ...device, device_type: type } } satisfies SettingsTarget
    }
    if (device_type === undefined) return { _tag: "Everybody" } satisfies SettingsTarget
    return device_type === "UNKNOWN"
      ? yield* refuse("Error getting settings: It's not possible to get settings for devices with type UNKNOWN")
      : ({ _tag: "DeviceType", device_type } satisfies SettingsTarget)
  })

  return Effect.fn("EffectiveSettings")(function* (query: EffectiveQuery) {
    const found = yield* settings
      .effective(yield* targetOf(query))
      .pipe(
        Effect.catchTag("SettingsUnavailable", ({ message }) =>
          Effect.fail(refuse(`Error getting settings: ${message}`))
        )
      )
    return enveloped(found)
  })
})

// The server's configuration for clients: the keys of docs/settings-repository.md#answers, without secrets.

const KEYS = [
  "HOST",
  "HTTPD_URL",
  "VERIFY_TLS",
  "VERIFY_TLS_DEVICE",
  "JWT_CERT",
  "CAFILE",
  "CAKEYFILE",
  "CERTPATH",
  "ALLOW_APPLY_CONFIG_LIVERUN",
  "JWT_ENABLED",
  "PLUGIN_FILE",
  "GLOBAL_UNIQUE_VLANS",
  "INIT_MGMT_TIMEOUT",
  "SETTINGS_KEYS_TO_MERGE",
  "ACCESS_LIST_OPTIMIZE",
  "MGMTDOMAIN_RESERVED_COUNT",
  "MGMTDOMAIN_PRIMARY_IP_VERSION",
  "COMMIT_CONFIRMED_MODE",
  "COMMIT_CONFIRMED_TIMEOUT",
  "COMMIT_CONFIRMED_WAIT",
  "SETTINGS_OVERRIDE"
] as const

/** The object under `api`. */
export const serverView = (config: ServerSettings): Readonly<Record<string, unknown>> => ({
  ...Object.fromEntries(KEYS.map((key) => [key, config[key]])),
  FIRMWARE_URL: Option.getOrElse(config.FIRMWARE_URL, () => config.HTTPD_URL)
})

const asFailure = ({ message, problems }: RepositoryInvalid | RepositoryFailed) =>
  problems === undefined ? { message } : { message, problems }

const makeRepository = Effect.gen(function* () {
  const repositories = yield* Repositories
  return {
    describe: Effect.fnUntraced(function* (name: RepositoryName) {
      const waiting = Option.getOrNull(yield* repositories.waiting(name))
      const signature = yield* repositories.signature(name)
      return { ...enveloped(yield* repositories.describe(name)), waiting, signature }
    }),
    problems: Effect.fnUntraced(function* (name: RepositoryName) {
      return enveloped(yield* repositories.problems(name))
    }),
    refresh: Effect.fnUntraced(function* (name: RepositoryName, request: RefreshRequest, user: string) {
      yield* permitted({ beyond: true, job: { name: RefreshRepository.name, live: RefreshRepository.isLive(null) } })
      const { confirm, rename_ports } = request
      const wishes = {
        ...(confirm === undefined ? {} : { confirm }),
        ...(rename_ports === undefined ? {} : { renamePorts: rename_ports })
      }
      const { effects, ignored, message, warnings } = yield* repositories.refresh(name, user, wishes).pipe(
        Effect.catchTags({
          RepositoryWaits: ({ effects, message }) =>
            Effect.fail(new Conflict({ message, ...(effects === undefined ? {} : { effects }) })),
          RepositoryInvalid: (refusal) => Effect.fail(new BadRequest(asFailure(refusal))),
          RepositoryBusy: ({ message }) => Effect.fail(new ServiceUnavailable({ message })),
          RepositoryFailed: (refusal) => Effect.fail(new InternalError(asFailure(refusal)))
        })
      )
      const signature = yield* repositories.signature(name)
      return { ...enveloped(message), warnings, effects, signature, ...(ignored.length === 0 ? {} : { ignored }) }
    })
  }
})

/** Handlers of `SettingsGroup`. */
export const SettingsLive = HttpApiBuilder.group(Api, "settings", (handlers) =>
  Effect.gen(function* () {
    const config = yield* ServerConfig
    const effective = yield* makeEffective
    const groups = yield* makeGroups
    const repository = yield* makeRepository
    return handlers
      .handle("effective", ({ query }) => answered(effective(query)))
      .handle("server", () => Effect.succeed({ api: serverView(config) }))
      .handle("groups", () => answered(groups.all))
      .handle("group", ({ params }) => answered(groups.one(params.name)))
      .handle("osVersions", ({ params }) => answered(groups.osVersions(params.name)))
      .handle("osVersion", ({ params }) => answered(groups.osVersions(params.name)))
      .handle("repository", ({ params }) => answered(repository.describe(params.name)))
      .handle("problems", ({ params }) => answered(repository.problems(params.name)))
      .handle("refresh", ({ params, payload }) => asCaller((user) => repository.refresh(params.name, payload, user)))
  })
)
