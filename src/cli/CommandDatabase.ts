/** The database of the settings for a command, also while a server of this machine keeps the embedded one. */
import { Effect, Layer, Option } from "effect"
import { ServerConfig } from "../ServerConfig.ts"
import * as Database from "../store/Database.ts"

/** As a replica is: it joins the embedded database of a server that runs, and starts it where none does. It makes none. */
const guest = Layer.effect(
  ServerConfig,
  Effect.map(ServerConfig, (config) =>
    Option.isSome(config.DATABASE_URL) ? config : ServerConfig.of({ ...config, CLUSTER_HOST: Option.some("127.0.0.1") })
  )
)

/** The connection. */
export const layer = Database.layerOfCommand.pipe(Layer.provide(guest))

/** The same without bringing its schema up to date; a restore may begin where there is none. */
export const layerAsItIs = (applicationName: string, purpose: "command" | "restore") =>
  Database.layerAsItIs(applicationName, purpose).pipe(Layer.provide(guest))
