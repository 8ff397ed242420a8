/**
 * Firmware images for the rest of the server: those of its own store, or those of an external firmware server if HTTPD_URL names
 * one (docs/jobs.md#get_firmware).
 */
import { Context, Duration, Effect, Layer, Option, Schema } from "effect"
import * as path from "node:path"
import { OWN_HTTPD_URL, ServerConfig, type ServerSettings } from "../ServerConfig.ts"
import {
  type FirmwareError,
  FirmwareRefused,
  FirmwareUnreachable,
  type ImageDigests,
  ofOutbound,
  type TellProgress
} from "./ImageDownload.ts"
import { DETECT_ARCHITECTURE, imageOrder } from "../domain/Firmware.ts"
import { imageGuard } from "../runtime/OutboundHosts.ts"
import * as ImageStore from "./ImageStore.ts"
import * as OutboundFetch from "../runtime/OutboundFetch.ts"
import type { ImageBuilds } from "../domain/platforms/Platform.ts"

// The images of an external firmware server, which HTTPD_URL names (docs/operations.md#firmware-store).

const MAX_ANSWER = 4 * 1024 * 1024
const IDLE_SECONDS = 120

const Answer = Schema.fromJsonString(
  Schema.Struct({
    status: Schema.String,
    message: Schema.optionalKey(Schema.Unknown),
    data: Schema.optionalKey(Schema.Unknown)
  })
)

const Files = Schema.Struct({
  files: Schema.Array(Schema.String),
  defaults: Schema.optionalKey(Schema.Array(Schema.Struct({ default: Schema.String, file: Schema.String })))
})
const File = Schema.Struct({ file: Schema.Struct({ sha1: Schema.String }) })

const notUnderstood = () => new FirmwareUnreachable({ message: "the firmware server's answer is not understood" })

/** Images on the server at this URL; `verifyTls` says whether its certificate is checked. */
const makeRemoteImages = (base: string, verifyTls: boolean) => {
  const ask = Effect.fn("RemoteImages.ask")(function* (
    method: "GET" | "POST" | "DELETE",
    path: string,
    body?: unknown
  ) {
    const response = yield* OutboundFetch.open(`${base.replace(/\/+$/, "")}${path}`, {
      method,
      verifyTls,
      // the operator named this server, so it may be this machine
      guard: null,
      idleSeconds: IDLE_SECONDS,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } })
    }).pipe(Effect.catch(ofOutbound))
    const text = yield* Effect.catch(OutboundFetch.textOf(response, MAX_ANSWER), ofOutbound)
    const answer = yield* Effect.mapError(Schema.decodeEffect(Answer)(text), notUnderstood)
    if (answer.status === "success") return answer.data
    return yield* new FirmwareRefused({
      message: typeof answer.message === "string" ? answer.message : "the firmware server refused"
    })
  }, Effect.scoped)

  /** Queries inside an API request have a short time limit; a download takes time, and its job has a deadline. */
  const askSoon = (...question: Parameters<typeof ask>) =>
    Effect.timeoutOrElse(ask(...question), {
      duration: Duration.seconds(IDLE_SECONDS),
      orElse: () => new FirmwareUnreachable({ message: `no answer in ${IDLE_SECONDS} s` })
    })

  const read = <A, I>(schema: Schema.Codec<A, I>, path: string) =>
    Effect.flatMap(askSoon("GET", path), (data) =>
      Effect.mapError(Schema.decodeUnknownEffect(schema)(data), notUnderstood)
    )
  const at = (name: string) => `/${encodeURIComponent(name)}`

  return {
    list: Effect.map(read(Files, ""), ({ defaults = [], files }) => ({ files, defaults })),
    add: (url: string, sha1: unknown, verify_tls: unknown) => Effect.asVoid(ask("POST", "", { url, sha1, verify_tls })),
    sha1: (name: string) => Effect.map(read(File, at(name)), ({ file }) => file.sha1),
    remove: (name: string) => Effect.asVoid(askSoon("DELETE", at(name))),
    setDefault: (name: string) => askSoon("POST", `${at(name)}/set-default`),
    /** Sizes and further checksums of another server's files are unknown. */
    image: () => Effect.succeed(Option.none())
  }
}

/** A requested download with unchecked values. */
interface ImageOrder {
  readonly url?: unknown
  readonly sha1?: unknown
  readonly verify_tls?: unknown
}

interface FirmwareShape {
  readonly list: Effect.Effect<ImageStore.ImageList, FirmwareError>
  /** Downloads an image; it becomes visible once it is complete and has the checksum. */
  readonly download: (order: ImageOrder, tell?: TellProgress) => Effect.Effect<void, FirmwareError>
  /** SHA-1 of an image in hexadecimal, computed from the current file. */
  readonly sha1: (name: string) => Effect.Effect<string, FirmwareError>
  readonly remove: (name: string) => Effect.Effect<void, FirmwareError>
  /** Makes an image the default of its family; yields the link. */
  readonly setDefault: (name: string) => Effect.Effect<unknown, FirmwareError>
  /** Size and checksums of an image that this server keeps; `None` for images on another server. */
  readonly image: (name: string) => Effect.Effect<Option.Option<ImageDigests>, FirmwareError>
  /** Size, and SHA-1 if it was computed before; `None` for images on another server. */
  readonly noted: (name: string) => Effect.Effect<Option.Option<ImageStore.NotedImage>, FirmwareError>
}

/** The folder of the images that this server keeps and serves. */
export const imageFolder = (config: ServerSettings): string => path.resolve(config.DATA_DIR, "firmware")

/** True unless HTTPD_URL names an external firmware server. */
export const keepsImages = (config: ServerSettings): boolean => config.HTTPD_URL === OWN_HTTPD_URL

/** The URL from which switches fetch images if the request does not name one. */
export const defaultUrl = (config: ServerSettings): string =>
  Option.getOrElse(config.FIRMWARE_URL, () => config.HTTPD_URL)

/** The reason why an image may not be downloaded from this URL, as far as known before its name is resolved. */
export const imageRefusal = (config: ServerSettings, url: string): string | undefined =>
  imageGuard(config, OWN_HTTPD_URL).refusalOf(new URL(url).hostname)

const checkedOrder = ({ sha1, url, verify_tls }: ImageOrder) =>
  Effect.fromResult(imageOrder(url, sha1)).pipe(
    Effect.mapError((message) => new FirmwareRefused({ message })),
    Effect.map((order) => ({ ...order, verifyTls: verify_tls !== false }))
  )

const ownImages = (config: ServerSettings): FirmwareShape => {
  const store = ImageStore.makeImageStore({
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
  const { add, image, list, remove, setDefault, sha1 } = makeRemoteImages(config.HTTPD_URL, config.VERIFY_TLS)
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

// The build of an image that a switch needs: a file name that starts with `detect_arch-` is adapted to the model
// (docs/jobs.md#device_upgrade). A site can set its own list of models in its settings.

/**
 * The image for a switch of this model; names without the marker stay unchanged. `builds` are the builds of the platform (null if one
 * image serves all models), `narrowModels` the models that run the narrow build.
 */
export const imageFor = (
  file: string,
  model: string,
  builds: ImageBuilds | null,
  narrowModels: ReadonlySet<string> = builds?.narrowModels ?? new Set()
): string => {
  if (!file.startsWith(DETECT_ARCHITECTURE)) return file
  const named = file.slice(DETECT_ARCHITECTURE.length)
  if (builds === null) return named
  const { narrow, wide } = builds
  const [unwanted, wanted] = narrowModels.has(model) ? [wide, narrow] : [narrow, wide]
  return named.startsWith(unwanted) ? `${wanted}${named.slice(unwanted.length)}` : named
}
