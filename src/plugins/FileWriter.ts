/** Plugin `filewriter`: writes one line per event to a file (variable `logfile`). */
import { Effect, Schema } from "effect"
import * as fs from "node:fs/promises"
import { type Plugin, type PluginCall, PluginError, type PluginVariables } from "./Plugin.ts"

const Variables = Schema.Struct({ logfile: Schema.NonEmptyString })

const attempt = <A>(message: string, run: () => Promise<A>) =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      new PluginError({
        plugin: "filewriter",
        message: `${message}: ${cause instanceof Error ? cause.message : String(cause)}`
      })
  })

const line = (id: string, { hook, ...fields }: PluginCall): string =>
  `${id} ${hook}: ${Object.entries(fields)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ")}\n`

const isWritten = (logfile: string, id: string) =>
  Effect.map(
    Effect.orElseSucceed(
      attempt("cannot read", () => fs.readFile(logfile, "utf8")),
      () => ""
    ),
    (text) => text.split("\n").some((written) => written.startsWith(`${id} `))
  )

/** Makes the plugin; fails when `logfile` is not given. */
export const make = (variables: PluginVariables): Effect.Effect<Plugin, PluginError> =>
  Schema.decodeUnknownEffect(Variables)(variables).pipe(
    Effect.mapError((error) => new PluginError({ plugin: "filewriter", message: error.message })),
    Effect.map(({ logfile }) => ({
      name: "filewriter",
      selftest: Effect.isSuccess(attempt("cannot open", async () => (await fs.open(logfile, "a")).close())),
      call: Effect.fnUntraced(function* (call, { again, id }) {
        if (again && (yield* isWritten(logfile, id))) return
        yield* attempt("cannot write", () => fs.appendFile(logfile, line(id, call)))
      })
    }))
  )
