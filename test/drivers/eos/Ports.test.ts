/** Taking ports down and up, on a simulated switch over real SSH. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Candidate from "../../../src/drivers/Candidate.ts"
import { offered } from "../../../src/drivers/Verbs.ts"
import { makeOneSwitch, name } from "./OneSwitchLab.ts"

const mayAbort = { _tag: "only", jobs: [Candidate.BOUNCES] } as const
const down = { name: Candidate.ofBounce("d", 1_000), text: "interface Ethernet1\n   shutdown\n", mayAbort }
const up = { name: Candidate.ofBounce("u", 2_000), text: "interface Ethernet1\n   no shutdown\n", mayAbort }

const open = Effect.gen(function* () {
  const one = yield* makeOneSwitch()
  const session = yield* one.driver.open(one.target)
  return { ...one, session, ports: yield* offered(session, "ports", name) }
})

it.live("reports whether the lines made a difference, and keeps no candidate", () =>
  Effect.gen(function* () {
    const { device, ports } = yield* open
    expect(yield* ports.apply(down, Effect.void)).toBe(true)
    expect(device.running()).toMatch(/interface Ethernet1\n(?: {3}.*\n)* {3}shutdown\n/)
    expect(yield* ports.apply(up, Effect.void)).toBe(true)
    expect(yield* ports.apply({ ...up, name: Candidate.ofBounce("u", 3_000) }, Effect.void)).toBe(false)
    expect(device.running()).not.toContain("shutdown")
    expect(device.sessions().filter(({ state }) => state === "pending")).toEqual([])
  }).pipe(Effect.scoped)
)

it.live("changes nothing when the claim fails, and the rest can be removed", () =>
  Effect.gen(function* () {
    const { device, ports, session } = yield* open
    const before = device.running()
    expect(yield* Effect.flip(ports.apply(down, Effect.fail("taken over")))).toBe("taken over")
    expect(device.running()).toBe(before)
    yield* session.discard(down.name)
    expect(device.sessions().filter(({ state }) => state === "pending")).toEqual([])
  }).pipe(Effect.scoped)
)

it.live("removes the open candidate of an earlier bounce, and no other user's", () =>
  Effect.gen(function* () {
    const { device, ports } = yield* open
    device.foreignSession(Candidate.ofBounce("d", 1))
    yield* ports.apply(down, Effect.void)
    device.foreignSession(Candidate.ofJob(7), 300)
    const locked = yield* Effect.flip(ports.apply(up, Effect.void))
    expect(locked).toMatchObject({ _tag: "SessionLockedException", session: "job7" })
  }).pipe(Effect.scoped)
)
