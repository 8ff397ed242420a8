/**
 * Carries out renderings. Most take less than a millisecond and run where they are asked for; a job that renders many yields between two. A
 * rendering that exceeds the time of a first try is repeated in a thread, under the whole budget of a device; when that is used up, the
 * template's other devices fail at once. Carries promise 8: a template that a user commits delays no other user.
 */
import { Context, Effect, Layer, Schedule, Semaphore } from "effect"
import { cellsPerMegabyte, type Failure, type Limits } from "../jinja/Jinja.ts"
import { faultText, textFault, valueFaults } from "../domain/Text.ts"
import { processorTime } from "../jinja/Meter.ts"
import { spanned } from "../runtime/Spans.ts"
import * as ThreadPool from "../runtime/ThreadPool.ts"
import { ownModule } from "../runtime/OwnModule.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { type RenderedText, type RenderTask, taskError } from "./Rendering.ts"
import { packRequest, type RenderAnswer, RenderRpc, unpackAnswer } from "./RenderRpc.ts"
import type { TemplateError } from "./TemplateSnapshot.ts"
import type { TemplateVariables } from "./VariableInputs.ts"

// The budget of the renderings of one job or request, the part that is used, and the templates that have exhausted it. Pure.

/** The server's settings for renderings, under their names. */
interface RenderSettings {
  readonly RENDER_DEVICE_SECONDS: number
  readonly RENDER_JOB_SECONDS: number
  readonly RENDER_MEMORY: number
}

/** The bounds of a first try on the main thread, where all other work waits for it: milliseconds, and cells of memory. */
const FIRST_TRY: Pick<Limits, "deadline" | "cells"> = { deadline: 50, cells: 32 * cellsPerMegabyte }

/** After this many first tries that were too short, a template is rendered in the thread at once. */
const MOST_FIRST_TRIES = 3

/** How long other jobs and requests remember that a template has exhausted its budget. */
const REMEMBERED_MILLIS = 60_000

/** Bounds of one rendering, and the setting to name if a rendering exceeds its time. */
interface Allowance {
  readonly limits: Pick<Limits, "deadline" | "cells">
  readonly timeSetting: "RENDER_DEVICE_SECONDS" | "RENDER_JOB_SECONDS"
}

const keyOf = ({ file, platform }: RenderTask): string => `${platform.name}\0${file}`

/** Whether more time or memory would help. */
const isUsedUp = ({ limit }: Failure): boolean => limit === "deadline" || limit === "cells"

const here = ({ file }: RenderTask) => ({ template: file, line: 1, column: 1 })

/** Recent failures of templates, by the state of their repository. Shared by all jobs and requests. */
class RecentFailures {
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

/** The prefix of the failure if an earlier rendering failed and this one is not begun. */
export const NOT_AGAIN = "not rendered again, because just before "

/** The account of one job or request. */
class RenderBudget {
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

  /** Why a task is not even begun: its template has exhausted its budget, or the job has. */
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

  /** The bounds of a rendering that begins now. */
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

  /** The failure of a rendering that has exhausted its budget, with the name of the setting; remembered for others. */
  usedUp(task: RenderTask, failure: Failure, { timeSetting }: Allowance): Failure {
    const setting = failure.limit === "deadline" ? timeSetting : "RENDER_MEMORY"
    const named = { ...failure, message: `${failure.message} (${setting})` }
    this.#failed.set(keyOf(task), named)
    if (setting !== "RENDER_JOB_SECONDS") this.#recent.add(task, named)
    return named
  }
}

/** Renders for one job or request, whose renderings share a budget. */
export type Render = (task: RenderTask) => Effect.Effect<RenderedText, TemplateError>

/** The engine stops a rendering; if it does not, the thread is ended so many milliseconds later. */
const GRACE_MILLIS = 5_000

/** Values are counted; the thread's heap also has room for their representation and for intermediate values. */
const MEGABYTES = { atLeast: 256, perMegabyte: 4 }

const THREADS = { threads: 1, waiting: 100, program: ownModule("./renderMain", import.meta.url) }

/** The longest wait for a busy thread; then the rendering fails. */
const PATIENCE = { schedule: Schedule.spaced("1 second"), times: 300 }

const LIMIT_OF = { time: "deadline", memory: "cells", ended: undefined } as const

const failureAt = (message: string, limit: Failure["limit"], { position, via }: Pick<Failure, "position" | "via">) =>
  ({ kind: "LimitExceeded", message, position, via, ...(limit === undefined ? {} : { limit }) }) satisfies Failure

/** The variable that contained a character of the text, if one does. */
const culpritIn = (variables: TemplateVariables): string => {
  const [found] = valueFaults(variables, "lines", () => "lines")
  return found === undefined ? "" : `; variable ${faultText(found)}`
}

/** A template's line counts as the origin only if it has this much in common with the printed line. */
const TELLING = 4

const commonBeginning = (one: string, other: string): number => {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return length
}

/**
 * The template line that printed a line of the result: the one with the longest common beginning, the entry point first. Templates are not
 * traced while they render, because this would slow every rendering; without a similar line it is the entry point's first.
 */
const printedAt = ({ file, platform }: RenderTask, line: string): Failure["position"] => {
  let best = { length: TELLING - 1, template: file, line: 1 }
  const templates = [...platform.files.keys()].filter((name) => name.endsWith(".j2") && name !== file)
  for (const template of [file, ...templates]) {
    for (const [index, source] of (platform.files.get(template) ?? "").split("\n").entries()) {
      const length = commonBeginning(source.trimStart(), line)
      if (length > best.length) best = { length, template, line: index + 1 }
    }
  }
  return { template: best.template, line: best.line, column: 1 }
}

/** A rendered text that may be sent to a switch. Templates and variables may be older than this rule, and templates can compute. */
const travelling = (task: RenderTask, rendered: RenderedText): Effect.Effect<RenderedText, TemplateError> => {
  const fault = textFault(rendered.text, "lines")
  if (fault === undefined) return Effect.succeed(rendered)
  const message = `line ${fault.line} of the result ${fault.message}${culpritIn(task.variables)}`
  const [before = ""] = rendered.text.split("\n").slice(fault.line - 1)
  const position = printedAt(task, before.slice(0, fault.column - 1).trimStart())
  return Effect.fail(taskError(task, { kind: "ValueError", message, position, via: [] }))
}

/** A first try; counts its time. */
const tryHere = (task: RenderTask, limits: Allowance["limits"], budget: RenderBudget) => {
  const began = processorTime()
  const result = task.platform.environment.renderFile(task.file, task.variables, limits)
  budget.use(processorTime() - began)
  return result
}

const make = Effect.fnUntraced(function* (triesHere: boolean, name: string) {
  const settings = yield* ServerConfig
  const megabytes = MEGABYTES.atLeast + settings.RENDER_MEMORY * MEGABYTES.perMegabyte
  const threads = yield* ThreadPool.make(RenderRpc, { ...THREADS, name, megabytes })
  const recent = new RecentFailures()
  const numbers = new WeakMap<object, number>()
  let lastNumber = 0

  const numberOf = (environment: object): number => {
    const number = numbers.get(environment) ?? ++lastNumber
    numbers.set(environment, number)
    return number
  }

  /** The thread's answer; if nothing else is known, a failure at the place that the first try had reached. */
  const ask = ({ file, platform, variables }: RenderTask, { limits }: Allowance, place: Failure) => {
    const { environment, files } = platform
    const request = packRequest({ platform: numberOf(environment), files, file, variables, limits })
    const stopped = (message: string, limit: Failure["limit"]): RenderAnswer => ({
      result: { ok: false, failure: failureAt(message, limit, place) },
      millis: limit === "deadline" ? limits.deadline : 0
    })
    return threads
      .run({ cpuMillis: limits.deadline + GRACE_MILLIS }, (client) => client.Render({ request }))
      .pipe(
        Effect.map(unpackAnswer),
        Effect.retry({ ...PATIENCE, while: ({ _tag }) => _tag === "ThreadsBusy" }),
        Effect.catchTag("ThreadsBusy", ({ message }) => Effect.succeed(stopped(message, undefined))),
        Effect.catchTag("CalculationStopped", ({ message, reason }) =>
          Effect.succeed(stopped(`rendering was stopped: ${message}`, LIMIT_OF[reason]))
        )
      )
  }

  const inThread = Effect.fnUntraced(function* (task: RenderTask, budget: RenderBudget, place: Failure) {
    const refused = budget.refusal(task)
    if (refused !== undefined) return yield* taskError(task, refused)
    const allowance = budget.allowance()
    const { millis, result } = yield* ask(task, allowance, place)
    budget.use(millis)
    if (result.ok) return result.value
    const { failure } = result
    return yield* taskError(task, isUsedUp(failure) ? budget.usedUp(task, failure, allowance) : failure)
  })

  const renderer = Effect.map(Semaphore.make(1), (turn): Render => {
    const budget = new RenderBudget(settings, recent)
    return Effect.fn("Renderer.render")(
      function* (task) {
        const refused = budget.refusal(task)
        if (refused !== undefined) return yield* taskError(task, refused)
        const limits = triesHere ? budget.firstTry(task) : undefined
        let place: Failure = failureAt("", undefined, {
          position: { template: task.file, line: 1, column: 1 },
          via: []
        })
        if (limits !== undefined) {
          const tried = tryHere(task, limits, budget)
          if (tried.ok) return yield* travelling(task, tried.value)
          if (!isUsedUp(tried.failure)) return yield* taskError(task, tried.failure)
          budget.countTry(task)
          place = tried.failure
        }
        // one at a time, so that the others learn when its budget is exhausted, and other jobs get their turn
        return yield* travelling(task, yield* turn.withPermits(1)(inThread(task, budget, place)))
      },
      (rendering, { file }) => spanned("render", { attributes: { "template.file": file } })(rendering)
    )
  })

  return Renderer.of({ renderer })
})

/** Renderings within bounds. */
export class Renderer extends Context.Service<
  Renderer,
  {
    /** Begins the account of a job or a request. */
    readonly renderer: Effect.Effect<Render>
  }
>()("switchyard/templates/Renderer") {
  static readonly layer = Layer.effect(Renderer, make(true, "render"))
}

/** Renders everything in a thread of its own, without a first try on the main thread. */
export const makeRendererAside = make(false, "render aside")
