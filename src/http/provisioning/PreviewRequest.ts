/**
 * GET generate_config: the rendered configuration, or the parts of it that the client wants
 * (docs/templates.md#trying-templates).
 */
import { Effect, Schema } from "effect"
import { enveloped } from "../../api/Envelope.ts"
import { InternalError } from "../../api/Failures.ts"
import { makeDeviceLookup } from "../devices/DeviceLookup.ts"
import { Previews } from "../../templates/CandidateConfigs.ts"
import { applyMask, parseMask } from "./FieldMask.ts"

const Config = Schema.Struct({
  hostname: Schema.optionalKey(Schema.String),
  generated_config: Schema.optionalKey(Schema.String),
  available_variables: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
})
const isConfig = Schema.is(Config)

/** Renders the configuration of a device. `fields` is the header X-Fields; one that is no mask is ignored. */
export const makePreview = Effect.gen(function* () {
  const lookup = yield* makeDeviceLookup
  const previews = yield* Previews
  return Effect.fn("PreviewRequest.generate")(function* (hostname: string, fields: string | undefined) {
    const device = yield* lookup.byHostname(hostname)
    const preview = yield* previews
      .generate(device)
      .pipe(
        Effect.catchTag("PreviewFailed", ({ message }) =>
          Effect.fail(
            new InternalError({ message: `Exception while generating config for device ${hostname}: ${message}` })
          )
        )
      )
    const config = { hostname, ...preview }
    const mask = parseMask(fields ?? "*")
    const wanted = mask === undefined ? config : applyMask(mask, config)
    return enveloped({ config: isConfig(wanted) ? wanted : config })
  })
})
