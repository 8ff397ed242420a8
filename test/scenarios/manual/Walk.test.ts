/**
 * The documents that an administrator follows, word by word and in order, on a booted Debian: the first look at a clone, a release, its package, the
 * first start, tokens, backups, certificates, the files of the deployments. What a block needs before it is in Hands.ts.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Block, followed, shellBlocks } from "../../../scripts/manual/Blocks.ts"
import { boot, type BootedSystem, unavailable } from "../../support/BootedSystem.ts"
import { has, root } from "../install/Release.ts"
import { byHand, whereOf } from "./Hands.ts"

const without =
  unavailable ??
  (process.arch !== "x64" || !has("apt") || !has("npm") ? "it needs Debian on amd64, and npm" : undefined)

/** A running block of a document, until the document ends. */
const startBlock = Effect.fnUntraced(function* (system: BootedSystem, { text }: Block, says: RegExp) {
  const terminal = yield* system.terminal()
  yield* terminal.run("cd /root/switchyard")
  yield* terminal.start(text, says)
  return terminal
})

const follow = Effect.fnUntraced(function* (system: BootedSystem, document: string) {
  const own = yield* system.terminal()
  for (const block of shellBlocks().filter((one) => one.document === document && one.notRun === null)) {
    const hand = byHand.find(({ before }) => block.text.includes(before))
    const said = yield* Effect.gen(function* () {
      if (hand?.lines !== undefined) yield* own.run(hand.lines)
      if (block.isStopped) {
        const started = yield* startBlock(system, block, hand?.says ?? /\S/)
        // as Ctrl-C in that terminal, at the end of the document
        yield* Effect.addFinalizer(() => started.stop)
        return started.said()
      }
      return yield* own.run(block.text)
    }).pipe(Effect.catchCause((cause) => Effect.die(new Error(`${whereOf(block)} failed: ${String(cause)}`))))
    assert.notMatch(said, /"status": ?"error"/, whereOf(block))
    if (hand?.shows !== undefined) assert.match(said, hand.shows, whereOf(block))
  }
}, Effect.scoped)

describe.skipIf(without !== undefined)(`The documents${without === undefined ? "" : ` (skipped: ${without})`}`, () => {
  it.live("can be followed word by word on a booted Debian", () =>
    Effect.gen(function* () {
      const system = yield* boot({ copies: { [root]: "/root/switchyard" } })
      for (const document of followed) yield* follow(system, document)
    }).pipe(Effect.scoped)
  )
})
