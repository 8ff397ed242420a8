/** The screen of each address. Addresses hold everything that a screen shows, so that they can be sent to a colleague. */
import { createRootRoute, createRoute, createRouter } from "@tanstack/react-router"
import { ScreenStopped } from "../parts/ScreenError.tsx"
import { lazyScreen } from "./lazyScreen.tsx"
import { NotHere } from "./NotHere.tsx"
import { screens } from "./screens.ts"
import { Shell } from "./Shell.tsx"

const root = createRootRoute({ component: Shell, notFoundComponent: NotHere })

const routes = screens.map(({ load, path }) =>
  createRoute({ getParentRoute: () => root, path, component: lazyScreen(load) })
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
