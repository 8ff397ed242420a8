import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import * as Body from "../../../src/domain/fields/Body.ts"
import { depending, optional, otherwise, required } from "../../../src/domain/fields/Body.ts"
import { flag, integer, text } from "../../../src/domain/fields/Rules.ts"

const Cable = Body.make(
  {
    name: required(
      Schema.String,
      ({ key }) => `${key} is missing`,
      text(3, ({ key }) => `${key} is too long`)
    ),
    length: optional(
      Schema.Int,
      integer(({ sent }) => `${JSON.stringify(sent)} is no length`),
      Schema.Union([Schema.Int, Schema.String])
    ),
    spare: otherwise(
      Schema.Boolean,
      false,
      flag(() => "spare is a flag")
    ),
    end: depending(
      Schema.String,
      ({ body }) => Result.fail(Object.hasOwn(body, "length") ? "a length needs an end" : "no end"),
      text(9, () => "end is too long")
    )
  },
  {
    unknownKey: (key) => `${key} is unknown`,
    ignored: ["id"],
    together: ({ end, name }) => (end === name ? ["both ends are the same"] : [])
  }
)

const decode = (sent: unknown) =>
  Effect.match(Schema.decodeUnknownEffect(Cable.schema)(sent), {
    onFailure: ({ issue }) => Body.refusalOf(issue),
    onSuccess: (cable) => cable
  })

describe("A body", () => {
  it.effect("becomes the decoded value, with defaults and without ignored keys", () =>
    Effect.gen(function* () {
      assert.deepEqual(yield* decode({ id: 5, name: "c1", length: " 12 ", end: "b" }), {
        name: "c1",
        length: 12,
        spare: false,
        end: "b"
      })
    })
  )

  it.effect("is refused with all mistakes, in the order of its fields, unknown keys last", () =>
    Effect.gen(function* () {
      assert.deepEqual(yield* decode({ colour: "red", spare: 1, length: [], name: "long" }), [
        "name is too long",
        "[] is no length",
        "spare is a flag",
        "a length needs an end",
        "colour is unknown"
      ])
    })
  )

  it.effect("applies rules over several fields when each field is valid", () =>
    Effect.gen(function* () {
      assert.deepEqual(yield* decode({ name: "c1", end: "c1" }), ["both ends are the same"])
      assert.deepEqual(yield* decode({ name: "c1", end: "c1", spare: null }), ["spare is a flag"])
    })
  )

  it.effect("with a number out of range, or that is not an object, is not decoded and not refused by a rule", () =>
    Effect.gen(function* () {
      for (const sent of [null, [], "x", { name: Number.POSITIVE_INFINITY, end: "b" }]) {
        assert.isUndefined(yield* decode(sent), JSON.stringify(sent))
      }
    })
  )

  it("that is only checked passes its refusals to the route, which adds its own in place", () => {
    const checked = Cable.check({ name: "long", length: 5, colour: 1, end: "b" })
    assert.deepEqual(checked.fields, { length: 5, spare: false, end: "b" })
    assert.deepEqual(
      checked.refuse("length", "no such length").complete,
      Result.fail(["name is too long", "no such length", "colour is unknown"])
    )
    assert.isTrue(Result.isSuccess(Cable.check({ name: "c1", end: "b" }).complete))
  })

  it("is documented as it may be sent", () => {
    const { schema } = Schema.toJsonSchemaDocument(Schema.toEncoded(Cable.schema))
    assert.deepEqual(schema["required"], ["name"])
    assert.deepEqual(Object.keys(Object(schema["properties"])), ["name", "length", "spare", "end"])
  })
})
