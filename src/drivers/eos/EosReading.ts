/** Everything that is read from an EOS switch (contract device-cli §3.4, §3.9) and the hash of its configuration. */
import { hash } from "node:crypto"
import { Clock, Effect, Schema } from "effect"
import type { ConfigSessions } from "../Driver.ts"
import type { ReadError } from "../DriverErrors.ts"
import { UnexpectedAnswer } from "../DriverErrors.ts"
import { maskSecrets } from "../SecretMask.ts"
import type { Cli } from "../ssh/Cli.ts"
import * as Answers from "./EosAnswers.ts"
import { neighbourDetailsOf, ShowLldpDetail } from "./EosNeighbours.ts"
import { eosPlatform, volatileLines } from "./EosPlatform.ts"
import { parseSessionText } from "./EosSessionText.ts"

const shownOfAnswer = 200

const unexpected = (cli: Cli, command: string, message: string): UnexpectedAnswer =>
  new UnexpectedAnswer({ hostname: cli.target.hostname, command, message })

const decodeJson = <A>(cli: Cli, command: string, schema: Schema.ConstraintDecoder<A>, text: string) => {
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

const lastText = (lines: ReadonlyArray<string>) => lines.findLast((line) => line.trim() !== "") ?? ""

/** A JSON document ends in a brace at the line start. Behind its echo, however often that comes, there is something. */
const jsonIsWhole = (lines: ReadonlyArray<string>): boolean => {
  const answer = lines.filter((line) => line.trim() !== "" && !line.trimEnd().endsWith("| json"))
  return answer.length > 0 && (!answer.includes("{") || lastText(answer).startsWith("}"))
}

/** An error stands right behind the echo; further down it is the text of a banner. */
const LONGEST_ERROR = 3

const configIsWhole = (lines: ReadonlyArray<string>): boolean => {
  const last = lastText(lines)
  return last.trim() === "end" || (lines.length <= LONGEST_ERROR && eosPlatform.error.test(last))
}

const readJson = <A>(cli: Cli, command: string, schema: Schema.ConstraintDecoder<A>) =>
  Effect.flatMap(cli.query(`${command} | json`, { isWhole: jsonIsWhole }), (text) =>
    decodeJson(cli, command, schema, text)
  )

const nowSeconds = Effect.map(Clock.currentTimeMillis, (millis) => millis / 1000)

/** §8.3. */
export const facts = Effect.fnUntraced(function* (cli: Cli) {
  const version = yield* readJson(cli, "show version", Answers.ShowVersion)
  const name = yield* readJson(cli, "show hostname", Answers.ShowHostname)
  const interfaces = yield* readJson(cli, "show interfaces", Answers.ShowInterfaces)
  return Answers.factsOf(version, name, interfaces, yield* nowSeconds)
})

/** All interfaces by name. */
export const interfaces = (cli: Cli) =>
  Effect.map(readJson(cli, "show interfaces", Answers.ShowInterfaces), Answers.interfacesOf)

/** LLDP neighbours by local port. */
export const lldp = (cli: Cli) =>
  Effect.map(readJson(cli, "show lldp neighbors", Answers.ShowLldp), Answers.neighboursOf)

/** Everything that neighbours announce, by local port. */
export const lldpDetail = (cli: Cli) =>
  Effect.map(readJson(cli, "show lldp neighbors detail", ShowLldpDetail), neighbourDetailsOf)

/** Configuration sessions and the commit timer, in both output shapes. */
export const sessions: (cli: Cli) => Effect.Effect<ConfigSessions, ReadError> = Effect.fnUntraced(function* (cli) {
  const command = "show configuration sessions detail"
  const text = yield* cli.query(`${command} | json`, { isWhole: jsonIsWhole })
  if (text.includes("{")) return Answers.sessionsOf(yield* decodeJson(cli, command, Answers.ShowSessions, text))
  const plain = parseSessionText(yield* cli.query(command))
  // an answer that got lost must not look like a switch without sessions, whose timer may be forgotten
  if (plain === undefined) return yield* unexpected(cli, command, `the answer to "${command}" is not understood`)
  return Answers.sessionsOf(plain)
})

/** The complete running configuration, one newline at its end (§3.9). */
export const runningConfig: (cli: Cli) => Effect.Effect<string, ReadError> = Effect.fnUntraced(function* (cli) {
  const command = "show running-config"
  const text = (yield* cli.query(command, { timeout: cli.timeouts.runningConfig, isWhole: configIsWhole })).trim()
  if (!/(?:^|\n)end$/.test(text)) {
    return yield* unexpected(cli, command, 'the running configuration is incomplete: its last line is not "end"')
  }
  return `${text}\n`
})

/** A configuration without its volatile header lines and trailing blank lines (§3.9). */
export const stableText = (text: string): string => {
  const lines = text.includes("\r") ? text.replaceAll("\r", "") : text
  return `${volatileLines.reduce((rest, volatile) => rest.replace(volatile, ""), lines).trimEnd()}\n`
}

/** Hexadecimal SHA-256 of a configuration as `stableText` gives it. */
export const configHash = (text: string): string => hash("sha256", stableText(text), "hex")
