/** The frame of every screen: navigation, jump field, signed-in user, and whether the page is live. */
import { ActionIcon, AppShell, Group } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { IconKeyboard, IconSearch } from "@tabler/icons-react"
import { Outlet, useLocation, useParams, useRouterState } from "@tanstack/react-router"
import { lazy, Suspense, useEffect, useRef } from "react"
import { hasLeft } from "../api/session.ts"
import { useAsk } from "../api/useAsk.ts"
import { CRUMBS } from "../parts/crumbs.ts"
import { PlainLink } from "../parts/PlainLink.tsx"
import { Problem } from "../parts/Problem.tsx"
import { Skeleton } from "../parts/Skeleton.tsx"
import { useZone, zoneName } from "../parts/zone.ts"
import { Account } from "./Account.tsx"
import { useAway } from "./Live.tsx"
import { Mark } from "./Mark.tsx"
import { Navigation, PhoneBar, useLanding, usePlace } from "./Navigation.tsx"
import { OfflineBar } from "./OfflineBar.tsx"
import { noteRecent } from "./recent.ts"
import { SchemeButton } from "./SchemeButton.tsx"
import { useLeaps } from "./useLeaps.ts"
import { useIdentity, useToken } from "./useSession.ts"
import { NewVersion } from "./NewVersion.tsx"

const Palette = lazy(() => import("./Palette.tsx"))
const SignIn = lazy(() => import("./SignIn.tsx"))
const KeysSheet = lazy(() => import("./KeysSheet.tsx"))

type Texts = Readonly<Record<string, string | undefined>>

/** The name of the site, or the host where it has none. */
const useSite = (): string => useAsk("GET /auth/ways").data?.answer.data.site ?? location.host

const Brand = () => (
  <PlainLink to="/" className="brand">
    <Mark size={26} />
    <span className="brand-words">
      <b>Switchyard</b>
      <span>{useSite()}</span>
    </span>
  </PlainLink>
)

const Liveness = () => {
  const isLive = useAway() === null
  return (
    <span className="live" data-live={isLive}>
      {isLive ? "Live" : "Not live"}
    </span>
  )
}

/** Where the user is: the entry of the navigation and the thing that is shown, unless the head of the screen puts its own way here. */
const WhereAt = () => {
  const { entry, screen } = usePlace()
  const parts: Texts = useParams({ strict: false })
  const part = Object.values(parts)[0]
  return (
    <div className="crumbs" id={CRUMBS}>
      {entry !== undefined && (screen === entry || part === undefined) && <span>{entry.label}</span>}
      {entry !== undefined && screen !== entry && part !== undefined && (
        <>
          <PlainLink to={entry.path}>{entry.label}</PlainLink>
          <span aria-hidden>/</span>
          <span>{part}</span>
        </>
      )}
    </div>
  )
}

/** The zone of all times on the screen. */
const ZoneOfTimes = () => <span className="zone">Times in {zoneName(useZone())}</span>

const usePaletteKey = (toggle: () => void) => {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      toggle()
    }
    window.addEventListener("keydown", onKey)
    return () => window.removeEventListener("keydown", onKey)
  }, [toggle])
}

/** Notes the places that are shown, for the jump field. */
const useRecent = () => {
  const { entry, screen } = usePlace()
  const { pathname } = useLocation()
  const parts: Texts = useParams({ strict: false })
  const part = Object.values(parts)[0]
  const label = part === undefined ? entry?.label : screen?.path === "/job/$id" ? `Job ${part}` : part
  useEffect(() => {
    if (label !== undefined) noteRecent({ to: pathname, label })
  }, [label, pathname])
}

const Inside = ({ name }: { readonly name: string }) => {
  const [isOpen, { close, toggle }] = useDisclosure(false)
  const [isSheet, sheet] = useDisclosure(false)
  const [isJumping, jump] = useDisclosure(false)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  usePaletteKey(jump.toggle)
  useRecent()
  useLeaps(sheet.open)
  useLanding()
  useEffect(close, [close, path])
  return (
    <AppShell
      layout="alt"
      header={{ height: 45 }}
      navbar={{ width: { base: 228, sm: 52, lg: 228 }, breakpoint: "sm", collapsed: { mobile: !isOpen } }}
      footer={{ height: { base: 56, sm: 0 } }}
      padding={{ base: "sm", lg: "lg" }}
    >
      <a className="skip" href="#screen">
        Skip to content
      </a>
      <AppShell.Navbar aria-label="Screens" className="side">
        <Brand />
        <button
          type="button"
          className="jump"
          aria-keyshortcuts="Control+K"
          title="Search or jump to"
          onClick={jump.open}
        >
          <IconSearch size={16} stroke={1.75} aria-hidden />
          <span className="nav-word">Search or jump to</span>
          <kbd className="nav-word" aria-hidden>
            Ctrl K
          </kbd>
        </button>
        <Navigation />
        <Account name={name} askKeys={sheet.open} />
      </AppShell.Navbar>
      <AppShell.Header>
        <Group h="100%" px={{ base: "sm", lg: "lg" }} justify="space-between" wrap="nowrap" gap="xs">
          <WhereAt />
          <Group gap="xs" wrap="nowrap">
            <ZoneOfTimes />
            <Liveness />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label="Search or jump to"
              hiddenFrom="sm"
              onClick={jump.open}
            >
              <IconSearch size={16} stroke={1.75} />
            </ActionIcon>
            <ActionIcon variant="subtle" color="gray" aria-label="Keys" visibleFrom="sm" onClick={sheet.open}>
              <IconKeyboard size={16} stroke={1.75} />
            </ActionIcon>
            <SchemeButton />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Main id="screen" tabIndex={-1}>
        <OfflineBar />
        <NewVersion />
        <Suspense fallback={<Skeleton what="the screen" />}>
          <Outlet />
        </Suspense>
      </AppShell.Main>
      <AppShell.Footer hiddenFrom="sm">
        <PhoneBar isOpen={isOpen} more={toggle} />
      </AppShell.Footer>
      {isJumping && (
        <Suspense>
          <Palette close={jump.close} />
        </Suspense>
      )}
      {isSheet && (
        <Suspense>
          <KeysSheet close={sheet.close} />
        </Suspense>
      )}
    </AppShell>
  )
}

/** Whose screens are shown: nobody's before a sign-in, and the last user's while the sign-in of an ended session covers them. */
const useShown = (present: string | null | undefined): string | null => {
  const last = useRef<string | null>(null)
  if (typeof present === "string") last.current = present
  if (present === null && hasLeft()) last.current = null
  return last.current
}

export const Shell = () => {
  useToken()
  const { data, error, refetch } = useIdentity()
  const shown = useShown(data)
  const isOut = data === null
  return (
    <>
      {shown !== null && (
        <div key={shown} inert={isOut}>
          <Inside name={shown} />
        </div>
      )}
      {isOut && (
        <Suspense>
          <SignIn isOver={shown !== null} />
        </Suspense>
      )}
      {data === undefined && (
        <main>
          {error === null ? (
            <Skeleton what="the server" />
          ) : (
            <Problem error={error} title="The server cannot be reached" again={() => void refetch()} />
          )}
        </main>
      )}
    </>
  )
}
