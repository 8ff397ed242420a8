/** Edits of ports. */
import { expect, it } from "vitest"
import { bodyOf, linesOf, NO_EDITS } from "../../../../../web/screens/device/ports/edits.ts"

const stored = { name: "Ethernet1", configtype: "ACCESS_AUTO", data: { cli_append_str: "mtu 9000" } }

it("sends free lines of a port only when the user has changed them, and removes emptied ones", () => {
  expect(linesOf(stored)).toBe("mtu 9000")
  const dataFor = (edits: object) => bodyOf(["Ethernet1"], { ...NO_EDITS, ...edits }).interfaces["Ethernet1"]
  expect(dataFor({ description: "desk" })).toEqual({ data: { description: "desk" } })
  expect(dataFor({ lines: "mtu 1500" })).toEqual({ data: { cli_append_str: "mtu 1500" } })
  expect(dataFor({ lines: "" })).toEqual({ data: { cli_append_str: null } })
})
