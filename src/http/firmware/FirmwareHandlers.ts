/** Handlers of firmware images and upgrades. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { Caller } from "../../api/Authorization.ts"
import { enveloped, jobStarted } from "../../api/Envelope.ts"
import { BadRequest, NotFound } from "../../api/Failures.ts"
import type { JobFunction } from "../../domain/Job.ts"
import { Firmware } from "../../firmware/Firmware.ts"
import { hasCredentials } from "../../firmware/ImageName.ts"
import { JobEngine } from "../../jobs/engine/JobEngine.ts"
import { withBody } from "../core/BodyRequest.ts"
import type { JsonObject } from "../core/JsonBody.ts"
import { answered } from "../core/Unavailable.ts"
import { has } from "../../domain/fields/Values.ts"
import { makeUpgrade, makeUpgradeCheck } from "./Upgrades.ts"

const ORDER = ["url", "sha1", "verify_tls"] as const

const makeImages = Effect.gen(function* () {
  const firmware = yield* Firmware
  const engine = yield* JobEngine

  const start = Effect.fnUntraced(function* (name: JobFunction, filename: string, text: string) {
    const user = (yield* Caller).name
    return jobStarted(text, yield* engine.start({ function: name, args: { filename }, user }))
  })

  return {
    list: firmware.list.pipe(
      Effect.mapError(() => new NotFound({ message: "Could not get files" })),
      Effect.map(({ defaults, files }) => enveloped({ ...enveloped({ files, defaults }), files, defaults }))
    ),
    download: Effect.fnUntraced(function* (body: JsonObject, user: string) {
      const missing = ORDER.find((key) => !has(body, key))
      if (missing !== undefined) return yield* new BadRequest({ message: `Missing parameter ${missing}` })
      const { sha1, url, verify_tls } = body
      if (typeof url === "string" && hasCredentials(url)) {
        return yield* new BadRequest({ message: "url must not hold a user name or a password" })
      }
      const job = yield* engine.start({ function: "get_firmware", args: { url, sha1, verify_tls }, user })
      return jobStarted("Scheduled job to download firmware", job)
    }),
    checksum: (filename: string) => start("get_firmware_chksum", filename, "Scheduled job get firmware information"),
    remove: (filename: string) => start("remove_file", filename, "Scheduled job to remove firmware"),
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
    return handlers
      .handle("list", () => images.list)
      .handleRaw("download", ({ request }) => withBody(request, images.download))
      .handle("checksum", ({ params }) => answered(images.checksum(params.filename)))
      .handle("remove", ({ params }) => answered(images.remove(params.filename)))
      .handle("setDefault", ({ params }) => images.setDefault(params.filename))
      .handleRaw("upgrade", ({ request }) => withBody(request, upgrade))
      .handleRaw("upgradeCheck", ({ request }) => withBody(request, check))
  })
)
