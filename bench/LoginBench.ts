/**
 * Logins to real OpenSSH servers (`test/support/OpenSsh.ts`), each with other algorithms: how long one takes, and the longest
 * time for which the event loop stood still, because meanwhile the server answers nobody. Without OpenSSH's server there is
 * nothing to measure, and the row says so.
 */
import { Effect } from "effect"
import { monitorEventLoopDelay } from "node:perf_hooks"
import type { DriverTarget } from "../src/drivers/Driver.ts"
import * as EosDriver from "../src/drivers/eos/Driver.ts"
import { SshLimits } from "../src/drivers/ssh/SshLimits.ts"
import { noAccounts, startSshd, targetOf } from "../test/support/OpenSsh.ts"
import { row } from "./Measured.ts"

const LOGINS = 20
const BUDGET = "≤ 250 ms"

interface Server {
  readonly name: string
  readonly lines: ReadonlyArray<string>
  readonly algorithms?: DriverTarget["algorithms"]
}

const servers: ReadonlyArray<Server> = [
  { name: "as installed", lines: [] },
  { name: "group exchange only", lines: ["KexAlgorithms diffie-hellman-group-exchange-sha256"] },
  {
    name: "group exchange only, AES-256 (a group of 8,192 bits)",
    lines: ["KexAlgorithms diffie-hellman-group-exchange-sha256", "Ciphers aes256-ctr"]
  },
  { name: "group18 only", lines: ["KexAlgorithms diffie-hellman-group18-sha512"] },
  { name: "group14 with SHA-1 only", lines: ["KexAlgorithms diffie-hellman-group14-sha1"], algorithms: "legacy" },
  { name: "CBC only", lines: ["Ciphers aes128-cbc,aes256-cbc"], algorithms: "legacy" }
]

const measure = Effect.fnUntraced(function* ({ algorithms = "modern", lines, name }: Server) {
  const target = { ...targetOf(yield* startSshd({ lines })), algorithms }
  const driver = yield* EosDriver.make.pipe(Effect.provide(SshLimits.layer()))
  // the first one loads what the others need
  yield* Effect.scoped(driver.open(target))
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const before = performance.now()
  for (let login = 0; login < LOGINS; login += 1) yield* Effect.scoped(driver.open(target))
  const each = (performance.now() - before) / LOGINS
  delay.disable()
  const stall = delay.max / 1e6
  const measured = `longest stall ${stall.toFixed(0)} ms, ${each.toFixed(0)} ms a login`
  return row(`${LOGINS} logins to OpenSSH: ${name}`, BUDGET, measured, { stall, each })
}, Effect.scoped)

/** The rows of the table. */
export const rows = Effect.suspend(() =>
  noAccounts === undefined
    ? Effect.forEach(servers, measure)
    : Effect.succeed([row("logins to OpenSSH", BUDGET, `not measured: ${noAccounts}`, {})])
)
