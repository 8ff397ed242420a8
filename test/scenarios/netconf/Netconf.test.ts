/** A change of a real foreign NETCONF server: everything that may go wrong with it, and what no server may be believed. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describeNetconfd } from "../../support/Netconfd.ts"
import * as ScriptedNetconf from "../../support/ScriptedNetconf.ts"
import * as NetconfDriver from "./NetconfDriver.ts"
import { type Ending } from "../chaos/FaultEndings.ts"
import { faults, old, wanted } from "./NetconfFaults.ts"
import { inPeace, job, play } from "./NetconfScene.ts"

/** The parts of a text in their order, whatever stands between them. */
const inOrder = ({ says }: Ending): RegExp =>
  new RegExp(says.length === 0 ? "^$" : says.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("[^]*"))

describeNetconfd("a change of a NETCONF server", () => {
  for (const cell of faults) {
    it.live(`ends as the table of faults says: ${cell.fault}, ${cell.place}`, () =>
      Effect.gen(function* () {
        const { failure, runs, saved } = yield* play(cell)
        expect({ runs, saved, failure }).toEqual({
          runs: cell.ending.runs,
          saved: cell.ending.saved,
          failure: expect.stringMatching(inOrder(cell.ending))
        })
      })
    )
  }

  it.live("is proved by the candidate that was read back", () =>
    Effect.gen(function* () {
      expect((yield* play()).record).toContain("promised-text")
    })
  )

  it.live("leaves nothing in a dry run", () =>
    Effect.gen(function* () {
      const { candidate, failure, record, runs, saved } = yield* play({ dryRun: true })
      expect({ runs, saved, failure }).toEqual({ runs: "old", saved: "old", failure: "" })
      expect(record).toContain("+    <description>new</description>")
      expect(candidate).not.toContain(">new</")
    })
  )

  it.live("names the place of the server's model for a wrong element, and the line for broken XML", () =>
    Effect.gen(function* () {
      const wrong = yield* play({ text: wanted.replace("<name>ge2</name>", "<nam>ge2</nam>") })
      expect(wrong.failure).toMatch(/\n\/nc:rpc\/nc:edit-config\/[^\n]*if:interface[^\n]*\n[^\n]*nam\n/)
      const broken = yield* play({ text: wanted.replace("</interfaces>", "") })
      expect(broken.failure).toMatch(/ReplaceConfigException: .* at line \d+\n$/)
    })
  )

  it.live("says that its candidate has ended when it begins anew after a restart", () =>
    Effect.gen(function* () {
      const begunAnew = faults.find(({ fault, strike }) => fault === "restarts" && strike?.at === "load")
      const { record } = yield* play(begunAnew)
      expect(record).toContain("the candidate ended with it")
      expect(record).not.toContain("has gone back")
    })
  )

  it.live("leaves another user's uncommitted change alone", () =>
    Effect.gen(function* () {
      const { candidate } = yield* play(faults.find(({ before }) => before !== undefined))
      expect(candidate).toContain("foreign")
    })
  )

  it.live("is not confirmed while a confirmation would commit another user's change, and says so", () =>
    Effect.gen(function* () {
      const meanwhile = faults.find(({ fault, strike }) => fault.startsWith("uncommitted") && strike !== undefined)
      expect((yield* play(meanwhile)).failure).toContain("changes of another user")
    })
  )
})

it.live("a NETCONF server that says ok to everything and applies nothing is not believed", () =>
  Effect.gen(function* () {
    let candidate = old
    const server = yield* ScriptedNetconf.make(
      ScriptedNetconf.helloOf("candidate:1.0", "confirmed-commit:1.1", "startup:1.0"),
      (asked) => {
        const [, config] = /<config [^>]*>(.*)<\/config>/s.exec(asked.body) ?? []
        if (config !== undefined) candidate = config
        const shown = asked.body.includes("<candidate/>") ? candidate : old
        const data = asked.body.startsWith("<get-config>") ? `<data>${shown}</data>` : "<ok/>"
        asked.send(ScriptedNetconf.replyTo(asked, data))
      }
    )
    const { failure } = yield* job(server.port, NetconfDriver.make(), wanted, false)
    expect(failure).toMatch(/The device runs the configuration that it had before\.\nCommitError: /)
  }).pipe(inPeace)
)
