/** Devices and their certificates, by the database. */
import { gauge } from "./Family.ts"

export const devices = gauge(
  "switchyard_devices",
  "Devices by state, type and whether they are synchronized",
  "state",
  "type",
  "synchronized"
)
export const certificateEnd = gauge(
  "switchyard_certificate_end_timestamp_seconds",
  "When the first device is without a valid certificate; absent when no device has one"
)
export const unreachableDevices = gauge(
  "switchyard_devices_unreachable",
  "Managed devices that did not answer when the server last wanted something of them"
)

export const fleetMetrics = [devices, certificateEnd, unreachableDevices]
