/** Handlers of firmware images and upgrades. */
import { Effect, Option, Schema, Struct } from "effect"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { defaultUrl, Firmware, imageRefusal } from "../firmware/Firmware.ts"
import { ServerConfig, type ServerSettings } from "../ServerConfig.ts"
import { answered, asCaller } from "./core/HandlerErrors.ts"
import { makeUpgradeOrders, ONLY_ACCESS } from "../firmware/UpgradeOrder.ts"
import { hostsForCallers, switchGuard } from "../runtime/OutboundHosts.ts"
import { SettingsView } from "../settings/SettingsView.ts"
import { DeviceStore } from "../store/DeviceStore.ts"
import { delayUntil, makeSelectDevices } from "./provisioning/DeviceTargets.ts"
import { toId } from "../domain/fields/Values.ts"
import { campaignOf, groupsOf } from "../firmware/UpgradeTasks.ts"
import { makeUpgradeViews, type RunningDownload } from "../store/UpgradeStore.ts"
import { makeJobVisible } from "./core/Permits.ts"
import { Caller } from "../api/Requests.ts"
import { permitted } from "../access/Permit.ts"
import { BadRequest, enveloped, jobStarted, jobStartedOnDevices, NotFound } from "../api/Answers.ts"
import { DeviceUpgrade, GetFirmware, GetFirmwareChksum, RemoveFile } from "../domain/jobs/UpkeepJobs.ts"
import {
  type DownloadRequest,
  type DownloadView,
  nameInUrl,
  type UpgradeRequest,
  type VersionsOfGroup
} from "../domain/Firmware.ts"
import { namesInOrder } from "../domain/Natural.ts"
import { hostnameOrGroup, targetOf } from "../domain/requests/RequestFields.ts"
import { JobRequests } from "../jobs/requests/JobRequests.ts"

// Views: versions by group, images with running downloads, and the progress of an upgrade.

const progressOf = Schema.decodeUnknownOption(GetFirmware.Memo)
const urlOf = Schema.decodeUnknownOption(Schema.Struct({ url: Schema.String }))

const downloadView = ({ args, by, job_id, memo, status }: RunningDownload): DownloadView => {
  const url = Option.getOrNull(Option.map(urlOf(args), (found) => found.url))
  const { bytes = null, total = null } = Option.getOrUndefined(progressOf(memo)) ?? {}
  return { job_id, status, by, url, file: url === null ? null : (nameInUrl(url) ?? null), bytes, total }
}

/** The versions of these devices, the most frequent first. */
const versionsOf = (group: string, versions: ReadonlyArray<string | null>): VersionsOfGroup => {
  const counts = new Map<string | null, number>()
  for (const version of versions) counts.set(version, (counts.get(version) ?? 0) + 1)
  const listed = [...counts].map(([os_version, count]) => ({ os_version, count }))
  return { group, devices: versions.length, versions: listed.toSorted((a, b) => b.count - a.count) }
}

/** Answers of the views. */
const makeFirmwareViews = Effect.gen(function* () {
  const firmware = yield* Firmware
  const settings = yield* SettingsView
  const devices = yield* DeviceStore
  const store = yield* makeUpgradeViews
  const visible = yield* makeJobVisible

  const versions = Effect.gen(function* () {
    const groups = yield* settings.groups
    const managed = (yield* devices.all).filter(({ state }) => state === "MANAGED")
    const versionOf = new Map(managed.map(({ hostname, os_version }) => [hostname, os_version]))
    const named = groups.map(({ hostnames, name }) =>
      versionsOf(
        name,
        hostnames.flatMap((hostname) => {
          const version = versionOf.get(hostname)
          return version === undefined ? [] : [version]
        })
      )
    )
    return enveloped({ groups: named, all: versionsOf("", [...versionOf.values()]).versions })
  })

  const images = Effect.gen(function* () {
    const { defaults, files } = yield* Effect.mapError(
      firmware.list,
      () => new NotFound({ message: "Could not get files" })
    )
    const known = yield* Effect.forEach(files, (file) =>
      Effect.map(Effect.orElseSucceed(firmware.noted(file), Option.none), (image) => ({
        file,
        size: Option.getOrNull(Option.map(image, ({ size }) => size)),
        sha1: Option.getOrNull(Option.flatMap(image, ({ sha1 }) => Option.fromNullishOr(sha1))),
        defaults: defaults.flatMap((link) => (link.file === file ? [link.default] : []))
      }))
    )
    return enveloped({ images: known, downloads: (yield* store.downloads).map(downloadView) })
  })

  const upgrade = Effect.fn("FirmwareViews.upgrade")(function* (digits: string) {
    const unknown = () => new NotFound({ message: `No upgrade with job id ${digits} found` })
    const id = yield* Effect.mapError(Effect.fromOption(toId(digits)), unknown)
    yield* visible(id)
    const job = yield* Effect.mapError(Effect.flatMap(store.upgrade(id), Effect.fromOption), (error) =>
      error._tag === "SqlError" ? error : unknown()
    )
    return enveloped(campaignOf(id, job, yield* store.devices(id, groupsOf(job).flat()), yield* store.restartSeconds))
  })

  return { versions, images, upgrade }
})

// Starts upgrades and shows their order (docs/api.md#upgrades and docs/jobs.md#order-of-a-staggered-upgrade).

const refuse = (message: string) => new BadRequest({ message })

const BESIDE = ["hostname", "hostnames", "group", "start_at", "pre-flight", "comment", "ticket_ref"] as const

/** Why a switch must not download from this URL. An installation without OUTBOUND_HOSTS allows any. */
const switchRefusal = (config: ServerSettings, url: string): Effect.Effect<string | undefined> =>
  Option.isNone(hostsForCallers(config)) || !URL.canParse(url)
    ? Effect.undefined
    : switchGuard(config).refusalForOthers(new URL(url).hostname)

/** The devices of an upgrade: one, else those of a list, else those of a group. */
const selectorOf = (request: UpgradeRequest) =>
  request.hostname === undefined && request.hostnames !== undefined
    ? { hostnames: request.hostnames }
    : hostnameOrGroup(request)

/** Starts the job of a request for this user, and answers with the number of selected devices. */
const makeUpgrade = Effect.gen(function* () {
  const config = yield* ServerConfig
  const selectDevices = yield* makeSelectDevices
  const requests = yield* JobRequests
  return Effect.fn("Upgrades.start")(function* (request: UpgradeRequest, user: string) {
    const { comment, start_at, ticket_ref, url = defaultUrl(config) } = request
    const refusal = request.url === undefined ? undefined : yield* switchRefusal(config, request.url)
    if (refusal !== undefined) return yield* refuse(`url: ${refusal}`)
    const { count } = yield* selectDevices(targetOf(request))
    const job = yield* requests.start(
      DeviceUpgrade,
      { ...Struct.omit(request, BESIDE), url, ...selectorOf(request) },
      {
        user,
        comment,
        ticketRef: ticket_ref,
        ...(yield* delayUntil(start_at))
      }
    )
    return jobStartedOnDevices("Scheduled job to upgrade devices", job, count)
  })
})

/** Answers with the steps of a staggered upgrade of a group. */
const makeUpgradeCheck = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const orders = yield* makeUpgradeOrders
  const settings = yield* SettingsView
  const { restartSeconds } = yield* makeUpgradeViews
  return Effect.fn("Upgrades.check")(function* (group: string) {
    yield* permitted({ group })
    const { hostnames } = yield* settings.group(group)
    const selected = yield* devices.selectManaged({ hostnames })
    if (selected.length === 0) {
      return yield* refuse("Could not determine upgrade order for the specified device group")
    }
    const groups = yield* Effect.catchTag(orders.order(selected), "UpgradeOrderUnknown", ({ message }) =>
      // 400 for both, because clients show the reason of no other status
      Effect.fail(refuse(message === ONLY_ACCESS ? message : `Could not determine upgrade order: ${message}`))
    )
    return HttpApiSchema.withHeaders({
      body: enveloped({
        upgrade_groups: groups.map(namesInOrder),
        device_count: selected.length,
        steps: groups.length,
        restart_seconds: yield* restartSeconds
      }),
      headers: { "x-total-count": String(selected.length) }
    })
  })
})

const makeImages = Effect.gen(function* () {
  const config = yield* ServerConfig
  const firmware = yield* Firmware
  const requests = yield* JobRequests

  const start = Effect.fnUntraced(function* (
    job: typeof GetFirmwareChksum | typeof RemoveFile,
    filename: string,
    text: string
  ) {
    const user = (yield* Caller).name
    return jobStarted(text, yield* requests.start(job, { filename }, { user }))
  })

  return {
    list: firmware.list.pipe(
      Effect.mapError(() => new NotFound({ message: "Could not get files" })),
      Effect.map(({ defaults, files }) => enveloped({ ...enveloped({ files, defaults }), files, defaults }))
    ),
    download: Effect.fnUntraced(function* (order: DownloadRequest, user: string) {
      const refusal = imageRefusal(config, String(order.url))
      if (refusal !== undefined) return yield* new BadRequest({ message: `url: ${refusal}` })
      const job = yield* requests.start(GetFirmware, order, { user })
      return jobStarted("Scheduled job to download firmware", job)
    }),
    checksum: (filename: string) => start(GetFirmwareChksum, filename, "Scheduled job get firmware information"),
    remove: (filename: string) => start(RemoveFile, filename, "Scheduled job to remove firmware"),
    setDefault: (filename: string) =>
      firmware.setDefault(filename).pipe(
        Effect.mapError(() => new NotFound({ message: "Could not set file as default" })),
        Effect.map(enveloped)
      )
  }
})

/** Handlers of `FirmwareGroup`. */
export const FirmwareLive = HttpApiBuilder.group(Api, "firmware", (handlers) =>
  Effect.gen(function* () {
    const images = yield* makeImages
    const upgrade = yield* makeUpgrade
    const check = yield* makeUpgradeCheck
    const views = yield* makeFirmwareViews
    return handlers
      .handle("list", () => images.list)
      .handle("download", ({ payload }) => asCaller((user) => images.download(payload, user)))
      .handle("checksum", ({ params }) => answered(images.checksum(params.filename)))
      .handle("remove", ({ params }) => answered(images.remove(params.filename)))
      .handle("setDefault", ({ params }) => images.setDefault(params.filename))
      .handle("upgrade", ({ payload }) => asCaller((user) => upgrade(payload, user)))
      .handle("upgradeCheck", ({ payload }) => answered(check(payload.group)))
      .handle("versions", () => answered(views.versions))
      .handle("images", () => answered(views.images))
      .handle("campaign", ({ params }) => answered(views.upgrade(params.id)))
  })
)
