/** The program of an SSH worker with the drivers of all platforms. */
import { Layer, Result } from "effect"
import { setPriority } from "node:os"
import { DriverRegistry } from "../Driver.ts"
import { makers } from "../Drivers.ts"
import { parse } from "../ssh/AddressMap.ts"
import { SshLimits } from "../ssh/SshLimits.ts"
import { run, start } from "./ThreadProgram.ts"

/** Where processor time is short, the API goes first. Elsewhere than on Linux this would slow the whole process. */
const giveWay = (): void => {
  if (process.platform !== "linux") return
  try {
    setPriority(0, 5)
  } catch {
    // a sandbox may forbid it; it is only a courtesy
  }
}

giveWay()

// how many sessions may be open is bounded by the main thread, for all workers together
const limits = SshLimits.layer({
  ...start.limits,
  maxSessions: Number.MAX_SAFE_INTEGER,
  addressMap: Result.getOrThrow(parse(start.limits.addressMap))
})

await run(DriverRegistry.layer(makers).pipe(Layer.provide(limits)))
