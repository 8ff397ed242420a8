/** The configuration that a device would get, made without contacting it (contract api-devices.md §6.2). */
import { Context, type Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { Device } from "../../domain/Device.ts"

/** The configuration cannot be rendered; `message` has no secrets and no prefix. */
export class PreviewFailed extends Schema.TaggedError<PreviewFailed>()("PreviewFailed", {
  message: Schema.String
}) {}

/** A rendered configuration with the variables that templates saw; secrets are masked. Plain JSON. */
export interface Preview {
  readonly generated_config: string
  readonly available_variables: Readonly<Record<string, unknown>>
}

/** Renders configurations for people. */
export class Previews extends Context.Service<
  Previews,
  { readonly generate: (device: Device) => Effect.Effect<Preview, PreviewFailed | SqlError.SqlError> }
>()("switchyard/http/ports/Previews") {}
