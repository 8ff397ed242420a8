import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import { parseAddressMap, rewriteAddress } from "../../../src/drivers/ssh/SshLimits.ts"

const dialled = (rules: string, address: string) => rewriteAddress(Result.getOrThrow(parseAddressMap(rules)), address)

describe("SSH_ADDRESS_MAP", () => {
  it.each([
    ["10.0.0.0/8=127.0.0.0/8", "10.1.2.3", "127.1.2.3"],
    ["10.0.0.0/8=127.0.0.0/8", "192.0.2.1", "192.0.2.1"],
    ["10.0.0.0/8=127.0.0.0/8, 10.9.0.0/16=192.168.0.0/16", "10.9.2.3", "192.168.2.3"],
    ["10.20.16.0/20=172.16.32.0/20", "10.20.19.7", "172.16.35.7"],
    ["10.1.2.3=198.51.100.7", "10.1.2.3", "198.51.100.7"],
    ["0.0.0.0/0=0.0.0.0/0", "10.1.2.3", "10.1.2.3"],
    ["fd00:1::/32=fd00:2::/32", "fd00:1::5", "fd00:2::5"],
    ["10.0.0.0/8=127.0.0.0/8", "acc-b2-01.example.org", "acc-b2-01.example.org"],
    ["", "10.1.2.3", "10.1.2.3"]
  ])("with %j dials %s at %s", (rules, address, expected) => {
    expect(dialled(rules, address)).toBe(expected)
  })

  it.each([
    ["10.0.0.0/8", "is not of the form"],
    ["10.0.0.0/8=127.0.0.0/16", "differ in length"],
    ["10.0.0.0/8=fd00::/8", "mixes IPv4 and IPv6"],
    ["ten/8=127.0.0.0/8", '"ten/8"'],
    ["10.0.0.0/33=127.0.0.0/33", '"10.0.0.0/33"']
  ])("refuses %j with a sentence", (rules, part) => {
    const parsed = parseAddressMap(rules)
    expect(Result.isFailure(parsed) ? parsed.failure : "accepted").toContain(part)
  })
})
