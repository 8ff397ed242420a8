/** Renderings within the engine's own bounds, without the server's: for what templates and variables make of each other. */
import { Result } from "effect"
import {
  configurationTask,
  deviceTask,
  fixedTask,
  type RenderedDevice,
  type RenderedText,
  type RenderTask,
  taskError
} from "../../src/templates/Rendering.ts"
import type { TemplateError } from "../../src/templates/TemplateSnapshot.ts"

const rendered = (task: RenderTask): Result.Result<RenderedText, TemplateError> => {
  const result = task.platform.environment.renderFile(task.file, task.variables)
  return result.ok ? Result.succeed(result.value) : Result.fail(taskError(task, result.failure))
}

export const renderConfiguration = (...args: Parameters<typeof configurationTask>) =>
  Result.flatMap(configurationTask(...args), rendered)

export const renderFixed = (...args: Parameters<typeof fixedTask>) => Result.flatMap(fixedTask(...args), rendered)

export const renderDevice = (...args: Parameters<typeof deviceTask>) =>
  Result.flatMap(deviceTask(...args), (task) => {
    const { variables, warnings } = task
    return Result.map(rendered(task), (text): RenderedDevice => ({ ...text, variables, warnings }))
  })
