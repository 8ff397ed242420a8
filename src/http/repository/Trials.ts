/** Variables of a device, and templates tried with them (docs/templates.md#trying-templates). */
import { Effect } from "effect"
import { BadRequest, enveloped, ServiceUnavailable } from "../../api/Answers.ts"
import type { TrialRequest } from "../../domain/requests/ChangeRequests.ts"
import { TemplateTrial, type TrialFailed } from "../../templates/TemplateTrial.ts"
import { makeDeviceLookup } from "../devices/DeviceLookup.ts"

const refused = ({ message, problems }: TrialFailed) => Effect.fail(new BadRequest({ message, problems }))

/** Answers about one device. */
export const makeTrials = Effect.gen(function* () {
  const lookup = yield* makeDeviceLookup
  const trials = yield* TemplateTrial
  return {
    variables: Effect.fn("Trials.variables")(function* (hostname: string) {
      const device = yield* lookup.byHostname(hostname)
      const found = yield* Effect.catchTag(trials.variables(device), "TrialFailed", refused)
      return enveloped({ hostname, ...found })
    }),
    render: Effect.fn("Trials.render")(function* (hostname: string, request: TrialRequest) {
      const device = yield* lookup.byHostname(hostname)
      const rendered = yield* trials.render(device, request).pipe(
        Effect.catchTags({
          TrialFailed: refused,
          ThreadsBusy: ({ message }) => Effect.fail(new ServiceUnavailable({ message }))
        })
      )
      return enveloped(rendered)
    })
  }
})
