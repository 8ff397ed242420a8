/** Alerts: rules in force, what they make of events, and what sends it to the receivers. One layer of the server. */
import { CallerDevices } from "../access/CallerDevices.ts"
import { Permissions } from "../access/Permissions.ts"
import { Layer } from "effect"
import * as AlertMaking from "./AlertMaking.ts"
import { AlertRulesInForce } from "./AlertMaking.ts"
import * as AlertSending from "./AlertSending.ts"
import * as Watches from "./Watches.ts"

/** Alerts, from the events that nobody else tells to the receivers. */
export const layer = Layer.mergeAll(AlertMaking.layer, AlertSending.layer, Watches.layer).pipe(
  Layer.provide([AlertRulesInForce.layer, CallerDevices.layer, Permissions.layer])
)
