import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { readme, readmeUrl } from "../../scripts/machine-diagrams.ts"

describe("machines/README.md", () => {
  it("shows the statecharts as they are; run `node scripts/machine-diagrams.ts` when this fails", () => {
    expect(readFileSync(readmeUrl, "utf8")).toBe(readme())
  })
})
