/** Readings of Junos over a login: what is asked of which device, and what happens where a part of it does not answer. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { DriverSession } from "../../../src/drivers/Driver.ts"
import { offered } from "../../../src/drivers/Verbs.ts"
import { inventory, members, several, software, terse, uptime } from "./Answers.ts"
import { type Answers, limits, refusing, scriptedJunos, type State } from "./ScriptedJunos.ts"

const read = <A, E>(answers: Answers, verb: (session: DriverSession, state: State) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const { login, state } = yield* scriptedJunos(answers)
    return yield* verb(yield* login, state)
  }).pipe(Effect.scoped, limits)

const box: Answers = {
  "get-software-information": () => software("ex1"),
  "get-chassis-inventory": () => inventory("PD3714050496"),
  "get-system-uptime-information": () => uptime(60),
  "get-interface-information": () => terse("ge-0/0/1")
}

describe("facts of a device with Junos", () => {
  it.live("need no question about members on a single one", () =>
    read(box, (session, state) =>
      Effect.gen(function* () {
        expect(yield* session.facts).toMatchObject({ hostname: "ex1", serial_number: "PD3714050496", uptime: 60 })
        expect(state.asked).not.toContain("get-virtual-chassis-information")
        expect(state.asked).not.toContain("get-route-engine-information")
      })
    )
  )

  it.live("are those of the routing engine that answers while the other one is off", () =>
    read(
      {
        ...box,
        "get-software-information": () =>
          `${refusing("Could not connect to re0 : No route to host")}${several({ re1: software("core1") })}`
      },
      (session) => Effect.map(session.facts, (facts) => expect(facts).toMatchObject({ hostname: "core1" }))
    )
  )

  it.live("ask a virtual chassis for its members", () =>
    read(
      {
        ...box,
        "get-software-information": () => several({ fpc0: software("ex1"), fpc1: software("ex1") }),
        "get-virtual-chassis-information": () => members([0, "PD1", "Backup"], [1, "PD2", "Master*"])
      },
      (session) => Effect.map(session.facts, (facts) => expect(facts.serial_number).toBe("PD1"))
    )
  )

  it.live("are an error where an answer has another form or the account may not ask", () =>
    Effect.gen(function* () {
      const odd = { ...box, "get-software-information": () => "<output>unknown command</output>" }
      expect(yield* read(odd, (session) => Effect.flip(session.facts))).toMatchObject({ _tag: "UnexpectedAnswer" })
      const denied = { ...box, "get-chassis-inventory": () => refusing("permission denied") }
      expect(yield* read(denied, (session) => Effect.flip(session.facts))).toMatchObject({
        _tag: "CommandRejected",
        denied: true
      })
    })
  )
})

describe("readings of a device with Junos", () => {
  it.live("ask for the neighbours of each port in the form that the family knows", () =>
    read(
      {
        "get-lldp-neighbors-information": () =>
          `<lldp-neighbors-information>${["ge-0/0/1.0", "ge-0/0/2.0"].map((port) => `<lldp-neighbor-information><lldp-local-interface>${port}</lldp-local-interface></lldp-neighbor-information>`).join("")}</lldp-neighbors-information>`,
        "get-lldp-interface-neighbors": (_, body) =>
          `<lldp-neighbors-information><lldp-neighbor-information><lldp-local-interface>${/<interface-device>(.*)<\/interface-device>/.exec(body)?.[1]}</lldp-local-interface><lldp-remote-system-name>far</lldp-remote-system-name></lldp-neighbor-information></lldp-neighbors-information>`
      },
      (session, state) =>
        Effect.gen(function* () {
          const found = yield* session.lldpDetail
          expect(Object.values(found).map(([first]) => first?.remote_system_name)).toEqual(["far", "far"])
          expect(state.asked).toEqual([
            "get-lldp-neighbors-information",
            "get-lldp-interface-neighbors-information",
            "get-lldp-interface-neighbors",
            "get-lldp-interface-neighbors"
          ])
        })
    )
  )

  it.live("take the table of a router where the one of switches is not known, and refuse an answer without one", () =>
    Effect.gen(function* () {
      const router = {
        "get-bridge-mac-table": () =>
          "<l2ald-rtb-macdb><l2ald-mac-entry><l2-mac-address>00:11:22:33:44:55</l2-mac-address><l2-mac-logical-interface>xe-0/0/1.0</l2-mac-logical-interface><l2-bridge-vlan>7</l2-bridge-vlan></l2ald-mac-entry></l2ald-rtb-macdb>"
      }
      expect(yield* read(router, (session) => session.macTable)).toEqual({
        entries: [{ port: "xe-0/0/1", vlan: 7, mac: "00:11:22:33:44:55" }],
        joined: []
      })
      const empty = { "get-ethernet-switching-table-information": () => "<output/>" }
      expect(yield* read(empty, (session) => Effect.flip(session.macTable))).toMatchObject({ _tag: "UnexpectedAnswer" })
    })
  )

  it.live("are refused by an error of the older form, also without its namespace", () =>
    Effect.gen(function* () {
      const message = "<source-daemon>chassisd</source-daemon><message>error: not supported</message>"
      for (const attributes of ["", ' xmlns="http://xml.juniper.net/xnm/1.1/xnm"']) {
        const odd = { "get-arp-table-information": () => `<error${attributes}>${message}</error>` }
        expect(yield* read(odd, (session) => Effect.flip(session.arpTable))).toMatchObject({ _tag: "CommandRejected" })
      }
    })
  )

  it.live("refuse a configuration whose secrets are hidden, and say which permission is missing", () =>
    read(
      { committed: () => "<configuration-text>system {\n    a /* SECRET-DATA */;\n}\n</configuration-text>" },
      (session) =>
        Effect.map(Effect.flip(session.runningConfig), (error) =>
          expect(error).toMatchObject({
            _tag: "UnexpectedAnswer",
            message: expect.stringContaining("lacks the permission secret")
          })
        )
    )
  )

  it.live("have no items of a protocol that the device refuses because it does not run it", () =>
    read({ "get-ospf-neighbor-information": () => refusing("OSPF instance is not running") }, (session) =>
      Effect.gen(function* () {
        const verbs = yield* offered(session, "readings", "ex1")
        expect(yield* verbs.read({ reads: "ospf" })).toEqual({ reads: "ospf", items: {} })
      })
    )
  )

  it.live("are those of the main instance where a release has no answer for all of them", () =>
    read(
      {
        "get-ospf-neighbor-information": (_, body) =>
          body.includes("<instance>")
            ? "<output>instance is not running</output>"
            : "<ospf-neighbor-information><ospf-neighbor><interface-name>ae0.0</interface-name><ospf-neighbor-state>Full</ospf-neighbor-state><neighbor-id>10.0.0.9</neighbor-id></ospf-neighbor></ospf-neighbor-information>"
      },
      (session) =>
        Effect.gen(function* () {
          const verbs = yield* offered(session, "readings", "ex1")
          expect(yield* verbs.read({ reads: "ospf" })).toEqual({
            reads: "ospf",
            items: { "default 10.0.0.9 ae0": { state: "full", is_full: true } }
          })
        })
    )
  )

  it.live("are typed for checks, and a kind that the platform does not have is not asked for", () =>
    read({ "get-interface-information": () => terse("ge-0/0/1") }, (session, state) =>
      Effect.gen(function* () {
        const verbs = yield* offered(session, "readings", "ex1")
        expect(yield* verbs.read({ reads: "interfaces" })).toEqual({
          reads: "interfaces",
          items: { "ge-0/0/1": { is_up: true, is_enabled: true } }
        })
        expect(yield* Effect.flip(verbs.read({ reads: "mlag" }))).toMatchObject({ _tag: "NotOffered" })
        expect(state.asked).toEqual(["get-interface-information"])
      })
    )
  )
})

describe("a read-only command", () => {
  const showing = (answer: string, command = "show version") => {
    let asked = ""
    return read(
      {
        command: (_, body) => {
          asked = body
          return answer
        }
      },
      (session) =>
        Effect.gen(function* () {
          const verbs = yield* offered(session, "show", "ex1")
          return { said: yield* Effect.result(verbs.show(command)), asked }
        })
    )
  }

  it.live("shows its text, of each routing engine below its name", () =>
    Effect.gen(function* () {
      const one = yield* showing("<output>\nHostname: ex1\n</output>", "show version | match Host")
      expect(one.asked).toBe('<command format="text">show version | match Host</command>')
      expect(one.said).toMatchObject({ _tag: "Success", success: "Hostname: ex1\n" })
      const two = yield* showing(several({ re0: "<output>a</output>", re1: "<output>b</output>" }))
      expect(two.said).toMatchObject({ success: "re0:\na\nre1:\nb" })
      expect((yield* showing("")).said).toMatchObject({ success: "" })
    })
  )

  it.live("is refused if it is none, and an error if the device refuses it or shows no text", () =>
    Effect.gen(function* () {
      const unsent = yield* showing("<output>x</output>", "show configuration")
      expect(unsent.asked).toBe("")
      expect(unsent.said).toMatchObject({ failure: { _tag: "CommandRejected" } })
      expect((yield* showing(refusing("syntax error"))).said).toMatchObject({ failure: { _tag: "CommandRejected" } })
      expect((yield* showing("<software-information/>")).said).toMatchObject({ failure: { _tag: "UnexpectedAnswer" } })
      const long = yield* showing(`<output>${"x".repeat(300_000)}</output>`)
      expect(long.said).toMatchObject({ failure: { _tag: "UnexpectedAnswer" } })
    })
  )
})
