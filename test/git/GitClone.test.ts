/** The first clone of a large repository over a slow line. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { randomBytes } from "node:crypto"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Fiber, FileSystem, Logger } from "effect"
import { makeGitGate } from "./gitGate.ts"
import { everything, makeRemote } from "./gitRemote.ts"
import { seconds } from "../support/Patience.ts"

/** A remote with two megabytes that cannot be compressed, behind a gate. */
const large = Effect.gen(function* () {
  const remote = yield* makeRemote
  const text = randomBytes(1_000_000).toString("hex")
  const hash = yield* remote.commit({ "a.txt": "one\n", "large.txt": text })
  remote.push("main")
  const gate = yield* makeGitGate(remote.bare)
  return { remote, gate, hash }
})

const until = (holds: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (holds() ? Effect.void : Effect.andThen(Effect.sleep("10 millis"), until(holds))))

/** Runs with a log that is kept as lines. */
const withLog = <A, E, R>(body: (lines: ReadonlyArray<string>) => Effect.Effect<A, E, R>) => {
  const lines: Array<string> = []
  const logger = Logger.make(({ message }) => void lines.push([message].flat().map(String).join(" ")))
  return Effect.provide(body(lines), Logger.layer([logger]))
}

layer(NodeServices.layer, { excludeTestServices: true })("the first clone of a repository", (it) => {
  describe("of a slow remote", () => {
    it.effect("may take longer than other exchanges, and logs its progress", () =>
      withLog((lines) =>
        Effect.gen(function* () {
          const { gate, hash, remote } = yield* large
          const repository = yield* remote.repository({
            address: gate.address,
            timeout: seconds(5),
            cloneTimeout: seconds(300),
            progressEvery: "100 millis"
          })
          gate.hold(1_000_000)
          const clone = yield* Effect.forkChild(repository.refresh)
          const shown = /^Cloning git:\/\/127\.0\.0\.1:\d+\/remote\.git: Receiving objects: +\d+% /
          yield* until(() => lines.some((line) => shown.test(line)))
          // longer than any other exchange may take
          yield* Effect.sleep(seconds(5.5))
          gate.open()
          assert.strictEqual((yield* Fiber.join(clone)).commit.hash, hash)
          assert.match(lines.find((line) => line.startsWith("Cloning")) ?? "", /limit \d+m/)
          assert.isTrue(lines.some((line) => line.startsWith("Cloned git://127.0.0.1:")))
          assert.strictEqual((yield* repository.readTree(hash, everything)).files.get("a.txt"), "one\n")
        })
      )
    )

    it.effect("ends at its own limit, with an error without progress lines", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { gate, remote } = yield* large
        const repository = yield* remote.repository({ address: gate.address, cloneTimeout: "1 second" })
        gate.hold(1_000_000)
        const error = yield* Effect.flip(repository.refresh)
        assert.strictEqual(
          error.message,
          `Error cloning remote repository ${gate.address}: git fetch of remote.git did not end within 1s`
        )
        assert.deepStrictEqual(yield* fs.readDirectory(`${remote.directory}/data`), [])
      })
    )

    it.effect("is given up earlier when the remote sends nothing at all", () =>
      Effect.gen(function* () {
        const { gate, remote } = yield* large
        gate.hold()
        const repository = yield* remote.repository({
          address: `${gate.address}#main`,
          timeout: "3 seconds",
          cloneTimeout: "10 minutes"
        })
        const error = yield* Effect.flip(repository.refresh)
        assert.match(error.message, /git ls-remote of remote\.git did not end within 3s$/)
      })
    )
  })
})
