/**
 * Asking a switch for text and for JSON, and knowing when an answer of either kind is whole
 * (docs/switch-dialogues.md#eos-reading).
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

/** Tells the log what the switch did not say. */
export const remarked = (cli: Cli, remarks: ReadonlyArray<string>) =>
  remarks.length === 0
    ? Effect.void
    : Effect.logInfo("The switch does not say everything about itself", { device: cli.target.hostname, remarks })
