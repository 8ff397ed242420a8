/** The lines of docs/frr.md#lines-that-frr-spells-otherwise on a real router: none of them is a difference once it runs. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { renderError } from "../../../src/drivers/DriverErrors.ts"
import { describeReal } from "../../support/RealFabric.ts"
import { candidate, makeOneRouter } from "./OneRouter.ts"

/** Each is a block of lines that a router takes and shows otherwise. */
const BLOCKS: ReadonlyArray<ReadonlyArray<string>> = [
  ["interface eth9", " no shutdown", "exit"],
  ["interface lo", " no shut", " link-detect", "exit"],
  ["interface eth0", " no shutdown", " ipv6 nd suppress-ra", " ipv6 address 2001:DB8:0::1/64", "exit"],
  ["line vty"],
  ["line vty", " exec-timeout 10 0", "exit"],
  ["line vty", " no exec-timeout", "exit"],
  ["ip route 10.99.0.0 255.255.0.0 Null0"],
  ["ip route 10.98.0.0 255.255.0.0 10.99.0.1 1", "ip route 10.97.0.0/16 NULL0"],
  ["ip route 10.98.0.0/16 10.99.0.1 tag 7 1", "router-id 1.1.1.1"],
  ["router bgp 65001", " timers bgp 3 9", "exit"],
  ["router bgp 65001", " bgp log-neighbor-changes", " no bgp ebgp-requires-policy", "exit"],
  ["router bgp 65001", " bgp default ipv4-unicast", " bgp network import-check", "exit"],
  [
    "router bgp 65001",
    " neighbor 10.0.0.2 remote-as 65002",
    " address-family ipv4 unicast",
    "  neighbor 10.0.0.2 activate",
    " exit-address-family",
    "exit"
  ],
  [
    "router bgp 65001",
    " neighbor 2001:DB8::2 remote-as 65002",
    " address-family ipv6",
    "  neighbor 2001:DB8::2 activate",
    " exit-address-family",
    " address-family ipv4",
    "  network 10.5.0.0 mask 255.255.0.0",
    "  aggregate-address 10.6.0.0 255.255.0.0",
    "  neighbor 2001:DB8::2 send-community both",
    " exit-address-family",
    "exit"
  ],
  ["router bgp 65001", " neighbor 10.0.0.2 remote-as 65002", " neighbor 10.0.0.2 activate", "exit"],
  ["bgp as-path access-list A permit ^65001$", "bgp as-path access-list A deny .*"],
  ["log facility daemon", "log timestamp precision 0", "zebra nexthop-group keep 180"]
]

describeReal("lines that FRR shows otherwise", () => {
  it.live("a router runs each of them without a difference, and a second load finds none", () =>
    Effect.gen(function* () {
      const { driver, target } = yield* makeOneRouter()
      const session = yield* driver.open(target)
      for (const block of BLOCKS) {
        const text = candidate(...block)
        const { diff } = yield* session.load({ text, mode: "replace", name: "job1" })
        if (diff !== "") yield* session.commitTimed("job1", 300)
        const again = { text, mode: "replace", despiteTimer: "job1", foreignSessions: "ignore" } as const
        const check = yield* session.load({ ...again, name: "job1-check" })
        expect(check.diff, block.join("\n")).toBe("")
        yield* session.discard("job1-check")
        yield* session.discard("job1")
      }
    }).pipe(Effect.scoped)
  )

  it.live("a default that a router does not run is a difference", () =>
    Effect.gen(function* () {
      const { driver, target } = yield* makeOneRouter()
      const session = yield* driver.open(target)
      const router = (...lines: ReadonlyArray<string>) => candidate("router bgp 65001", ...lines, "exit")
      yield* session.load({
        text: router(" timers bgp 60 180", " no bgp network import-check"),
        mode: "replace",
        name: "job1"
      })
      yield* session.commit("job1")
      const text = router(" timers bgp 3 9", " bgp network import-check")
      const { diff } = yield* session.load({ text, mode: "replace", name: "job2" })
      expect(diff.split("\n")).toEqual(
        expect.arrayContaining([
          "- timers bgp 60 180",
          "- no bgp network import-check",
          "+ timers bgp 3 9",
          "+ bgp network import-check"
        ])
      )
      yield* session.commit("job2")
      expect((yield* session.load({ text, mode: "replace", name: "job3" })).diff).toBe("")
    }).pipe(Effect.scoped)
  )

  it.live("a neighbour that nothing defines is named before anything is committed", () =>
    Effect.gen(function* () {
      const { driver, target } = yield* makeOneRouter()
      const session = yield* driver.open(target)
      const lines = ["router bgp 65001", " address-family ipv4 unicast", "  neighbor 10.0.0.2 activate", "exit"]
      const error = yield* Effect.flip(session.load({ text: candidate(...lines), mode: "replace", name: "job1" }))
      expect(renderError(error)).toContain("% Specify remote-as or peer-group commands first at line 11")
      expect((yield* session.sessions).sessions).toEqual([])
    }).pipe(Effect.scoped)
  )
})

describeReal("a router with a file for each daemon", () => {
  it.live.each([
    ["no service integrated-vtysh-config", "/etc/frr/bgpd.conf /etc/frr/zebra.conf"],
    ["", "/etc/frr/zebra.conf"]
  ])("refuses the candidate, and says why it could not be proved: %s", ([setting, parts]) =>
    Effect.gen(function* () {
      const { driver, shell, target } = yield* makeOneRouter()
      const keep = setting === "" ? "rm /etc/frr/frr.conf" : "true"
      yield* shell(`echo '${setting}' >/etc/frr/vtysh.conf; touch ${parts}; ${keep}`)
      const session = yield* driver.open(target)
      const error = yield* Effect.flip(session.load({ text: candidate("log syslog"), mode: "replace", name: "job1" }))
      expect(renderError(error)).toMatch(
        /\nReplaceConfigException: FRR has a file for each daemon there \(.*zebra\.conf\) and not one for all .*: a change could neither be proved nor saved/
      )
    }).pipe(Effect.scoped)
  )
})
