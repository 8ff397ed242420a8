/**
 * The demo on real routers, as a user starts it. Its story is the proof: each step fails the demo if its check fails
 * (`src/demo/RealDemo.ts`), so this test checks that all steps were printed.
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { runDemo } from "../../support/DemoProgram.ts"
import { seconds, timer } from "../../support/Patience.ts"
import { describeReal } from "../../support/RealFabric.ts"
import { routers } from "./RouterSite.ts"

const variables = { INIT_MGMT_TIMEOUT: timer(20), COMMIT_CONFIRMED_TIMEOUT: timer(30) }

describeReal("the demo on real routers", () => {
  it.live(
    "shows six blank routers become MANAGED, packets, a change, one that a check takes back, and a lockout that is rolled back",
    () =>
      Effect.gen(function* () {
        const { code, said } = yield* runDemo({ words: ["--real"], variables })
        expect(code, said).toBe(0)
        for (const name of routers) {
          expect(said).toContain(`${name}: DHCP_BOOT → DISCOVERED → INIT → MANAGED on 10.99.1.`)
          expect(said).toContain(`${name}: ${name.startsWith("core") ? 4 : 2} BGP sessions are up`)
        }
        expect(said).toContain("8 links in the database, found by LLDP: exactly the 8 cables that were plugged")
        expect(said.match(/host1 → host2: 10 of 10 packets came through/g)).toHaveLength(3)
        expect(said).toMatch(/^ *\+ *ip prefix-list OFFICES seq 10 permit 172\.16\.0\.0\/12$/m)
        expect(said).toMatch(/frr-leaf-bgp: before 2 BGP sessions .*now 1 BGP session /)
        expect(said).toContain("dist2 was taken back: it runs, and would start with, what it had before")
        expect(said).toMatch(/says of dist2:\n(?: {4}.*\n)* {4}The device runs the configuration that it had before\./)
        expect(said.trimEnd().endsWith("== Everything held"), said).toBe(true)
      }),
    seconds(900)
  )
})

describe("the demo on real routers, if they are unavailable", () => {
  it.live.skipIf(process.platform !== "linux")("names the missing parts and ends with 1", () =>
    Effect.gen(function* () {
      // root has no right to create namespaces here
      const before = process.getuid?.() === 0 ? ["setpriv", "--bounding-set", "-sys_admin"] : []
      const { code, said } = yield* runDemo({ words: ["--real"], before, variables })
      expect(code).toBe(1)
      expect(said).toMatch(/^(?:A real fabric needs root|Missing: |This kernel, or the container around us)/)
      expect(said).not.toContain("==")
    })
  )
})
