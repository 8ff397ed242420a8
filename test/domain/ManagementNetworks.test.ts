/** Where the fleet's login may go (docs/security.md#management-networks). */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { isInside, parseManagementNetworks } from "../../src/domain/Network.ts"
import { ServerConfig } from "../../src/ServerConfig.ts"

const networks = (list: string) => Result.getOrThrow(parseManagementNetworks(list)).networks
const refusal = (list: string) => Result.getOrThrow(Result.flip(parseManagementNetworks(list)))

describe("management networks", () => {
  it("contain addresses by value, in any spelling", () => {
    const list = networks("10.0.0.0/8, 192.0.2.7, 2001:db8:17::/48")
    for (const address of [
      "10.255.255.255",
      "192.0.2.7",
      "2001:db8:17::6",
      "2001:0DB8:0017:0:0:0:0:6",
      "::ffff:10.1.2.3",
      "::FFFF:0a01:0203",
      "0:0:0:0:0:ffff:10.1.2.3"
    ])
      expect(isInside(list, address), address).toBe(true)
  })

  it("do not contain texts that only look like one of their addresses", () => {
    const list = networks("10.0.0.0/8,2001:db8:17::/48,::/1")
    for (const address of [
      "11.0.0.1",
      "::ffff:11.0.0.1",
      "a001:db8:18::1",
      "010.0.0.1",
      "0x0a000001",
      "167772161",
      "10.0.1",
      "10.0.0.1 ",
      "10.0.0.1%eth0",
      "10.0.0.1.example.org",
      "localhost",
      ""
    ])
      expect(isInside(list, address), address).toBe(false)
  })

  it("are refused with the mistake", () => {
    expect(refusal("10.0.0.0/33")).toContain('"10.0.0.0/33" is neither a prefix')
    expect(refusal("10.0.0.0/8,")).toContain('"" is neither a prefix')
    expect(refusal("campus")).toContain("nor the word settings")
    expect(refusal("10.1.0.0/8")).toBe('"10.1.0.0/8" has bits behind its prefix: 10.0.0.0?')
    expect(refusal("::ffff:10.0.0.0/104")).toContain("write it as IPv4")
    expect(Result.getOrThrow(parseManagementNetworks("settings, 10.0.0.0/8"))).toMatchObject({ fromSettings: true })
  })

  it("stop the start when they are invalid, and count as absent when they are empty", () => {
    const started = (MANAGEMENT_NETWORKS: string) =>
      Effect.runSync(Effect.result(Effect.provide(ServerConfig, ServerConfig.layerOf({ MANAGEMENT_NETWORKS }))))
    expect(String(Result.getOrThrow(Result.flip(started("10.1.0.0/8"))))).toContain("has bits behind its prefix")
    expect(Result.getOrThrow(started("")).MANAGEMENT_NETWORKS).toBe("")
  })
})
