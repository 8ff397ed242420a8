/** Small labs of Junos switches, and a bare NETCONF client over ssh2 that knows nothing about drivers. */
import { Effect } from "effect"
import type { Client as SshClient, ClientChannel } from "ssh2"
import { makeLab, type LabOptions } from "../../../src/lab/Lab.ts"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import type * as Topology from "../../../src/lab/Topology.ts"
import { seconds } from "../Patience.ts"
import { connect, openShell, type Shell } from "./Client.ts"

/** A configuration with a login, SSH, NETCONF, LLDP and a management address. */
export const junosConfig = (hostname: string, address: string, more = "") => `system {
    host-name ${hostname};
    root-authentication {
        encrypted-password "$6$root$root"; ## SECRET-DATA
    }
    login {
        user admin {
            class super-user;
            authentication {
                encrypted-password "$6$admin$admin"; ## SECRET-DATA
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
    ge-0/0/0 {
        description uplink;
        unit 0 {
            family ethernet-switching {
                interface-mode trunk;
                vlan {
                    members [ v10 mgmt ];
                }
            }
        }
    }
    ge-0/0/1 {
        unit 0 {
            family ethernet-switching {
                vlan {
                    members v10;
                }
            }
        }
    }
    irb {
        unit 600 {
            family inet {
                address ${address}/24;
            }
        }
    }
}
protocols {
    lldp {
        interface all;
    }
}
vlans {
    mgmt {
        vlan-id 600;
        l3-interface irb.600;
    }
    v10 {
        vlan-id 10;
    }
}
${more}`

const BASE = "urn:ietf:params:xml:ns:netconf:base:1.0"
const END = "]]>]]>"

export interface Netconf {
  readonly client: SshClient
  readonly channel: ClientChannel
  readonly hello: string
  /** Sends a request and returns the whole answer. */
  readonly rpc: (body: string) => Promise<string>
  /** Sends a request and waits for nothing. */
  readonly send: (body: string) => void
  /** Everything that came and was not read by `rpc`. */
  readonly rest: () => string
  readonly close: () => void
  readonly closed: Promise<void>
}

const subsystemOf = (client: SshClient) =>
  new Promise<ClientChannel>((resolve, reject) =>
    client.subsys("netconf", (error, channel) => (error === undefined ? resolve(channel) : reject(error)))
  )

/** Takes messages from a channel, in the frames of base 1.0. */
const messagesOf = (channel: ClientChannel) => {
  let received = ""
  let wake: (() => void) | undefined
  let isClosed = false
  channel.on("data", (chunk: Buffer) => {
    received += chunk.toString("utf8")
    wake?.()
  })
  channel.on("close", () => {
    isClosed = true
    wake?.()
  })
  const next = async (): Promise<string> => {
    const deadline = Date.now() + seconds(30)
    for (;;) {
      const end = received.indexOf(END)
      if (end >= 0) {
        const message = received.slice(0, end)
        received = received.slice(end + END.length)
        return message
      }
      if (isClosed) throw new Error("the channel is closed")
      if (Date.now() > deadline) throw new Error(`no whole message in ${received.slice(-300)}`)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 1000)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }
  return { next, rest: () => received }
}

/** A NETCONF session over a channel, past both hellos. */
export const netconfOver = async (client: SshClient, channel: ClientChannel): Promise<Netconf> => {
  const { next, rest } = messagesOf(channel)
  const hello = await next()
  let id = 0
  channel.write(`<hello xmlns="${BASE}"><capabilities><capability>${BASE}</capability></capabilities></hello>${END}`)
  const send = (body: string) => {
    id += 1
    channel.write(`<rpc xmlns="${BASE}" message-id="${id}">${body}</rpc>${END}`)
  }
  const rpc = (body: string) => {
    send(body)
    return next()
  }
  const closed = new Promise<void>((resolve) => void client.on("close", () => resolve()))
  return { client, channel, hello, rpc, send, rest, close: () => void client.destroy(), closed }
}

export interface OneJunos {
  readonly port: number
  readonly device: LabSwitch
  readonly host: string
  readonly netconf: Effect.Effect<Netconf>
  readonly shell: Effect.Effect<Shell>
}

/** Logs in and opens the subsystem. */
export const openNetconf = async (host: string, port: number, user = "admin"): Promise<Netconf> => {
  const client = await connect({ host, port, username: user })
  return netconfOver(client, await subsystemOf(client))
}

/** Milliseconds of a minute in these labs. */
export const MINUTE = 200

/** A lab of one Junos switch `sw1` at 10.9.2.1 with admin/admin; closed with the scope. */
export const oneJunos = Effect.fnUntraced(function* (node: Partial<Topology.Node> = {}, options: LabOptions = {}) {
  const lab = yield* makeLab(
    {
      name: "one",
      topology: {
        nodes: {
          sw1: {
            kind: "juniper_vjunosswitch",
            users: { admin: "admin" },
            minuteMs: MINUTE,
            "startup-config": junosConfig("sw1", "10.9.2.1"),
            ...node
          }
        }
      }
    },
    options
  )
  const device = yield* lab.get("sw1")
  const host = "127.9.2.1"
  return {
    port: lab.port,
    device,
    host,
    netconf: Effect.promise(() => openNetconf(host, lab.port)),
    shell: Effect.promise(() => openShell({ host, port: lab.port }))
  } satisfies OneJunos
})
