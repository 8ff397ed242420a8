/** What clients of socket.io may ask for, and the rooms that they join by it (docs/events.md#socketio). */
import { isObject } from "../../domain/fields/Values.ts"
import { type LiveLevel, liveLevels } from "../../runtime/LiveFeed.ts"
import type { UpdateRoom } from "./Payloads.ts"

export type Room = UpdateRoom | LiveLevel

/** Rooms by the key of a message and its value. */
const ROOMS: Readonly<Record<string, Readonly<Record<string, Room>>>> = {
  update: { device: "update_device", job: "update_job" },
  loglevel: Object.fromEntries(liveLevels.map((level) => [level, level])),
  sync: { all: "sync" }
}

const own = <A>(record: Readonly<Record<string, A>>, key: string): A | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined

/** The room that a message asks for: it has one of the keys, with a value that there is. Undefined for anything else. */
export const roomOf = (message: unknown): Room | undefined => {
  if (!isObject(message)) return undefined
  const [key, ...more] = Object.keys(ROOMS).filter((name) => Object.hasOwn(message, name))
  const value = key === undefined ? undefined : message[key]
  if (key === undefined || more.length > 0 || typeof value !== "string") return undefined
  return own(ROOMS[key] ?? {}, value)
}

/** The rooms that hear a line of this level: those of its own level and of all below. */
export const roomsOfLine = (level: LiveLevel): ReadonlyArray<Room> => liveLevels.slice(0, liveLevels.indexOf(level) + 1)
