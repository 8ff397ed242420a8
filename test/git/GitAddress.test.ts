import { assert, it } from "@effect/vitest"
import { Redacted, Result } from "effect"
import { parseGitAddress } from "../../src/git/GitAddress.ts"

type Login = readonly [server: string, username: string, password: string | null]

/** The address for git, and the separate login. */
const CASES: ReadonlyArray<readonly [address: string, remote: string, login: Login | null]> = [
  ["https://robot:p%40ss@h:8443/a.git#main", "https://h:8443/a.git", ["https://h:8443", "robot", "p@ss"]],
  ["http://robot:a@b:c@[::1]:80/a.git", "http://[::1]:80/a.git", ["http://[::1]:80", "robot", "a@b:c"]],
  ["https://only-a-long-token@h/a.git", "https://h/a.git", ["https://h", "only-a-long-token", null]],
  ["https://h/a.git", "https://h/a.git", null],
  ["ssh://git:unused@h/a.git", "ssh://git@h/a.git", null],
  ["ssh://git@h/a.git", "ssh://git@h/a.git", null],
  ["git@h:a.git", "git@h:a.git", null]
]

it("addresses are passed to git without passwords, because git writes them into command lines", () => {
  for (const [address, remote, login] of CASES) {
    const parsed = Result.getOrThrow(parseGitAddress(address))
    assert.strictEqual(parsed.remote, remote)
    const given = parsed.login
    const password = given?.password ?? null
    const seen: Login | null = given
      ? [given.server, given.username, password === null ? null : Redacted.value(password)]
      : null
    assert.deepStrictEqual(seen, login, address)
  }
})

it("addresses are refused if their login would add lines to the line-based protocol of the credential helper", () => {
  assert.isTrue(Result.isFailure(parseGitAddress("https://robot:one%0Ahost=two@h/a.git")))
})
