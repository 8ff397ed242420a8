/** A lab of one switch, `acc-b2-01` at 10.66.0.1, and the driver that reaches it, for tests over real SSH. */
import { Effect, Redacted, Result } from "effect"
import type { DriverTarget } from "../../../src/drivers/Driver.ts"
import { parseAddressMap, SshLimits, type SshLimitsOptions } from "../../../src/drivers/ssh/SshLimits.ts"
import { dialect } from "../../../src/drivers/eos/Dialect.ts"
import * as EosDriver from "../../../src/drivers/eos/Driver.ts"
import { load } from "../../../src/drivers/eos/Load.ts"
import { sessionList } from "../../../src/drivers/eos/Sessions.ts"
import * as SshTransport from "../../../src/drivers/ssh/Transport.ts"
import { channelWire } from "../../../src/drivers/ssh/Transport.ts"
import { login } from "../../../src/drivers/ssh/Cli.ts"
import * as Shell from "../../../src/drivers/ssh/Shell.ts"
import { makeLab } from "../../../src/lab/Lab.ts"
import type { Node } from "../../../src/lab/Topology.ts"

export const address = "10.66.0.1"
export const name = "acc-b2-01"

export const baseConfig = [
  `hostname ${name}`,
  "dns domain net.example.org",
  "username admin privilege 15 role network-admin secret admin",
  "aaa authorization exec default local",
  "vlan 10",
  "   name users",
  "interface Ethernet1",
  "   description desk 1",
  "   switchport access vlan 10",
  "interface Management1",
  `   ip address ${address}/16`,
  ""
].join("\n")

export const makeOneSwitch = Effect.fnUntraced(function* (node: Partial<Node> = {}, startup = baseConfig) {
  const lab = yield* makeLab({
    name: "one",
    topology: { nodes: { [name]: { users: { admin: "admin" }, ...node, "startup-config": startup } } }
  })
  const device = yield* lab.get(name)
  const addressMap = Result.getOrThrow(parseAddressMap("10.0.0.0/8=127.0.0.0/8"))
  const limits = { port: lab.port, addressMap, refusedRetries: 3, refusedDelay: 0.05 }
  const makeDriver = (more: SshLimitsOptions = {}) =>
    EosDriver.make.pipe(Effect.provide(SshLimits.layer({ ...limits, ...more })))
  const driver = yield* makeDriver()
  const target: DriverTarget = {
    hostname: name,
    address,
    username: "admin",
    password: Redacted.make("admin"),
    hostKey: { _tag: "accept" }
  }
  /** Loads without the gate that stands in front of every session. */
  const loadUngated = (text: string, windowBytes?: number) =>
    Effect.gen(function* () {
      const transport = yield* SshTransport.openTransport(target, yield* SshLimits, 20)
      const shell = Shell.makeShell(name, address, channelWire(yield* transport.shell, transport))
      const cli = yield* login(dialect, windowBytes === undefined ? target : { ...target, windowBytes }, shell)
      return yield* load(cli, { text, mode: "replace", name: "job27", seen: yield* sessionList(cli).read })
    }).pipe(Effect.scoped, Effect.provide(SshLimits.layer(limits)))
  return { lab, device, driver, loadUngated, makeDriver, target }
})

/** As the base configuration with the given lines put in front of the management interface. */
export const candidate = (...lines: ReadonlyArray<string>): string =>
  baseConfig.replace("interface Management1", [...lines, "interface Management1"].join("\n"))
