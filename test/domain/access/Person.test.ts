/** Which identities may be the same person. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { folded, maySamePerson, namesOf } from "../../../src/domain/access/Identity.ts"

const known = (...names: ReadonlyArray<string>) => ({ person: null, names })

describe("Two people", () => {
  it.each([
    ["maria", "MARIA"],
    ["maria", "ｍａｒｉａ"],
    ["maria", " maria  "],
    ["maria", "ma\u200bria"],
    ["Groß", "GROSS"],
    ["Straße", "strasse"],
    ["ﬁnn", "Finn"],
    ["Jose\u0301", "José"],
    ["İlker", "ilker"],
    ["maria", "maria@example.org"],
    ["Maria@Example.org", "maria@example.org"]
  ])("%j and %j are the same", (one, other) => {
    assert.isTrue(maySamePerson(known(one), known(other)))
    assert.isTrue(maySamePerson(known(other), known("another", one)))
  })

  it.each([
    ["maria", "mario"],
    ["maria@example.org", "maria@example.net"],
    ["", " "],
    ["kim", "indy"]
  ])("%j and %j are two", (one, other) => {
    assert.isFalse(maySamePerson(known(one), known(other)))
  })

  it("with one key are the same in spite of their names, and a provider's claims count as names", () => {
    const key = "oidc:https://sso.example.org 7f3a"
    assert.isTrue(maySamePerson({ person: key, names: ["a"] }, { person: key.toUpperCase(), names: ["b"] }))
    const ofProvider = namesOf({ name: "7f3a", attributes: { email: ["Maria@example.org"], groups: ["kim"] } })
    assert.isTrue(maySamePerson(known("maria"), { person: key, names: ofProvider }))
    assert.isFalse(maySamePerson(known("kim"), { person: key, names: ofProvider }))
    // a person with the name of a local user is called with the issuer before it
    const beside = namesOf({ name: "https://sso.example.org/realms/a#maria", attributes: {} })
    assert.isTrue(maySamePerson(known("Maria"), { person: key, names: beside }))
  })

  it.prop("are compared by a stable text", [Schema.String], ([text]) => {
    assert.strictEqual(folded(folded(text)), folded(text))
  })
})
