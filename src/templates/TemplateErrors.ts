/**
 * What can be wrong with a templates repository or with one rendering. Messages about the repository are those that existing
 * clients know (docs/templates.md#who-becomes-unsynchronized); messages about a template name the place in it.
 */
import { Schema } from "effect"
import type { Failure, Position } from "../jinja/Jinja.ts"
import { Remark, remark } from "../domain/Repository.ts"

/** A mapping or a file is missing or unusable; a retry helps only after the repository has changed. */
export class RepoStructureError extends Schema.TaggedError<RepoStructureError>()("RepoStructureError", {
  message: Schema.String,
  /** Where in the repository, as far as it is known. */
  place: Schema.optionalKey(Remark)
}) {}

/** A place in a template; `template` is the path in the repository, line and column count from 1. */
const TemplatePlace = Schema.Struct({ template: Schema.String, line: Schema.Int, column: Schema.Int })
type TemplatePlace = typeof TemplatePlace.Type

/**
 * A template does not compile, or cannot be rendered with these variables. `kind` is the name that Jinja2 and Python give
 * the error, `via` the places of the includes, imports and calls that led there, innermost first.
 */
export class TemplateError extends Schema.TaggedError<TemplateError>()("TemplateError", {
  kind: Schema.String,
  sentence: Schema.String,
  place: TemplatePlace,
  sourceLine: Schema.NullOr(Schema.String),
  via: Schema.Array(TemplatePlace)
}) {
  override get message() {
    const { column, line, template } = this.place
    return `${this.kind}: ${this.sentence} (${template}, line ${line}, column ${column})`
  }
}

/** An error of the repository as its author reads it in a list, with its place apart from its text. */
export const errorRemark = (error: RepoStructureError | TemplateError): Remark => {
  if (error._tag === "RepoStructureError") return error.place ?? remark(error.message)
  const { column, line, template } = error.place
  return remark(`${error.kind}: ${error.sentence}`, { file: template, line, column })
}

const MAX_SENTENCE = 2_000
const MAX_LINE = 500

/** The text of one line of a file, counted from 1; null when the file or the line is unknown. */
const sourceLineOf = (source: string | undefined, line: number): string | null =>
  source?.split(/\r\n|\r|\n/, line)[line - 1]?.slice(0, MAX_LINE) ?? null

/** A sentence quotes words of its line, where a secret is one by what stands around it: what the line hides is hidden in it, too. */
const withoutHidden = (sentence: string, line: string, shown: string): string =>
  sentence.replaceAll(/'([^']*)'/g, (quoted, word: string) =>
    word !== "" && line.includes(word) && !shown.includes(word) ? "'<hidden>'" : quoted
  )

/**
 * A failure of the engine as an error. `directory` is put before template names, `sourceOf` gives the text of a template,
 * `mask` takes secrets out of the sentence and of the line.
 */
export const templateError = (
  { kind, message, position, via }: Failure,
  directory: string,
  sourceOf: (template: string) => string | undefined,
  mask: (text: string) => string
): TemplateError => {
  const placeOf = ({ column, line, template }: Position): TemplatePlace => ({
    template: directory === "" ? template : `${directory}/${template}`,
    line,
    column
  })
  const line = sourceLineOf(sourceOf(position.template), position.line)
  const shown = line === null ? null : mask(line)
  const sentence = mask(message)
  return new TemplateError({
    kind,
    sentence: (line === null || shown === null ? sentence : withoutHidden(sentence, line, shown)).slice(
      0,
      MAX_SENTENCE
    ),
    place: placeOf(position),
    sourceLine: shown,
    via: via.map(placeOf)
  })
}

/** The error for people: its sentence, the source line with a mark under the column, and how the rendering got there. */
export const describeTemplateError = ({ kind, place, sentence, sourceLine, via }: TemplateError): string => {
  const lines = [`${kind}: ${sentence}`, `  in ${placeText(place)}`]
  if (sourceLine !== null) {
    const margin = String(place.line).padStart(6)
    // Tabs stay tabs, so that the mark stands under its character whatever their width.
    const indent = sourceLine.slice(0, place.column - 1).replaceAll(/[^\t]/g, " ")
    lines.push(`${margin} | ${sourceLine}`, `${" ".repeat(margin.length)} | ${indent}^`)
  }
  return [...lines, ...via.map((from) => `  included or called from ${placeText(from)}`)].join("\n")
}

const placeText = ({ column, line, template }: TemplatePlace): string => `${template}, line ${line}, column ${column}`
