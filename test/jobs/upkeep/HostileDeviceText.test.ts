/** Switches that say what no text may hold, on a lab of two access switches below a distribution switch, through the API only. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { isText, valueFaults } from "../../../src/domain/Text.ts"
import { refuseChanges } from "../../support/TestDatabase.ts"
import { makeQuirkyLab, NAMES } from "./OperationsLab.ts"

const [HOSTNAME] = NAMES

/** Controls, NUL, an escape sequence, separators, a direction override, half of a pair, and far more than any column holds. */
const HOSTILE = `\u0000a\u0007b\u001b[31mc\u2028d\u0085e\u202ef\ud800g\n\r\t${"💡x".repeat(5_000)}`

/** Machines with invalid or link-local addresses, next to a valid one. */
const HOSTS = {
  Ethernet8: ["10.196.16.300", "fe80::1%Vlan3016", HOSTILE.slice(0, 300), "10.196.16.77"].map((ip, index) => ({
    mac: `00:50:56:aa:12:0${index}`,
    ip
  }))
}

const BOX = {
  hosts: HOSTS,
  serial: HOSTILE,
  model: `${"m".repeat(63)}💡${HOSTILE}`,
  version: `4.31.4M${"\u0007".repeat(100)}${"9".repeat(100)}`
}

const texts = (value: unknown, kind: "line" | "lines") =>
  expect(valueFaults(value, kind, () => kind).map(({ message }) => message)).toEqual([])

it.live(
  "cleans the output of a switch, cuts it to its columns and counts it, and everything that reads it succeeds",
  () =>
    Effect.gen(function* () {
      const { api, first, url } = yield* makeQuirkyLab({}, {}, BOX)
      const get = Effect.fnUntraced(function* (path: string) {
        const answer = yield* api.send("GET", path)
        expect([path, answer.status, answer.status === 200 ? "" : JSON.stringify(answer.body)]).toEqual([path, 200, ""])
        return answer.body
      })
      const removed = Effect.promise(async () => {
        const text = await (await fetch(`${url}/metrics`)).text()
        return Number(/^switchyard_device_text_removed_characters_total (\d+)/m.exec(text)?.[1] ?? "0")
      })
      for (const port of ["Ethernet5", `Ethernet6${HOSTILE}`]) {
        first.setNeighbour(port, {
          systemName: `${"n".repeat(254)}💡${HOSTILE}`,
          neighbourPort: HOSTILE,
          description: HOSTILE
        })
      }
      const oneLine = HOSTILE.replaceAll(/[\n\r]/g, " ").slice(0, 2_000)
      first.configure(`interface Ethernet4\n   description ${oneLine}\n`)

      const facts = yield* api.run("/device_update_facts", { hostname: HOSTNAME })
      expect(facts).toMatchObject({ status: "FINISHED", exception: null })
      texts(facts, "lines")
      const device = yield* get(`/device/${HOSTNAME}`)
      texts(device, "line")
      expect(device).toMatchObject({
        data: { devices: [{ model: "m".repeat(63), serial: expect.stringMatching(/^[\s\S]{1,64}$/) }] }
      })
      expect(yield* removed).toBeGreaterThan(10_000)

      texts(yield* get(`/device/${HOSTNAME}/lldp_neighbors`), "line")
      texts(yield* get(`/device/${HOSTNAME}/lldp_neighbors_detail`), "lines")
      texts(yield* get(`/device/${HOSTNAME}/interface_status`), "line")
      texts(yield* get(`/device/${HOSTNAME}/running_config`), "lines")
      texts(yield* get("/topology"), "line")

      const read = yield* api.run("/device_read_tables", { hostname: HOSTNAME })
      expect(read).toMatchObject({ status: "FINISHED", exception: null })
      expect(JSON.stringify(read)).not.toContain('"failed":true')
      const found = yield* get("/find?q=10.196.16.77")
      texts(found, "line")
      expect(JSON.stringify(found)).toContain("00:50:56:AA:12:03")

      // the configuration goes through a dry run, a live run that reads it as what is to be undone, and the differences of both
      for (const dry_run of [true, false]) {
        const synced = yield* api.run("/device_syncto", { hostname: HOSTNAME, dry_run, force: true })
        expect(synced).toMatchObject({ status: "FINISHED", exception: null })
        texts(synced, "lines")
        expect(JSON.stringify(synced)).not.toMatch(/SQLSTATE|DatabaseError|cannot be stored/)
      }
      first.configure(`interface Ethernet3\n   description ${oneLine}x\n`)
      const drifted = yield* api.run("/device_drift", { hostname: HOSTNAME })
      expect(drifted).toMatchObject({ status: "FINISHED", exception: null })
      texts(drifted, "lines")
      texts(yield* get(`/device/${HOSTNAME}/configs`), "lines")
      texts(yield* get("/events?limit=1000"), "lines")
    }).pipe(Effect.scoped)
)

it.live("learns a serial number that is longer than its column, cut to it, and recognises the switch by it", () =>
  Effect.gen(function* () {
    const { api } = yield* makeQuirkyLab({}, {}, { serial: `S${"0".repeat(200)}\u0000` })
    const job = yield* api.run("/device_syncto", { hostname: HOSTNAME, dry_run: false, force: true })
    expect(job).toMatchObject({ status: "FINISHED", exception: null })
    const { body } = yield* api.send("GET", `/device/${HOSTNAME}`)
    expect(body).toMatchObject({ data: { devices: [{ serial: `S${"0".repeat(63)}` }] } })
    expect(yield* api.run("/device_syncto", { hostname: HOSTNAME, dry_run: true })).toMatchObject({
      status: "FINISHED"
    })
    expect(isText(`S${"0".repeat(63)}`, "line")).toBe(true)
  }).pipe(Effect.scoped)
)

it.live("learns no serial number that consists of control characters only", () =>
  Effect.gen(function* () {
    const { api } = yield* makeQuirkyLab({}, {}, { serial: "\u0007\u001b\u0000" })
    const job = yield* api.run("/device_syncto", { hostname: HOSTNAME, dry_run: false, force: true })
    expect(job).toMatchObject({ status: "FINISHED", exception: null })
    expect(yield* api.run("/device_update_facts", { hostname: HOSTNAME })).toMatchObject({ status: "FINISHED" })
    const { body } = yield* api.send("GET", `/device/${HOSTNAME}`)
    expect(body).toMatchObject({ data: { devices: [{ serial: null }] } })
  }).pipe(Effect.scoped)
)

it.live("a job that finds a value that the database refuses names the device and the mistake, not the database", () =>
  Effect.gen(function* () {
    const { api, running } = yield* makeQuirkyLab({})
    yield* Effect.provideContext(refuseChanges("device", "new.model is distinct from old.model"), running)
    const job = yield* api.run("/device_update_facts", { hostname: HOSTNAME })
    expect(job.status).toBe("EXCEPTION")
    expect(job.exception?.message).toBe(`What the job found on ${HOSTNAME} cannot be stored: a text is too long`)
    expect(JSON.stringify(job)).not.toMatch(/SQLSTATE|DatabaseError|varying/)
  }).pipe(Effect.scoped)
)
