/** The frame of every screen: navigation, palette, signed-on user, and whether the page is live. */
import {
  ActionIcon,
  AppShell,
  Burger,
  Button,
  Group,
  Text,
  useComputedColorScheme,
  useMantineColorScheme
} from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { IconMoon, IconSun } from "@tabler/icons-react"
import { Outlet, useRouterState } from "@tanstack/react-router"
import { lazy, Suspense, useEffect, useState } from "react"
import { end } from "../api/session.ts"
import { token } from "../api/token.ts"
import { PlainLink } from "../parts/PlainLink.tsx"
import { Problem } from "../parts/Problem.tsx"
import { Tone } from "../parts/Tone.tsx"
import { Waiting } from "../parts/Waiting.tsx"
import { useAway } from "./Live.tsx"
import { Navigation } from "./Navigation.tsx"
import { OfflineBar } from "./OfflineBar.tsx"
import { SignOn } from "./SignOn.tsx"
import { forgetDrafts } from "./useDraft.ts"
import { useLeaps } from "./useLeaps.ts"
import { useIdentity, useToken } from "./useSession.ts"

const Palette = lazy(() => import("./Palette.tsx"))

const SchemeButton = () => {
  const { setColorScheme } = useMantineColorScheme()
  const next = useComputedColorScheme("light") === "dark" ? "light" : "dark"
  return (
    <ActionIcon variant="default" aria-label={`Use the ${next} scheme`} onClick={() => setColorScheme(next)}>
      {next === "dark" ? <IconMoon size={16} stroke={1.75} /> : <IconSun size={16} stroke={1.75} />}
    </ActionIcon>
  )
}

const Account = ({ name }: { readonly name: string }) => (
  <Group gap="xs" wrap="nowrap">
    <Text size="sm" visibleFrom="xs">
      {name}
    </Text>
    {token() !== null && (
      <Button size="compact-sm" variant="default" onClick={() => void signOff()}>
        Sign off
      </Button>
    )}
  </Group>
)

const Liveness = () => {
  const away = useAway()
  return away === null ? <Tone tone="good">Live</Tone> : <Tone tone="warn">Not live</Tone>
}

const signOff = async () => {
  await end()
  forgetDrafts()
}

const usePaletteKey = () => {
  const [isAsked, setAsked] = useState(0)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      setAsked((count) => count + 1)
    }
    window.addEventListener("keydown", onKey)
    return () => window.removeEventListener("keydown", onKey)
  }, [])
  return [isAsked, () => setAsked((count) => count + 1)] as const
}

const Inside = ({ name }: { readonly name: string }) => {
  const [isOpen, { close, toggle }] = useDisclosure(false)
  const [asked, askPalette] = usePaletteKey()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  useLeaps()
  useEffect(close, [close, path])
  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{ width: 190, breakpoint: "sm", collapsed: { mobile: !isOpen } }}
      padding="sm"
    >
      <AppShell.Header>
        <a className="skip" href="#screen">
          Skip to the screen
        </a>
        <Group h="100%" px="sm" justify="space-between" wrap="nowrap" gap="xs">
          <Group gap="xs" wrap="nowrap">
            <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
            <PlainLink to="/">
              <b>Switchyard</b>
            </PlainLink>
            <Liveness />
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Button
              size="compact-sm"
              variant="default"
              onClick={askPalette}
              aria-keyshortcuts="Control+K"
              visibleFrom="xs"
            >
              Go to …
            </Button>
            <SchemeButton />
            <Account name={name} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Screens">
        <Navigation />
      </AppShell.Navbar>
      <AppShell.Main id="screen" tabIndex={-1}>
        <OfflineBar />
        <Suspense fallback={<Waiting what="the screen" />}>
          <Outlet />
        </Suspense>
      </AppShell.Main>
      {asked > 0 && (
        <Suspense>
          <Palette asked={asked} />
        </Suspense>
      )}
    </AppShell>
  )
}

export const Shell = () => {
  useToken()
  const { data, error, refetch } = useIdentity()
  if (data === null) return <SignOn />
  if (data !== undefined) return <Inside name={data} />
  return (
    <main>
      {error === null ? (
        <Waiting what="the server" />
      ) : (
        <Problem error={error} title="The server cannot be reached" again={() => void refetch()} />
      )}
    </main>
  )
}
