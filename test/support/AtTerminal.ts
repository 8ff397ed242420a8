/** A command at a terminal, as a user sees it: `script` of util-linux gives it one. */
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { environmentOf, program } from "./Program.ts"

/** A sign that the user waits for, and what the user types then. */
type Reply = readonly [prompt: RegExp, typed: string]

interface Terminal {
  readonly columns?: number
  readonly replies?: ReadonlyArray<Reply>
}

const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`

/** Runs a command to its end; yields its exit code and what the screen has shown, with the line breaks of a file. */
export const atTerminal = (
  env: Readonly<Record<string, string>>,
  words: ReadonlyArray<string>,
  { columns = 100, replies = [] }: Terminal = {}
) =>
  Effect.callback<{ readonly code: number | null; readonly screen: string }>((resume) => {
    const line = [process.execPath, program, ...words].map(quoted).join(" ")
    const child = spawn("script", ["-qec", `stty cols ${columns} rows 40; ${line}`, "/dev/null"], {
      env: { TERM: "xterm", SHELL: "/bin/sh", ...environmentOf(env) }
    })
    let screen = ""
    const left = [...replies]
    child.stdout.on("data", (chunk) => {
      screen += String(chunk)
      const [next] = left
      if (next === undefined || !next[0].test(screen)) return
      left.shift()
      child.stdin.write(next[1])
    })
    child.stdin.on("error", () => undefined)
    child.once("close", (code) => resume(Effect.succeed({ code, screen: screen.replaceAll("\r\n", "\n") })))
    return Effect.sync(() => void child.kill("SIGKILL"))
  })
