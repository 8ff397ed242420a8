/**
 * A listener for switches: boot files and firmware images, over plain HTTP and without a token, because boot loaders can do no more, and on
 * port 80, because their URLs have no port (docs/provisioning.md#dhcp-and-boot-files). It
 * runs only if ZTP_HTTP_PORT is set. It serves nothing of the API, so that the API itself may stay on a private address.
 */
import { Effect, Layer, Option } from "effect"
import {
  HttpEffect,
  HttpRouter,
  HttpServerRequest,
  HttpServerRespondable,
  HttpServerResponse,
  HttpStaticServer
} from "effect/http"
import * as http from "node:http"
import { ServerConfig } from "../ServerConfig.ts"
import { answeringFiles } from "./core/GlobalMiddleware.ts"
import { makeNoteClient } from "./core/Client.ts"
import { listening } from "./core/Listening.ts"
import { imageFolder, keepsImages } from "../firmware/Firmware.ts"
import { RepositoryStore } from "../store/RepositoryStore.ts"
import { isImageName } from "../domain/Firmware.ts"

// Boot files: `GET /templates/{platform}/dhcp-init.j2` serves this file of the templates in force verbatim, without rendering and without a
// token, because a blank switch has neither name nor credentials (docs/provisioning.md#dhcp-and-boot-files).

/** The route of the boot files. No other file of the repository is served. */
export const BootFiles = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const repositories = yield* RepositoryStore
    const serve = Effect.gen(function* () {
      const platform = (yield* HttpRouter.params)["platform"] ?? ""
      const applied = yield* repositories.find("templates", "")
      const file = `${platform}/dhcp-init.j2`
      const files = Option.match(applied, { onNone: () => ({}), onSome: (commit) => commit.files })
      const text = Object.entries(files).find(([name]) => name === file)?.[1]
      return text === undefined
        ? HttpServerResponse.empty({ status: 404 })
        : HttpServerResponse.text(text, { contentType: "text/plain; charset=utf-8" })
    })
    const unavailable = Effect.as(
      Effect.logWarning("The boot file could not be read"),
      HttpServerResponse.empty({ status: 503 })
    )
    yield* router.add(
      "GET",
      "/templates/:platform/dhcp-init.j2",
      Effect.catch(serve, () => unavailable)
    )
  })
).pipe(Layer.provide(RepositoryStore.layer))

// Images: `GET /firmware/{file}`, with ranges and in constant memory, without a token because switches have none. Only complete images and
// the default links are served; an external firmware server serves its own.

const nameOf = (url: string): string => url.replace(/^\/+/, "").split("?", 1)[0] ?? ""

/** The route of the images. */
export const ImageFiles = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const config = yield* ServerConfig
    if (!keepsImages(config)) return
    const files = yield* HttpStaticServer.make({ root: imageFolder(config), index: undefined })
    const serve = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) =>
      isImageName(nameOf(url)) ? files : Effect.succeed(HttpServerResponse.empty({ status: 404 }))
    )
    yield* router.prefixed("/firmware").add("GET", "/:file", Effect.catch(serve, HttpServerRespondable.toResponse))
  })
)

const MAX_HEADER_BYTES = 8 * 1024

const Answers = HttpRouter.middleware(
  Effect.map(ServerConfig, (config) => {
    const meetClient = makeNoteClient(config)
    return (httpEffect) =>
      Effect.gen(function* () {
        meetClient(yield* HttpServerRequest.HttpServerRequest)
        yield* HttpEffect.appendPreResponseHandler(answeringFiles)
        return yield* httpEffect
      })
  }),
  { global: true }
)

const Routes = Layer.mergeAll(BootFiles, ImageFiles, Answers)

const nodeServer = () => http.createServer({ maxHeaderSize: MAX_HEADER_BYTES })

/** The listener on ZTP_HTTP_HOST and ZTP_HTTP_PORT, if it is configured. */
export const ZtpServer = Layer.unwrap(
  Effect.map(ServerConfig, ({ ZTP_HTTP_HOST: host, ZTP_HTTP_PORT }) =>
    Option.match(ZTP_HTTP_PORT, {
      onNone: () => Layer.empty,
      // its address must not replace that of the API
      onSome: (port) =>
        Layer.effectDiscard(
          Layer.build(
            listening(
              {
                server: nodeServer,
                where: { host, port, settings: { host: "ZTP_HTTP_HOST", port: "ZTP_HTTP_PORT" } },
                scheme: "http"
              },
              Routes
            )
          )
        )
    })
  )
)
