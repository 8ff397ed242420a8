import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Schema } from "effect"
import { cleanedText, cleanedValue, cutText, faultText, isText, textFault, valueFaults } from "../../src/domain/Text.ts"

/** A text, and for which kinds it may travel. */
const cases: ReadonlyArray<readonly [what: string, text: string, line: boolean, lines: boolean, secret: boolean]> = [
  ["plain words", "room 5, Åsa's – 部屋 💡", true, true, true],
  ["nothing", "", true, true, true],
  ["a line break", "a\nb", false, true, true],
  ["a line break of Windows", "a\r\nb", false, true, true],
  ["a return without a line feed", "a\rb", false, false, true],
  ["a tab", "a\tb", false, true, true],
  ["NUL", "a\u0000b", false, false, false],
  ["half a surrogate pair", "a\ud800b", false, false, false],
  ["the other half", "\udc00", false, false, false],
  ["a bell", "\u0007", false, false, true],
  ["an escape sequence", "\u001b[31mred", false, false, true],
  ["DEL", "\u007f", false, false, true],
  ["a C1 control", "\u009b", false, false, true],
  ["NEL", "a\u0085b", false, false, true],
  ["a vertical tab", "a\vb", false, false, true],
  ["a form feed", "a\fb", false, false, true],
  ["a line separator", "a\u2028b", false, false, true],
  ["a paragraph separator", "a\u2029b", false, false, true],
  ["a direction override", "\u202egnp", false, true, true],
  ["a direction isolate", "\u2066x\u2069", false, true, true]
]

describe("a text", () => {
  for (const [what, text, line, lines, secret] of cases) {
    it(`with ${what} is permitted as ${JSON.stringify({ line, lines, secret })}`, () => {
      assert.deepEqual([isText(text, "line"), isText(text, "lines"), isText(text, "secret")], [line, lines, secret])
      assert.isTrue(isText(cleanedText(text, "line").text, "line"))
      assert.isTrue(isText(cleanedText(text, "lines").text, "lines"))
    })
  }

  it("that a job found on a device may be as long as a configuration", () => {
    const long = `${"interface Ethernet1\n".repeat(5_000)}`
    assert.deepEqual(
      valueFaults([{ result: long, diff: long }], "result", () => "result"),
      []
    )
    assert.strictEqual(textFault("a\u0000", "result")?.message, "holds the control character U+0000")
  })

  it("is refused with the place of the mistake", () => {
    assert.deepEqual(textFault("ab\ncd\u0007", "lines"), {
      message: "holds the control character U+0007",
      line: 2,
      column: 3
    })
  })

  it("in a value is refused with the keys that lead to it, and its key defines its kind", () => {
    const value = { a: [{ description: "x\ny", config: "x\ny" }], "b\u0000": 1, password: "\u0007" }
    assert.deepEqual(valueFaults(value, "line").map(faultText), [
      "a.0.description: holds a line break (U+000A)",
      "b\\u0000: its name holds the control character U+0000"
    ])
  })

  it.effect(
    "is either permitted and kept unchanged by UTF-8 and JSON, or refused; cleaned, it is always permitted",
    () =>
      Effect.gen(function* () {
        const Piece = Schema.Union([Schema.String, ...cases.map(([, text]) => Schema.Literal(text))])
        const samples = yield* Arbitrary.sampleEffect(Arbitrary.schema(Schema.Array(Piece)), {
          count: 2000,
          seed: "text"
        })
        for (const pieces of samples) {
          const text = pieces.join("")
          for (const kind of ["line", "lines"] as const) {
            const cleaned = cleanedText(text, kind)
            assert.isUndefined(textFault(cleaned.text, kind))
            assert.strictEqual(cleanedText(cleaned.text, kind).removed, 0)
            if (!isText(text, kind)) {
              assert.isAbove(cleaned.removed, 0)
              continue
            }
            assert.strictEqual(cleaned.text, text)
            assert.strictEqual(Buffer.from(text).toString("utf8"), text)
            if (kind === "line") assert.lengthOf(text.split(/[\n\r\v\f\u0085\u2028\u2029]/), 1)
          }
        }
      })
  )

  it("of a device is cleaned at any depth, and counted", () => {
    const said: unknown = {
      "Ethernet\u00071": [{ hostname: "core\u00001\u202e", port: "a\nb" }],
      up: true,
      speed: null
    }
    assert.deepEqual(cleanedValue(said, "line"), {
      value: { Ethernet1: [{ hostname: "core1", port: "a b" }], up: true, speed: null },
      removed: 4
    })
    const long = { [`${"k".repeat(9)}💡`]: "💡".repeat(10), short: "a" }
    assert.deepEqual(cleanedValue(long, "line", 10), {
      value: { kkkkkkkkk: "💡".repeat(5), short: "a" },
      removed: 12
    })
    assert.deepEqual(cleanedText("ab\u0007cd", "line", 3), { text: "abc", removed: 2 })
    assert.deepEqual([cutText("a💡", 2), cutText("a💡", 3), cutText("", 0)], ["a", "a💡", ""])
    const clean = { a: ["b"] }
    assert.strictEqual(cleanedValue(clean, "line").value, clean)
  })
})
