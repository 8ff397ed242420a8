/** What needs a person now (docs/api.md#attention). */
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Attention } from "../domain/Attention.ts"
import { Enveloped } from "./Answers.ts"
import { documented } from "./Documented.ts"
import { Authorization } from "./Requests.ts"

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

/** Endpoints of the overview, all with a token. */
export class AttentionGroup extends endpoints.middleware(Authorization) {}
