/**
 * A server with drivers from outside this repository, as `@switchyard/server` (docs/adding-a-driver.md#outside-this-repository). A site's own
 * program calls `serve` in place of `switchyard serve`; settings, signals and exit codes are the same.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect, Exit, Runtime } from "effect"
import { addPlatform } from "../domain/platforms/Platforms.ts"
import type { Serve } from "../drivers/DriverModule.ts"
import * as Drivers from "../drivers/Drivers.ts"
import { end } from "../runtime/Shutdown.ts"

export const serve: Serve = (drivers) => {
  for (const { platform } of drivers) addPlatform(platform)
  const program = Effect.gen(function* () {
    // the server reads the list of platforms when it is loaded
    const { runServer } = yield* Effect.promise(() => import("./ServeCommand.ts"))
    return yield* runServer
  }).pipe(Effect.provideService(Drivers.Makers, [...Drivers.makers, ...drivers.map(({ make }) => make)]))
  NodeRuntime.runMain(program, {
    teardown: (exit, done) =>
      Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
        ? end(Number(process.exitCode ?? 0), done)
        : Runtime.defaultTeardown(exit, done)
  })
}
