/** The routes that show what the actor of a device is at, and its statecharts. They go beyond the reference. */
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ActorView, Statecharts } from "../domain/ActorView.ts"
import { Authorization } from "./Authorization.ts"
import { documented } from "./Documented.ts"
import { Enveloped } from "./Envelope.ts"
import { NotFound } from "./Failures.ts"
import { hostname } from "./PathParameters.ts"
import { RequestParameters } from "./Requests.ts"

const endpoints = HttpApiGroup.make("actor").add(
  HttpApiEndpoint.get("show", "/device/:hostname/actor", {
    params: hostname,
    success: Enveloped(ActorView),
    error: NotFound
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        summary: "Show what a device is doing",
        description:
          "Where the device's actor is: the state of the device, the call that it serves, the step of a change with the phase in which another process would resume it, and the calls that wait for their turn. `next` names the events that the state takes, for the device and for the change. Answers at once, also while the device is busy; times are ISO 8601, UTC.",
        example: {
          response: {
            status: "success",
            data: {
              hostname: "eosaccess1",
              state: "MANAGED",
              activity: "changing",
              call: "RunChange",
              job_id: 412,
              since: "2026-03-02T09:12:07.031",
              next: ["OPERATOR_SET", "RESTORED_OLD_CONFIG", "LIVE_APPLY_CONFIG"],
              change: {
                id: 88,
                job_id: 412,
                phase: "committed",
                step: "committed.observing",
                step_since: "2026-03-02T09:12:09.377",
                next: ["UNREACHABLE", "OBSERVED"]
              },
              waiting: [{ call: "ReadInterfaces", job_id: null, since: "2026-03-02T09:12:08.200" }]
            }
          }
        }
      })
    ),
  HttpApiEndpoint.get("statecharts", "/statecharts", { success: Enveloped(Statecharts) }).annotateMerge(
    documented({
      summary: "Show the statecharts of a device",
      description:
        "States and what leads from one to another, from the machines that run: the `life` of a device, its `activity`, and a `change` on it. An arrow without `from` starts at every state; one without an event is taken at once; `rule` must hold as well. `GET /device/<hostname>/actor` says where a device is.",
      example: {
        response: {
          status: "success",
          data: {
            life: {
              initial: "DHCP_BOOT",
              states: ["DHCP_BOOT", "DISCOVERED"],
              arrows: [{ from: "DHCP_BOOT", to: "DISCOVERED", event: "DISCOVERY_SUCCEEDED", rule: null }]
            },
            activity: {
              initial: "idle",
              states: ["idle", "reading"],
              arrows: [{ from: "idle", to: "reading", event: "READ", rule: null }]
            },
            change: {
              initial: "arriving",
              states: ["arriving", "planned"],
              arrows: [{ from: "arriving", to: "planned", event: "", rule: "wasPlanned" }]
            }
          }
        }
      }
    })
  )
)

/** The endpoints, with a token. */
export class ActorGroup extends endpoints.middleware(Authorization) {}
