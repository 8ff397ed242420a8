/** Shared parts of package tests: programs run to their end, and requests to a server of a package. */
import { Effect } from "effect"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { seconds } from "../../support/Patience.ts"

export const root = path.resolve(import.meta.dirname, "../../..")

/** The Node that runs the tests comes first. */
export const PATH = `${path.dirname(process.execPath)}:${process.env["PATH"] ?? ""}`

/** Runs a program to its end; what it said is both of its streams. */
export const run = (
  program: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {}
) => {
  const { error, status, stderr, stdout } = spawnSync(program, [...args], {
    encoding: "utf8",
    cwd: options.cwd ?? root,
    env: { HOME: process.env["HOME"] ?? "/tmp", PATH, ...options.env },
    timeout: seconds(240)
  })
  return { status, said: error === undefined ? `${stdout}${stderr}` : String(error), stdout }
}

/** The same, which has to succeed; yields what it printed. */
export const must = (...words: Parameters<typeof run>): string => {
  const { said, status, stdout } = run(...words)
  if (status !== 0) throw new Error(`${words[0]} ${words[1].join(" ")} ended with ${status}: ${said}`)
  return stdout
}

/** Whether this machine has the program. */
export const has = (program: string): boolean => run("sh", ["-c", `command -v ${program}`]).status === 0

export interface Served {
  readonly child: ChildProcess
  readonly said: () => string
  /** Waits for what it says; dies with its log when it ends before. */
  readonly until: (pattern: RegExp) => Effect.Effect<string>
}

/** A program in the background, stopped (and waited for) when the scope closes. */
export const background = (
  program: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> }
) =>
  Effect.acquireRelease(
    Effect.sync((): Served => {
      const child = spawn(program, [...args], { cwd: options.cwd, env: { PATH, ...options.env } })
      let said = ""
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += String(chunk)))
      const until = (pattern: RegExp) =>
        Effect.gen(function* () {
          for (;;) {
            const [, found] = pattern.exec(said) ?? []
            if (found !== undefined) return found
            if (child.exitCode !== null) return yield* Effect.die(new Error(`it ended: ${said}`))
            yield* Effect.sleep("20 millis")
          }
        })
      return { child, said: () => said, until }
    }),
    ({ child }) =>
      Effect.promise(async () => {
        if (child.exitCode !== null || child.signalCode !== null) return
        const ended = new Promise((resolve) => child.once("exit", resolve))
        child.kill("SIGTERM")
        await ended
      })
  )

/** The example repositories, copied from a package. */
export const repositories = (examples: string, folder: string): Readonly<Record<string, string>> => {
  const identity = ["-c", "user.name=Site", "-c", "user.email=site@example.org"]
  return Object.fromEntries(
    (["settings", "templates"] as const).map((name) => {
      const target = path.join(folder, name)
      must("cp", ["-r", path.join(examples, name), target])
      must("git", ["-C", target, "init", "-q", "-b", "main"])
      must("git", ["-C", target, "add", "-A"])
      must("git", ["-C", target, ...identity, "commit", "-q", "-m", "Begin"])
      return [`GITREPO_${name.toUpperCase()}`, target]
    })
  )
}

/** One request and the whole of its answer. */
export const ask = (url: string, body?: unknown, method = body === undefined ? "GET" : "POST") =>
  Effect.promise(async () => {
    const answer = await fetch(url, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } })
    })
    return { status: answer.status, text: await answer.text() }
  })

/** Waits until an address answers 200. */
export const untilReady = Effect.fnUntraced(function* (url: string) {
  while ((yield* ask(url)).status !== 200) yield* Effect.sleep("50 millis")
})

export const write = (file: string, text: string) => Effect.promise(() => fs.writeFile(file, text))
