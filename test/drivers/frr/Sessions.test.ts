import { describe, expect, it } from "@effect/vitest"
import { Option } from "effect"
import { sessionsOf } from "../../../src/drivers/frr/Sessions.ts"

describe("the output of the script on the switch", () => {
  it("contains candidates and the waiting commit", () => {
    expect(
      sessionsOf("pending job4 root\nopen job4-check admin\nlast reverted job3 timer\nend of state\n")
    ).toMatchObject({
      isListed: true,
      sessions: [
        { name: "job4", state: "timed", user: "root" },
        { name: "job4-check", state: "open", user: "admin" }
      ],
      pending: Option.some({ name: "job4" }),
      timer: { _tag: "running", name: "job4" }
    })
  })

  it("counts a commit as pending until it is taken back", () => {
    expect(sessionsOf("reverting job4 root\nend of state\n")?.pending).toEqual(Option.some({ name: "job4" }))
  })

  it("is not understood when its end is missing", () => {
    expect(sessionsOf("open job4 root\n")).toBeUndefined()
    expect(sessionsOf("")).toBeUndefined()
  })
})
