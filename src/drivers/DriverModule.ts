/**
 * What authors of drivers outside this repository see, as `@switchyard/server/driver` (docs/adding-a-driver.md#outside-this-repository):
 * what a driver is made of, how a switch is reached over SSH, and the records of the platforms. `src/cli/OwnServer.ts` runs a server with it.
 */
import type { Effect } from "effect"
import type { Platform } from "../domain/platforms/Platform.ts"
import type { Driver } from "./Driver.ts"
import type { SshLimits } from "./ssh/SshLimits.ts"

export * from "../domain/platforms/Platform.ts"
export { usualRisk } from "../domain/ChangeRisk.ts"
export * as SecretWords from "../domain/platforms/SecretWords.ts"
export { platformOf } from "../domain/platforms/Platforms.ts"
export type * from "../domain/DeviceReadings.ts"
export * from "./Driver.ts"
export * from "./DriverDefinition.ts"
export * as Errors from "./DriverErrors.ts"
export { clearForLoad, ForeignSessions } from "./LoadChecks.ts"
export { maskAnswer, maskSecrets } from "./SecretMask.ts"
export * as UnifiedDiff from "./UnifiedDiff.ts"
export type * from "./Verbs.ts"
export * as NetconfCandidate from "./netconf/Candidate.ts"
export * as NetconfMessages from "./netconf/Messages.ts"
export * as NetconfSession from "./netconf/Session.ts"
export * as NetconfXml from "./netconf/Xml.ts"
export * as Cli from "./ssh/Cli.ts"
export * as ConfigPipeline from "./ssh/ConfigPipeline.ts"
export * as Dialect from "./ssh/Dialect.ts"
export * as PromptLedger from "./ssh/PromptLedger.ts"
export * as Shell from "./ssh/Shell.ts"
export { SshLimits } from "./ssh/SshLimits.ts"
export * as Transport from "./ssh/Transport.ts"

/** A driver for a server: the record of its platform, and the effect that makes it on the connection limits of the server. */
export interface DriverModule {
  readonly platform: Platform
  readonly make: Effect.Effect<Driver, never, SshLimits>
}

/** Runs a server until a signal. A driver replaces the one that the server has for its platform. */
export type Serve = (drivers: ReadonlyArray<DriverModule>) => void
