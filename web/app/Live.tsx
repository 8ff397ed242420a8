/** The live connection to the server: refreshes answers that an event has outdated, and passes events to screens that subscribe. */
import { type Query, useQueryClient } from "@tanstack/react-query"
import { createContext, type ReactNode, useContext, useEffect, useEffectEvent, useMemo, useRef, useState } from "react"
import { type Heard, listen } from "../api/eventStream.ts"
import { toast } from "../parts/Toast.tsx"
import { useIdentity, useMay, useToken } from "./useSession.ts"

/** Milliseconds in which several events cause one query. */
const GATHERED = 400
/**
 * Milliseconds between two queries while events arrive, or up to twice that: many pages may follow a change, and must not ask at the same
 * time.
 */
const PACE = 2000

type Listener = (event: Heard) => void

/** The stream is interrupted: since when, and when the next attempt is; milliseconds since 1970. */
export interface Away {
  readonly since: number
  readonly retryAt: number
  readonly tryNow: () => void
}

interface Live {
  /** Null while the page is live. */
  readonly away: Away | null
  readonly listeners: Set<Listener>
}

const Context = createContext<Live>({ away: null, listeners: new Set() })

const isAbout = (query: Query, kinds: ReadonlySet<string>): boolean => {
  const asked: unknown = query.meta?.["kinds"]
  return Array.isArray(asked) && asked.some((kind) => kinds.has(kind))
}

/** Holds the stream while a user is signed on. */
export const LiveProvider = ({ children }: { readonly children: ReactNode }) => {
  const client = useQueryClient()
  const known = useToken()
  const isSignedOn = typeof useIdentity().data === "string"
  const mayListen = useMay()("GET", "/events")
  const [away, setAway] = useState<Away | null>(null)
  const listeners = useRef(new Set<Listener>()).current
  useEffect(() => {
    if (!isSignedOn || !mayListen) return
    let told = new Set<string>()
    let timer: ReturnType<typeof setTimeout> | undefined
    let wasLost = false
    let next = Number.NEGATIVE_INFINITY
    const askAgain = () => {
      timer = undefined
      next = performance.now() + PACE * (1 + Math.random())
      const kinds = told
      told = new Set()
      void client.invalidateQueries({ predicate: (query) => isAbout(query, kinds) })
    }
    const { stop, tryNow } = listen((news) => {
      if (news.type === "state") {
        if (news.connected) {
          setAway(null)
          if (wasLost) {
            void client.invalidateQueries()
            toast({ title: "Live again" })
          }
        } else {
          const { retryAt } = news
          setAway((before) => ({ since: before?.since ?? Date.now(), retryAt, tryNow }))
        }
        wasLost = !news.connected
      }
      if (news.type === "gap") void client.invalidateQueries()
      if (news.type !== "event") return
      for (const listener of listeners) listener(news.event)
      told.add(news.event.kind)
      timer ??= setTimeout(askAgain, Math.max(GATHERED, next - performance.now()))
    })
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [client, isSignedOn, known, listeners, mayListen])
  const live = useMemo(() => ({ away, listeners }), [away, listeners])
  return <Context value={live}>{children}</Context>
}

/** Not null while the stream is interrupted: the page may be out of date. */
export const useAway = (): Away | null => useContext(Context).away

/** Subscribes to every event. */
export const useEvents = (received: Listener): void => {
  const { listeners } = useContext(Context)
  const receive = useEffectEvent(received)
  useEffect(() => {
    const listener: Listener = (event) => receive(event)
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }, [listeners])
}
