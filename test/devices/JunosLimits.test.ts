/** What the API says about a device with Junos: its ports in braces, and each thing that cannot be done for it, by name. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { DeviceStore } from "../../src/store/DeviceStore.ts"
import { InterfaceStore } from "../../src/store/InterfaceStore.ts"
import { makeOperationsLab } from "../jobs/upkeep/OperationsLab.ts"

const NAME = "lhv-jun1"

/** Nothing here opens a session. */
const seed = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const interfaces = yield* InterfaceStore
  const device = yield* devices.insert({
    hostname: NAME,
    state: "MANAGED",
    device_type: "ACCESS",
    platform: "junos",
    management_ip: "10.196.16.99",
    synchronized: true
  })
  for (const port of ["ge-0/0/10", "ge-0/0/2", "xe-0/2/0", "ge-0/0/1"])
    yield* interfaces.put(device.id, port, "ACCESS_UNTAGGED", null)
  return device.id
})

const textOf = (body: unknown): string => JSON.stringify(body)

it.live("a device with Junos has ports in braces, and says by name what cannot be done for it", () =>
  Effect.gen(function* () {
    const { api, running } = yield* makeOperationsLab
    const id = yield* Effect.provideContext(seed, running)

    const listed = yield* api.send("GET", `/device/${NAME}/interfaces`)
    assert.deepEqual(
      [...textOf(listed.body).matchAll(/"name":"([^"]+)"/g)].map(([, name]) => name),
      ["ge-0/0/1", "ge-0/0/2", "ge-0/0/10", "xe-0/2/0"]
    )

    // lines of a port are checked when they come, with the field and the rule in the answer
    const put = (name: string, text: string) =>
      api.send("PUT", `/device/${NAME}/interfaces`, { interfaces: { [name]: { data: { cli_append_str: text } } } })
    for (const [text, sentence] of [
      ["ether-options {\n    no-auto-negotiation;", 'line 1 is no configuration: "ether-options" is not closed by a }'],
      ["mtu 9000;\n}\nge-0/0/2 {\n    disable;", 'line 2 is no configuration: "}" closes a section that is not open'],
      ["mtu 9000", 'line 1 is no configuration: "mtu 9000" is not ended by a ;'],
      ["request system reboot;", 'line 1 is no configuration: "request" is a command, not configuration']
    ] as const) {
      const refused = yield* put("ge-0/0/1", text)
      assert.strictEqual(refused.status, 400, text)
      assert.include(textOf(refused.body), JSON.stringify(`cli_append_str: ${sentence}`).slice(1, -1))
    }
    const taken = yield* put("ge-0/0/1", "ether-options {\n    no-auto-negotiation;\n}")
    assert.strictEqual(taken.status, 200, textOf(taken.body))

    const bounced = yield* api.send("PUT", `/device/${NAME}/interface_status`, { bounce_interfaces: ["ge-0/0/1"] })
    assert.isAtLeast(bounced.status, 400)
    assert.include(textOf(bounced.body), "Ports cannot be bounced on platform junos")

    const reading = yield* api.send("GET", `/device/${NAME}/readings?reads=bgp,ntp`)
    assert.strictEqual(reading.status, 400)
    assert.include(textOf(reading.body), "Platform junos has no readings of ntp (only: neighbours, interfaces, bgp")

    for (const [path, body, sentence] of [
      ["/firmware/upgrade", { hostname: NAME, filename: "junos.tgz", pre_flight: true }, "Invalid device platform"],
      ["/device_cert", { hostname: NAME, action: "RENEW" }, "Unsupported device platform"]
    ] as const) {
      const job = yield* api.run(path, body)
      assert.strictEqual(job.status, "EXCEPTION", `${path}: ${textOf(job)}`)
      assert.include(textOf(job), `${sentence} \\"junos\\" for device: ${NAME}`, path)
    }

    const erased = yield* api.send("DELETE", `/device/${id}`, { factory_default: true })
    const erasing = yield* api.ended(erased.body.job_id ?? 0)
    assert.strictEqual(erasing.status, "EXCEPTION")
    assert.include(textOf(erasing), "Factory default not supported on platform: junos")
    assert.strictEqual((yield* api.send("GET", `/device/${NAME}`)).status, 200)
  }).pipe(Effect.scoped)
)
