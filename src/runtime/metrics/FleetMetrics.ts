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

export const fleetMetrics = [devices, certificateEnd]
