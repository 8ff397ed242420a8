import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { readme, readmeUrl } from "../../scripts/machine-diagrams.ts"

describe("machines/README.md", () => {
  it("shows the present statecharts; run `node scripts/machine-diagrams.ts` when this fails", () => {
    expect(readFileSync(readmeUrl, "utf8")).toBe(readme())
  })
})
