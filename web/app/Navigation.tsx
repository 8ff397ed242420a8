/** The screens that the user may see, in groups; below 1100 pixels icons only, on a phone a bar below with the rest behind "More". */
import { IconDots } from "@tabler/icons-react"
import { useRouter, useRouterState } from "@tanstack/react-router"
import { type MouseEvent, useEffect } from "react"
import { number } from "../../src/domain/words/Units.ts"
import { useAsk } from "../api/useAsk.ts"
import type { ReadCount } from "./counts.ts"
import { entries, type Entry, FIRST_ON_PHONE, GROUPS, LANDINGS, screens } from "./screens.ts"
import { useMay } from "./useSession.ts"

/** How many screens the bar of a phone has beside "More". */
const BAR = 4

const useOffered = (): ReadonlyArray<Entry> => {
  const may = useMay()
  return entries.filter(({ reads }) => reads === undefined || may("GET", reads))
}

/** The screen that is shown, and the entry of the navigation that it belongs to. */
export const usePlace = () => {
  const path: string = useRouterState({ select: ({ matches }): string => matches.at(-1)?.fullPath ?? "" })
  const isAt = (own: string) => own === path || own === `${path}/` || `${own}/` === path
  const screen = screens.find((one) => isAt(one.path))
  const entry = entries.find((one) => one.path === (screen?.under ?? screen?.path))
  return { screen, entry }
}

/** Leads a user who may not see the overview to what they may see, once their rights are known. */
export const useLanding = (): void => {
  const router = useRouter()
  const offered = useOffered()
  const may = useMay()
  const isKnown = useAsk("GET /auth/permissions").data !== undefined
  const { entry } = usePlace()
  const isRefused = isKnown && entry?.path === "/" && offered.every(({ path }) => path !== "/")
  const paths = offered.map(({ path }) => path)
  const landing =
    LANDINGS.find(({ call, path }) => paths.includes(path) && (call === undefined || may(...call)))?.path ?? paths[0]
  useEffect(() => {
    if (isRefused && landing !== undefined) router.history.replace(`/ui${landing}`)
  }, [isRefused, landing, router])
}

const useGo = () => {
  const router = useRouter()
  return (to: string) => (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    router.history.push(`/ui${to}`)
  }
}

const Number = ({ read }: { readonly read: ReadCount }) => {
  const count = read()
  return (
    count !== null && (
      <span className="nav-count" data-tone={count.tone} title={count.says}>
        <span aria-hidden>{typeof count.shown === "number" ? number(count.shown) : count.shown}</span>
        <span className="unseen">, {count.says}</span>
      </span>
    )
  )
}

const Links = ({ offered }: { readonly offered: ReadonlyArray<Entry> }) => {
  const go = useGo()
  const { entry: present, screen } = usePlace()
  return offered.map(({ entry: { count, icon: EntryIcon, leaps }, label, path: to }) => (
    <a
      key={to}
      className="nav-link"
      href={`/ui${to}`}
      title={`${label} (g ${leaps[0] ?? ""})`}
      {...(present?.path === to ? { "aria-current": screen?.path === to ? ("page" as const) : true } : {})}
      onClick={go(to)}
    >
      <EntryIcon size={16} stroke={1.75} aria-hidden />
      <span className="nav-word">{label}</span>
      {count !== undefined && <Number read={count} />}
    </a>
  ))
}

export const Navigation = () => {
  const offered = useOffered()
  return GROUPS.map((group) => {
    const own = offered.filter(({ entry }) => entry.group === group)
    return (
      own.length > 0 && (
        <div key={group} className="nav-group" data-group={group}>
          {group !== "" && group !== "foot" && <div className="nav-head">{group}</div>}
          <Links offered={own} />
        </div>
      )
    )
  })
}

interface BarProps {
  readonly isOpen: boolean
  readonly more: () => void
}

/** The bar of a phone. */
export const PhoneBar = ({ isOpen, more }: BarProps) => {
  const offered = useOffered()
  const rank = ({ path }: Entry) => (FIRST_ON_PHONE.includes(path) ? FIRST_ON_PHONE.indexOf(path) : BAR * BAR)
  const first = offered.toSorted((a, b) => rank(a) - rank(b)).slice(0, BAR)
  return (
    <nav className="phone-bar" aria-label="First screens">
      <Links offered={first} />
      <button type="button" className="nav-link" aria-expanded={isOpen} onClick={more}>
        <IconDots size={20} stroke={1.75} aria-hidden />
        <span className="nav-word">More</span>
      </button>
    </nav>
  )
}
