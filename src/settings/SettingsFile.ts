/**
 * One file of a settings repository: its text, and its value once somebody asks for it. A file that did not change
 * between two commits is the same object in both snapshots, so it is read and validated once.
 */
import { Result } from "effect"
import { remark, remarkText } from "../domain/Repository.ts"
import { isText } from "../domain/Text.ts"
import { fileModelOf, fileModels } from "./FileModels.ts"
import { type Finding, findingOnKey, located } from "./Finding.ts"
import { pythonTypeName } from "./PythonText.ts"
import type { SettingsProblem } from "./SettingsProblem.ts"
import { readYaml, unreadableText } from "./YamlFile.ts"

/** The top-level mapping of a file, and remarks about it. */
export interface SettingsFileContent {
  readonly values: ReadonlyMap<unknown, unknown>
  readonly warnings: ReadonlyArray<Finding>
}

const NO_VALUES: ReadonlyMap<unknown, unknown> = new Map()
const IGNORED_KEYS = new Set<unknown>(["network_definitions", "service_definitions", "access_lists"])

const ACCESS_LISTS = /(^|\/)access_lists\.yml$/
const PLACED = new Set<unknown>(fileModels.flatMap(({ keys }) => keys))

const keyWarning = (path: string, key: unknown): ReadonlyArray<Finding> => {
  const say = (message: string) => [findingOnKey(path, [String(key)], message)]
  if (IGNORED_KEYS.has(key)) return say("accepted but not used")
  if (!PLACED.has(key)) return say("no setting has this name")
  const keys: ReadonlyArray<unknown> = ACCESS_LISTS.test(path) ? [] : (fileModelOf(path)?.keys ?? [key])
  return keys.includes(key) ? [] : say("belongs into another file")
}

const MAX_WARNINGS = 20

/** The first line of a file that says anything, from 1. */
const firstLine = (text: string): number => {
  const place = text.split("\n").findIndex((line) => !/^\s*(#|---\s*$|%|$)/.test(line))
  return place < 0 ? 1 : place + 1
}

/** A file that is no mapping says nothing of what its author meant: all its settings would be gone without a word. */
const noMapping = (file: string, text: string, value: unknown): SettingsProblem => {
  const message = `expected a mapping of settings at the top of the file, not ${pythonTypeName(value)}`
  const found = remark(message, { file, line: firstLine(text), column: 1 })
  return { kind: "content", message: remarkText(found), findings: [located(found)] }
}

/** A file of one commit. */
export class SettingsFile {
  readonly path: string
  readonly text: string
  #content: Result.Result<SettingsFileContent, SettingsProblem> | undefined
  #shape: SettingsProblem | undefined

  constructor(path: string, text: string) {
    this.path = path
    this.text = text
  }

  /** The value of the file, read at the first call. A value that is no mapping counts as none. */
  get content(): Result.Result<SettingsFileContent, SettingsProblem> {
    this.#content ??= this.#read()
    return this.#content
  }

  /** Why the file must not come into force, though it can be read; undefined when it may. */
  get shape(): SettingsProblem | undefined {
    return Result.isSuccess(this.content) ? this.#shape : undefined
  }

  #read(): Result.Result<SettingsFileContent, SettingsProblem> {
    const file = readYaml(this.path, this.text)
    if (Result.isFailure(file)) {
      const { failure } = file
      // of what keeps a file from being read, only a text that may not travel has keys that lead to it, or is seen at once
      const isUnfit = failure.path !== null || !isText(this.text, "lines")
      const kind = isUnfit ? "content" : "yaml"
      return Result.fail({ kind, message: unreadableText(failure), findings: [located(failure)] })
    }
    const { value } = file.success
    const warnings = file.success.warnings.map(located)
    if (!(value instanceof Map)) {
      if (value !== null) this.#shape = noMapping(this.path, this.text, value)
      return Result.succeed({ values: NO_VALUES, warnings })
    }
    const remarks = [...value.keys()].flatMap((key) => keyWarning(this.path, key))
    return Result.succeed({ values: value, warnings: [...warnings, ...remarks].slice(0, MAX_WARNINGS) })
  }
}
