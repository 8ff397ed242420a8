/**
 * Switching on: with a startup configuration the switch boots into it; without one it does zero touch provisioning (asks the DHCP
 * server of the site, fetches the initial configuration, starts it). See docs/provisioning.md#dhcp-and-boot-files.
 */
import { Effect, Fiber, FiberMap, Schema, type Scope, Semaphore } from "effect"
import * as Switch from "./Switch.ts"
import { execFile } from "node:child_process"
import type { Dhcp } from "./Topology.ts"

/** Waits milliseconds of real time: clients of a switch are on the other end of a socket, so a test clock must not stop it. */
export const pause = (milliseconds: number): Effect.Effect<void> =>
  milliseconds <= 0
    ? Effect.void
    : Effect.callback<void>((resume) => {
        const timer = setTimeout(() => resume(Effect.void), milliseconds)
        return Effect.sync(() => clearTimeout(timer))
      })

// The site's DHCP server: it gives leases out of a pool and, for every commit of a lease, runs the same program that a real DHCP
// server runs: `{hook} commit {mac} {ip} {platform}`.

/** The hook program could not be run or ended with an error. `output` is the end of what it printed. */
export class DhcpHookFailed extends Schema.TaggedError<DhcpHookFailed>()("DhcpHookFailed", {
  mac: Schema.String,
  reason: Schema.String,
  output: Schema.String
}) {}

/** The pool is a wrong range. */
export class DhcpPoolInvalid extends Schema.TaggedError<DhcpPoolInvalid>()("DhcpPoolInvalid", {
  pool: Schema.String
}) {}

/** A committed lease. */
export interface Lease {
  /** `94:8e:d3:…` */
  readonly mac: string
  readonly ip: string
  readonly platform: string
}

export interface DhcpServer {
  /** The address of a switch, given now if it has none; undefined when the pool is empty. Sticky per MAC. */
  readonly lease: (device: Switch.Switch) => string | undefined
  /** Commits the lease of a switch: runs the hook. Without a lease nothing happens. */
  readonly commit: (device: Switch.Switch) => Effect.Effect<void, DhcpHookFailed>
  /** Switches that renew periodically. */
  readonly active: Set<Switch.Switch>
}

/** Range that is used when the topology names none. */
const DEFAULT_POOL = "10.255.0.10-10.255.63.250"
const HOOK_TIMEOUT_MS = 60_000
const HOOKS_AT_ONCE = 8
const OUTPUT_TAIL = 500
const BITS = 256

const toNumber = (address: string) => address.split(".").reduce((sum, octet) => sum * BITS + Number(octet), 0)
const toAddress = (value: number) => [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % BITS).join(".")

/** A server; renewals run while the scope is open. Fails with DhcpPoolInvalid. */
export const makeDhcpServer = Effect.fn("DhcpServer.make")(function* (
  settings: Dhcp,
  platformOf: (device: Switch.Switch) => string,
  onLease: ((lease: Lease) => Effect.Effect<void>) | undefined
): Effect.fn.Return<DhcpServer, DhcpPoolInvalid, Scope.Scope> {
  const pool = settings.pool ?? DEFAULT_POOL
  const match = /^(\d+\.\d+\.\d+\.\d+)-(\d+\.\d+\.\d+\.\d+)$/.exec(pool)
  if (match === null || toNumber(match[1] ?? "") > toNumber(match[2] ?? "")) return yield* new DhcpPoolInvalid({ pool })
  const leases = new Map<string, string>()
  const active = new Set<Switch.Switch>()
  const permits = yield* Semaphore.make(HOOKS_AT_ONCE)
  const last = toNumber(match[2] ?? "")
  let next = toNumber(match[1] ?? "")
  const lease = (device: Switch.Switch) => {
    const known = leases.get(device.hardware.mac)
    if (known !== undefined || next > last) return known
    const address = toAddress(next)
    next += 1
    leases.set(device.hardware.mac, address)
    return address
  }
  const commit = (device: Switch.Switch): Effect.Effect<void, DhcpHookFailed> => {
    const ip = leases.get(device.hardware.mac)
    if (ip === undefined) return Effect.void
    const committed = { mac: device.hardware.mac, ip, platform: platformOf(device) }
    return Effect.andThen(
      onLease === undefined ? Effect.void : onLease(committed),
      permits.withPermits(1)(runHook(settings, committed))
    )
  }
  yield* Effect.forkScoped(renewForever(settings.renewSeconds ?? 0, active, commit))
  return { lease, commit, active }
})

const renewForever = (seconds: number, active: Set<Switch.Switch>, commit: DhcpServer["commit"]) =>
  seconds <= 0
    ? Effect.void
    : Effect.forever(
        Effect.andThen(
          pause(seconds * 1000),
          Effect.suspend(() =>
            Effect.forEach([...active], (device) => loggedHook(commit(device)), {
              concurrency: HOOKS_AT_ONCE,
              discard: true
            })
          )
        )
      )

/** The effect with its failure as a warning in the log. */
export const loggedHook = (effect: Effect.Effect<void, DhcpHookFailed>): Effect.Effect<void> =>
  Effect.catchTag(effect, "DhcpHookFailed", (error) =>
    Effect.logWarning(`DHCP hook for ${error.mac}: ${error.reason} ${error.output}`)
  )

const runHook = (settings: Dhcp, lease: Lease): Effect.Effect<void, DhcpHookFailed> => {
  const [program, ...words] = settings.hook ?? []
  if (program === undefined) return Effect.void
  return Effect.callback<void, DhcpHookFailed>((resume) => {
    const environment = { ...process.env, ...settings.environment }
    const child = execFile(
      program,
      [...words, "commit", lease.mac, lease.ip, lease.platform],
      { env: environment, timeout: HOOK_TIMEOUT_MS, maxBuffer: 1_000_000 },
      (error, stdout, stderr) => {
        const output = `${stdout}${stderr}`.trim().slice(-OUTPUT_TAIL)
        resume(
          error === null
            ? Effect.void
            : Effect.fail(
                new DhcpHookFailed({ mac: lease.mac, reason: `exit ${String(error.code ?? error.signal)}`, output })
              )
        )
      }
    )
    return Effect.sync(() => child.kill())
  })
}

export interface Power {
  /** Boots in the background; a second call starts over. The effect waits for the end of the boot. */
  readonly boot: (device: Switch.Switch) => Effect.Effect<void>
  /** Off at once; ends a running boot. */
  readonly off: (device: Switch.Switch) => Effect.Effect<void>
  /** Off and on again, in the background. */
  readonly reload: (device: Switch.Switch) => void
}

interface PowerOptions {
  readonly dhcp: DhcpServer
  /** The configuration that a blank switch gets. */
  readonly initialConfig: (device: Switch.Switch) => string
  /** Milliseconds between the first lease and the running initial configuration. */
  readonly provisioningMs: number
  /** Waits until the listeners are open. */
  readonly settled: Effect.Effect<void>
}

/** Power for the switches of a lab. */
export const make = Effect.fn("Power.make")(function* (
  options: PowerOptions
): Effect.fn.Return<Power, never, Scope.Scope> {
  const boots = yield* FiberMap.make<string, void>()
  const run = yield* FiberMap.runtime(boots)<never>()
  const start = (device: Switch.Switch) => {
    Switch.down(device, "booting")
    return run(device.name, bootSequence(device, options))
  }
  return {
    boot: (device) => Effect.suspend(() => Effect.asVoid(Fiber.await(start(device)))),
    off: (device) =>
      Effect.andThen(
        FiberMap.remove(boots, device.name),
        Effect.sync(() => Switch.down(device, "off"))
      ),
    reload: (device) => {
      start(device)
    }
  }
})

const bootSequence = (device: Switch.Switch, options: PowerOptions): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* pause(device.behaviour.bootMs)
    const kind = device.startup === undefined ? "ztp" : "reload"
    if (device.startup === undefined) yield* provision(device, options)
    Switch.up(device)
    Switch.pushCommit(device.history, { session: "", kind, at: Date.now() })
    yield* options.settled
  })

const provision = Effect.fnUntraced(function* (device: Switch.Switch, options: PowerOptions) {
  device.lease = options.dhcp.lease(device)
  yield* loggedHook(options.dhcp.commit(device))
  yield* pause(options.provisioningMs)
  device.startup = device.software.merged("", options.initialConfig(device))
})
