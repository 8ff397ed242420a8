/** What needs a person now (docs/api.md#attention). */
import { Result, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Attention } from "../domain/Attention.ts"
import { OverviewHistory } from "../domain/OverviewHistory.ts"
import * as Parameter from "../domain/fields/Parameter.ts"
import { BadRequest, Enveloped } from "./Answers.ts"
import { documented, shown } from "./Documented.ts"
import { Authorization, RequestParameters } from "./Requests.ts"

const attentionExample: Attention = {
  items: [
    {
      key: "silent lhv-s-dist2",
      kind: "silent",
      since: "2026-03-02T09:12:07.512",
      until: null,
      count: 2,
      total: null,
      sentence: "2 switches have stopped answering",
      detail: "All on lhv-s-dist2. Look there first.",
      devices: ["lhv-s-acc41", "lhv-s-acc42"],
      uplinks: ["lhv-s-dist2"],
      action: "show_devices",
      place: { screen: "devices", of: "filter[unreachable]=true" }
    }
  ]
}

const endpoints = HttpApiGroup.make("attention").add(
  HttpApiEndpoint.get("attention", "/attention", { success: Enveloped(Attention) }).annotateMerge(
    documented({
      name: "getAttention",
      summary: "What needs a person now, the most urgent first",
      description:
        "Switches that do not answer, rollouts with failed devices, approvals that the caller may give, refused commits, changes by hand, open alerts, new switches, and certificates that end: one entry for each likely cause, with its age, its devices, one next `action`, and the `place` where it is done. An entry is left out if the caller may not read its list. Empty: nothing needs the caller.",
      example: { response: { status: "success", data: attentionExample } }
    })
  )
)

const historyExample: OverviewHistory = {
  hours: 168,
  step: 6,
  points: [
    {
      at: "2026-03-02T09:12:07.512",
      total: 308,
      in_sync: 259,
      unsynchronized: 44,
      unsynchronized_by: { refresh_settings: 41, drift: 3 },
      drifted: 3,
      silent: 2
    }
  ]
}

/** Digits of a number of hours within bounds. */
const hoursUpTo = (name: string, max: number, example: string, description: string) =>
  Schema.optionalKey(
    Parameter.parameter(
      Schema.Int,
      (sent) =>
        /^\d{1,5}$/.test(sent) && Number(sent) >= 1 && Number(sent) <= max
          ? Result.succeed(Number(sent))
          : Result.fail(`${name}: expected a number from 1 to ${max}`),
      shown(description, example)
    )
  )

const history = endpoints.add(
  HttpApiEndpoint.get("history", "/overview/history", {
    query: {
      hours: hoursUpTo("hours", 2160, "168", "how far back; default 168"),
      step: hoursUpTo("step", 168, "6", "hours between two points; default 6")
    },
    success: Enveloped(OverviewHistory),
    error: BadRequest
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        name: "getOverviewHistory",
        summary: "Counts of devices over time",
        description:
          "How many devices were in sync, out of sync by cause, changed by hand and silent: the last count of each step, and one of now. Counts are made every hour and kept for 90 days; a step without a count is missing.",
        example: { response: { status: "success", data: historyExample } }
      })
    )
)

/** Endpoints of the overview, all with a token. */
export class AttentionGroup extends history.middleware(Authorization) {}
