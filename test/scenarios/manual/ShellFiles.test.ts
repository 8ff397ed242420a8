/** The man page and the completions of the packages: they know every command and flag, and programs of others read them. */
import { assert, describe, it } from "@effect/vitest"
import { Completions } from "effect/cli"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { described, manPage, shellFiles } from "../../../scripts/manual/ShellFiles.ts"
import { has } from "../install/Release.ts"

/** What a program says about a text in a file. */
const about = (text: string, program: string, ...words: ReadonlyArray<string>) => {
  const folder = mkdtempSync(path.join(tmpdir(), "switchyard-shell-"))
  try {
    const file = path.join(folder, "switchyard.1")
    writeFileSync(file, text)
    const env = { PATH: process.env["PATH"], HOME: folder, LC_ALL: "C.UTF-8", MANWIDTH: "120" }
    return spawnSync(program, [...words, file], { encoding: "utf8", env })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const withAll = (command: Completions.CommandDescriptor): ReadonlyArray<Completions.CommandDescriptor> => [
  command,
  ...command.subcommands.flatMap(withAll)
]

const fileOf = async (ending: string) => (await shellFiles()).find(([name]) => name.endsWith(ending))?.[1] ?? ""

describe("The man page", () => {
  it("has each command with its flags, the variables and the exit codes", async () => {
    const { groups } = await described()
    const commands = groups.flatMap((group) => group.commands).flatMap(withAll)
    assert.includeMembers(
      commands.map(({ name }) => name),
      ["backup", "ports", "set", "dhcp-hook"]
    )
    const page = (await manPage()).replaceAll("\\-", "-")
    for (const { description, flags, name } of commands) {
      assert.match(page, new RegExp(`^\\.SS switchyard .*\\b${name}$`, "m"))
      assert.include(page.replaceAll(/\\[e&]/g, ""), (description ?? "").slice(0, 30).trim(), name)
      for (const flag of flags) assert.include(page, `--${flag.name}\\fR`, name)
    }
    for (const word of ["SWITCHYARD_TOKEN_FILE", "EXIT STATUS", "/etc/switchyard/switchyard.env", "--log-level"])
      assert.include(page, word)
  })

  it.skipIf(!has("man"))("is read by man without a complaint", async () => {
    const shown = about(await manPage(), "man", "--warnings", "-l")
    assert.strictEqual(shown.status, 0, shown.stderr)
    assert.strictEqual(shown.stderr, "")
    assert.match(shown.stdout, /SYNOPSIS\s+switchyard COMMAND/)
    assert.notMatch(shown.stdout, /\\f|\\-/)
  })
})

describe("The completions", () => {
  it("of bash complete commands and flags", async () => {
    const asked = (...words: ReadonlyArray<string>) => {
      const given = words.map((word) => `'${word}'`).join(" ")
      const ask = [
        'source "$1"',
        `COMP_WORDS=(switchyard ${given}); COMP_CWORD=${words.length}; COMP_LINE="\${COMP_WORDS[*]}"; COMP_POINT=\${#COMP_LINE}`,
        '_switchyard; printf "%s\\n" "${COMPREPLY[@]}"'
      ]
      return ["-c", ask.join("\n"), "bash"] as const
    }
    const script = await fileOf("completions/switchyard")
    const complete = (...words: ReadonlyArray<string>) => {
      const { stderr, stdout } = about(script, "bash", ...asked(...words))
      assert.strictEqual(stderr, "")
      return stdout.trim().split("\n")
    }
    assert.includeMembers(complete("ba"), ["backup"])
    assert.includeMembers(complete("ports", ""), ["list", "set"])
    assert.deepEqual(complete("backup", "--ver"), ["--verify"])
  })

  it.skipIf(!has("zsh"))("of zsh are accepted by it", async () => {
    assert.strictEqual(about(await fileOf("_switchyard"), "zsh", "-n").status, 0)
  })

  it.skipIf(!has("fish"))("of fish are accepted by it", async () => {
    assert.strictEqual(about(await fileOf(".fish"), "fish", "--no-execute").status, 0)
  })
})
