/** Handlers of firmware images and upgrades. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { Caller } from "../../api/Authorization.ts"
import { enveloped, jobStarted } from "../../api/Envelope.ts"
import { BadRequest, NotFound } from "../../api/Failures.ts"
import { GetFirmware } from "../../domain/jobs/GetFirmware.ts"
import { GetFirmwareChksum } from "../../domain/jobs/GetFirmwareChksum.ts"
import { RemoveFile } from "../../domain/jobs/RemoveFile.ts"
import type { DownloadRequest } from "../../domain/requests/FirmwareRequests.ts"
import { Firmware, imageRefusal } from "../../firmware/Firmware.ts"
import { JobRequests } from "../../jobs/requests/JobRequests.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { asCaller } from "../core/AsCaller.ts"
import { answered } from "../core/Unavailable.ts"
import { makeFirmwareViews } from "./FirmwareViews.ts"
import { makeUpgrade, makeUpgradeCheck } from "./Upgrades.ts"

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
