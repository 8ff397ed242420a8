/**
 * A machine in a container: this one's files, on which it may write without anything of it staying, and its own systemd as the first
 * process. It has no network but its own, and no service of this machine is started in it.
 */
import { Effect, Schedule, type Scope } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { has, must, PATH, run } from "../scenarios/install/Release.ts"
import { until } from "./Program.ts"

/** Why there can be no such container here; undefined where one can be tried. */
export const unavailable =
  process.getuid?.() === 0 && ["systemd-nspawn", "nsenter", "mount"].every(has)
    ? undefined
    : "it needs root, systemd-container and util-linux"

export interface BootedSystem {
  /** A file of it, seen from outside. */
  readonly at: (name: string) => string
  /** Runs a program in it to its end. */
  readonly run: (program: string, args: ReadonlyArray<string>) => ReturnType<typeof run>
  /** The same, which has to succeed; yields what it printed. */
  readonly must: (program: string, args: ReadonlyArray<string>) => string
  /** A shell in it with its own variables, as a person has one open. */
  readonly terminal: (variables?: Readonly<Record<string, string>>) => Effect.Effect<Terminal, never, Scope.Scope>
}

export interface Terminal {
  /** Its output so far. */
  readonly said: () => string
  /** Runs lines in it to their end; yields what they printed. Dies with all that it said if one fails. */
  readonly run: (lines: string) => Effect.Effect<string>
  /** Starts lines in it, and waits until it says something. */
  readonly start: (lines: string, says: RegExp) => Effect.Effect<void>
  /** Ctrl-C: ends what was started, and the terminal. */
  readonly stop: Effect.Effect<void>
}

const childrenOf = (pid: number): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => {
      try {
        return new RegExp(`^PPid:\\t${pid}$`, "m").test(readFileSync(`/proc/${child}/status`, "utf8"))
      } catch {
        // it has ended meanwhile
        return false
      }
    })

/** Whether it is the first process of a container; what prepares the container is a child of the same program for a moment. */
const isFirst = (pid: number): boolean => {
  try {
    return /^NSpid:\t\d+\t(?:\d+\t)*1$/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    // it has ended meanwhile
    return false
  }
}

/** The first process of the container that this program runs, once there is one. */
const firstIn = (nspawn: ChildProcess) =>
  Effect.suspend(() => {
    const first = nspawn.pid === undefined ? undefined : childrenOf(nspawn.pid).find(isFirst)
    return first === undefined ? Effect.fail("not yet" as const) : Effect.succeed(first)
  }).pipe(Effect.retry({ schedule: Schedule.spaced("50 millis") }))

/** A folder that shows others with its own changes on top, which stay in memory. */
const layered = (folder: string, name: string, lower: string) => {
  const place = (part: string) => path.join(folder, `${name}-${part}`)
  for (const part of ["upper", "work"]) mkdirSync(place(part))
  return `lowerdir=${lower},upperdir=${place("upper")},workdir=${place("work")}`
}

const inMemory = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(path.join(tmpdir(), "switchyard-container-"))
    must("mount", ["-t", "tmpfs", "-o", "size=80%", "tmpfs", folder])
    return folder
  }),
  (folder) =>
    Effect.sync(() => {
      run("umount", ["-l", folder])
      rmSync(folder, { recursive: true, force: true })
    })
)

const mounted = (options: string, at: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      mkdirSync(at, { recursive: true })
      must("mount", ["-t", "overlay", "overlay", "-o", options, at])
    }),
    () => Effect.sync(() => void run("umount", ["-l", at]))
  )

export interface BootOptions {
  /** Folders and programs of this machine that it does not have. */
  readonly hidden?: ReadonlyArray<string>
  /** Folders of this machine that it has under other names, and may change for itself. */
  readonly copies?: Readonly<Record<string, string>>
}

const ended = (child: ChildProcess) =>
  new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once("exit", () => resolve())
  })

let blocks = 0

const openTerminal = (root: string, enter: (program: string, args: ReadonlyArray<string>) => ReadonlyArray<string>) =>
  Effect.fnUntraced(function* (variables: Readonly<Record<string, string>> = {}) {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        // a group of its own, which Ctrl-C ends
        spawn("nsenter", [...enter("bash", ["--norc"])], { env: { PATH, HOME: "/root", ...variables }, detached: true })
      ),
      (made) =>
        Effect.promise(() => {
          made.kill("SIGKILL")
          return ended(made)
        })
    )
    let said = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += String(chunk)))
    const saysAfter = (from: number, pattern: RegExp) =>
      Effect.gen(function* () {
        for (;;) {
          const found = pattern.exec(said.slice(from))
          if (found !== null) return found
          if (child.exitCode !== null) return yield* Effect.die(new Error(`The terminal ended: ${said}`))
          yield* Effect.sleep("20 millis")
        }
      })
    const send = (lines: string) => {
      const name = `var/tmp/block-${++blocks}`
      writeFileSync(path.join(root, name), `${lines}\n`)
      // nothing of it reads what the next block says
      child.stdin.write(`. /${name} < /dev/null 2>&1; printf '\\n-- %s --\\n' 'end of ${blocks}'\n`)
      return new RegExp(`^-- end of ${blocks} --$`, "m")
    }
    child.stdin.write("set -e; cd\n")
    const terminal: Terminal = {
      said: () => said,
      run: (lines) =>
        Effect.gen(function* () {
          const from = said.length
          const found = yield* saysAfter(from, send(lines))
          return said.slice(from, from + found.index)
        }),
      start: (lines, says) =>
        Effect.suspend(() => {
          const from = said.length
          send(lines)
          return Effect.asVoid(saysAfter(from, says))
        }),
      stop: Effect.promise(() => {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGINT")
        child.stdin.end()
        return ended(child)
      })
    }
    return terminal
  })

/** Boots one and waits until it is up; it is ended when the scope closes. */
export const boot = Effect.fnUntraced(function* ({ copies = {}, hidden = [] }: BootOptions = {}) {
  const folder = yield* inMemory
  const root = path.join(folder, "root")
  yield* mounted(layered(folder, "system", "/"), root)
  const wanted = path.join(root, "etc/systemd/system/multi-user.target.wants")
  for (const name of [wanted, ...hidden.map((file) => path.join(root, file))]) {
    if (existsSync(name)) rmSync(name, { recursive: true })
  }
  for (const [index, [from, to]] of Object.entries(copies).entries()) {
    yield* mounted(layered(folder, `copy${index}`, from), path.join(root, to))
  }
  const nspawn = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const words = ["--keep-unit", "--register=no", "--private-network", `--directory=${root}`, "--boot"]
      return spawn("systemd-nspawn", [...words, "systemd.unit=multi-user.target"], { env: { PATH }, stdio: "ignore" })
    }),
    (child) =>
      Effect.promise(() => {
        for (const first of childrenOf(child.pid ?? 0)) process.kill(first, "SIGKILL")
        child.kill("SIGKILL")
        return ended(child)
      })
  )
  const first = yield* firstIn(nspawn)
  const inside = (program: string, args: ReadonlyArray<string>) => ["-t", String(first), "-a", program, ...args]
  const system: BootedSystem = {
    at: (name) => path.join(root, name),
    run: (program, args) => run("nsenter", inside(program, args)),
    must: (program, args) => must("nsenter", inside(program, args)),
    terminal: openTerminal(root, inside)
  }
  // `degraded` when an unrelated service has failed
  yield* until(Effect.sync(() => /^(running|degraded)$/m.test(system.run("systemctl", ["is-system-running"]).said)))
  return system
})
