/** Images on a switch: what its answers are read as, and the verbs against a simulated switch over real SSH. */
import { createHash } from "node:crypto"
import { createServer } from "node:http"
import { assert, describe, expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { bootImageIn, checksumIn, copyComplaints, freeKibIn, sizeIn } from "../../../src/drivers/eos/Firmware.ts"
import { offered } from "../../../src/drivers/Verbs.ts"
import { makeOneSwitch, name } from "./OneSwitchLab.ts"

describe("answers about images", () => {
  it.each([
    ["Software image: flash:/EOS-4.31.4M.swi\nConsole speed: (not set)\n", "EOS-4.31.4M.swi"],
    ["Software image: flash:EOS64-4.32.2F.swi", "EOS64-4.32.2F.swi"],
    ["Software image: flash:/images/EOS.swi", "EOS.swi"],
    ["Software image: (not set)", ""],
    ["Console speed: (not set)", ""]
  ])("%j boots %j", (answer, image) => {
    expect(bootImageIn(answer)).toBe(image)
  })

  it.each([
    ["\nAvailable\n1476504", 1_476_504],
    ["Available\r\n  12 \r\n".replaceAll("\r", ""), 12],
    ["df: /mnt/flash: No such file or directory", undefined],
    ["", undefined]
  ])("%j leaves %s KiB", (answer, kib) => {
    expect(freeKibIn(answer)).toBe(kib)
  })

  it("give the size of a file in its own line", () => {
    const answer = "-rwxrwx--- 1 root eosadmin 600000 Mar  4 10:21 /mnt/flash/EOS-4.32.2F.swi"
    expect(sizeIn("EOS-4.32.2F.swi", answer)).toBe(600_000)
    expect(sizeIn("EOS-4.31.4M.swi", answer)).toBe(0)
    expect(sizeIn("x.swi", "/bin/ls: cannot access '/mnt/flash/x.swi': No such file or directory")).toBe(0)
  })

  it("have the checksum behind the equals sign only", () => {
    const md5 = "0123456789abcdef0123456789ABCDEF"
    expect(checksumIn(`verify /md5 (file:/mnt/flash/x.swi) = ${md5}`)).toEqual(Option.some(md5.toLowerCase()))
    expect(checksumIn("% Error computing: No such file or directory")).toEqual(Option.none())
    expect(checksumIn("% Invalid input")).toEqual(Option.none())
  })

  it("contain the complaints about a copy in error lines", () => {
    expect(copyComplaints("  10.0%  55.0%\nget: Access failed: 404 Not Found\n% Error copying x: failed\n")).toBe(
      "get: Access failed: 404 Not Found\n% Error copying x: failed"
    )
  })
})

const FILE = "EOS-4.32.2F.swi"
const IMAGE = Buffer.alloc(600_000, "eos")

const imageHost = Effect.acquireRelease(
  Effect.callback<ReturnType<typeof createServer>>((resume) => {
    const server = createServer((request, response) =>
      request.url === `/${FILE}` ? response.end(IMAGE) : response.writeHead(404).end()
    )
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  }),
  (server) => Effect.sync(() => server.close())
)

const urlOf = (server: ReturnType<typeof createServer>, file: string) => {
  const address = server.address()
  assert.isObject(address)
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/${file}`
}

describe("images", () => {
  it.live("are fetched, compared, made the next to boot and booted", () =>
    Effect.gen(function* () {
      const { device, driver, target } = yield* makeOneSwitch()
      const host = yield* imageHost
      const session = yield* driver.open(target)
      const firmware = yield* offered(session, "firmware", name)
      const { sha512 } = { sha512: createHash("sha512").update(IMAGE).digest("hex") }

      expect(yield* firmware.sizeOf(FILE)).toBe(0)
      expect(yield* firmware.checksum("sha512", FILE)).toEqual(Option.none())
      const missing = yield* Effect.flip(firmware.fetch({ url: urlOf(host, "missing.swi"), vrf: null }))
      expect(missing).toMatchObject({
        _tag: "CommandRejected",
        message: expect.stringMatching(/^Copy command did not complete successfully: get: Access failed: 404/)
      })

      yield* firmware.fetch({ url: urlOf(host, FILE), vrf: "MGMT" })
      expect(yield* firmware.sizeOf(FILE)).toBe(IMAGE.length)
      expect(yield* firmware.checksum("sha512", FILE)).toEqual(Option.some(sha512))

      expect(yield* firmware.bootImage).not.toBe(FILE)
      const refused = yield* Effect.flip(firmware.activate("EOS-4.99.9F.swi"))
      expect(refused.message).toMatch(/^Firmware not activated properly on acc-b2-01/)
      yield* firmware.activate(FILE)
      expect(yield* firmware.bootImage).toBe(FILE)

      yield* firmware.reload
      expect((yield* Effect.flip(session.facts))._tag).toBe("ConnectionException")
      yield* device.whenOn
      expect(device.version()).toContain("4.32.2F")
    }).pipe(Effect.scoped)
  )

  it.live("that neither run nor boot are removed when there is little room", () =>
    Effect.gen(function* () {
      const { device, driver, target } = yield* makeOneSwitch({ flashBytes: 900_000 })
      device.putFile("EOS-4.20.1F.swi", Buffer.alloc(300_000))
      const session = yield* driver.open(target)
      // the newest image is kept; its file is younger by the login
      device.putFile("EOS-4.30.1F.swi", Buffer.alloc(10))
      const firmware = yield* offered(session, "firmware", name)
      yield* firmware.activate("EOS-4.30.1F.swi")
      const free = yield* firmware.makeRoom
      expect([...device.files().keys()]).toEqual(["EOS-4.30.1F.swi"])
      expect(free).toBe(Math.floor((900_000 - 10) / 1024))
      yield* firmware.remove("EOS-4.30.1F.swi")
      yield* firmware.remove("EOS-4.30.1F.swi")
      expect([...device.files().keys()]).toEqual([])
    }).pipe(Effect.scoped)
  )
})
