import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as Shell from "../../../src/drivers/ssh/Shell.ts"
import type { Conversation, Wire } from "../../../src/drivers/ssh/Shell.ts"

/** A wire whose other end is the test. */
const fakeWire = () => {
  const written: Array<string> = []
  const state: { destroyed: boolean; data: (chunk: Uint8Array) => void; closed: (reason: string) => void } = {
    destroyed: false,
    data: () => undefined,
    closed: () => undefined
  }
  const wire: Wire = {
    write: (text) => void written.push(text),
    listen: (data, closed) => void Object.assign(state, { data, closed }),
    destroy: () => void (state.destroyed = true)
  }
  return { wire, written, state, say: (text: string) => state.data(Buffer.from(text)) }
}

/** Ends with everything that came when a line "done" has come. */
const untilDone: Conversation<ReadonlyArray<string>> = {
  begin: () => ({ done: false, write: "go\n" }),
  chunk: (terminal) => (terminal.lines.includes("done") ? { done: true, value: [...terminal.lines] } : { done: false }),
  quiet: () => ({ done: false })
}

describe("the shell engine", () => {
  it.live("drops output from before the command", () =>
    Effect.gen(function* () {
      const { wire, say, written } = fakeWire()
      const shell = Shell.makeShell("acc-b2-01", "10.0.0.1", wire)
      say("a late line\n")
      const fiber = yield* Effect.forkChild(shell.converse("x", 5, untilDone))
      yield* Effect.yieldNow
      expect(written).toEqual(["go\n"])
      say("a\ndo")
      say("ne\n")
      expect(yield* Fiber.join(fiber)).toEqual(["a", "done"])
    })
  )

  it.live("cannot be used any more after a command without an answer in time", () =>
    Effect.gen(function* () {
      const { wire, state } = fakeWire()
      const shell = Shell.makeShell("acc-b2-01", "10.0.0.1", wire)
      const error = yield* Effect.flip(shell.converse("show x", 0.02, untilDone))
      expect(error).toMatchObject({ _tag: "CommandTimeout", command: "show x", seconds: 0.02 })
      expect(state.destroyed).toBe(true)
      expect((yield* Effect.flip(shell.converse("y", 5, untilDone)))._tag).toBe("ConnectionException")
    })
  )

  it.live("cannot be used any more after an interrupted command", () =>
    Effect.gen(function* () {
      const { wire, state } = fakeWire()
      const shell = Shell.makeShell("acc-b2-01", "10.0.0.1", wire)
      const fiber = yield* Effect.forkChild(shell.converse("x", 5, untilDone))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      expect(state.destroyed).toBe(true)
      expect((yield* Effect.flip(shell.converse("y", 5, untilDone)))._tag).toBe("ConnectionException")
    })
  )

  it.live("reports a connection that closes during a command", () =>
    Effect.gen(function* () {
      const { wire, state } = fakeWire()
      const shell = Shell.makeShell("acc-b2-01", "10.0.0.1", wire)
      const fiber = yield* Effect.forkChild(Effect.flip(shell.converse("x", 5, untilDone)))
      yield* Effect.yieldNow
      state.closed("the switch closed the connection")
      expect(yield* Fiber.join(fiber)).toMatchObject({
        _tag: "ConnectionException",
        message: "the switch closed the connection"
      })
    })
  )

  it.live("reads more for a command that may print more, up to a limit", () =>
    Effect.gen(function* () {
      const { wire, say } = fakeWire()
      const shell = Shell.makeShell("acc-b2-01", "10.0.0.1", wire)
      const fiber = yield* Effect.forkChild(
        Effect.flip(shell.converse("x", 5, { ...untilDone, limit: 2 * 1024 * 1024 }))
      )
      yield* Effect.yieldNow
      for (let count = 0; count < 3; count++) say(`${"x".repeat(1024 * 1024)}\n`)
      expect((yield* Fiber.join(fiber)).message).toContain("longer than 2 MiB")
    })
  )

  it.live("stops a switch that never stops printing", () =>
    Effect.gen(function* () {
      const { wire, say, state } = fakeWire()
      const shell = Shell.makeShell("acc-b2-01", "10.0.0.1", wire)
      const fiber = yield* Effect.forkChild(Effect.flip(shell.converse("x", 5, untilDone)))
      yield* Effect.yieldNow
      for (let count = 0; count < 17; count++) say(`${"x".repeat(1024 * 1024)}\n`)
      expect((yield* Fiber.join(fiber)).message).toContain('the answer to "x" is longer than 16 MiB')
      expect(state.destroyed).toBe(true)
    })
  )
})
