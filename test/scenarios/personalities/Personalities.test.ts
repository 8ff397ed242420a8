/**
 * Every personality × a dry run, live syncs in modes 0, 1 and 2, the undo of a sync, and the initialisation of a blank switch: usual ones
 * succeed, and nothing untrue is called a success (docs/switch-dialogues.md#the-simulated-switch).
 */
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { personalities } from "../../../src/lab/eos/Quirks.ts"
import { seconds } from "../../support/Patience.ts"
import { givenUpAfter } from "../../support/Silence.ts"
import { type Operation, operationNames, operations } from "./Operations.ts"
import { type Left, play } from "./PersonalityScene.ts"
import { endingOf, personalityNames as allNames } from "./PersonalityTable.ts"
import { untruths, which } from "./Truth.ts"

/** `PERSONALITIES=salting,chatty` tests these and the plain one, for work on one of them. */
const only = process.env["PERSONALITIES"]?.split(",")
const personalityNames = allNames.filter((name) => name === "plain" || only === undefined || only.includes(name))

const SILENCE = { connect: 15, firstPrompt: 15, show: 15, runningConfig: 15, load: 15, commit: 15, save: 15 }

const cellOf = (cells: ReadonlyArray<Left>, personality: string, operation: Operation): Left => {
  const found = cells.find((cell) => cell.personality === personality && cell.operation === operation)
  assert.isDefined(found)
  return found
}

/** The templates' configuration of a switch: a plain one runs it. */
const wantedOf = (cells: ReadonlyArray<Left>, operation: Operation): string =>
  cellOf(cells, "plain", operation === "init" ? "init" : "mode1").after.running

const assertInOrder = (text: string, parts: ReadonlyArray<string>): void => {
  let from = 0
  for (const part of parts) {
    const at = text.indexOf(part, from)
    assert.isAtLeast(at, from, `"${part}" in ${text}`)
    from = at + part.length
  }
}

describe("work on a switch", () => {
  let cells: ReadonlyArray<Left>

  givenUpAfter(SILENCE)
  beforeAll(async () => {
    cells = await Effect.runPromise(play(personalityNames))
  }, seconds(600))

  for (const personality of personalityNames) {
    for (const operation of operationNames) {
      const ending = endingOf(personality, operation)
      const { description, usual } = personalities[personality]
      const end = ending.done ? "succeeds" : "fails truthfully"

      it(`that ${description}: ${operations[operation]} ${end}`, () => {
        const left = cellOf(cells, personality, operation)
        const wanted = wantedOf(cells, operation)
        assert.deepStrictEqual(untruths(left, wanted), [], left.says)
        assert.isTrue(ending.done || !usual, "a usual switch must not fail")
        assert.strictEqual(left.done, ending.done, left.says)
        assert.deepStrictEqual(
          {
            runs: which(left.after.running, left.before.running, wanted),
            saved: which(left.after.startup, left.before.startup, wanted),
            synchronized: left.synchronized,
            debris: left.after.debris
          },
          { runs: ending.runs, saved: ending.saved, synchronized: ending.synchronized, debris: [] },
          left.says
        )
        assertInOrder(left.says, ending.says)
        assert.strictEqual(left.again, "", "a second dry run finds nothing")
      })
    }
  }
})
