/**
 * Renders what somebody has written just now and nobody has checked: in threads of its own, so that no job waits for it, under the
 * budget of one device, and with marks in the place of secrets, so that no template can tell anything about them.
 */
import { Context, Effect, Layer } from "effect"
import { cellsPerMegabyte, type Failure } from "../jinja/Jinja.ts"
import * as ThreadPool from "../runtime/ThreadPool.ts"
import { ownModule } from "../runtime/OwnModule.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { type RenderedText, type RenderTask, taskError } from "./Rendering.ts"
import { packRequest, RenderRpc, unpackAnswer } from "./RenderRpc.ts"
import type { TemplateError } from "./TemplateErrors.ts"
import { hideSecrets } from "./TemplateSecrets.ts"

/** The engine ends a rendering by itself; the thread is ended when it should not, so many milliseconds later. */
const GRACE_MILLIS = 1_000
const MOST_MILLIS = 5_000
const MOST_OUTPUT = 2 * 1024 * 1024

const THREADS = {
  name: "live render",
  threads: 1,
  waiting: 8,
  program: ownModule("./renderMain", import.meta.url),
  megabytes: 512
}

const SENTENCES = { time: "rendering took too long", memory: "rendering needed too much memory" } as const

const make = Effect.gen(function* () {
  const { RENDER_DEVICE_SECONDS, RENDER_MEMORY } = yield* ServerConfig
  const threads = yield* ThreadPool.make(RenderRpc, THREADS)
  const limits = {
    deadline: Math.min(RENDER_DEVICE_SECONDS * 1000, MOST_MILLIS),
    cells: RENDER_MEMORY * cellsPerMegabyte,
    output: MOST_OUTPUT
  }
  // each text is another one: nothing that was compiled is of use again
  let number = 0

  const render = Effect.fn("LiveRender.render")(function* (task: RenderTask) {
    const masked = { ...task, variables: hideSecrets(task.variables) }
    number += 1
    const { file, platform, variables } = masked
    const request = packRequest({ platform: number, files: platform.files, file, variables, limits })
    const { result } = yield* threads
      .run({ cpuMillis: limits.deadline + GRACE_MILLIS }, (client) => client.Render({ request }))
      .pipe(
        Effect.map(unpackAnswer),
        Effect.catchTag("CalculationStopped", ({ message, reason }) =>
          Effect.succeed({ result: { ok: false, failure: stopped(task.file, reason, message) } as const })
        )
      )
    return result.ok ? result.value : yield* taskError(masked, result.failure)
  })

  return LiveRender.of({ render })
})

const stopped = (file: string, reason: "time" | "memory" | "ended", message: string): Failure => ({
  kind: "LimitExceeded",
  message: reason === "ended" ? message : SENTENCES[reason],
  position: { template: file, line: 1, column: 1 },
  via: []
})

/** Renders texts that are not in force. */
export class LiveRender extends Context.Service<
  LiveRender,
  {
    /** The text, with `<hidden>` wherever a secret would stand. Fails with ThreadsBusy when too many others wait. */
    readonly render: (task: RenderTask) => Effect.Effect<RenderedText, TemplateError | ThreadPool.ThreadsBusy>
  }
>()("switchyard/templates/LiveRender") {
  static readonly layer = Layer.effect(LiveRender, make)
}
