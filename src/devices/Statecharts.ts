/** The statecharts of a device as they are drawn, from the machines themselves. */
import { toDirectedGraph } from "xstate/graph"
import { chartOf, regionOf } from "../../machines/Chart.ts"
import { configChange } from "../../machines/change/ConfigChange.ts"
import { deviceMachine } from "../../machines/device/DeviceMachine.ts"
import type { Statecharts } from "../domain/DeviceActivity.ts"

/** That an actor follows its row is nothing that happens to the device. */
export const statecharts: Statecharts = {
  life: chartOf(regionOf(deviceMachine, "life"), ["ROW_READ"]),
  activity: chartOf(regionOf(deviceMachine, "activity")),
  change: chartOf(toDirectedGraph(configChange))
}
