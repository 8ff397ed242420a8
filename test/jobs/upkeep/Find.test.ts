/** Finding a machine by what is known of it, on a lab of two access switches below a distribution switch, through the API only. */
import { expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { makeQuirkyLab, NAMES } from "./OperationsLab.ts"

const Findings = Schema.Struct({
  data: Schema.Struct({
    hits: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)),
    truncated: Schema.Boolean,
    tables: Schema.Struct({ devices: Schema.Int, read: Schema.Int, newest: Schema.NullOr(Schema.String) })
  })
})
const readFindings = Schema.decodeUnknownEffect(Findings)

const places = (hits: ReadonlyArray<Readonly<Record<string, unknown>>>) =>
  hits.map(({ hostname, kind, on_uplink, port }) => [kind, hostname, port, on_uplink])

it.live("finds the port of a machine, from tables that are read on request and regularly", () =>
  Effect.gen(function* () {
    const { api, first } = yield* makeQuirkyLab({}, { MAC_ENTRIES: "2", MAC_INTERVAL: "1" })
    const find = Effect.fnUntraced(function* (q: string) {
      const answer = yield* api.send("GET", `/find?q=${encodeURIComponent(q)}`)
      expect(answer.status).toBe(200)
      return (yield* readFindings(answer.body)).data
    })
    const read = (body: object) => api.run("/device_read_tables", body)

    const empty = yield* api.send("GET", "/find?q=")
    expect(empty).toMatchObject({ status: 400, body: { message: expect.stringMatching(/^q must be given/) } })
    expect((yield* api.send("GET", "/find")).status).toBe(400)
    expect((yield* api.send("POST", "/device_read_tables", { hostname: "nobody" })).status).toBe(400)

    // this reading was not requested
    while ((yield* find("0050.56aa.1208")).hits.length < 4) yield* Effect.sleep("50 millis")
    const [edge, other] = NAMES
    const { hits, tables } = yield* find("0050.56aa.1208")
    expect(tables).toMatchObject({ devices: 4, read: 2, newest: expect.any(String) })
    // the same machine is learnt by both, and each router of its VLAN knows its address
    const everywhere = [
      ["mac", edge, "Ethernet8", false],
      ["mac", other, "Ethernet26", true],
      ["arp", edge, "Vlan3016", null],
      ["arp", other, "Vlan3016", null]
    ]
    expect(places(hits).toSorted()).toEqual(everywhere.toSorted())
    expect(places(hits)[0]).toEqual(everywhere[0])
    expect(hits[0]).toMatchObject({ mac: "00:50:56:AA:12:08", ip: "10.196.16.77", vlan: 3016 })
    expect(places((yield* find("10.196.16.77")).hits).toSorted()).toEqual(everywhere.toSorted())

    expect(places((yield* find("3016")).hits)).toEqual([
      ["vlan", edge, "Ethernet8", false],
      ["vlan", other, "Ethernet26", true]
    ])
    expect(places((yield* find("ap 12")).hits)).toEqual([["port", edge, "Ethernet1", false]])
    expect(places((yield* find("ACC1")).hits)).toEqual([["device", edge, null, null]])
    expect(places((yield* find("10.196.16.11")).hits)).toEqual([["device", other, null, null]])
    expect((yield* find("a%_")).hits).toEqual([])

    // a machine that was moved is the newest where it is now; of three entries the two that were seen last are kept
    first.configure("interface Ethernet8\n   shutdown\ninterface Ethernet7\n   switchport access vlan 3016\n")
    expect(yield* read({ hostname: edge })).toMatchObject({ status: "FINISHED" })
    const later = (yield* find("00-50-56-aa-12")).hits.filter(
      ({ hostname, kind }) => hostname === edge && kind === "mac"
    )
    expect(later.length).toBe(2)
    expect(later[0]).toMatchObject({ mac: "00:50:56:AA:12:07", port: "Ethernet7", vlan: 3016 })

    // what was found stays when a switch cannot be read, and the job says why
    first.setFault({ kind: "error", step: "show", message: "% Internal error" })
    const failed = yield* read({ hostname: edge })
    expect(JSON.stringify(failed.result)).toContain("Internal error")
    expect((yield* find("00:50:56:aa:12:07")).hits.length).toBeGreaterThan(0)
  }).pipe(Effect.scoped)
)
