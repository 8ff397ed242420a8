/** Tokens in addresses are in no log, however a client spells the parameter. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { ApiClient, ApiServer } from "../support/ApiServer.ts"
import { keepLines } from "../support/LogLines.ts"

const SECRET = "eYJhbGciOi-very.secret-word"
/** Texts that a program recognises as tokens by their form only. */
const JWT = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhZG1pbiJ9.c2lnbmF0dXJl"

const SPELLINGS: ReadonlyArray<string> = [
  `/devices?jwt=${SECRET}`,
  `/devices?%6Awt=${SECRET}`,
  `/devices?%256Awt=${SECRET}`,
  `/devices?%25256Awt=${SECRET}`,
  `/devices?JWT=${SECRET}`,
  `/devices?Token=${SECRET}`,
  `/devices?page=1;jwt=${SECRET}`,
  `/devices;jwt=${SECRET}`,
  `/devices;jwt=${SECRET}?page=1`,
  `/devices?jwt==${SECRET}`,
  `/devices?jwt=first&jwt=${SECRET}`,
  `/devices?jwt[]=${SECRET}`,
  `/devices?+jwt+=${SECRET}`,
  `/devices?jwt%3D${SECRET}`,
  `/devices?jwt%20=${SECRET}`,
  `/devices%3Fjwt=${SECRET}`,
  `/devices%3Fjwt%3D${SECRET}`,
  `/devices%253Fjwt%253D${SECRET}`,
  `/devices?next=%2Fdevices%3Fjwt%3D${SECRET}`,
  `/devices?access_token=${SECRET}`,
  `/devices?id_token=${SECRET}`,
  `/devices?api-key=${SECRET}`,
  `/jwt=${SECRET}`,
  `/auth/auth?code=${SECRET}&state=x`,
  `/%61uth/auth?code=${SECRET}`,
  `/devices?page=${JWT}`,
  `/device/${JWT}`
]

it.effect("a token in an address is logged in no spelling, and other parameters are", () => {
  const { layer, lines } = keepLines("Info")
  return Effect.gen(function* () {
    const api = yield* ApiClient
    for (const path of SPELLINGS) yield* api.get(path)
    yield* api.get("/devices?filter%5Bstate%5D=MANAGED&%6Awt=x&page=2#jwt=x")
    yield* api.get("/devices?filter[hostname][contains]=a%20b&per_page=3")
    const told = lines.filter(({ text }) => text.startsWith("User: ")).map(({ text }) => text)
    assert.strictEqual(told.length, SPELLINGS.length + 2)
    const leaking = told.filter((text) => /secret-word|c2lnbmF0dXJl|first/.test(text))
    assert.deepEqual(leaking, [])
    assert.isTrue(
      told.some((text) => text.includes("URL: /api/v1.0/devices?filter%5Bstate%5D=MANAGED&%6Awt=***&page=2"))
    )
    assert.isTrue(
      told.some((text) => text.endsWith("URL: /api/v1.0/devices?filter[hostname][contains]=a%20b&per_page=3"))
    )
  }).pipe(Effect.provide(ApiServer()), Effect.provide(layer))
})
