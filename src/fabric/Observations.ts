/** What can be seen on the nodes of the usual fabric: MAC addresses, BGP sessions, and packets from host to host. */
import { Effect, Schema } from "effect"
import { type Fabric, FabricError } from "./Fabric.ts"

/** The address of the host at the other end of the fabric. */
const FAR_HOST = "10.98.4.2"

const Summary = Schema.fromJsonString(
  Schema.Struct({
    ipv4Unicast: Schema.optionalKey(
      Schema.Struct({ peers: Schema.Record(Schema.String, Schema.Struct({ state: Schema.String })) })
    )
  })
)

/** The MAC address of a node's management port: 12 capital digits. */
export const macOf = (fabric: Fabric, node: string) =>
  Effect.map(fabric.run(node, "cat /sys/class/net/eth0/address"), (text) =>
    text.trim().replaceAll(":", "").toUpperCase()
  )

/** Has the DHCP client of a node ask again, as it would at the half of its lease. */
export const renewLease = (fabric: Fabric, node: string) =>
  Effect.asVoid(fabric.run(node, "kill -USR1 $(cat /run/udhcpc.pid)"))

/** How many BGP sessions of a router are up. */
export const bgpSessions = Effect.fn("Observations.bgpSessions")(function* (fabric: Fabric, node: string) {
  const command = "vtysh -c 'show bgp summary json' 2>/dev/null"
  const text = yield* fabric.run(node, command)
  const { ipv4Unicast } = yield* Effect.mapError(
    Schema.decodeUnknownEffect(Summary)(text),
    (error) => new FabricError({ command, output: error.message })
  )
  return Object.values(ipv4Unicast?.peers ?? {}).filter(({ state }) => state === "Established").length
})

/** How many of so many packets from the first host to the second, one every 0.2 s, were answered. */
export const pings = (fabric: Fabric, count: number) =>
  Effect.map(fabric.run("host1", `ping -c ${count} -i 0.2 -W 1 ${FAR_HOST} || true`), (said) =>
    Number(/(\d+) received/.exec(said)?.[1] ?? 0)
  )
