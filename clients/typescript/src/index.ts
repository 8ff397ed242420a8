/** A client for the API of Switchyard, without dependencies, for Node and browsers. */
export { type EventOptions, Switchyard, type WaitOptions } from "./client.js"
export { ApiError, EventsLost, ServerAway, WaitTimeout } from "./errors.js"
export type { CallOptions, ClientOptions, Filter, Token } from "./transport.js"
export type * from "./records.js"
