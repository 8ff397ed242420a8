/**
 * Receives the webhook of NetBox for devices, and adds or changes them in Switchyard. Run it beside NetBox, behind TLS:
 *
 *   npm install @switchyard/client
 *   SWITCHYARD_URL=https://switchyard.example.org SWITCHYARD_TOKEN=swy_… NETBOX_SECRET=… node netbox-webhook.mjs
 *
 * In NetBox: an event rule for devices, created and updated, with a webhook to this address, POST, application/json, and the same secret.
 *
 * The token needs a role that may GET /devices, POST /device and PUT /device/{id} with the right `trust`, because it says where a switch is
 * logged in to. A new device is UNMANAGED: no login is sent to it before a person sets it to MANAGED. A device that was deleted in NetBox stays here.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"
import { ApiError, Switchyard } from "@switchyard/client"

/** Roles of NetBox, by slug, that are switches. */
const ROLES = { "access-switch": "ACCESS", "distribution-switch": "DIST", "core-switch": "CORE" }
/** Platforms of NetBox, by slug, where the name here is another one. */
const PLATFORMS = { "arista-eos": "eos", "cisco-ios-xe": "ios", "cisco-ios-xr": "iosxr", "cisco-nx-os": "nxos", "juniper-junos": "junos" }
const MOST_BYTES = 1_048_576

const { HOST = "127.0.0.1", NETBOX_SECRET, PORT = "8080", SWITCHYARD_TOKEN, SWITCHYARD_URL } = process.env
if (!SWITCHYARD_URL || !NETBOX_SECRET) throw new Error("set SWITCHYARD_URL and NETBOX_SECRET")
const network = new Switchyard({ url: SWITCHYARD_URL, token: SWITCHYARD_TOKEN })

/** Whether NetBox has signed the body with our secret. */
const isSigned = (body, signature) => {
  const expected = createHmac("sha512", NETBOX_SECRET).update(body).digest()
  const given = Buffer.from(String(signature), "hex")
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** The fields that NetBox decides. */
const fieldsOf = ({ description, primary_ip, serial }) => ({
  description: description || null,
  serial: serial || null,
  ...(primary_ip ? { management_ip: primary_ip.address.split("/")[0] } : {})
})

const find = async (hostname) => {
  for await (const device of network.allDevices({ filter: { hostname } })) return device
  return undefined
}

/** Does what a message asks for; gives a sentence about it. */
const carryOut = async ({ data, event, model }) => {
  if (model !== "device") return `nothing to do for a ${model}`
  const type = ROLES[data.role?.slug]
  if (type === undefined || !data.name) return `${data.name ?? "a device without a name"} is no switch of ours`
  if (event === "deleted") return `${data.name} stays: delete it in Switchyard if it is gone`
  const fields = fieldsOf(data)
  const known = await find(data.name)
  if (known === undefined) {
    const slug = data.platform?.slug
    const device = { hostname: data.name, state: "UNMANAGED", device_type: type, platform: PLATFORMS[slug] ?? slug ?? "eos" }
    await network.createDevice({ ...device, ...fields })
    return `added ${data.name}`
  }
  const changed = Object.entries(fields).filter(([name, value]) => (known[name] ?? null) !== value)
  if (changed.length === 0) return `${data.name} is as NetBox has it`
  await network.updateDevice(known.id, Object.fromEntries(changed))
  return `changed ${changed.map(([name]) => name).join(", ")} of ${data.name}`
}

/** The body; undefined if it is too large. */
const bodyOf = async (request) => {
  const pieces = []
  let size = 0
  for await (const piece of request) {
    size += piece.length
    if (size > MOST_BYTES) return undefined
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

const answer = async (request) => {
  if (request.method !== "POST") return [405, "POST only"]
  const body = await bodyOf(request)
  if (body === undefined) return [413, "the body is too large"]
  if (!isSigned(body, request.headers["x-hook-signature"])) return [401, "the signature is not that of NETBOX_SECRET"]
  try {
    return [200, await carryOut(JSON.parse(body.toString()))]
  } catch (error) {
    // NetBox shows the answer, and a person can send the webhook again
    if (error instanceof ApiError && error.status < 500) return [422, error.messages.join("; ")]
    if (error instanceof SyntaxError) return [400, "the body is no JSON"]
    return [503, String(error)]
  }
}

const server = createServer((request, response) => {
  void answer(request).then(([status, sentence]) => {
    console.log(`${status} ${sentence}`)
    response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`${sentence}\n`)
  })
})
server.listen(Number(PORT), HOST, () => console.log(`Listening on http://${HOST}:${server.address().port}`))
