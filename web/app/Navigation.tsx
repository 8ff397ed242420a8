/** The list of screens, with the letter that opens each after `g`. */
import { useRouter, useRouterState } from "@tanstack/react-router"
import { screens } from "./screens.ts"
import { useMay } from "./useSession.ts"

export const Navigation = () => {
  const may = useMay()
  const router = useRouter()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const offered = screens.filter(({ leap, reads }) => leap !== undefined && (reads === undefined || may("GET", reads)))
  return (
    <div>
      {offered.map(({ label, leap, path: to }) => (
        <a
          key={to}
          className="nav-link"
          href={`/ui${to}`}
          {...(path === to ? { "aria-current": "page" as const } : {})}
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
            event.preventDefault()
            router.history.push(`/ui${to}`)
          }}
        >
          {label}
          <span className="nav-key" aria-hidden>
            g {leap}
          </span>
        </a>
      ))}
    </div>
  )
}
