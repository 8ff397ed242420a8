import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeBoth } from "./RemoteLab.ts"

it.live("smoke", () =>
  Effect.gen(function* () {
    const { remote, target, device } = yield* makeBoth()
    const t0 = performance.now()
    const session = yield* remote.open(target)
    const t1 = performance.now()
    expect(yield* session.runningConfig).toBe(device.running())
    console.log(yield* session.sessions, yield* session.facts)
    console.log(t1 - t0)
  }).pipe(Effect.scoped)
)
