/** Parameters of a path or a query as schemas that parse: texts, each with its rule and the sentence that refuses it. */
import { Effect, Result, Schema, SchemaGetter } from "effect"
import { isHostname } from "../Network.ts"
import { refusedWith, Sent } from "./Body.ts"
import { MAX_INTEGER } from "./Values.ts"

const isText = (value: unknown): value is string | ReadonlyArray<string> =>
  typeof value === "string" || Array.isArray(value)

const firstOf = (sent: string | ReadonlyArray<string>): string => (typeof sent === "string" ? sent : (sent[0] ?? ""))

/**
 * A parameter that becomes a value, or is refused with one sentence; if a name is repeated, the first wins. `wire` is its
 * schema in the document.
 */
export const parameter = <S extends Schema.Top>(
  value: S,
  rule: (sent: string) => Result.Result<S["Type"], string>,
  wire: Schema.Top = Schema.String
) =>
  Sent(isText, wire).pipe(
    Schema.decodeTo(Schema.declare(Schema.is(value)), {
      decode: SchemaGetter.transformEffect((sent) =>
        Effect.suspend(() => Effect.mapError(Effect.fromResult(rule(firstOf(sent))), refusedWith))
      ),
      encode: SchemaGetter.forbiddenEncoding
    })
  )

/** A hostname, or the sentence that refuses it. */
export const hostname = (refusal: string, wire?: Schema.Top) =>
  parameter(Schema.String, (sent) => (isHostname(sent) ? Result.succeed(sent) : Result.fail(refusal)), wire)

/** Any text. */
export const text = (wire?: Schema.Top) => parameter(Schema.String, Result.succeed, wire)

/** The number of a record in a path whose pattern takes digits alone; handlers read it. */
export const id = Sent(
  (value): value is string => typeof value === "string",
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: MAX_INTEGER }))
)

const YES: ReadonlySet<string> = new Set(["true", "1", "yes", "on"])

/** A flag: a word for yes in any case; everything else means no. Nothing is refused. */
export const flag = (wire?: Schema.Top) =>
  parameter(Schema.Boolean, (sent) => Result.succeed(YES.has(sent.toLowerCase())), wire)
