/**
 * The lab of a benchmark, in a process of its own: managed access switches. Prints one line of JSON with the port and the
 * switches when they are up.
 * Arguments: number of switches, milliseconds of a commit, `plain`, `usual` (each usual personality in turn) or `junos`; for one of
 * several labs side by side also the port that they share, the second octet of its addresses and what its names begin with.
 */
import { Console, Effect } from "effect"
import { campus, type PlannedSwitch } from "../src/lab/CampusPlan.ts"
import { isPersonality, personalities } from "../src/lab/eos/Quirks.ts"
import { makeLab } from "../src/lab/Lab.ts"
import type { Topology } from "../src/lab/Topology.ts"
import { PASSWORD } from "./BenchSite.ts"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"

const [count = "1000", commitMs = "2000", kind = "plain", port = "0", block = "32", site = ""] = process.argv.slice(2)

const names = Object.keys(personalities).filter((name) => isPersonality(name) && personalities[name].usual)

const personalityOf = ({ index }: PlannedSwitch) => {
  const personality = names[index % names.length]
  return kind !== "usual" || personality === undefined ? {} : { personality }
}

const config = ({ address, name, role }: PlannedSwitch) => `hostname ${name}
username switchyard privilege 15 role network-admin secret ${PASSWORD}
aaa authorization exec default local
interface ${role === "access" ? "Vlan3016" : "Loopback1"}
   ip address ${address}/${role === "access" ? 16 : 32}
`

const junosConfig = ({ address, name }: PlannedSwitch) => `system {
    host-name ${name};
    root-authentication {
        encrypted-password "${PASSWORD}";
    }
    login {
        user switchyard {
            class super-user;
            authentication {
                encrypted-password "${PASSWORD}";
            }
        }
    }
    services {
        ssh;
        netconf {
            ssh;
        }
    }
}
interfaces {
    irb {
        unit 3016 {
            family inet {
                address ${address}/16;
            }
        }
    }
}
vlans {
    MANAGEMENT {
        vlan-id 3016;
        l3-interface irb.3016;
    }
}
`

/** The access switches of a campus as Junos switches, without cables, whose ports have the names of another platform. */
const withJunos = ({ name, topology: { nodes } }: Topology, planned: ReadonlyArray<PlannedSwitch>): Topology => ({
  name,
  topology: {
    nodes: Object.fromEntries(
      planned.map((one) => [
        one.name,
        { ...nodes[one.name], kind: "junos" as const, model: "EX3400-48P", "startup-config": junosConfig(one) }
      ])
    )
  }
})

const program = Effect.gen(function* () {
  const planned: Array<PlannedSwitch> = []
  const plan = campus({
    access: Number(count),
    block: Number(block),
    site,
    config: (one) => {
      if (one.role === "access") planned.push(one)
      return config(one)
    },
    node: (one) => ({
      ports: 18,
      passwords: { switchyard: PASSWORD },
      commitMs: Number(commitMs),
      ...personalityOf(one)
    })
  })
  const topology = kind === "junos" ? withJunos(plan, planned) : plan
  const lab = yield* makeLab(topology, { port: Number(port) })
  const switches = planned.map(({ address, name }) => ({ name, address }))
  yield* Console.log(JSON.stringify({ port: lab.port, switches }))
  return yield* Effect.never
})

NodeRuntime.runMain(Effect.scoped(program))
