/** A receiver of OpenTelemetry traces (OTLP over HTTP, JSON) that keeps the spans, and that can be ill. */
import { Effect, Schema } from "effect"
import { createServer, type ServerResponse } from "node:http"

const Attribute = Schema.Struct({ key: Schema.String, value: Schema.Record(Schema.String, Schema.Unknown) })

/** A span as the protocol has it. */
const Span = Schema.Struct({
  traceId: Schema.String,
  spanId: Schema.String,
  parentSpanId: Schema.optionalKey(Schema.String),
  name: Schema.String,
  kind: Schema.Int,
  startTimeUnixNano: Schema.String,
  endTimeUnixNano: Schema.String,
  attributes: Schema.Array(Attribute),
  events: Schema.Array(Schema.Unknown),
  status: Schema.Struct({ code: Schema.Int, message: Schema.optionalKey(Schema.String) })
})
export type ToldSpan = typeof Span.Type

const Body = Schema.fromJsonString(
  Schema.Struct({
    resourceSpans: Schema.Array(
      Schema.Struct({
        resource: Schema.Struct({ attributes: Schema.Array(Attribute) }),
        scopeSpans: Schema.Array(Schema.Struct({ spans: Schema.Array(Span) }))
      })
    )
  })
)

/** Its reaction to a request: accepts it, keeps the sender waiting, or answers with this status. */
export type ReceiverMode = "takes" | "hangs" | number

/** The value of an attribute, as text. */
export const attribute = ({ attributes }: Pick<ToldSpan, "attributes">, key: string): string | undefined => {
  const found = attributes.find((one) => one.key === key)
  return found === undefined ? undefined : String(Object.values(found.value)[0])
}

/** Starts it on a free port; it ends with the scope. */
export const make = Effect.gen(function* () {
  const texts: Array<string> = []
  const paths: Array<string> = []
  const spans: Array<ToldSpan> = []
  const services = new Set<string>()
  const tokens = new Set<string>()
  const waiting: Array<ServerResponse> = []
  let mode: ReceiverMode = "takes"
  let requests = 0

  const take = (text: string) => {
    texts.push(text)
    for (const { resource, scopeSpans } of Schema.decodeUnknownSync(Body)(text).resourceSpans) {
      services.add(attribute(resource, "service.name") ?? "")
      spans.push(...scopeSpans.flatMap((scope) => scope.spans))
    }
  }

  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      requests += 1
      if (mode === "hangs") return void waiting.push(response)
      if (typeof mode === "number") return void response.writeHead(mode).end("no")
      paths.push(`${request.method} ${request.url}`)
      tokens.add(String(request.headers["x-token"]))
      take(Buffer.concat(chunks).toString("utf8"))
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    /** All spans that it took. */
    spans: spans as ReadonlyArray<ToldSpan>,
    /** Bodies as they came. */
    texts: texts as ReadonlyArray<string>,
    paths: paths as ReadonlyArray<string>,
    services,
    /** The values of the header `x-token`. */
    tokens,
    requests: () => requests,
    /** Those that are kept waiting are answered with 503. */
    become: (next: ReceiverMode) =>
      Effect.sync(() => {
        mode = next
        for (const response of waiting.splice(0)) response.writeHead(503).end()
      })
  }
})

export type TraceReceiver = Effect.Success<typeof make>
