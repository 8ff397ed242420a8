import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Fabric from "../../src/fabric/Fabric.ts"
import { missingOn } from "../../src/fabric/Fabric.ts"
import { describeReal } from "../support/RealFabric.ts"

const namespaces = ["--mount", "--propagation", "private", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
const root = `${import.meta.dirname}/../..`

/**
 * Runs lines of shell on a separate machine as far as its network, mounts, processes and `/run` are concerned: no other process changes
 * their view, and their remains end with them.
 */
const alone = (lines: string) =>
  Fabric.runToEnd([
    "unshare",
    ...namespaces,
    "sh",
    "-euc",
    `mount -t tmpfs tmpfs /run
    cd '${root}'
    fabric() { '${process.execPath}' src/fabric/fabricMain.ts "$@"; }
    # what a fabric must leave alone
    seen() { ip -details address; ip route; ip -6 route; ip netns list; hostname; cat /proc/self/mounts; cat /proc/sys/net/ipv4/ip_forward; }
    sites() { pgrep -fc 'site[.]sh stay' || true; }
    ${lines}`
  ])

const address = (last: number) => `10\\.99\\.0\\.${last}`
const router = (name: string, last: number) => `${name} +up +\\d\\d? MB +${address(last)}\n`

describeReal("npm run fabric", () => {
  it.live("builds one fabric, shows it and ends it, and the machine stays unchanged", () =>
    Effect.gen(function* () {
      const said = yield* alone(`
        seen >/run/before
        fabric up
        fabric up
        seen | cmp - /run/before && echo same
        fabric status
        fabric down
        seen | cmp - /run/before && echo same
        fabric down
        fabric status
        [ -e /run/switchyard-fabric ] || sites`)
      expect(said).toMatch(
        new RegExp(
          [
            "^9 nodes are up after [\\d.]+ s\\.\n",
            "A shell in the network of the server: nsenter -t \\d+ --net bash\n",
            `From there: ssh root@${address(11)} \\(password fabric\\)\n`,
            "The fabric is up already\\.\nsame\n",
            router("core1", 11) + router("core2", 12),
            "dhcp +up +\\d MB\n",
            router("dist1", 13) + router("dist2", 14) + router("dist3", 15) + router("dist4", 16),
            "host1 +up +\\d MB\nhost2 +up +\\d MB\n",
            "The fabric is down\\.\nsame\n",
            "No fabric is up\\.\nNo fabric is up\\.\n0\n$"
          ].join("")
        )
      )
    })
  )

  it.live("two simultaneous commands build one fabric", () =>
    Effect.gen(function* () {
      const said = yield* alone(`
        fabric up >/run/one &
        fabric up >/run/other &
        wait
        cat /run/one /run/other
        sites`)
      expect(said.match(/9 nodes are up/g)).toHaveLength(1)
      expect(said).toMatch(/Process \d+ is building the fabric\.|The fabric is up already\./)
      expect(said).toMatch(/\n2\n$/)
    })
  )

  it.live("leaves nothing when it is killed in the middle, and stops in the middle on request", () =>
    Effect.gen(function* () {
      const said = yield* alone(`
        begin() {
          '${process.execPath}' src/fabric/fabricMain.ts up >/run/built 2>&1 &
          builder=$!
          until [ "$(sites)" -ge 2 ]; do sleep 0.02; done
        }
        begin
        kill -9 $builder
        until [ "$(sites)" = 0 ]; do sleep 0.1; done
        fabric status
        begin
        # it hears of nothing until it may go on
        kill -STOP $builder
        fabric status
        fabric down
        kill -CONT $builder
        wait $builder || echo "up ended with $?"
        sites
        fabric up
        fabric down`)
      expect(said).toMatch(
        /^No fabric is up\.\nProcess \d+ is building the fabric\.\nThe fabric is down\.\nup ended with 1\n0\n9 nodes are up[^]*The fabric is down\.\n$/
      )
    })
  )
})

const whole = { isLinux: true, isRoot: true, has: () => true, mayBuild: () => true }

it("names the missing programs of a machine, and how they are installed", () => {
  expect(missingOn(whole)).toEqual([])
  expect(missingOn({ ...whole, isLinux: false })).toEqual(["A real fabric needs Linux."])
  expect(missingOn({ ...whole, isRoot: false })).toEqual(["A real fabric needs root: run it with sudo."])
  expect(missingOn({ ...whole, isRoot: false, has: (file) => !file.includes("frr") })).toEqual([
    "A real fabric needs root: run it with sudo.",
    "Missing: frr, frr-pythontools.",
    "On Debian: apt-get install --no-install-recommends frr frr-pythontools (no service of it has to run)"
  ])
  expect(missingOn({ ...whole, mayBuild: () => false })[0]).toContain("does not allow namespaces")
})
