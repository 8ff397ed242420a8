/** Approving host keys of devices, and taking certificates back (docs/security.md#strangers and docs/security.md#revocation). */
import type { Case, Expected } from "../Case.ts"

const data = (value: Expected): Expected => ({ status: "success", data: value })
const error = (message: string | RegExp): Expected => ({ status: "error", message })

const post = (name: string, path: string, json: unknown, status: number, body: Expected): Case => ({
  name,
  request: { method: "POST", path, json },
  reply: { status, body }
})

const OTHER = `SHA256:${"a".repeat(43)}`
const SEEN = `SHA256:${"b".repeat(43)}`
const offered = [`insert into host_key (device_id, refused_fingerprint) values (4, '${SEEN}')`]
const path = "/device/east-a1/hostkey/approve"
const approved = data({ host_key: { hostname: "east-a1", fingerprint: SEEN, refused_fingerprint: null } })

const approvals: ReadonlyArray<Case> = [
  { ...post("the key that the device has shown", path, { fingerprint: SEEN }, 200, approved), given: offered },
  {
    ...post("another key", path, { fingerprint: OTHER }, 409, error(/^Cannot approve SHA256:a+ for east-a1: the key/)),
    given: offered
  },
  post("no key", path, {}, 400, error("fingerprint must be the one that the device has shown (SHA256:...)")),
  post("no device", "/device/nobody/hostkey/approve", { fingerprint: SEEN }, 404, error("Device not found"))
]

const all = "/device_hostkeys/approve"
const pair = (hostname: string, fingerprint = SEEN) => ({ hostname, fingerprint })
const keyRule = "host_keys must be a list of 1 to 1000 objects with hostname and fingerprint"

const manyApprovals: ReadonlyArray<Case> = [
  {
    name: "keys that wait for approval",
    request: { method: "GET", path: "/device_hostkeys" },
    reply: {
      status: 200,
      body: data({ host_keys: [{ hostname: "east-a1", fingerprint: null, refused_fingerprint: SEEN, since: null }] })
    },
    given: offered
  },
  {
    ...post(
      "several keys, each for itself",
      all,
      { host_keys: [pair("nobody"), pair("east-a1")] },
      200,
      data({
        approved: 1,
        refused: 1,
        host_keys: [
          { hostname: "nobody", approved: false, message: "Device not found" },
          { hostname: "east-a1", approved: true, message: null }
        ]
      })
    ),
    given: offered
  },
  {
    ...post(
      "the key of a device that has changed it",
      all,
      { host_keys: [pair("east-a1")] },
      200,
      data({ approved: 0, refused: 1, host_keys: [{ message: /^east-a1 is pinned to SHA256:a+: a key that has/ }] })
    ),
    given: [`insert into host_key (device_id, fingerprint, refused_fingerprint) values (4, '${OTHER}', '${SEEN}')`]
  },
  post("no list of keys", all, {}, 400, error(/^host_keys must be a list/)),
  post("an empty list of keys", all, { host_keys: [] }, 400, error(keyRule)),
  post(
    "more keys than one request takes",
    all,
    { host_keys: Array.from({ length: 1001 }, () => 1) },
    400,
    error(keyRule)
  ),
  post("a key that is no object", all, { host_keys: ["x"] }, 400, error(/^host_keys\[0\] must be an object/)),
  post(
    "a device twice",
    all,
    { host_keys: [pair("a"), pair("a")] },
    400,
    error("host_keys[1].hostname: a is there twice")
  ),
  post("a key that is none", all, { host_keys: [pair("a", "x")] }, 400, error(/^host_keys\[0\]\.fingerprint must be/)),
  post("a field too many", all, { host_keys: [{ ...pair("a"), more: 1 }] }, 400, error(/^host_keys\[0\]\.more: there/))
]

const trust = (hostname: string) => `/device/${hostname}/trust`
const SHOWN = "LAB43F69660"

const trusts: ReadonlyArray<Case> = [
  post(
    "the facts that the device shows",
    trust("east-a1"),
    { comment: "RMA 4711" },
    200,
    data({
      trusted: {
        hostname: "east-a1",
        fingerprint: /^SHA256:/,
        serial: SHOWN,
        model: "CCS-720XP-48ZC2-F",
        shown_hostname: "east-a1"
      }
    })
  ),
  {
    ...post(
      "a serial number of another device",
      trust("east-a1"),
      {},
      409,
      error("Cannot trust what east-a1 shows: it shows serial LAB43F69660, which is east-a2")
    ),
    given: [`update device set serial = '${SHOWN.toLowerCase()}' where hostname = 'east-a2'`]
  },
  post("a device that does not answer", trust("east-a2"), {}, 500, error(/^Exception: ConnectionException: /)),
  post("no device to trust", trust("nobody"), { comment: "RMA 4711" }, 404, error("Device not found")),
  post("no name of a device to trust", trust("-x"), {}, 400, error("Invalid hostname specified")),
  post("a device that is not pinned", trust("init-a7"), {}, 400, error(/^init-a7 is INIT: what a device shows is/))
]

const SERIAL = "5d0c3f6b1e2a4f7d8c9b0a1e2f3d4c5b"
const signed = [
  `insert into certificate (serial, job_id, device_id, hostname, address, issued_at, not_after)
    values ('${SERIAL}', 1, 4, 'east-a1', '10.0.6.6', '2026-01-02T03:04:05Z', '2999-01-02T03:04:05Z')`
]
const certificate = {
  serial: SERIAL,
  hostname: "east-a1",
  address: "10.0.6.6",
  issued_at: "2026-01-02T03:04:05Z",
  not_after: "2999-01-02T03:04:05Z",
  revoked_at: null,
  reason: null
}
const revoke = `/certificate/${SERIAL}/revoke`
const revoked = { ...certificate, revoked_at: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, reason: "superseded" }
const list = (name: string, query: string, certificates: Expected): Case => ({
  name,
  request: { method: "GET", path: `/certificates${query}` },
  reply: { status: 200, body: data({ certificates }) },
  given: signed
})

const revocations: ReadonlyArray<Case> = [
  list("the signed certificates", "", [certificate]),
  list("the certificates of another device", "?hostname=core1", []),
  {
    ...post("one taken back", revoke, { reason: "superseded" }, 200, data({ certificate: revoked })),
    given: signed
  },
  {
    ...post("one taken back twice", revoke, {}, 409, error(/ is revoked already$/)),
    given: [...signed, "update certificate set revoked_at = now(), reason = 'unspecified'"]
  },
  post("a reason that is none", revoke, { reason: "because" }, 400, error(/^reason must be one of unspecified, /)),
  post(
    "one that was not signed here",
    "/certificate/00/revoke",
    {},
    404,
    error("No certificate with serial number 00 was issued here")
  )
]

/** All of them. */
export const strangerCases: ReadonlyArray<Case> = [...approvals, ...manyApprovals, ...trusts, ...revocations]
