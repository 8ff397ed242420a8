/**
 * A question that a plugin answers (docs/plugins.md#a-check-of-your-own): its function names read-only commands for the device, gets what
 * they show, and makes items of it. What it answers is judged here, because nothing of a plugin is trusted. Pure.
 */
import { Result, Schema } from "effect"
import { StateProblem } from "./Readings.ts"

/** The value of an argument. */
export const PluginArgument = Schema.Union([Schema.Boolean, Schema.Finite, Schema.String])
export type PluginArgument = typeof PluginArgument.Type

/** What a check asks: the function of a plugin, by the name that the plugin file gives it, with arguments. */
export const PluginQuestion = Schema.Struct({
  reads: Schema.Literal("plugin"),
  plugin: Schema.String,
  function: Schema.String,
  with: Schema.Record(Schema.String, PluginArgument)
})
export type PluginQuestion = typeof PluginQuestion.Type

/** The name of a function for checks. */
export const FUNCTION_NAME = /^[a-z][a-z0-9_]{0,63}$/

/** The name of an entry of the plugin file: several of one plugin have numbers, such as `netbox#2`. */
export const PLUGIN_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}(?:#\d{1,3})?$/

/** A plugin as checks know it; `checks` are the names of its functions, null if it is not loaded. */
export interface CheckPlugin {
  readonly name: string
  readonly checks: ReadonlyArray<string> | null
}

/** Why a question cannot be answered with these plugins, as a sentence; null if it can. */
export const pluginFault = (plugins: ReadonlyArray<CheckPlugin>, question: PluginQuestion): string | null => {
  const { plugin } = question
  const found = plugins.find(({ name }) => name === plugin)
  if (found === undefined) return `the plugin ${plugin} is not listed in PLUGIN_FILE`
  if (found.checks === null) return `the plugin ${plugin} is not loaded; GET /plugins says why`
  if (found.checks.includes(question.function)) return null
  const has = found.checks.length === 0 ? "it has none for checks" : `it has ${found.checks.join(", ")}`
  return `the plugin ${plugin} has no function ${question.function}; ${has}`
}

/** The most commands of a check on a device. */
export const MOST_COMMANDS = 10

/** What a command of a check has shown, without secrets, or why it has shown nothing. */
export const ShownOutput = Schema.Struct({
  command: Schema.String,
  text: Schema.NullOr(Schema.String),
  problem: Schema.NullOr(StateProblem)
}).annotate({ identifier: "ShownOutput" })
export type ShownOutput = typeof ShownOutput.Type

/** The outputs of commands that have all shown nothing, for this reason. */
export const unshown = (commands: ReadonlyArray<string>, problem: StateProblem): ReadonlyArray<ShownOutput> =>
  commands.map((command) => ({ command, text: null, problem }))

/** The most characters that the commands of a check may show together. */
export const MOST_SHOWN_TOGETHER = 1_048_576

/** The commands that a plugin has named. Whether they only read is judged by the driver. Fails with half a sentence. */
export const commandsIn = (answer: unknown): Result.Result<ReadonlyArray<string>, string> => {
  if (answer === null || answer === undefined) return Result.succeed([])
  if (!Array.isArray(answer)) return Result.fail("its commands are no list")
  const texts = answer.filter((one): one is string => typeof one === "string")
  if (texts.length < answer.length) return Result.fail("a command of it is no text")
  const commands = [...new Set(texts.map((text) => text.trim()))]
  return commands.length > MOST_COMMANDS
    ? Result.fail(`its ${commands.length} commands are more than ${MOST_COMMANDS}`)
    : Result.succeed(commands)
}
