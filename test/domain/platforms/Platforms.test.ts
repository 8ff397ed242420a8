/** The records of the platforms, against the documentation for clients and against the existing drivers. */
import { assert, describe, expect, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { readFileSync } from "node:fs"
import { Worker } from "node:worker_threads"
import {
  can,
  isManageable,
  platformNames,
  platformOf,
  platforms,
  requireManageable
} from "../../../src/domain/platforms/Platforms.ts"
import * as Drivers from "../../../src/drivers/Drivers.ts"
import { SshLimits } from "../../../src/drivers/ssh/SshLimits.ts"

describe("platforms", () => {
  it("have the names that clients may give, in this order", () => {
    expect(platformNames).toEqual(["eos", "junos", "ios", "iosxr", "nxos", "nxos_ssh", "frr"])
  })

  it("are named in the manual", () => {
    const manual = readFileSync(new URL("../../../docs/api.md", import.meta.url), "utf8")
    expect(manual).toContain(`- \`platform\`: ${platformNames.map((name) => `\`${name}\``).join(", ")}\n`)
  })

  it.effect("promise capabilities exactly if there is a driver, and the driver has their record", () =>
    Effect.gen(function* () {
      const drivers = yield* Effect.all(Drivers.makers)
      const promised = platforms.filter(({ capabilities }) => capabilities !== null)
      assert.deepStrictEqual(
        drivers.map(({ platform }) => platform),
        promised
      )
    }).pipe(Effect.provide(SshLimits.layer()))
  )

  it.each(platforms.flatMap(({ name, secrets }) => secrets.map((secret) => [name, secret] as const)))(
    "of %s recognise the words before a secret: %s is a pattern",
    (_name, secret) => {
      expect(() => new RegExp(secret)).not.toThrow()
    }
  )

  it("without a driver, without a name or of an unknown name cannot be managed", () => {
    const devices = ["eos", "ios", "nxos_ssh", "amiga", null].map((platform) => ({ hostname: "a1", platform }))
    expect(devices.map(isManageable)).toEqual([true, false, false, false, false])
    expect(devices.map((device) => can(device, "firmware"))).toEqual([true, false, false, false, false])
    expect(platformOf("amiga")).toBeUndefined()
  })

  it.effect("describe the platform of a device and its missing driver", () =>
    Effect.gen(function* () {
      const refusals = yield* Effect.forEach([{ platform: "ios" }, { platform: null }, { platform: "eos" }], (of) =>
        Effect.result(requireManageable({ hostname: "lhv-r1", ...of }))
      )
      assert.deepStrictEqual(
        refusals.map((result) => (Result.isFailure(result) ? result.failure.message : "manageable")),
        [
          "Device lhv-r1 cannot be managed: there is no driver for platform ios (only for eos, junos, frr)",
          "Device lhv-r1 cannot be managed: there is no driver for platform None (only for eos, junos, frr)",
          "manageable"
        ]
      )
    })
  )
})

describe("a platform that is added", () => {
  // the list belongs to the process, which other files share: a thread has one of its own
  const inThread = (text: string) =>
    new Promise<unknown>((resolve, reject) => {
      const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(text)}`))
      worker.once("message", resolve)
      worker.once("error", reject)
    })
  const module = new URL("../../../src/domain/platforms/Platforms.ts", import.meta.url).href

  it("is known by name, replaces the one with its name, and is there in threads", async () => {
    const told = await inThread(`
      import { parentPort, Worker } from "node:worker_threads"
      const { addPlatform, platformNames, platformOf, isManageable } = await import(${JSON.stringify(module)})
      const ios = platformOf("ios")
      const capabilities = { timer: { step: 60, least: 120, late: 35 }, certificates: false, firmware: false, erase: false, bounce: false }
      addPlatform({ ...ios, capabilities })
      addPlatform({ ...ios, name: "own" })
      const asked = "const { isManageable, platformNames } = await import(" + JSON.stringify(${JSON.stringify(module)}) + ");" +
        "(await import('node:worker_threads')).parentPort.postMessage([isManageable({ platform: 'ios' }), platformNames.length])"
      const thread = new Worker(new URL("data:text/javascript," + encodeURIComponent(asked)))
      const inThread = await new Promise((resolve) => thread.once("message", resolve))
      parentPort.postMessage({ names: platformNames, ios: isManageable({ platform: "ios" }), own: isManageable({ platform: "own" }), inThread })
    `)
    expect(told).toEqual({
      names: ["eos", "junos", "ios", "iosxr", "nxos", "nxos_ssh", "frr", "own"],
      ios: true,
      own: false,
      inThread: [true, 8]
    })
  })
})
