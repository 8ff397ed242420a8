/** Windows: when which devices may be changed (docs/windows.md#looking-at-windows). */
import { Result, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ShownFreeze, ShownVerdict, ShownWindow } from "../domain/access/WindowView.ts"
import * as Parameter from "../domain/fields/Parameter.ts"
import { Authorization } from "./Authorization.ts"
import { documented, shown } from "./Documented.ts"
import { Enveloped } from "./Envelope.ts"
import { BadRequest, NotFound } from "./Failures.ts"
import { RequestParameters } from "./Requests.ts"

const Windows = Schema.Struct({
  in_force: Schema.Boolean,
  problem: Schema.NullOr(Schema.String),
  windows: Schema.Array(ShownWindow),
  freezes: Schema.Array(ShownFreeze),
  asked: Schema.NullOr(ShownVerdict)
})

const endpoints = HttpApiGroup.make("windows").add(
  HttpApiEndpoint.get("list", "/windows", {
    query: {
      device: Schema.optionalKey(
        Parameter.hostname("Invalid hostname specified", shown("whether this device may be changed", "lhv-a1"))
      ),
      group: Schema.optionalKey(
        Parameter.parameter(Schema.String, Result.succeed, shown("the same for all devices of a group", "EAST_WING"))
      )
    },
    success: Enveloped(Windows),
    error: [BadRequest, NotFound]
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        summary: "Show the windows",
        description:
          "When which devices may be changed. `in_force` is false without a `windows.yml`; `problem` says what is wrong with the file when older rules stay in force. With `device` or `group`, `asked` says whether these may be changed now, and when they may next. Times are UTC.",
        example: {
          response: {
            status: "success",
            data: {
              in_force: true,
              problem: null,
              windows: [
                {
                  name: "closets",
                  groups: ["EAST_WING"],
                  device_types: null,
                  timezone: "Europe/Stockholm",
                  is_open: false,
                  opens_at: "2026-11-24T21:00:00",
                  closes_at: null
                }
              ],
              freezes: [],
              asked: {
                devices: 1,
                may_be_changed: false,
                why_not:
                  "lhv-a1 must not be changed: window closets is closed. The next opening is 2026-11-24 22:00 Europe/Stockholm",
                opens_at: "2026-11-24T21:00:00",
                closes_at: null
              }
            }
          }
        }
      })
    )
)

/** Endpoints of windows, all with a token. */
export class WindowsGroup extends endpoints.middleware(Authorization) {}
