/** The callers that are connected by socket.io, each once however many connections they have, and what they may hear. */
import { Effect } from "effect"
import type { Identity } from "../../domain/access/Identity.ts"
import { type Hearing, hearsAll } from "../Hearing.ts"

/** Somebody who is connected. */
export interface ConnectedCaller {
  /** Begins the names of their rooms. */
  readonly key: string
  readonly identity: Identity
  hearing: Hearing
  connections: number
}

const keyOf = ({ attributes, name, roles, way }: Identity): string =>
  JSON.stringify([way, name, roles, Object.entries(attributes)])

/** The callers of this process. */
export const makeConnectedCallers = <E>(hearingOf: (identity: Identity) => Effect.Effect<Hearing, E>) => {
  const callers = new Map<string, ConnectedCaller>()
  let next = 1

  const enter = Effect.fnUntraced(function* (identity: Identity) {
    const key = keyOf(identity)
    const hearing = yield* hearingOf(identity)
    const caller = callers.get(key) ?? { key: `${next++}`, identity, hearing, connections: 0 }
    caller.hearing = hearing
    caller.connections += 1
    callers.set(key, caller)
    return caller
  })

  const leave = (caller: ConnectedCaller) =>
    Effect.sync(() => {
      caller.connections -= 1
      if (caller.connections === 0) callers.delete(keyOf(caller.identity))
    })

  return {
    /** Counts a connection of somebody until the scope closes. */
    entered: (identity: Identity) => Effect.acquireRelease(enter(identity), leave),
    /** Asks again what everybody may hear. */
    refresh: Effect.suspend(() =>
      Effect.forEach(
        [...callers.values()],
        (caller) =>
          Effect.map(hearingOf(caller.identity), (hearing) => {
            caller.hearing = hearing
          }),
        { discard: true }
      )
    ),
    /** The number of connections of all. */
    connections: () => [...callers.values()].reduce((sum, { connections }) => sum + connections, 0),
    /** Those who hear everything. */
    unlimited: () => [...callers.values()].filter(({ hearing }) => hearsAll(hearing)),
    /** Those who do not. */
    limited: () => [...callers.values()].filter(({ hearing }) => !hearsAll(hearing))
  }
}
