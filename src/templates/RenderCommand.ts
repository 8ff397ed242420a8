/**
 * `switchyard render`: one template of a directory with the variables of a file, for authors of templates. The text goes to standard output
 * unchanged; an error goes to standard error with the source line under it.
 */
import { Effect, FileSystem, Path, Result, Runtime, Schema, Stdio, Stream } from "effect"
import { Dict, directoryLoader, Environment, Float, parseJson, type Value } from "../jinja/Jinja.ts"
import { messageOf } from "../runtime/SystemErrors.ts"
import { YamlFloat } from "../settings/PythonText.ts"
import { readYaml, unreadableText } from "../settings/YamlFile.ts"
import { describeTemplateError, templateError } from "./TemplateSnapshot.ts"
import { templateFilters } from "./TemplateFilters.ts"

/** The template to render, and its variables. */
export interface RenderRequest {
  /** Directory with a directory for each platform. */
  readonly templates: string
  readonly platform: string
  /** Template file, relative to the platform's directory. */
  readonly template: string
  /** JSON (`.json`) or YAML file with a mapping of variables. */
  readonly variables: string
}

/** Nothing could be rendered; `renderCommand` has shown the error to the user before it fails with this. Exit code 1. */
export class RenderFailed extends Schema.TaggedError<RenderFailed>()("RenderFailed", { message: Schema.String }) {
  override readonly [Runtime.errorReported] = false
  override readonly [Runtime.errorExitCode] = 1
}

const asFailed = (error: { readonly message: string }) => new RenderFailed({ message: messageOf(error) })

/** Numbers with a point are floats of the template language, whatever their value. */
const withFloats = (value: unknown): unknown => {
  if (value instanceof YamlFloat) return new Float(value.value)
  if (Array.isArray(value)) return value.map(withFloats)
  return value instanceof Map ? new Map([...value].map(([key, item]) => [key, withFloats(item)])) : value
}

type Read = Result.Result<Dict | ReadonlyMap<string, unknown>, string>

const noMapping = (file: string): Read => Result.fail(`${file} does not contain a mapping of variables`)

const fromJson = (file: string, text: string): Read => {
  const parsed = parseJson(file, text)
  if (parsed.ok) return isDict(parsed.value) ? Result.succeed(parsed.value) : noMapping(file)
  const { column, line } = parsed.failure.position
  return Result.fail(`Could not parse ${file}, line ${line}, column ${column}: ${parsed.failure.message}`)
}

const isDict = (value: Value): value is Dict => value instanceof Dict

const fromYaml = (file: string, text: string): Read =>
  Result.flatMap(Result.mapError(readYaml(file, text), unreadableText), ({ value }): Read => {
    const variables = withFloats(value)
    return variables instanceof Map ? Result.succeed(variables) : noMapping(file)
  })

const readVariables = Effect.fnUntraced(function* (file: string) {
  const files = yield* FileSystem.FileSystem
  const text = yield* files.readFileString(file)
  const read = file.toLowerCase().endsWith(".json") ? fromJson(file, text) : fromYaml(file, text)
  return yield* Effect.fromResult(Result.mapError(read, (message) => new RenderFailed({ message })))
})

/** The rendered text. Fails with RenderFailed, whose message has several lines and names file, line and column. */
export const renderFile = Effect.fn("templates.renderFile")(function* (request: RenderRequest) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { platform, template, templates } = request
  const directory = path.join(templates, platform)
  const found = yield* files.exists(directory)
  if (!found) return yield* new RenderFailed({ message: `No platform ${platform} in ${templates}` })
  const variables = yield* readVariables(request.variables)
  const loader = directoryLoader(directory)
  const rendered = new Environment({ loader, filters: templateFilters }).renderFile(template, variables)
  if (rendered.ok) return rendered.value
  const error = templateError(rendered.failure, directory, loader.read, (text) => text)
  return yield* new RenderFailed({ message: describeTemplateError(error) })
}, Effect.mapError(asFailed))

const write = (text: string, sink: ReturnType<Stdio.Stdio["stdout"]>) => Stream.run(Stream.make(text), sink)

/**
 * Renders and prints. Fails with RenderFailed after the error has been printed, for exit code 1; messages of the template's
 * `log` function go to standard error too.
 */
export const renderCommand = Effect.fn("templates.renderCommand")(function* (request: RenderRequest) {
  const stdio = yield* Stdio.Stdio
  const { log, text } = yield* Effect.tapError(renderFile(request), ({ message }) =>
    write(`${message}\n`, stdio.stderr())
  )
  for (const { level, text: message } of log) yield* write(`${level}: ${message}\n`, stdio.stderr())
  yield* write(text, stdio.stdout())
})
