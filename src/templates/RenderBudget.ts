/**
 * What the renderings of one job, or of one request, may use and have used, and which templates have run out of it. Pure.
 */
import { cellsPerMegabyte, type Failure, type Limits } from "../jinja/Jinja.ts"
import type { RenderTask } from "./Rendering.ts"

/** The server's settings for renderings, under their names. */
export interface RenderSettings {
  readonly RENDER_DEVICE_SECONDS: number
  readonly RENDER_JOB_SECONDS: number
  readonly RENDER_MEMORY: number
}

/** A first try may take this much of the main thread, where everybody waits for it: milliseconds, and cells of memory. */
const FIRST_TRY: Pick<Limits, "deadline" | "cells"> = { deadline: 50, cells: 32 * cellsPerMegabyte }

/** After so many first tries that were too short for it, a template is rendered in the thread at once. */
const MOST_FIRST_TRIES = 3

/** How long other jobs and requests remember that a template has run out of its budget. */
const REMEMBERED_MILLIS = 60_000

/** Bounds of one rendering, and the setting that a rendering meets which exceeds its time. */
export interface Allowance {
  readonly limits: Pick<Limits, "deadline" | "cells">
  readonly timeSetting: "RENDER_DEVICE_SECONDS" | "RENDER_JOB_SECONDS"
}

const keyOf = ({ file, platform }: RenderTask): string => `${platform.name}\0${file}`

/** Does more time or memory help? */
export const isUsedUp = ({ limit }: Failure): boolean => limit === "deadline" || limit === "cells"

const here = ({ file }: RenderTask) => ({ template: file, line: 1, column: 1 })

/** What happened to templates lately, by the state of their repository. Shared by all jobs and requests. */
export class RecentFailures {
  readonly #byPlatform = new WeakMap<object, Map<string, { readonly failure: Failure; readonly until: number }>>()

  add({ file, platform }: RenderTask, failure: Failure): void {
    const files = this.#byPlatform.get(platform.environment) ?? new Map()
    this.#byPlatform.set(platform.environment, files.set(file, { failure, until: Date.now() + REMEMBERED_MILLIS }))
  }

  find({ file, platform }: RenderTask): Failure | undefined {
    const found = this.#byPlatform.get(platform.environment)?.get(file)
    return found === undefined || found.until < Date.now() ? undefined : found.failure
  }
}

/** What stands before the failure of an earlier rendering, where the same is not even begun. */
export const NOT_AGAIN = "not rendered again, because just before "

/** The account of one job or request. */
export class RenderBudget {
  readonly #settings: RenderSettings
  readonly #recent: RecentFailures
  readonly #failed = new Map<string, Failure>()
  readonly #tries = new Map<string, number>()
  #millis = 0

  constructor(settings: RenderSettings, recent: RecentFailures) {
    this.#settings = settings
    this.#recent = recent
  }

  /** Counts processor time. */
  use(millis: number): void {
    this.#millis += millis
  }

  /** Why a task is not even begun: its template has run out of its budget, or the job has. */
  refusal(task: RenderTask): Failure | undefined {
    const before = this.#failed.get(keyOf(task)) ?? this.#recent.find(task)
    if (before !== undefined) {
      return { ...before, message: `${NOT_AGAIN}${before.message}` }
    }
    const { RENDER_JOB_SECONDS: seconds } = this.#settings
    if (this.#millis < seconds * 1000) return undefined
    const message = `the job has used its ${seconds} seconds of processor time for rendering (RENDER_JOB_SECONDS)`
    return { kind: "LimitExceeded", message, position: here(task), via: [] }
  }

  /** The bounds of a first try on the main thread; undefined for a template that is known to take long. */
  firstTry(task: RenderTask): Allowance["limits"] | undefined {
    if ((this.#tries.get(keyOf(task)) ?? 0) >= MOST_FIRST_TRIES) return undefined
    const { limits } = this.allowance()
    return {
      deadline: Math.min(limits.deadline, FIRST_TRY.deadline),
      cells: Math.min(limits.cells, FIRST_TRY.cells)
    }
  }

  /** A first try was too short. */
  countTry(task: RenderTask): void {
    this.#tries.set(keyOf(task), (this.#tries.get(keyOf(task)) ?? 0) + 1)
  }

  /** All that a rendering may use that begins now. */
  allowance(): Allowance {
    const { RENDER_DEVICE_SECONDS, RENDER_JOB_SECONDS, RENDER_MEMORY } = this.#settings
    const left = Math.max(1, RENDER_JOB_SECONDS * 1000 - this.#millis)
    const isDevices = RENDER_DEVICE_SECONDS * 1000 <= left
    return {
      limits: {
        deadline: isDevices ? RENDER_DEVICE_SECONDS * 1000 : left,
        cells: RENDER_MEMORY * cellsPerMegabyte
      },
      timeSetting: isDevices ? "RENDER_DEVICE_SECONDS" : "RENDER_JOB_SECONDS"
    }
  }

  /** The failure of a rendering that has used up what it was allowed, naming the setting; remembered for others. */
  usedUp(task: RenderTask, failure: Failure, { timeSetting }: Allowance): Failure {
    const setting = failure.limit === "deadline" ? timeSetting : "RENDER_MEMORY"
    const named = { ...failure, message: `${failure.message} (${setting})` }
    this.#failed.set(keyOf(task), named)
    if (setting !== "RENDER_JOB_SECONDS") this.#recent.add(task, named)
    return named
  }
}
