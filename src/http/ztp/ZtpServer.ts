/**
 * A listener beside the API for what switches fetch: boot files and firmware images, over plain HTTP and without a token,
 * because that is what their boot loaders can do and a URL without a port means port 80
 * (docs/provisioning.md#dhcp-and-boot-files, docs/switch-dialogues.md#eos-firmware-and-reload). Off unless ZTP_HTTP_PORT is
 * set. Nothing of the API is there, so that the API itself may stay on a private address.
 */
import { Effect, Layer, Option } from "effect"
import { HttpEffect, HttpRouter, HttpServerRequest } from "effect/http"
import * as http from "node:http"
import { ServerConfig } from "../../ServerConfig.ts"
import { answeringFiles } from "../core/Answering.ts"
import { makeMeetClient } from "../core/Client.ts"
import { listening } from "../core/Listening.ts"
import { ImageFiles } from "../firmware/ImageFiles.ts"
import { BootFiles } from "./BootFiles.ts"

const MAX_HEADER_BYTES = 8 * 1024

const Answers = HttpRouter.middleware(
  Effect.map(ServerConfig, (config) => {
    const meetClient = makeMeetClient(config)
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

/** The listener on ZTP_HTTP_HOST and ZTP_HTTP_PORT, if there is to be one. */
export const ZtpServer = Layer.unwrap(
  Effect.map(ServerConfig, ({ ZTP_HTTP_HOST: host, ZTP_HTTP_PORT }) =>
    Option.match(ZTP_HTTP_PORT, {
      onNone: () => Layer.empty,
      // its address must not be taken for that of the API
      onSome: (port) =>
        Layer.effectDiscard(
          Layer.build(listening({ server: nodeServer, where: { host, port }, scheme: "http" }, Routes))
        )
    })
  )
)
