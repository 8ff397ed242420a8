/**
 * Firmware images as the rest of the server sees them: those of its own store, or those of an external firmware server when
 * HTTPD_URL names one. See docs/jobs.md#get_firmware.
 */
import { Context, Effect, Layer, Option } from "effect"
import * as path from "node:path"
import { OWN_HTTPD_URL, ServerConfig, type ServerSettings } from "../ServerConfig.ts"
import { type FirmwareError, FirmwareRefused } from "./FirmwareErrors.ts"
import type { ImageDigests } from "./ImageDigests.ts"
import { imageOrder } from "../domain/Firmware.ts"
import { imageGuard } from "../runtime/OutboundHosts.ts"
import type { TellProgress } from "./ImageDownload.ts"
import * as ImageStore from "./ImageStore.ts"
import * as RemoteImages from "./RemoteImages.ts"

/** A download as it was asked for; nothing is known of the values yet. */
export interface ImageOrder {
  readonly url?: unknown
  readonly sha1?: unknown
  readonly verify_tls?: unknown
}

interface FirmwareShape {
  readonly list: Effect.Effect<ImageStore.ImageList, FirmwareError>
  /** Downloads an image; it is visible when it is whole and has the checksum. */
  readonly download: (order: ImageOrder, tell?: TellProgress) => Effect.Effect<void, FirmwareError>
  /** SHA-1 of an image in hexadecimal, computed from the file as it is now. */
  readonly sha1: (name: string) => Effect.Effect<string, FirmwareError>
  readonly remove: (name: string) => Effect.Effect<void, FirmwareError>
  /** Makes an image the default of its family; yields what was linked. */
  readonly setDefault: (name: string) => Effect.Effect<unknown, FirmwareError>
  /** Size and checksums of an image that this server keeps; none for images that are elsewhere. */
  readonly image: (name: string) => Effect.Effect<Option.Option<ImageDigests>, FirmwareError>
  /** Size, and SHA-1 as far as it was computed before; none for images that are elsewhere. */
  readonly noted: (name: string) => Effect.Effect<Option.Option<ImageStore.NotedImage>, FirmwareError>
}

/** The folder of the images that this server keeps and serves. */
export const imageFolder = (config: ServerSettings): string => path.resolve(config.DATA_DIR, "firmware")

/** True unless HTTPD_URL names an external firmware server. */
export const keepsImages = (config: ServerSettings): boolean => config.HTTPD_URL === OWN_HTTPD_URL

/** Where switches are told to fetch images when a request does not say it. */
export const defaultUrl = (config: ServerSettings): string =>
  Option.getOrElse(config.FIRMWARE_URL, () => config.HTTPD_URL)

/** Why an image may not be downloaded from this URL, as far as it can be said before its name is resolved. */
export const imageRefusal = (config: ServerSettings, url: string): string | undefined =>
  imageGuard(config, OWN_HTTPD_URL).refusalOf(new URL(url).hostname)

const checkedOrder = ({ sha1, url, verify_tls }: ImageOrder) =>
  Effect.fromResult(imageOrder(url, sha1)).pipe(
    Effect.mapError((message) => new FirmwareRefused({ message })),
    Effect.map((order) => ({ ...order, verifyTls: verify_tls !== false }))
  )

const ownImages = (config: ServerSettings): FirmwareShape => {
  const store = ImageStore.make({
    folder: imageFolder(config),
    maxBytes: config.FIRMWARE_MAX_SIZE,
    guard: imageGuard(config, OWN_HTTPD_URL)
  })
  const { image, list, noted, remove, setDefault } = store
  return {
    list,
    download: (order, tell) =>
      Effect.flatMap(checkedOrder(order), ({ name, sha1, url, verifyTls }) =>
        store.add(name, { url, sha1, verifyTls, ...(tell === undefined ? {} : { tell }) })
      ),
    sha1: (name) => Effect.map(store.recompute(name), (digests) => digests.sha1),
    remove,
    setDefault,
    image,
    noted
  }
}

const externalImages = (config: ServerSettings): FirmwareShape => {
  const { add, image, list, remove, setDefault, sha1 } = RemoteImages.make(config.HTTPD_URL, config.VERIFY_TLS)
  return {
    list,
    download: (order) =>
      Effect.gen(function* () {
        const { sha1, url } = yield* checkedOrder(order)
        const refusal = yield* imageGuard(config, OWN_HTTPD_URL).refusalForOthers(new URL(url).hostname)
        if (refusal !== undefined)
          return yield* new FirmwareRefused({ message: `Could not download firmware: ${refusal}` })
        return yield* add(url, sha1, order.verify_tls)
      }),
    sha1,
    remove,
    setDefault,
    image,
    noted: () => Effect.succeedNone
  }
}

const make = Effect.gen(function* () {
  const config = yield* ServerConfig
  return Firmware.of(keepsImages(config) ? ownImages(config) : externalImages(config))
})

/** Firmware images. */
export class Firmware extends Context.Service<Firmware, FirmwareShape>()("switchyard/firmware/Firmware") {
  static readonly layer = Layer.effect(Firmware, make)
}
