/** What the page hears from the server: answers that an event has made old are asked for again, and screens may listen themselves. */
import { type Query, useQueryClient } from "@tanstack/react-query"
import { createContext, type ReactNode, useContext, useEffect, useEffectEvent, useMemo, useRef, useState } from "react"
import { type Heard, listen } from "../api/eventStream.ts"
import { useIdentity, useToken } from "./useSession.ts"

/** Many events of one moment make one question. */
const GATHERED = 400
/** Milliseconds between two questions while events go on, or up to twice that: many pages may follow a change, and not ask at once. */
const PACE = 2000

type Listener = (event: Heard) => void

interface Live {
  readonly connected: boolean
  readonly listeners: Set<Listener>
}

const Context = createContext<Live>({ connected: false, listeners: new Set() })

const isAbout = (query: Query, kinds: ReadonlySet<string>): boolean => {
  const asked: unknown = query.meta?.["kinds"]
  return Array.isArray(asked) && asked.some((kind) => kinds.has(kind))
}

/** Holds the stream while somebody is signed on. */
export const LiveProvider = ({ children }: { readonly children: ReactNode }) => {
  const client = useQueryClient()
  const known = useToken()
  const isSomebody = typeof useIdentity().data === "string"
  const [connected, setConnected] = useState(true)
  const listeners = useRef(new Set<Listener>()).current
  useEffect(() => {
    if (!isSomebody) return
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
    const stop = listen((news) => {
      if (news.type === "state") {
        setConnected(news.connected)
        if (news.connected && wasLost) void client.invalidateQueries()
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
  }, [client, isSomebody, known, listeners])
  const live = useMemo(() => ({ connected, listeners }), [connected, listeners])
  return <Context value={live}>{children}</Context>
}

/** False while the stream is cut: what is shown may be old. */
export const useConnected = (): boolean => useContext(Context).connected

/** Hears each event. */
export const useEvents = (heard: Listener): void => {
  const { listeners } = useContext(Context)
  const hear = useEffectEvent(heard)
  useEffect(() => {
    const listener: Listener = (event) => hear(event)
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }, [listeners])
}
