/** The Debian package on a machine with systemd: installed, started, killed, stopped and removed, as an operator sees it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { until } from "../../support/Program.ts"
import { has, must, PATH, run } from "./Release.ts"
import { type ChildProcess, spawn } from "node:child_process"

// A machine in a container: this one's files, on which it may write without anything of it staying, and its own systemd as the
// first process. It has no network but its own.

/** Why there can be no such container here; undefined where one can be tried. */
const unavailable =
  process.getuid?.() === 0 && ["systemd-nspawn", "nsenter", "mount"].every(has)
    ? undefined
    : "it needs root, systemd-container and util-linux"

interface Container {
  /** Its root directory, seen from outside. */
  readonly at: (name: string) => string
  /** Runs a program in it to its end. */
  readonly run: (program: string, args: ReadonlyArray<string>) => ReturnType<typeof run>
  /** The same, which has to succeed; yields what it printed. */
  readonly must: (program: string, args: ReadonlyArray<string>) => string
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

const layered = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(path.join(tmpdir(), "switchyard-container-"))
    must("mount", ["-t", "tmpfs", "tmpfs", folder])
    for (const name of ["upper", "work", "root"]) mkdirSync(path.join(folder, name))
    const place = (name: string) => path.join(folder, name)
    const layers = `lowerdir=/,upperdir=${place("upper")},workdir=${place("work")}`
    must("mount", ["-t", "overlay", "overlay", "-o", layers, place("root")])
    return folder
  }),
  (folder) =>
    Effect.sync(() => {
      run("umount", ["-l", path.join(folder, "root")])
      run("umount", ["-l", folder])
      rmSync(folder, { recursive: true, force: true })
    })
)

/** Boots one; it is ended when the scope closes. No service of this machine is started in it. */
const boot = Effect.gen(function* () {
  const folder = yield* layered
  const root = path.join(folder, "root")
  const wanted = path.join(root, "etc/systemd/system/multi-user.target.wants")
  if (existsSync(wanted)) rmSync(wanted, { recursive: true })
  const nspawn = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const words = ["--keep-unit", "--register=no", "--private-network", `--directory=${root}`, "--boot"]
      return spawn("systemd-nspawn", [...words, "systemd.unit=multi-user.target"], { env: { PATH }, stdio: "ignore" })
    }),
    (child) =>
      Effect.promise(async () => {
        const ended = new Promise((resolve) => child.once("exit", resolve))
        if (child.exitCode !== null || child.signalCode !== null) return
        for (const first of childrenOf(child.pid ?? 0)) process.kill(first, "SIGKILL")
        child.kill("SIGKILL")
        await ended
      })
  )
  const first = yield* firstIn(nspawn)
  const inside = (program: string, args: ReadonlyArray<string>) => ["-t", String(first), "-a", program, ...args]
  const container: Container = {
    at: (name) => path.join(root, name),
    run: (program, args) => run("nsenter", inside(program, args)),
    must: (program, args) => must("nsenter", inside(program, args))
  }
  return container
})

/** Whether it has come up: `degraded` when an unrelated service has failed. */
const isUp = ({ run: runInside }: Container) =>
  Effect.sync(() => /^(running|degraded)$/m.test(runInside("systemctl", ["is-system-running"]).said))

const packageFile = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "switchyard-package-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
).pipe(Effect.map((folder) => must(process.execPath, ["scripts/debian.mjs", folder, "--fast"]).trim()))

const AS_COMMANDS_DO = ["--pipe", "--wait", "--quiet", "-p", "User=switchyard"]
const SETTINGS = ["-p", "EnvironmentFile=/etc/switchyard/switchyard.env", "-E", "DATA_DIR=/var/lib/switchyard"]

describe.skipIf(unavailable !== undefined)(
  `the service${unavailable === undefined ? "" : ` (skipped: ${unavailable})`}`,
  () => {
    it.live(
      "starts with its database, restarts after a kill, permits simultaneous commands, and is removed with its package",
      () =>
        Effect.gen(function* () {
          const file = yield* packageFile
          const container = yield* boot
          yield* until(isUp(container))
          copyFileSync(file, container.at("var/tmp/switchyard.deb"))
          const sh = (text: string) => container.must("sh", ["-c", text])
          const answers = Effect.sync(
            () => container.run("curl", ["-sf", "http://127.0.0.1:5000/api/health/live"]).status === 0
          )
          const mainPid = () => sh("systemctl show -p MainPID --value switchyard").trim()

          sh("dpkg --install --force-depends /var/tmp/switchyard.deb")
          assert.strictEqual(sh("systemctl is-enabled switchyard").trim(), "enabled")
          assert.strictEqual(container.run("systemctl", ["is-active", "switchyard"]).stdout.trim(), "inactive")
          sh("echo ZTP_HTTP_PORT=80 >> /etc/switchyard/switchyard.env")
          sh("systemctl start switchyard")
          yield* until(answers)
          const first = mainPid()
          const status = sh(`cat /proc/${first}/status`)
          assert.notMatch(status, /^Uid:\t0\t/m)
          // that of port 80 alone
          assert.match(status, /^CapEff:\t0000000000000400$/m)
          assert.match(status, /^NoNewPrivs:\t1$/m)

          sh(`kill -9 ${first}`)
          yield* until(Effect.map(answers, (does) => does && mainPid() !== first))

          const words = ["switchyard", "user", "add", "admin", "--role", "administrator"]
          const added = container.run("systemd-run", [...AS_COMMANDS_DO, ...SETTINGS, ...words])
          assert.strictEqual(added.status, 0, added.said)
          assert.include(added.said, "admin")

          sh("systemctl stop switchyard")
          assert.strictEqual(sh("systemctl show -p Result --value switchyard").trim(), "success")
          assert.strictEqual(sh("pgrep -u switchyard | wc -l").trim(), "0", "nothing of it runs")

          sh("systemctl start switchyard")
          yield* until(answers)
          sh("dpkg --remove switchyard")
          assert.strictEqual(sh("pgrep -u switchyard | wc -l").trim(), "0", "it ended before its files went")
          sh("dpkg --purge switchyard && test ! -e /var/lib/switchyard")
        }).pipe(Effect.scoped)
    )
  }
)
