/**
 * Asks a switch for text and for JSON, knows when an answer of either kind is complete (docs/switch-dialogues.md#eos-reading), and
 * reads the fields of JSON answers.
 */
import { Effect, Schema } from "effect"
import { UnexpectedAnswer } from "../DriverErrors.ts"
import { maskSecrets } from "../SecretMask.ts"
import { type Cli, deniedCommand, type SendOptions } from "../ssh/Cli.ts"

const shownOfAnswer = 200

/** An answer that is not understood. */
export const unexpected = (cli: Cli, command: string, message: string): UnexpectedAnswer =>
  new UnexpectedAnswer({ hostname: cli.target.hostname, command, message })

/** The value of a JSON answer, which may have text before it. */
export const decodeJson = <A>(cli: Cli, command: string, schema: Schema.ConstraintDecoder<A>, text: string) => {
  const start = text.indexOf("{")
  const json = Schema.decodeUnknownEffect(Schema.fromJsonString(schema))
  return json(start < 0 ? text : text.slice(start)).pipe(
    Effect.mapError((error) =>
      unexpected(
        cli,
        command,
        maskSecrets(`the answer to "${command}" is not understood: ${error.message}`).slice(0, shownOfAnswer)
      )
    )
  )
}

/** The last line that is not empty. */
export const lastText = (lines: ReadonlyArray<string>) => lines.findLast((line) => line.trim() !== "") ?? ""

/** A JSON document ends in a brace at the line start. Behind its echo, however often that comes, there is something. */
export const jsonIsWhole = (lines: ReadonlyArray<string>): boolean => {
  const answer = lines.filter((line) => line.trim() !== "" && !line.trimEnd().endsWith("| json"))
  return answer.length > 0 && (!answer.includes("{") || lastText(answer).startsWith("}"))
}

/** What a command shows with `| json`. */
export const readJson = <A>(cli: Cli, command: string, schema: Schema.ConstraintDecoder<A>) =>
  Effect.flatMap(cli.query(`${command} | json`, { isWhole: jsonIsWhole }), (text) =>
    decodeJson(cli, command, schema, text)
  )

/** Everything that the switch says to a command, also when it is an error, unless our account may not give the command. */
export const saidTo = (cli: Cli, command: string, options?: SendOptions) =>
  Effect.flatMap(
    cli.send(command, options),
    ({ lines }) => deniedCommand(cli, command, lines) ?? Effect.succeed(lines.join("\n"))
  )

/** Logs what the switch did not say. */
export const remarked = (cli: Cli, remarks: ReadonlyArray<string>) =>
  remarks.length === 0
    ? Effect.void
    : Effect.logInfo("The switch does not say everything about itself", { device: cli.target.hostname, remarks })

// Fields of JSON answers as switches really give them (docs/switch-dialogues.md#fields-that-are-not-there): a release lacks a
// field or calls it otherwise, and a virtual switch has no serial number. A reader asks for a field by the names that it has
// had. What is not there is null, and is remarked where it is missed.

/** An object of a JSON answer. */
export type Json = Readonly<Record<string, unknown>>

/** Any JSON object, for `readJson`. */
export const AnyObject = Schema.Record(Schema.String, Schema.Unknown)

/** Whether this is an object, and no list. */
export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The names of a field: today's first, then what other releases call it. */
export type Names = readonly [string, ...ReadonlyArray<string>]

/** What stands where there is nothing to say. */
const nothing = /^(?:|n\/?a|none|unknown|not (?:available|set))$/i

/** The first of these fields that is a text with something in it, without blanks around it. */
export const textIn = (object: Json, names: Names): string | null => {
  for (const name of names) {
    const value = object[name]
    if (typeof value === "string" && !nothing.test(value.trim())) return value.trim()
  }
  return null
}

/** The first of these fields that is a number; one that is written as a text counts. */
export const numberIn = (object: Json, names: Names): number | null => {
  for (const name of names) {
    const value = object[name]
    const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value
    if (typeof number === "number" && Number.isFinite(number)) return number
  }
  return null
}

/** The first of these fields that is an object. */
export const objectIn = (object: Json, names: Names): Json | null => {
  for (const name of names) {
    const value = object[name]
    if (isObject(value)) return value
  }
  return null
}

/** Places that a remark names. */
const SHOWN = 3

/** What an answer does not say, field by field. */
export class Missing {
  readonly #command: string
  readonly #places = new Map<string, Array<string>>()

  /** `command` is what was asked. */
  constructor(command: string) {
    this.#command = command
  }

  /** Remarks that the field is not there; `place` is the port, in an answer about many. */
  add([name]: Names, place?: string): void {
    const places = this.#places.get(name) ?? []
    this.#places.set(name, places)
    if (place !== undefined) places.push(place)
  }

  /** The value; one that is null is remarked. */
  seen<A>(value: A | null, names: Names, place?: string): A | null {
    if (value === null) this.add(names, place)
    return value
  }

  /** A sentence for each field. */
  get remarks(): ReadonlyArray<string> {
    return [...this.#places].map(([field, places]) => {
      const more = places.length > SHOWN ? ` and ${places.length - SHOWN} more` : ""
      const where = places.length === 0 ? "" : ` at ${places.slice(0, SHOWN).join(", ")}${more}`
      return `"${this.#command}" gives no ${field}${where}`
    })
  }
}
