import { expect, it } from "@effect/vitest"
import { neighboursOf } from "../../../src/drivers/eos/Neighbours.ts"

it("gives long port names, and several neighbours on a port", () => {
  const lldpNeighbors = [
    { port: "Et51", neighborDevice: "dist-b2-1", neighborPort: '"Ethernet7"' },
    { port: "Ethernet51", neighborDevice: "phone", neighborPort: "0a:1b" }
  ]
  expect(neighboursOf({ lldpNeighbors })).toEqual({
    Ethernet51: [
      { hostname: "dist-b2-1", port: "Ethernet7" },
      { hostname: "phone", port: "0a:1b" }
    ]
  })
})
