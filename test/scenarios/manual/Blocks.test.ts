/** Every block of shell in the documents that administrators follow is run by a test, or says why not. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { blocksIn, blocksOf, followed, shellBlocks } from "../../../scripts/manual/Blocks.ts"
import { byHand, whereOf } from "./Hands.ts"

const manifest: unknown = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"))
const version =
  typeof manifest === "object" && manifest !== null && "version" in manifest ? String(manifest.version) : ""

describe("Blocks of code", () => {
  it("have a language, so that shell is told from the rest", () => {
    const without = followed.flatMap(blocksOf).filter(({ language }) => language === "")
    assert.deepEqual(without.map(whereOf), [])
    const others = followed.flatMap(blocksOf).map(({ language }) => language)
    assert.deepEqual(
      others.filter((language) => !["sh", "json", "yaml", "ini", "nginx", "caddyfile"].includes(language)),
      []
    )
  })

  it("of shell are in the walk, or say in a sentence why not", () => {
    const all = shellBlocks()
    const run = all.filter(({ notRun }) => notRun === null)
    assert.isAbove(run.length, 20)
    for (const block of all) {
      if (block.notRun !== null) assert.match(block.notRun, /^\S+(?: \S+){2,}$/, whereOf(block))
      else assert.notMatch(block.text, /…|\bVERSION\b/, `${whereOf(block)} has a gap that nobody fills`)
    }
  })

  it("are what the table of the walk speaks of", () => {
    const texts = shellBlocks()
      .filter(({ notRun }) => notRun === null)
      .map(({ text }) => text)
    for (const { before } of byHand)
      assert.lengthOf(
        texts.filter((text) => text.includes(before)),
        1,
        before
      )
  })

  it("name this release", () => {
    for (const block of shellBlocks())
      for (const [, named] of block.text.matchAll(/switchyard(?:-server)?[-_](\d+\.\d+\.\d+)/g))
        assert.strictEqual(named, version, whereOf(block))
  })

  it("are found with their comments, also inside of lists", () => {
    const text = ["1. First", "", "   <!-- not run: there is only one -->", "   ```sh", "   a \\", "     b", "   ```"]
    const [block] = blocksIn("x.md", text.join("\n"))
    assert.deepInclude(block, { line: 4, language: "sh", text: "a \\\n  b", notRun: "there is only one" })
    assert.throws(() => blocksIn("x.md", "<!-- not run: why -->\n\nText\n\n```sh\n```"), /stands before no block/)
    assert.throws(() => blocksIn("x.md", "<!-- not run -->\n```sh\n```"), /no comment that a block can have/)
    assert.throws(() => blocksIn("x.md", "```sh\na"), /does not end/)
  })
})
