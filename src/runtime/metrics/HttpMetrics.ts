/** Requests of the API: how many, how long, how many at once. */
import { counter, durations, gauge } from "./Family.ts"

/** The label of a request that no endpoint was for. */
export const NO_ROUTE = "other"

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

/** Anybody can invent a method, and must not make a series with it. */
export const methodLabel = (method: string): string => (METHODS.has(method) ? method : "other")

export const requests = counter(
  "switchyard_http_requests_total",
  "Requests that were answered",
  "route",
  "method",
  "status"
)
export const requestSeconds = durations(
  "switchyard_http_request_duration_seconds",
  "Time from a request to its answer",
  [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
  "route",
  "method"
)
export const requestsInFlight = gauge("switchyard_http_requests_in_flight", "Requests that are being worked on")

export const httpMetrics = [requests, requestSeconds, requestsInFlight]
