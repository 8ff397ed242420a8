/**
 * The tasks of a job on a device as they are stored: without secrets, and with a reference in the place of the configuration, which is
 * stored once. Beside the reference stand the lines in which the shown configuration differs from the clear one. So a result is shown as
 * it was when the job ended, although a secret is not known any more or its device is gone.
 */
import { Option } from "effect"
import type { DeviceResult, JobTask } from "../domain/Job.ts"
import { isObject } from "../domain/fields/Values.ts"
import type { DerivedSecrets } from "../templates/TemplateSecrets.ts"
import { readJson, REFERENCE, type SecretTexts } from "./SecretStore.ts"
import type { TextsOfStatement } from "./StoredTexts.ts"

/** The task whose result is the rendered configuration. */
export const GENERATE_TASK = "Generate device config"

/** Names of tasks that results can omit: those with the configuration and the difference. */
export const LONG_TASKS = [GENERATE_TASK, "Sync device config"] as const
export type SyncTaskName = (typeof LONG_TASKS)[number]

/** Whether the task can be omitted. */
const isLong = ({ task_name }: JobTask): boolean => LONG_TASKS.some((name) => name === task_name)

/** Lines of a text that are shown otherwise: the first one, from 0; how many; what is shown. In their order. */
export type HiddenLines = ReadonlyArray<readonly [from: number, count: number, shown: string]>

/** The lines in which the shown form of a text differs; null if it is the same. */
export const hiddenLines = (clear: string, shown: string): HiddenLines | null => {
  if (clear === shown) return null
  const [before, after] = [clear.split("\n"), shown.split("\n")]
  if (before.length === after.length) {
    return after.flatMap((line, place) => (line === before[place] ? [] : [[place, 1, line] as const]))
  }
  // a secret of several lines has one mark
  const most = Math.min(before.length, after.length) - 1
  let from = 0
  while (from < most && before[from] === after[from]) from += 1
  let rest = 0
  while (rest < most - from && before.at(-1 - rest) === after.at(-1 - rest)) rest += 1
  return [[from, before.length - from - rest, after.slice(from, after.length - rest).join("\n")]]
}

/** The shown form of a text. */
export const shownText = (clear: string, hidden: HiddenLines | null): string => {
  if (hidden === null) return clear
  const lines = clear.split("\n")
  const shown: Array<string> = []
  let at = 0
  for (const [from, count, text] of hidden) {
    for (; at < from; at++) shown.push(lines[at] ?? "")
    shown.push(text)
    at = from + count
  }
  for (; at < lines.length; at++) shown.push(lines[at] ?? "")
  return shown.join("\n")
}

/** The columns of the tasks. `texts` are those of the statement that writes them. */
export const storedTasks = (
  { hide, hideIn }: SecretTexts["Service"],
  texts: TextsOfStatement,
  tasks: DeviceResult["job_tasks"],
  derived?: DerivedSecrets
) => {
  const rendered = tasks.find(
    ({ failed, result, task_name }) => task_name === GENERATE_TASK && !failed && typeof result === "string"
  )
  const config = typeof rendered?.result === "string" ? rendered.result : null
  const clear = tasks.map((task) => (task === rendered ? { ...task, result: REFERENCE } : task))
  const shown = clear.map((task) =>
    isLong(task) && !task.failed && typeof task.result === "string"
      ? { ...task, result: hide(task.result, derived), diff: hide(task.diff, derived) }
      : hideIn(task, derived)
  )
  const isBrief = (place: number) => !tasks.slice(place, place + 1).some(isLong)
  const clearText = JSON.stringify(clear)
  return {
    job_tasks: shown,
    brief_tasks: tasks.some(isLong) ? shown.filter((_, place) => isBrief(place)) : null,
    sealed_tasks: JSON.stringify(shown) === clearText ? null : texts.refer(clearText),
    config: config === null ? null : texts.refer(config),
    config_hidden: config === null ? null : hiddenLines(config, hide(config, derived))
  }
}

/** A reference and the hidden lines, as they are read with `whole_text`. */
export interface ConfigColumns {
  readonly config: string | null
  readonly config_hidden: HiddenLines | null
}

const PLACE = `"result": "${REFERENCE}"`

/** The JSON text of tasks from the database with the shown configuration in its place; null there if it cannot be opened. */
export const withConfig = (
  { open }: SecretTexts["Service"],
  text: string,
  { config, config_hidden }: ConfigColumns
): string => {
  if (config === null) return text
  const shown = Option.map(open(config), (clear) => shownText(clear, config_hidden))
  return text.replace(PLACE, () => `"result": ${JSON.stringify(Option.getOrNull(shown))}`)
}

/** The tasks with their secrets; `None` if they were sealed under another key. */
export const clearTasks = (
  { open }: SecretTexts["Service"],
  {
    config,
    job_tasks,
    sealed_tasks
  }: {
    readonly config: string | null
    readonly job_tasks: string
    readonly sealed_tasks: string | null
  }
): Option.Option<unknown> =>
  Option.gen(function* () {
    const tasks = yield* readJson(sealed_tasks === null ? job_tasks : yield* open(sealed_tasks))
    if (config === null || !Array.isArray(tasks)) return tasks
    const clear = yield* open(config)
    return tasks.map((task: unknown) =>
      isObject(task) && task["result"] === REFERENCE ? { ...task, result: clear } : task
    )
  })
