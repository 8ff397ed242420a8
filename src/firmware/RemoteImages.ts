/** The images of an external firmware server, which HTTPD_URL names (docs/operations.md#firmware-store). */
import { Duration, Effect, Option, Schema } from "effect"
import * as OutboundFetch from "../runtime/OutboundFetch.ts"
import { FirmwareRefused, FirmwareUnreachable, ofOutbound } from "./FirmwareErrors.ts"

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
export const make = (base: string, verifyTls: boolean) => {
  const ask = Effect.fn("RemoteImages.ask")(function* (
    method: "GET" | "POST" | "DELETE",
    path: string,
    body?: unknown
  ) {
    const response = yield* OutboundFetch.open(`${base.replace(/\/+$/, "")}${path}`, {
      method,
      verifyTls,
      // the operator has named this server, it may be this machine
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

  /** What is asked inside a request; a download takes its time, and its job has a deadline. */
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
    /** Sizes and further checksums are not known of another server's files. */
    image: () => Effect.succeed(Option.none())
  }
}
