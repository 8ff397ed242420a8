/** Renders what devices should run: settings in force, templates in force and the database, read once for many devices. */
import { Context, type Effect, type Result, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { Device } from "../domain/Device.ts"
import type { InitInputs } from "../templates/VariableInputs.ts"

/** A device's configuration cannot be rendered. `type` and `message` are for the task list. */
export class RenderFailed extends Schema.TaggedError<RenderFailed>()("RenderFailed", {
  type: Schema.String,
  message: Schema.String
}) {}

/** Nothing can be rendered for anybody: no settings or no templates are in force. */
export class NothingToRender extends Schema.TaggedError<NothingToRender>()("NothingToRender", {
  message: Schema.String
}) {}

/** Renders one of the prepared devices. */
export type Render = (device: Device) => Result.Result<string, RenderFailed>

/** Configurations of devices. */
export class CandidateConfigs extends Context.Service<
  CandidateConfigs,
  {
    /** Reads what is needed for these devices in a bounded number of queries. */
    readonly prepare: (devices: ReadonlyArray<Device>) => Effect.Effect<Render, NothingToRender | SqlError.SqlError>
    /** The base configuration of a switch that is being provisioned, under the name, type and addresses that it will have. */
    readonly renderInit: (
      device: Device,
      init: InitInputs
    ) => Effect.Effect<Result.Result<string, RenderFailed>, SqlError.SqlError>
  }
>()("switchyard/jobs/CandidateConfigs") {}
