import { assert, describe, it } from "@effect/vitest"
import { SqlError } from "effect/sql"
import {
  type Failed,
  failedBy,
  followedBy,
  isDue,
  isTold,
  NO_FAILURES,
  pauseAfter
} from "../../src/store/postgres/PostgresWatch.ts"

const withCode = (code: string | undefined) => {
  const cause = code === undefined ? new Error("closed") : Object.assign(new Error("refused"), { code })
  return new SqlError.SqlError({ reason: new SqlError.UnknownError({ cause, operation: "connect" }) })
}

const rowOf = (kinds: ReadonlyArray<Failed["kind"] | null>) =>
  kinds.reduce((row, kind) => followedBy(row, kind === null ? null : { kind, why: "" }), NO_FAILURES)

describe("A look at the database that fails", () => {
  it("causes a restart when memory or files are missing, or nothing listens", () => {
    for (const code of ["58P01", "58000", "XX000", "ECONNREFUSED", "ECONNRESET", undefined])
      assert.strictEqual(failedBy(withCode(code)).kind, "broken", String(code))
  })

  it("causes no restart that would not help: a full disk, locks, rights, or a lack of this process", () => {
    const states = ["53100", "53200", "53300", "55P03", "57P03", "57014", "28P01", "25006", "42501", "58030", "XX001"]
    for (const code of [...states, "EMFILE", "ENFILE", "ENOMEM", "EADDRNOTAVAIL", "ENOBUFS", "EACCES"])
      assert.strictEqual(failedBy(withCode(code)).kind, "elsewhere", code)
  })

  it("causes a restart after three in a row, or six that were not answered at all", () => {
    assert.isFalse(isDue(rowOf(["broken", "broken"])))
    assert.isTrue(isDue(rowOf(["broken", "broken", "broken"])))
    assert.isFalse(isDue(rowOf(["broken", "broken", null, "broken"])))
    assert.isFalse(isDue(rowOf(["silent", "silent", "silent", "silent", "silent"])))
    assert.isTrue(isDue(rowOf(["silent", "silent", "silent", "silent", "silent", "silent"])))
    assert.isTrue(isDue(rowOf(["silent", "silent", "broken", "broken"])))
    assert.isFalse(isDue(rowOf(Array.from({ length: 100 }, () => "elsewhere" as const))))
  })

  it("is reported when it is repeated, and not after a good one", () => {
    assert.isFalse(isTold(rowOf(["silent"])))
    assert.isTrue(isTold(rowOf(["elsewhere", "elsewhere"])))
    assert.isFalse(isTold(rowOf(["broken", "broken", null])))
  })

  it("causes restarts more and more rarely when they do not help", () => {
    assert.deepStrictEqual(
      [0, 1, 2, 3, 4, 5, 9].map(pauseAfter),
      [0, 60_000, 120_000, 240_000, 480_000, 600_000, 600_000]
    )
  })
})
