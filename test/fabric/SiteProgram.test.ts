import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Fabric from "../../src/fabric/Fabric.ts"
import { single } from "../../src/fabric/FabricPlan.ts"
import * as SiteProgram from "../../src/fabric/SiteProgram.ts"
import { describeReal } from "../support/RealFabric.ts"

const env = { PATH: process.env["PATH"] ?? "" }

describeReal("a program in a site", () => {
  it.live("sees the site's network, is told to end when its scope does, and says why it ended too early", () =>
    Effect.gen(function* () {
      const fabric = yield* Fabric.make(single)
      const heard: Array<string> = []
      const shell = (line: string) =>
        SiteProgram.start(fabric, {
          command: ["sh", "-c", line],
          env,
          ready: "ready",
          hear: (said) => heard.push(said)
        })
      yield* Effect.scoped(shell("trap 'echo told; exit 0' TERM; ip -br addr; echo ready; while :; do sleep 0.1; done"))
      expect(heard.join("\n")).toMatch(/^management .*10\.99\.0\.1\/24/m)
      expect(heard.at(-1)).toBe("told")
      const { message } = yield* Effect.scoped(Effect.flip(shell("echo no port; exit 1")))
      expect(message).toContain("no port")
    }).pipe(Effect.scoped)
  )
})
