/** The screen of each address. Addresses hold everything that a screen shows, so that they can be sent to a colleague. */
import { createRootRoute, createRoute, createRouter } from "@tanstack/react-router"
import { useMay, usePermissions } from "../api/rights.ts"
import { NoRights } from "../parts/NoRights.tsx"
import { ScreenStopped } from "../parts/ScreenError.tsx"
import { Skeleton } from "../parts/Skeleton.tsx"
import { lazyScreen } from "./lazyScreen.tsx"
import { NotHere } from "./NotHere.tsx"
import { type Screen, screens } from "./screens.ts"
import { Shell } from "./Shell.tsx"

const root = createRootRoute({ component: Shell, notFoundComponent: NotHere })

/** A screen by its address, for users who may see it. */
const guarded = ({ label, load, reads }: Screen) => {
  const Loaded = lazyScreen(load)
  const Guarded = () => {
    const may = useMay()
    const isKnown = usePermissions() !== undefined
    if (reads === undefined || may("GET", reads)) return <Loaded />
    return isKnown ? <NoRights needs={`read ${label.toLowerCase()}`} /> : <Skeleton what="your rights" />
  }
  return Object.assign(Guarded, { preload: Loaded.preload })
}

const routes = screens.map((screen) =>
  createRoute({ getParentRoute: () => root, path: screen.path, component: guarded(screen) })
)

/** Values of the query are texts, whatever they look like. */
const parseSearch = (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text))

const stringifySearch = (search: Record<string, unknown>): string => {
  const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== "")
  const words = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString()
  return words === "" ? "" : `?${words}`
}

export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: "/ui",
  defaultPreload: "intent",
  defaultErrorComponent: ScreenStopped,
  scrollRestoration: true,
  parseSearch,
  stringifySearch
})
