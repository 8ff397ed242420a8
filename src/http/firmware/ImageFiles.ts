/**
 * Serves the stored images to switches: `GET /firmware/{file}`, with ranges and in constant memory, without a token because
 * switches have none. Only whole images and the default links are there; an external firmware server serves its own.
 */
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerRespondable, HttpServerResponse, HttpStaticServer } from "effect/http"
import { imageFolder, keepsImages } from "../../firmware/Firmware.ts"
import { isImageName } from "../../domain/Firmware.ts"
import { ServerConfig } from "../../ServerConfig.ts"

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
