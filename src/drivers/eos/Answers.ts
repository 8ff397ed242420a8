/**
 * Asks a switch for text and for JSON, recognises a complete answer of either kind (docs/switch-dialogues.md#eos-reading), and
 * reads the fields of JSON answers.
 */
import { Effect, Schema } from "effect"
import { UnexpectedAnswer } from "../DriverErrors.ts"
import { maskSecrets } from "../SecretMask.ts"
import { type Cli, deniedCommand, type SendOptions } from "../ssh/Cli.ts"
import { MOST_SHOWN } from "../Verbs.ts"

const shownOfAnswer = 200

/** The error for an answer that cannot be read. */
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

/** The last non-empty line. */
export const lastText = (lines: ReadonlyArray<string>) => lines.findLast((line) => line.trim() !== "") ?? ""

/** A JSON document ends in a brace at the line start. Behind its echo, however often that comes, there is something. */
export const jsonIsWhole = (lines: ReadonlyArray<string>): boolean => {
  const answer = lines.filter((line) => line.trim() !== "" && !line.trimEnd().endsWith("| json"))
  return answer.length > 0 && (!answer.includes("{") || lastText(answer).startsWith("}"))
}

/** The answer to a command with `| json`. */
export const readJson = <A>(cli: Cli, command: string, schema: Schema.ConstraintDecoder<A>) =>
  Effect.flatMap(cli.query(`${command} | json`, { isWhole: jsonIsWhole }), (text) =>
    decodeJson(cli, command, schema, text)
  )

/** The whole answer to a command, even an error, unless the account may not give the command. */
export const saidTo = (cli: Cli, command: string, options?: SendOptions) =>
  Effect.flatMap(
    cli.send(command, options),
    ({ lines }) => deniedCommand(cli, command, lines) ?? Effect.succeed(lines.join("\n"))
  )

/** What a read-only command shows. */
export const shown = (cli: Cli, command: string) =>
  cli.query(command, {
    limit: MOST_SHOWN,
    isLog: command.startsWith("show log"),
    ...(command.endsWith("| json") ? { isWhole: jsonIsWhole } : {})
  })

/** Logs the missing fields. */
export const remarked = (cli: Cli, remarks: ReadonlyArray<string>) =>
  remarks.length === 0
    ? Effect.void
    : Effect.logInfo("The switch does not say everything about itself", { device: cli.target.hostname, remarks })

// Fields of JSON answers as switches really give them (docs/switch-dialogues.md#fields-that-are-not-there): a release lacks a field
// or names it differently, and a virtual switch has no serial number. A reader asks for a field by all its known names. A missing
// field is null, and a remark is logged if it is needed.

/** An object of a JSON answer. */
export type Json = Readonly<Record<string, unknown>>

/** Any JSON object, for `readJson`. */
export const AnyObject = Schema.Record(Schema.String, Schema.Unknown)

/** Whether this is an object, and no list. */
export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The names of a field: today's first, then what other releases call it. */
export type Names = readonly [string, ...ReadonlyArray<string>]

/** Placeholders for an empty value. */
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

/** The missing fields of an answer. */
export class Missing {
  readonly #command: string
  readonly #places = new Map<string, Array<string>>()

  /** `command` is what was asked. */
  constructor(command: string) {
    this.#command = command
  }

  /** Records that the field is missing; `place` is the port, in an answer about many. */
  add([name]: Names, place?: string): void {
    const places = this.#places.get(name) ?? []
    this.#places.set(name, places)
    if (place !== undefined) places.push(place)
  }

  /** The value; a null one is recorded. */
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
