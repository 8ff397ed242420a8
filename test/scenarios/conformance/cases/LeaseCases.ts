/** Leases that the hooks of DHCP servers report (docs/provisioning.md#dhcp-hook). */
import { absent, type Case } from "../Case.ts"

const lease = { ztp_mac: "00:1c:73:00:0d:01", dhcp_ip: "10.0.9.20", platform: "eos" }

const refused = (name: string, json: unknown, message: string): Case => ({
  name,
  request: { method: "POST", path: "/dhcp_leases", json },
  reply: { status: 400, body: { status: "error", message: [message], data: absent } }
})

export const leaseCases: ReadonlyArray<Case> = [
  {
    name: "a lease of an unknown switch, which becomes a device",
    request: { method: "POST", path: "/dhcp_leases", json: { ...lease, host: "dhcp1", waiting: 3 } },
    reply: {
      status: 200,
      body: {
        status: "success",
        data: {
          lease: { ztp_mac: "001C73000D01", dhcp_ip: "10.0.9.20", outcome: "taken", step: "create", host: "dhcp1" }
        }
      }
    }
  },
  {
    name: "a lease that is refused, with the reason",
    request: { method: "POST", path: "/dhcp_leases", json: { ...lease, platform: "toaster" } },
    reply: { status: 200, body: { data: { lease: { outcome: "refused", step: "create" } } } }
  },
  refused(
    "a lease without an address",
    { ztp_mac: lease.ztp_mac, platform: "eos" },
    "POST data must include 'dhcp_ip'"
  ),
  refused("a lease of no interface", { ...lease, ztp_mac: "ff:ff:ff:ff:ff:ff" }, "Invalid ztp_mac received."),
  {
    name: "leases that were refused or wait",
    given: [
      `insert into dhcp_lease (ztp_mac, dhcp_ip, platform, outcome, step, message, host, waiting)
        values ('001C73000D02', '10.0.9.21', 'eos', 'waits', 'create', 'no room', 'dhcp1', 12),
          ('001C73000D03', '10.0.9.22', 'eos', 'taken', 'create', 'made', 'dhcp2', 0)`
    ],
    request: { method: "GET", path: "/dhcp_leases" },
    reply: {
      status: 200,
      body: {
        status: "success",
        data: {
          leases: [{ ztp_mac: "001C73000D02", outcome: "waits", message: "no room" }],
          queues: [{ host: "dhcp1", waiting: 12 }]
        }
      }
    }
  }
]
