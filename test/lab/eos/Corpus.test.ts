import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { corpus, type Example } from "../corpus/Corpus.ts"
import { oneSwitch } from "../../support/lab/Campus.ts"
import type { Shell } from "../../support/lab/Client.ts"
import { type PureShell, pureShell } from "../../support/lab/PureShell.ts"

const HINT = /^Enter /

/** Types the lines into a new, empty session; the refusals. */
const typed = async ({ type }: PureShell, name: string, text: string, from: "empty" | "running" = "empty") => {
  const refused: Array<string> = []
  await type(`configure session ${name}`)
  if (from === "empty") await type("rollback clean-config")
  for (const line of text.split("\n")) {
    const { answer } = await type(line)
    if (answer !== "" && !HINT.test(answer)) refused.push(`${line}: ${answer.trim()}`)
  }
  await type("end")
  return refused
}

const bodyOf = (answer: string) => answer.replace(/^(?:! .*\n)*!\n(?:! boot .*\n)?/, "").replace(/end\n$/, "")

const shown = async ({ type }: PureShell, command: string) => bodyOf((await type(command)).answer)

/** Each line with the sections around it. */
const paths = (text: string): ReadonlyArray<string> => {
  const open: Array<string> = []
  let isText = false
  return text.split("\n").flatMap((line) => {
    const isHeading = /^\s*(?:banner \S+|action bash|code unit \S+)$/.test(line)
    const indent = isText ? open.length : Math.floor((line.length - line.trimStart().length) / 3)
    const isEnd = line === "EOF"
    if (!isText && /^\s*!?$/.test(line)) return []
    if (!isText) open.length = indent
    const path = [...open, line.trim()].join(" > ")
    if (!isText && !isHeading) open.push(line.trim())
    isText = isHeading || (isText && !isEnd)
    return [path]
  })
}

/** The text as a person types it: no indentation, no separators, no numbers that the switch gives anyway. */
const byHand = (text: string): string => {
  let isText = false
  let isList = false
  return text
    .split("\n")
    .flatMap((line) => {
      if (isText || line === "EOF") {
        isText = line !== "EOF"
        return [line]
      }
      const words = line.trim()
      isText = /^(?:banner \S+|action bash|code unit \S+)$/.test(words)
      if (!line.startsWith(" ")) isList = /^(?:ip|ipv6|mac) (?:access-list|prefix-list) /.test(line)
      if (/^!?$/.test(words)) return []
      return [
        isList
          ? words.replace(/^(?:seq )?\d+ /, "")
          : words.replace(line.startsWith(" ") ? /^$/ : /^interface Ethernet/, "interface et ")
      ]
    })
    .join("\n")
}

const added = (text: string, example: Example) => {
  const port = /^interface Ethernet\S+$/m.exec(text)?.[0]
  if (port === undefined) throw new Error(`${example.name} has no port`)
  return port
}

/** One of each kind, over SSH. */
const OVER_SSH = [
  "border-unnumbered-asymmetric-mlag-3",
  "reflector-isis-5",
  "access-powered-0",
  "distribution-bgp-1",
  "ways"
]

const candidateOverSsh = async (shell: Shell, text: string) => {
  await shell.ask("configure session ssh")
  await shell.ask("rollback clean-config")
  shell.type("copy terminal: session-config\n")
  await shell.until(/session-config\n$/)
  shell.type(`${text}\u0004`)
  const answer = await shell.until(/Copy completed successfully\.\n.*#$/)
  expect(answer).not.toMatch(/^% .* at line \d+$/m)
  await shell.ask("end")
  return bodyOf(await shell.ask("show session-config named ssh"))
}

const switchFor = ({ model }: Example) => pureShell({ model })

describe("a hundred configurations", () => {
  it("differ from each other, and have the size of real ones", () => {
    expect(corpus).toHaveLength(100)
    expect(new Set(corpus.map(({ name }) => name)).size).toBe(100)
    for (const { name, text } of corpus) {
      const lines = text.split("\n").length
      expect(lines, name).toBeGreaterThanOrEqual(60)
      expect(lines, name).toBeLessThanOrEqual(600)
    }
    const bodies = corpus.map(({ text }) => text.replaceAll(/\d+/g, "#"))
    expect(new Set(bodies).size).toBe(100)
  })

  for (const example of corpus.filter(({ name }) => OVER_SSH.includes(name)))
    it.live(`loads and shows ${example.name} over SSH`, () =>
      Effect.gen(function* () {
        const { shell } = yield* oneSwitch({ model: example.model })
        const candidate = yield* Effect.flatMap(shell, (opened) =>
          Effect.promise(() => candidateOverSsh(opened, example.text))
        )
        expect(paths(candidate).toSorted()).toEqual(paths(example.text).toSorted())
      }).pipe(Effect.scoped)
    )

  for (const example of corpus)
    it(`loads, shows and changes ${example.name}`, async () => {
      const device = switchFor(example)
      expect(await typed(device, "first", example.text)).toEqual([])
      const candidate = await shown(device, "show session-config named first")
      expect(paths(candidate).toSorted()).toEqual(paths(example.text).toSorted())
      expect((await device.type("configure session first commit")).answer).toBe("")
      expect(await shown(device, "show running-config")).toBe(candidate)

      expect(await typed(device, "again", candidate)).toEqual([])
      expect((await device.type("show session-config named again diffs")).answer).toBe("\n")
      expect(await typed(device, "onto", candidate, "running")).toEqual([])
      expect((await device.type("show session-config named onto diffs")).answer).toBe("\n")
      expect(await typed(device, "hand", byHand(candidate))).toEqual([])
      expect(await shown(device, "show session-config named hand")).toBe(candidate)

      const port = added(candidate, example)
      const change = `${port}\n   description changed by the test\nno hostname\nntp server 192.0.2.123\n`
      expect(await typed(device, "change", change, "running")).toEqual([])
      expect((await device.type("configure session change commit")).answer).toBe("")
      const before = new Set(paths(candidate))
      const after = new Set(paths(await shown(device, "show running-config")))
      expect([...after].filter((path) => !before.has(path))).toEqual(
        expect.arrayContaining([`${port} > description changed by the test`, "ntp server 192.0.2.123"])
      )
      const gone = [...before].filter((path) => !after.has(path))
      expect(gone.every((path) => path.startsWith("hostname ") || path.startsWith(`${port} > description `))).toBe(true)
    })
})
