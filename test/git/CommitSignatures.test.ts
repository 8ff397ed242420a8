/** Signatures of commits, as git, ssh-keygen and gpg make and verify them. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { existsSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { parseAllowedSigners, signerTime } from "../../src/git/AllowedSigners.ts"
import { everything, gitIn, makeRemote, type Remote } from "./gitRemote.ts"
import { has, openPgpSigner, type Signer, signedCommit, sshSigner } from "./signers.ts"

/** A refreshed repository that trusts these signers. */
const trusting = Effect.fnUntraced(function* (remote: Remote, ...signers: ReadonlyArray<Pick<Signer, "allowed">>) {
  const file = path.join(remote.directory, "allowed")
  writeFileSync(file, signers.map(({ allowed }) => allowed).join(""))
  remote.push("main")
  const repository = yield* remote.repository({ signers: { file, directory: path.join(remote.directory, "trust") } })
  yield* repository.refresh
  return repository
})

const stateOf = Effect.fnUntraced(function* (repository: Effect.Success<ReturnType<typeof trusting>>, hash: string) {
  return (yield* repository.signatures([hash], { fresh: true })).get(hash)
})

layer(NodeServices.layer, { excludeTestServices: true })("the signature of a commit", (it) => {
  const needs = (program: string) => it.effect.skipIf(!has(program))
  const withSsh = needs("ssh-keygen")
  const withGpg = needs("gpg")

  withSsh("names its signer, who need not be the committer", () =>
    Effect.gen(function* () {
      const remote = yield* makeRemote
      const sam = sshSigner(remote.directory, "sam@lindhaven.example")
      const first = yield* remote.commit({ "a.txt": "one\n" })
      const hash = signedCommit(remote.git, sam)
      const repository = yield* trusting(remote, sam)
      assert.deepStrictEqual(yield* stateOf(repository, hash), {
        state: "signed",
        signer: "sam@lindhaven.example",
        key: sam.fingerprint,
        why: null
      })
      assert.strictEqual((yield* stateOf(repository, first))?.state, "unsigned")
      const both = yield* repository.signatures([hash, first])
      assert.deepStrictEqual([both.get(hash)?.state, both.get(first)?.state], ["signed", "unsigned"])
    })
  )

  withSsh("is foreign when its key is not allowed, whatever name the commit gives", () =>
    Effect.gen(function* () {
      const remote = yield* makeRemote
      const sam = sshSigner(remote.directory, "sam@lindhaven.example")
      const mallory = sshSigner(remote.directory, "sam@lindhaven.example")
      yield* remote.commit({ "a.txt": "one\n" })
      const hash = signedCommit(remote.git, mallory)
      const found = yield* stateOf(yield* trusting(remote, sam), hash)
      assert.deepStrictEqual(found, { state: "foreign", signer: null, key: mallory.fingerprint, why: null })
    })
  )

  // commits of the tests are of January 2026
  const dates: ReadonlyArray<readonly [options: string, state: string]> = [
    ['valid-before="20260601"', "expired"],
    ['valid-after="20260301"', "expired"],
    ['valid-before="20260101"', "expired"],
    ['valid-after="20260101"', "signed"],
    ['valid-after="20260101",valid-before="20991231"', "signed"],
    ['valid-after="20991231"', "expired"],
    ['namespaces="file"', "wrong"]
  ]
  for (const [options, state] of dates) {
    withSsh(`is ${state} with ${options}: the key must count at the time of the commit and now`, () =>
      Effect.gen(function* () {
        const remote = yield* makeRemote
        const sam = sshSigner(remote.directory, "sam@lindhaven.example", options)
        yield* remote.commit({ "a.txt": "one\n" })
        const hash = signedCommit(remote.git, sam)
        assert.strictEqual((yield* stateOf(yield* trusting(remote, sam), hash))?.state, state)
      })
    )
  }

  withSsh("does not belong to a commit that was altered afterwards", () =>
    Effect.gen(function* () {
      const remote = yield* makeRemote
      const sam = sshSigner(remote.directory, "sam@lindhaven.example")
      yield* remote.commit({ "a.txt": "one\n" })
      const hash = signedCommit(remote.git, sam)
      const altered = remote.git("cat-file", "commit", hash).replace("A signed change", "Another change")
      const file = path.join(remote.directory, "altered")
      writeFileSync(file, `${altered}\n`)
      const forged = remote.git("hash-object", "-t", "commit", "-w", file)
      remote.git("reset", "--quiet", "--hard", forged)
      assert.strictEqual((yield* stateOf(yield* trusting(remote, sam), forged))?.state, "wrong")
    })
  )

  const forgeries: ReadonlyArray<readonly [what: string, header: string]> = [
    ["of no known form", "gpgsig hello"],
    [
      "of S/MIME, whose program a repository could name",
      "gpgsig -----BEGIN SIGNED MESSAGE-----\n abc\n -----END SIGNED MESSAGE-----"
    ],
    ["that is empty", "gpgsig -----BEGIN SSH SIGNATURE-----\n -----END SSH SIGNATURE-----"],
    ["given twice", "gpgsig -----BEGIN SSH SIGNATURE-----\n x\ngpgsig -----BEGIN SSH SIGNATURE-----\n y"]
  ]
  for (const [what, header] of forgeries) {
    withSsh(`never counts when it is one ${what}, and hides no other commit`, () =>
      Effect.gen(function* () {
        const remote = yield* makeRemote
        const sam = sshSigner(remote.directory, "sam@lindhaven.example")
        yield* remote.commit({ "a.txt": "one\n" })
        const good = signedCommit(remote.git, sam)
        const file = path.join(remote.directory, "forged")
        const text = remote.git("cat-file", "commit", `${good}~`).replace("\n\n", `\n${header}\n\n`)
        writeFileSync(file, `${text}\n`)
        const forged = remote.git("hash-object", "-t", "commit", "-w", "--literally", file)
        remote.git("branch", "forged", forged)
        remote.push("forged")
        const found = yield* (yield* trusting(remote, sam)).signatures([forged, good])
        assert.include(["unknown", "wrong"], found.get(forged)?.state)
        assert.strictEqual(found.get(good)?.state, "signed")
      })
    )
  }

  withSsh("is not checked with programs that the repository or its files name", () =>
    Effect.gen(function* () {
      const remote = yield* makeRemote
      const sam = sshSigner(remote.directory, "sam@lindhaven.example")
      const trap = path.join(remote.directory, "trap")
      const mark = path.join(remote.directory, "sprung")
      writeFileSync(trap, `#!/bin/sh\ntouch ${mark}\nexit 0\n`, { mode: 0o755 })
      yield* remote.commit({
        ".gitattributes": "* filter=trap diff=trap merge=trap ident\n",
        ".gitconfig": `[gpg]\nprogram=${trap}\n[gpg "ssh"]\nprogram=${trap}\n[filter "trap"]\nsmudge=${trap}\n`,
        "a.txt": "one\n"
      })
      const hash = signedCommit(remote.git, sam)
      const bare = gitIn(remote.bare)
      for (const name of [
        "gpg.program",
        "gpg.ssh.program",
        "filter.trap.smudge",
        "core.fsmonitor",
        "uploadpack.packObjectsHook"
      ])
        bare("config", name, trap)
      const repository = yield* trusting(remote, sam)
      const { files } = yield* repository.readTree(hash, everything)
      assert.deepStrictEqual([files.get("a.txt"), (yield* stateOf(repository, hash))?.state], ["one\n", "signed"])
      assert.isFalse(existsSync(mark))
    })
  )

  withSsh("follows the operator's file: a signer who was removed is foreign at once", () =>
    Effect.gen(function* () {
      const remote = yield* makeRemote
      const sam = sshSigner(remote.directory, "sam@lindhaven.example")
      const kim = sshSigner(remote.directory, "kim@lindhaven.example")
      yield* remote.commit({ "a.txt": "one\n" })
      const hash = signedCommit(remote.git, sam)
      const repository = yield* trusting(remote, sam, kim)
      assert.strictEqual((yield* stateOf(repository, hash))?.state, "signed")
      const file = path.join(remote.directory, "allowed")
      writeFileSync(file, kim.allowed)
      assert.strictEqual((yield* stateOf(repository, hash))?.state, "foreign")
      writeFileSync(file, "nonsense\n")
      const broken = yield* stateOf(repository, hash)
      assert.strictEqual(broken?.state, "unknown")
      assert.include(broken?.why ?? "", "line 1: no SSH key")
    })
  )

  withGpg("by OpenPGP names the user id and the fingerprint of the operator's key", () =>
    Effect.gen(function* () {
      const remote = yield* makeRemote
      const sam = openPgpSigner(remote.directory, "Sam Berg <sam@lindhaven.example>")
      yield* remote.commit({ "a.txt": "one\n" })
      const hash = signedCommit(remote.git, sam)
      assert.deepStrictEqual(yield* stateOf(yield* trusting(remote, sam), hash), {
        state: "signed",
        signer: sam.name,
        key: sam.fingerprint,
        why: null
      })
    })
  )

  withGpg("by OpenPGP is foreign with another key, and with SSH keys only", () =>
    Effect.gen(function* () {
      const remote = yield* makeRemote
      const sam = openPgpSigner(remote.directory, "Sam Berg <sam@lindhaven.example>")
      const kim = openPgpSigner(remote.directory, "Kim Lund <kim@lindhaven.example>")
      const ssh = sshSigner(remote.directory, "sam@lindhaven.example")
      yield* remote.commit({ "a.txt": "one\n" })
      const hash = signedCommit(remote.git, sam)
      assert.strictEqual((yield* stateOf(yield* trusting(remote, kim), hash))?.state, "foreign")
      assert.strictEqual((yield* stateOf(yield* trusting(remote, ssh), hash))?.state, "foreign")
    })
  )

  withGpg("by OpenPGP is withdrawn with a revoked key, and expired with one that has ended", () =>
    Effect.gen(function* () {
      const remote = yield* makeRemote
      const revoked = openPgpSigner(remote.directory, "Sam Berg <sam@lindhaven.example>", { revoked: true })
      const expired = openPgpSigner(remote.directory, "Kim Lund <kim@lindhaven.example>", { expired: true })
      yield* remote.commit({ "a.txt": "one\n" })
      const one = signedCommit(remote.git, revoked)
      const other = signedCommit(remote.git, expired)
      const found = yield* (yield* trusting(remote, revoked, expired)).signatures([one, other])
      assert.deepStrictEqual([found.get(one)?.state, found.get(other)?.state], ["withdrawn", "expired"])
    })
  )

  withGpg("by OpenPGP counts with a key that will end, and not with one that had ended before the signature", () =>
    Effect.gen(function* () {
      const remote = yield* makeRemote
      const lasting = openPgpSigner(remote.directory, "Sam Berg <sam@lindhaven.example>", { lasts: "10y" })
      const ended = openPgpSigner(remote.directory, "Kim Lund <kim@lindhaven.example>", { endedBefore: true })
      yield* remote.commit({ "a.txt": "one\n" })
      const one = signedCommit(remote.git, lasting)
      const other = signedCommit(remote.git, ended)
      const found = yield* (yield* trusting(remote, lasting, ended)).signatures([one, other])
      assert.deepStrictEqual([found.get(one)?.state, found.get(other)?.state], ["signed", "expired"])
    })
  )

  withSsh("with an SSH key is no longer counted from the moment that withdraws it, whenever the commit was made", () =>
    Effect.gen(function* () {
      const remote = yield* makeRemote
      const sam = sshSigner(remote.directory, "sam@lindhaven.example")
      yield* remote.commit({ "a.txt": "one\n" })
      const hash = signedCommit(remote.git, sam)
      const repository = yield* trusting(remote, sam)
      const file = path.join(remote.directory, "allowed")
      // commits of the tests are of January 2026
      for (const [before, state] of [
        ["20991231", "signed"],
        ["20260601", "expired"],
        ["20251231", "expired"]
      ]) {
        writeFileSync(file, sam.allowed.replace(" ssh-", ` valid-before="${before}" ssh-`))
        assert.strictEqual((yield* stateOf(repository, hash))?.state, state, before)
      }
    })
  )

  it.effect("is that of the commit itself, although a branch has the commit's hash as its name", () =>
    Effect.gen(function* () {
      const remote = yield* makeRemote
      const good = yield* remote.commit({ "a.txt": "good\n" })
      const bad = yield* remote.commit({ "a.txt": "bad\n" })
      remote.git("reset", "--quiet", "--hard", good)
      remote.push("main")
      remote.push(`${bad}:refs/heads/${good}`)
      const repository = yield* remote.repository()
      yield* repository.refresh
      const { files } = yield* repository.readTree(good, everything)
      assert.strictEqual(files.get("a.txt"), "good\n")
      const pinned = yield* remote.repository({ address: `${remote.bare}#${good}`, directory: `${remote.copy}-pinned` })
      assert.strictEqual((yield* pinned.refresh).commit.hash, good)
    })
  )
})

layer(NodeServices.layer, { excludeTestServices: true })("a file of allowed signers", (it) => {
  const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIm4JmRzqXe1Sj1MrpRMO2TTqJNLSbbkHZBC0OmBrrWT"
  const wrong: ReadonlyArray<readonly [text: string, problem: string]> = [
    ["", "it has no key"],
    ["# a note\n\n", "it has no key"],
    ["sam@lindhaven.example\n", "line 1: no SSH key: the format is PRINCIPALS [OPTIONS] TYPE KEY"],
    ["sam ssh-ed25519 AAAA\n", "line 1: no ssh-ed25519 key follows its type"],
    [`sam ssh-rsa ${key.split(" ")[1] ?? ""}\n`, "line 1: no ssh-rsa key follows its type"],
    [`sam valid-before="soon" ${key}\n`, "line 1: valid-before is no time such as 20260131 or 202601311200Z"],
    [`sam valid-before="20261331" ${key}\n`, "line 1: valid-before is no time such as 20260131 or 202601311200Z"],
    [`sam trust="me" ${key}\n`, "line 1: no option of allowed signers is named trust"],
    [`sam namespaces="git ${key}\n`, "line 1: a quote is not closed"],
    ["-----BEGIN PGP PUBLIC KEY BLOCK-----\nabc\n", "line 1: the OpenPGP block has no end"]
  ]
  for (const [text, problem] of wrong)
    it.effect(`is refused with its line: ${JSON.stringify(text.slice(0, 30))}`, () =>
      Effect.sync(() => assert.deepStrictEqual(parseAllowedSigners(text).problems, [problem]))
    )

  it.effect("may have comments, options and both kinds of keys", () =>
    Effect.sync(() => {
      const text = `# people\nsam@x,kim@x cert-authority,namespaces="git,file" ${key} laptop of "Sam"\n\n*@lindhaven.example ${key}\n`
      const { lines, problems } = parseAllowedSigners(text)
      assert.deepStrictEqual(problems, [])
      assert.deepStrictEqual(
        lines.map(({ principals }) => principals),
        ["sam@x,kim@x", "*@lindhaven.example"]
      )
      const shown = execFileSync("sh", ["-c", `echo '${key}' | ssh-keygen -l -f -`], { encoding: "utf8" })
      assert.include(shown, lines[0]?.fingerprint ?? "nothing")
      assert.strictEqual(signerTime("202601311200Z"), Date.UTC(2026, 0, 31, 12))
    })
  )
})
