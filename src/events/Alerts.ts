/** Alerts as one layer of the server: the rules in force, the creation of alerts from events, and their delivery to receivers. */
import { CallerDevices } from "../access/CallerDevices.ts"
import { Permissions } from "../access/Permissions.ts"
import { Layer } from "effect"
import * as AlertMaking from "./AlertMaking.ts"
import { AlertRulesInForce } from "./AlertMaking.ts"
import * as AlertSending from "./AlertSending.ts"
import * as Watches from "./Watches.ts"

/** Alerts, from the events that `Watches` adds to the delivery. */
export const layer = Layer.mergeAll(AlertMaking.layer, AlertSending.layer, Watches.layer).pipe(
  Layer.provide([AlertRulesInForce.layer, CallerDevices.layer, Permissions.layer])
)
