import { describe, expect, it } from "@effect/vitest"
import { Console, Effect, FileSystem } from "effect"
import * as EosQuirks from "../../src/lab/eos/Quirks.ts"
import * as JunosQuirks from "../../src/lab/junos/Quirks.ts"
import { personalityLines, runLab } from "../../src/lab/LabProgram.ts"
import { freePort } from "../support/FreePort.ts"
import { connect } from "../support/lab/Client.ts"
import * as NodeServices from "@effect/platform-node/NodeServices"

const YAML = `
name: small
lab:
  dhcp: { pool: 10.9.12.10-10.9.12.20 }
topology:
  nodes:
    acc1: { kind: eos, blank: true, bootMs: 10 }
`

const request = (base: string, method: string, path: string, body?: string) =>
  Effect.promise(async () => {
    const response = await fetch(base + path, {
      method,
      ...(body === undefined ? {} : { body, headers: { "content-type": "application/json" } })
    })
    const view: unknown = await response.json()
    return { status: response.status, view }
  })

describe("the lab as a program", () => {
  it.effect("runs a topology file and lets another process boot, break and configure switches over HTTP", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const directory = yield* files.makeTempDirectoryScoped()
      yield* files.writeFileString(`${directory}/small.yml`, YAML)
      const [port, controlPort] = [yield* freePort, yield* freePort]
      yield* Effect.forkScoped(
        runLab({ topologyFile: `${directory}/small.yml`, port, controlPort, provisioningMs: 10 })
      )
      const base = `http://127.0.0.1:${controlPort}`
      yield* Effect.promise(() => untilAnswers(`${base}/switches`))
      expect((yield* request(base, "GET", "/switches/acc1")).view).toMatchObject({ power: "off" })
      const booted = yield* request(base, "POST", "/switches/acc1/boot")
      expect(booted.view).toMatchObject({ power: "on", addresses: ["127.9.12.10"] })
      const client = yield* Effect.promise(() => connect({ host: "127.9.12.10", port }))
      client.destroy()
      const fault = JSON.stringify({ kind: "cut", step: "commit", when: "after" })
      expect((yield* request(base, "POST", "/switches/acc1/faults", fault)).status).toBe(200)
      expect((yield* request(base, "GET", "/switches/acc1")).view).toMatchObject({ faults: [JSON.parse(fault)] })
      expect((yield* request(base, "DELETE", "/switches/acc1/faults")).view).toEqual([])
      const wrong = yield* request(base, "POST", "/switches/acc1/faults", '{"kind":"explode"}')
      expect(wrong).toMatchObject({ status: 400, view: { status: "error" } })
      expect(yield* request(base, "GET", "/switches/acc9")).toMatchObject({
        status: 404,
        view: { message: "no switch acc9" }
      })
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("lists at the start the ignored parts of a topology file, with the reason", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const directory = yield* files.makeTempDirectoryScoped()
      const yaml = YAML.replace("blank: true,", 'blank: true, network-mode: none, exec: [ "true" ],')
      yield* files.writeFileString(`${directory}/small.yml`, yaml)
      const [port, controlPort] = [yield* freePort, yield* freePort]
      const told: Array<unknown> = []
      yield* runLab({ topologyFile: `${directory}/small.yml`, port, controlPort }).pipe(
        Effect.provideService(Console.Console, { ...globalThis.console, error: (line: unknown) => told.push(line) }),
        Effect.forkScoped
      )
      yield* Effect.promise(() => untilAnswers(`http://127.0.0.1:${controlPort}/switches`))
      expect(told).toEqual([
        "note: network-mode is ignored (acc1): the lab starts no containers",
        "note: exec is ignored (acc1): the lab runs nothing in a node, and all its switches are up together"
      ])
    }).pipe(Effect.provide(NodeServices.layer))
  )
})

it("lists the personalities that a switch can have, and marks the unusual ones", () => {
  const lines = personalityLines()
  expect(lines.map((line) => line.split(" ")[0])).toEqual([
    ...Object.keys(EosQuirks.personalities),
    ...Object.keys(JunosQuirks.personalities)
  ])
  expect(lines.find((line) => line.startsWith("timerHidden "))).toMatch(/ shows a .* \(not usual\)$/)
  expect(lines.find((line) => line.startsWith("salting "))).toMatch(/ gives secrets a new salt at each load$/)
})

const untilAnswers = async (url: string) => {
  for (;;) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok === true) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
