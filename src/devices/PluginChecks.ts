/**
 * Checks that a plugin answers (docs/plugins.md#a-check-of-your-own): its function names read-only commands, which the device is asked over
 * a session of its own, so that nothing that a plugin asks can break the connection of a change; then it makes items of their texts. What
 * is too much, too late, refused, or no answer at all is a problem of the reading, and so unknown.
 */
import { Context, Duration, Effect, Layer, Option, Result } from "effect"
import type { DeviceFacts } from "../domain/checks/HttpQuestion.ts"
import { itemsOfPlugin } from "../domain/checks/OutsideItems.ts"
import { commandsIn, pluginFault, type PluginQuestion, type ShownOutput } from "../domain/checks/PluginQuestion.ts"
import type { StateProblem } from "../domain/checks/Readings.ts"
import { PluginRegistry } from "../plugins/PluginRegistry.ts"
import type { OutsideAnswer } from "./MonitoringSystem.ts"

/** Gives commands to the device; yields what each has shown, in their order. */
export type Show = (commands: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<ShownOutput>>

const problem = (type: string, message: string): StateProblem => ({ type, message })

const noAnswer = ({ function: called, plugin }: PluginQuestion): OutsideAnswer =>
  Result.fail(problem("NoAnswer", `${called} of the plugin ${plugin}: there was no answer in time`))

/** The texts of the outputs; fails with the first command that has shown nothing. */
const textsOf = (commands: ReadonlyArray<string>, outputs: ReadonlyArray<ShownOutput>) =>
  Result.all(
    commands.map((command, index) => {
      const { problem: found, text } = outputs[index] ?? { problem: null, text: null }
      if (text !== null) return Result.succeed(text)
      const why = found === null ? "it was not answered" : `${found.type}: ${found.message}`
      return Result.fail(problem("CommandFailed", `"${command}": ${why}`))
    })
  )

const make = Effect.gen(function* () {
  const { forChecks, plugins } = yield* PluginRegistry

  const answerTo = Effect.fn("PluginChecks.answerTo")(function* (
    question: PluginQuestion,
    device: DeviceFacts,
    show: Show
  ) {
    const about = `${question.function} of the plugin ${question.plugin}`
    const wrong = (why: string) => problem("UnexpectedAnswer", `${about}: ${why}`)
    const fault = pluginFault(yield* forChecks, question)
    const found = (yield* plugins).find(({ key }) => key === question.plugin)
    if (fault !== null || found === undefined)
      return yield* Effect.fail(problem("NoPlugin", fault ?? "it is not loaded"))
    const step = (which: "commands" | "items", more: Readonly<Record<string, unknown>> = {}) =>
      Effect.mapError(
        found.check({
          check: question.function,
          step: which,
          given: { device, arguments: question.with, ...more }
        }),
        ({ message }) => problem("PluginError", `${about}: ${message}`)
      )
    const commands = yield* Effect.fromResult(Result.mapError(commandsIn(yield* step("commands")), wrong))
    const outputs = commands.length === 0 ? [] : yield* Effect.fromResult(textsOf(commands, yield* show(commands)))
    return yield* Effect.fromResult(Result.mapError(itemsOfPlugin(yield* step("items", { outputs })), wrong))
  })

  const ask = (questions: ReadonlyArray<PluginQuestion>, facts: DeviceFacts, show: Show, limit: number) => {
    const { device_type, hostname, management_ip, model, platform, serial } = facts
    const device = { hostname, management_ip, device_type, platform, model, serial }
    return Effect.forEach(
      questions,
      (question) =>
        answerTo(question, device, show).pipe(
          Effect.result,
          Effect.timeoutOption(Duration.millis(limit)),
          Effect.map(Option.getOrElse(() => noAnswer(question)))
        ),
      // processes of plugins and sessions take turns elsewhere: together they have the time of one
      { concurrency: "unbounded" }
    )
  }

  return PluginChecks.of({ ask })
})

/** The plugins that checks may ask. */
export class PluginChecks extends Context.Service<
  PluginChecks,
  {
    /** The answers to questions about a device with these facts, in their order; `limit` in milliseconds. */
    readonly ask: (
      questions: ReadonlyArray<PluginQuestion>,
      facts: DeviceFacts,
      show: Show,
      limit: number
    ) => Effect.Effect<ReadonlyArray<OutsideAnswer>>
  }
>()("switchyard/devices/PluginChecks") {
  static readonly layer = Layer.effect(PluginChecks, make)
}
