/**
 * Recorded conversations, replayed through the real terminal and driver code with random pieces and random delays in virtual
 * time: whatever the network does to the bytes, the result is the same. RECORDING_SEEDS=1000 is the long form.
 */
import { afterAll, assert, beforeAll, describe, it, vi } from "@effect/vitest"
import { Clock, Effect, Exit, Option, Redacted, Result } from "effect"
import { readFileSync } from "node:fs"
import * as path from "node:path"
import type { DriverTarget } from "../../src/drivers/Driver.ts"
import * as Commit from "../../src/drivers/eos/Commit.ts"
import { dialect } from "../../src/drivers/eos/Dialect.ts"
import { facts } from "../../src/drivers/eos/Facts.ts"
import { load } from "../../src/drivers/eos/Load.ts"
import { readingVerbs } from "../../src/drivers/eos/Readings.ts"
import { runningConfig, save } from "../../src/drivers/eos/RunningConfig.ts"
import { sessionList } from "../../src/drivers/eos/Sessions.ts"
import { type Cli, login } from "../../src/drivers/ssh/Cli.ts"
import * as Shell from "../../src/drivers/ssh/Shell.ts"
import { randomOf } from "../support/Random.ts"
import * as RecordedSwitch from "../support/RecordedSwitch.ts"

const SEEDS = Number(process.env["RECORDING_SEEDS"] ?? "1000")
/** Conversations of 20,000 lines take half a second each. */
const LARGE_SEEDS = Number(process.env["RECORDING_SEEDS"] ?? "4")

const target: DriverTarget = {
  hostname: "acc-b2-01",
  address: "10.196.16.10",
  username: "switchyard",
  password: Redacted.make("secret word"),
  hostKey: { _tag: "accept" }
}

const sessions = (cli: Cli) =>
  Effect.map(sessionList(cli).read, ({ pending, sessions: listed }) => ({
    sessions: listed.map(({ name, state, user }) => ({ name, state, user })),
    pending
  }))

const recording = (name: string) => readFileSync(path.join(import.meta.dirname, "recordings", `${name}.txt`), "utf8")

interface Replay {
  readonly file: string
  /** Whether the recording begins with a login of its own. */
  readonly logsIn?: true
  /** The login itself fails. */
  readonly refused?: true
  readonly large?: true
  readonly does: (cli: Cli) => Effect.Effect<unknown, { readonly _tag: string; readonly message: string }>
  readonly gives: unknown
}

const failure = (effect: Effect.Effect<unknown, { readonly _tag: string; readonly message: string }>) =>
  Effect.map(Effect.result(effect), (result) =>
    Result.isFailure(result) ? `${result.failure._tag}: ${result.failure.message}` : "no failure"
  )

const lines = (...text: ReadonlyArray<string>) => `${text.join("\n")}\n`
const many = (line: (port: number) => ReadonlyArray<string>) =>
  Array.from({ length: 5_000 }, (_, index) => line(index + 1)).flat()

const HEADER = ["! Command: show running-config", "! device: acc-b2-01 (CCS-720XP-48Y6-F, EOS-4.31.4M)", "!"]
const DIFF = ["@@ -40,6 +40,7 @@", " !", "+vlan 10", " !"].join("\n")

const candidate = lines(
  "hostname acc-b2-01",
  "!",
  "banner login",
  "% Authorised users only",
  "acc-b2-01#",
  "!",
  "end",
  "EOF",
  "interface Ethernet1",
  "   !! to the printer",
  `   description ${RecordedSwitch.LONG}`,
  "   description Gerät #1 in Zürich ✓ 日本語",
  "vlan 10",
  "end"
)
const rejected = lines(
  "vlan 10",
  "   nme users",
  "interface Ethernet1",
  "   ip address 10.0.0.1/33",
  "   description desk",
  "snmp-server community hunter2 rw"
)

const request = (text: string) => ({ text, mode: "replace", name: "job412" }) as const
const at = (cli: Cli) => Effect.sync(() => cli.prompt())

const replays: ReadonlyArray<Replay> = [
  { file: "login-banner", logsIn: true, does: at, gives: "acc-b2-01#" },
  { file: "login-password", logsIn: true, does: at, gives: "acc-b2-01#" },
  { file: "login-late", logsIn: true, does: at, gives: "acc-b2-01#" },
  {
    file: "login-bad-secret",
    logsIn: true,
    refused: true,
    does: at,
    gives: "ConnectAuthError: not privileged: the enable password is not the login password"
  },
  {
    file: "login-expired",
    logsIn: true,
    refused: true,
    does: at,
    gives:
      "ConnectAuthError: the switch or its AAA server demands a new password for switchyard before it lets it in; change it there, it is never changed from here"
  },
  {
    file: "login-doubled-echo",
    logsIn: true,
    does: sessions,
    gives: { sessions: [{ name: "job413", state: "open", user: "admin" }], pending: Option.none() }
  },
  {
    file: "facts",
    does: facts,
    gives: {
      hostname: "acc-b2-01",
      fqdn: "acc-b2-01.net.example.org",
      vendor: "Arista",
      model: "CCS-720XP-48Y6-F",
      serial_number: "WTW22190555",
      os_version: "4.31.4M-36737551.4314M",
      uptime: 91233.4,
      interface_list: ["Ethernet2", "Ethernet10"]
    }
  },
  {
    file: "state",
    does: (cli) => {
      const { read } = readingVerbs(cli)
      const log = Effect.flatMap(Clock.currentTimeMillis, (now) =>
        read({ reads: "log", severity: "error", since: now - 60_000 })
      )
      const ping = { reads: "ping", to: "10.98.0.1", source: "Loopback0", vrf: "MGMT", count: 3 } as const
      return Effect.map(Effect.all([log, read({ reads: "bgp" }), read(ping)]), (readings) =>
        readings.map(({ items }) => items)
      )
    },
    gives: [
      {
        "1": {
          severity: "error",
          message: "%BGP-3-NOTIFICATION: sent to neighbor 10.97.0.1 (VRF default AS 65001) 6/2",
          at: null
        },
        "2": {
          severity: "critical",
          message: "%SYS-2-CONFIG: user admin entered username noc secret 0 ********",
          at: null
        }
      },
      {
        "default 10.97.0.0": { state: "established", is_established: true, prefixes_received: 12, asn: 65_001 },
        "default 10.97.0.2": { state: "idle", is_established: false, prefixes_received: null, asn: 65_001 }
      },
      { "10.98.0.1": { sent: 3, received: 2, loss_percent: 33.3, rtt_ms: 0.39 } }
    ]
  },
  {
    file: "sessions-4.32",
    does: sessions,
    gives: {
      sessions: [
        { name: "job412", state: "timed", user: "admin" },
        { name: "job413", state: "open", user: "" }
      ],
      pending: Option.some({ name: "job412" })
    }
  },
  {
    file: "sessions-text",
    does: sessions,
    gives: {
      sessions: [
        { name: "job412", state: "timed", user: "admin" },
        { name: "job413", state: "open", user: "admin" }
      ],
      pending: Option.some({ name: "job412" })
    }
  },
  {
    file: "ansi",
    does: (cli) =>
      Effect.all([
        cli.query("bash timeout 5 df /mnt/flash | awk '{print $4}'"),
        cli.query("copy http://10.20.0.9/firmware/EOS-4.32.2F.swi flash:", { timeout: 500 })
      ]),
    gives: ["\nAvailable\n1476504", "  10.0%  55.0% 100.0%\nCopy completed successfully."]
  },
  {
    file: "wrapped",
    does: (cli) => Effect.andThen(sessions(cli), Commit.commitTimed(cli, "job412", 300)),
    gives: undefined
  },
  {
    file: "running-config",
    does: runningConfig,
    gives: lines(
      ...HEADER,
      "! boot system flash:/EOS-4.31.4M.swi",
      "!",
      "hostname acc-b2-01",
      "!",
      "interface Ethernet1",
      "   description Gerät #1 in Zürich ✓ 日本語",
      `   description2 ${RecordedSwitch.LONG}`,
      "!",
      "interface Ethernet2",
      "   description acc-b2-01#",
      "   description3 x#",
      "   description4 desk 7 >",
      "!",
      "banner login",
      "% Authorised users only",
      "acc-b2-01#",
      "dist-b2-1>",
      "!",
      "end",
      "EOF",
      "!",
      "end"
    )
  },
  {
    file: "running-config-20000",
    large: true,
    does: runningConfig,
    gives: lines(
      ...HEADER,
      ...many((port) => [
        `interface Ethernet${port}`,
        `   description Büro ${port} # links`,
        "   switchport access vlan 10",
        "!"
      ]),
      "end"
    )
  },
  { file: "load", does: (cli) => load(cli, request(candidate)), gives: { diff: DIFF, willRun: null, remarks: [] } },
  {
    file: "load-rejected",
    does: (cli) => failure(load(cli, request(rejected))),
    gives: "ReplaceConfigException: % Invalid input (at token 0: 'nme') at line 2"
  },
  {
    file: "load-20000",
    large: true,
    does: (cli) =>
      load(
        cli,
        request(
          lines(
            ...many((port) => [
              `interface Ethernet${port}`,
              `   description Buero ${port} # links`,
              "   switchport access vlan 10",
              "   no shutdown"
            ])
          )
        )
      ),
    gives: { diff: DIFF, willRun: null, remarks: [] }
  },
  {
    file: "commit",
    does: (cli) =>
      Effect.andThen(
        Commit.commitTimed(cli, "job412", 300),
        Effect.andThen(Commit.confirm(cli, "job412", sessionList(cli), false), save(cli))
      ),
    gives: undefined
  },
  {
    file: "commit-refused",
    does: (cli) => failure(Commit.commitTimed(cli, "job412", 300)),
    gives: "CommitError: % Cannot commit session job412:\n% Interface Ethernet1: subnet 10.1.0.0/24 overlaps"
  },
  {
    file: "commit-renames",
    does: (cli) =>
      Effect.andThen(
        Commit.commitTimed(cli, "job412", 300),
        Effect.andThen(cli.query("show hostname | json"), at(cli))
      ),
    gives: "lhv-acc1#"
  },
  {
    file: "reload",
    does: (cli) => Effect.map(cli.send("reload force", { expectDisconnect: true }), (answer) => answer.lines),
    gives: ["The system is going down for reboot NOW!"]
  }
]

/** Pieces of 1 byte up to whole packets, and lines from quick to one on which every tenth piece waits for a second. */
const lineOf = (seed: number, large: boolean): RecordedSwitch.Line => {
  const random = randomOf(seed)
  const pieces = large ? [1460, 400] : [1, 3, 16, 200, 1460]
  const piece = pieces[Math.floor(random() * pieces.length)] ?? 1
  // a large answer on the slowest line would rightly miss its deadline
  const most = large ? 0.02 : Math.min(0.1, piece / 200)
  const late = random() < 0.3 ? 0 : random() * most
  return { random, piece, late, delay: random() < 0.5 ? 25 : 1_000 }
}

const turn = (realImmediate: typeof setImmediate) => new Promise<void>((resolve) => void realImmediate(resolve))
const immediate = setImmediate

/** Turns of the event loop in which a fiber may work without a timer. */
const MOST_IDLE = 100

/** Runs to the end in virtual time: whenever nothing more happens at this instant, the next timer is due. */
const inVirtualTime = async <A, E>(effect: Effect.Effect<A, E>): Promise<Exit.Exit<A, E>> => {
  let exit: Exit.Exit<A, E> | undefined
  let idle = 0
  Effect.runFork(effect).addObserver((ended) => {
    exit = ended
  })
  for (;;) {
    await turn(immediate)
    if (exit !== undefined) return exit
    idle = vi.getTimerCount() === 0 ? idle + 1 : 0
    if (idle > MOST_IDLE) throw new Error("the conversation waits for nothing")
    vi.advanceTimersToNextTimer()
  }
}

const replay = async ({ does, file, large, logsIn, refused }: Replay, seed: number) => {
  const acts = actsOf(file, logsIn === true)
  const far = RecordedSwitch.play(acts, lineOf(seed, large === true))
  const shell = Shell.makeShell(target.hostname, target.address, far.wire)
  const whole = Effect.flatMap(login(dialect, target, shell), does)
  const exit = await inVirtualTime(
    (refused === true ? failure(whole) : whole).pipe(Effect.ensuring(Effect.sync(shell.destroy)))
  )
  vi.clearAllTimers()
  return { exit, complaint: far.complaint(), left: far.left() }
}

const parsed = new Map<string, ReadonlyArray<RecordedSwitch.Act>>()
const actsOf = (file: string, logsIn: boolean) => {
  const known = parsed.get(file) ?? RecordedSwitch.parse(`${logsIn ? "" : recording("login")}${recording(file)}`)
  parsed.set(file, known)
  return known
}

describe("a recorded conversation has the same result, however the bytes are cut and delayed", () => {
  beforeAll(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] }))
  afterAll(() => void vi.useRealTimers())

  for (const each of replays) {
    it(each.file, { timeout: 3_600_000 }, async () => {
      for (let seed = 1; seed <= (each.large ? LARGE_SEEDS : SEEDS); seed += 1) {
        const { complaint, exit, left } = await replay(each, seed)
        const seen = Exit.isSuccess(exit) ? { gives: exit.value } : { failed: String(exit.cause) }
        assert.deepStrictEqual<unknown>(
          { seed, complaint, left, ...seen },
          { seed, complaint: undefined, left: 0, gives: each.gives }
        )
      }
    })
  }
})
