import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { TestConsole } from "effect/testing"
import * as Logging from "../../src/runtime/Logging.ts"
import { ServerConfig } from "../../src/ServerConfig.ts"

/** The output of the server, without time and fiber. */
const printed = (logged: Effect.Effect<unknown>) =>
  Effect.gen(function* () {
    yield* logged
    const lines = yield* TestConsole.logLines
    return lines.map((line) =>
      String(line)
        .replace(/^timestamp=\S+ /, "")
        .replace(/ fiber=#\d+/, "")
    )
  }).pipe(Effect.provide(Logging.layer.pipe(Layer.provide(ServerConfig.layerOf({})))))

describe("A log line in logfmt", () => {
  it.effect("contains the details of a message under their own names, and no key twice", () =>
    Effect.gen(function* () {
      const logged = Effect.logInfo("Job ended", { status: "FINISHED", devices: ["a", "b"], message: "all in sync" })
      assert.deepStrictEqual(yield* printed(Effect.annotateLogs(logged, { jobId: 7, status: 1 })), [
        `level=INFO message="Job ended" status=FINISHED devices="[\\"a\\",\\"b\\"]" message_="all in sync" jobId=7 status_=1`
      ])
    })
  )

  it.effect("joins the texts of a message", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* printed(Effect.logWarning("not discarded:", "no answer")), [
        `level=WARN message="not discarded: no answer"`
      ])
    })
  )

  it.effect("shows no secret", () =>
    Effect.gen(function* () {
      const [line = ""] = yield* printed(Effect.logInfo("Login", { password: Redacted.make("s3cret") }))
      assert.notInclude(line, "s3cret")
      assert.include(line, "password=")
    })
  )
})
