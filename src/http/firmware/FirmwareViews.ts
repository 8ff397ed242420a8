/** What people look at: versions by group, images with downloads that are under way, and how far an upgrade is. */
import { Effect, Option, Schema } from "effect"
import { enveloped, NotFound } from "../../api/Answers.ts"
import { toId } from "../../domain/fields/Values.ts"
import { type DownloadView, nameInUrl, type VersionsOfGroup } from "../../domain/Firmware.ts"
import { GetFirmware } from "../../domain/jobs/FirmwareJobs.ts"
import { Firmware } from "../../firmware/Firmware.ts"
import { campaignOf, groupsOf } from "../../firmware/UpgradeCampaigns.ts"
import { SettingsView } from "../../settings/SettingsView.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { FirmwareViewStore, type RunningDownload } from "../../store/FirmwareViewStore.ts"
import { makeJobVisible } from "../core/Visible.ts"

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
export const makeFirmwareViews = Effect.gen(function* () {
  const firmware = yield* Firmware
  const settings = yield* SettingsView
  const devices = yield* DeviceStore
  const store = yield* FirmwareViewStore
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
    return enveloped(campaignOf(id, job, yield* store.devices(id, groupsOf(job).flat())))
  })

  return { versions, images, upgrade }
})
