/**
 * Events of the log as clients of socket.io know them (docs/events.md#socketio): which of their rooms hears of an event, and in which
 * words. What these clients do not know, such as a job that is scheduled or a step of a change, they are not told.
 */
import type { LiveEvent } from "../../domain/events/Event.ts"
import { isObject } from "../../domain/fields/Values.ts"

/** Rooms of what is stored; those of log lines are their levels. */
export type UpdateRoom = "update_device" | "update_job" | "sync"

/** What the room hears, and what it is about: a job, or the device of this name. */
export interface SocketPayload {
  readonly room: UpdateRoom
  readonly about: { readonly job: number } | { readonly hostname: string; readonly record: LiveEvent["object"] }
  readonly payload: Readonly<Record<string, unknown>>
}

type Data = LiveEvent["data"]

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** The key with its value, when there is one. */
const given = (key: string, value: unknown) => (value === undefined || value === null ? {} : { [key]: value })

const DEVICE_ACTIONS: ReadonlyMap<string, string> = new Map([
  ["created", "CREATED"],
  ["updated", "UPDATED"],
  ["state", "UPDATED"],
  ["deleted", "DELETED"]
])

const ofDevice = ({ action, object }: LiveEvent): SocketPayload | null => {
  const told = DEVICE_ACTIONS.get(action)
  const { hostname, id } = object ?? {}
  if (told === undefined || object === null || typeof hostname !== "string") return null
  return {
    room: "update_device",
    about: { hostname, record: object },
    payload: { action: told, device_id: id, hostname, object }
  }
}

/** What a job's end tells beside its number and status. */
const endOf = (status: string | undefined, { exception, function: name, next_job_id }: Data) =>
  status === "EXCEPTION"
    ? name === "refresh_repo"
      ? {}
      : { exception: text(exception) ?? "" }
    : given("next_job_id", next_job_id)

const jobKeys = (action: string, data: Data): Readonly<Record<string, unknown>> | null => {
  const status = text(data["status"])
  switch (action) {
    case "running":
      return { function_name: data["function"], ...given("scheduled_by", data["scheduled_by"]) }
    case "ended":
      return endOf(status, data)
    // one that runs is told of when it has ended
    case "aborted":
      return status === "ABORTED" ? { message: text(data["reason"]) ?? "" } : null
    default:
      return null
  }
}

const ofJob = ({ action, data, job_id: job }: LiveEvent): SocketPayload | null => {
  const keys = jobKeys(action, data)
  if (keys === null || job === null) return null
  return { room: "update_job", about: { job }, payload: { job_id: job, status: data["status"], ...keys } }
}

const ofSync = ({ data, hostname }: LiveEvent): SocketPayload | null => {
  if (hostname === null || !isObject(data)) return null
  const { by, cause, job_id = null, timestamp } = data
  return {
    room: "sync",
    about: { hostname, record: null },
    payload: { syncevent_hostname: hostname, syncevent_data: { cause, timestamp, by, job_id } }
  }
}

const READERS: ReadonlyMap<string, (event: LiveEvent) => SocketPayload | null> = new Map([
  ["device", ofDevice],
  ["job", ofJob],
  ["sync", ofSync]
])

/** What clients hear of an event; null for one that they do not know. */
export const socketPayload = (event: LiveEvent): SocketPayload | null => READERS.get(event.kind)?.(event) ?? null
