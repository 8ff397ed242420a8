/**
 * A screen whose script is loaded when it is opened first. While the server is away, the shell stays and the screen tries again. When the
 * script does not load although the server answers, the server was updated: the page reloads itself once, then it says what is wrong.
 */
import { type ComponentType, useEffect, useReducer, useState } from "react"
import { Skeleton } from "../parts/Skeleton.tsx"
import { Empty } from "../parts/Empty.tsx"
import { ScreenError } from "../parts/ScreenError.tsx"

/** Milliseconds until the next attempt. */
const PATIENCE = { first: 1000, longest: 8000 } as const
/** The address for which this tab has reloaded itself. */
const RELOADED = "switchyard.reloaded"

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/** Whether the server gives out the page; a reload while it does not would leave nothing of the page. */
const isServed = async (): Promise<boolean> => {
  try {
    return (await fetch("/ui/", { cache: "no-store" })).ok
  } catch {
    return false
  }
}

type Load = () => Promise<{ readonly default: ComponentType }>
type Standing =
  | { readonly is: "loading" }
  | { readonly is: "away" }
  | { readonly is: "broken"; readonly error: unknown }

/** Loads until it succeeds or the signal ends it. */
const loadPatiently = async (load: () => Promise<unknown>, tell: (standing: Standing) => void, signal: AbortSignal) => {
  for (let wait: number = PATIENCE.first; !signal.aborted; wait = Math.min(wait * 2, PATIENCE.longest)) {
    try {
      await load()
      return sessionStorage.removeItem(RELOADED)
    } catch (error) {
      const served = await isServed()
      if (signal.aborted) return
      if (served) {
        if (sessionStorage.getItem(RELOADED) === location.pathname) return tell({ is: "broken", error })
        sessionStorage.setItem(RELOADED, location.pathname)
        return location.reload()
      }
      tell({ is: "away" })
      await pause(wait)
    }
  }
}

const Loading = ({ done, load }: { readonly load: Load; readonly done: () => void }) => {
  const [standing, setStanding] = useState<Standing>({ is: "loading" })
  const [turn, again] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    const ended = new AbortController()
    const loadThen = async () => {
      await load()
      done()
    }
    void loadPatiently(loadThen, setStanding, ended.signal)
    return () => ended.abort()
  }, [done, load, turn])
  if (standing.is === "loading") return <Skeleton what="the screen" />
  if (standing.is === "away")
    return (
      <div role="status">
        <Empty>This screen cannot be loaded while the server does not answer. The page tries again by itself.</Empty>
      </div>
    )
  const reload = () => {
    sessionStorage.removeItem(RELOADED)
    setStanding({ is: "loading" })
    again()
  }
  return (
    <ScreenError title="This screen cannot be loaded" error={standing.error} again={reload}>
      The rest of the page still works. What you typed is kept.
    </ScreenError>
  )
}

/** The component of a screen; `preload` lets the router load it before it leaves the screen that is shown. */
export const lazyScreen = (load: Load) => {
  let Loaded: ComponentType | undefined
  const loadOnce: Load = async () => {
    const found = await load()
    Loaded = found.default
    return found
  }
  const LazyScreen = () => {
    const [, drawAgain] = useReducer((count: number) => count + 1, 0)
    return Loaded === undefined ? <Loading load={loadOnce} done={drawAgain} /> : <Loaded />
  }
  const preload = async (): Promise<void> => {
    if (Loaded === undefined) await loadOnce().catch(() => undefined)
  }
  return Object.assign(LazyScreen, { preload })
}
