/** The foot of the navigation: who is signed in, with which roles, and the menu of what each person chooses for themselves. */
import { Menu } from "@mantine/core"
import { type MantineColorScheme, useMantineColorScheme } from "@mantine/core"
import { IconCheck, IconDots, IconKeyboard, IconLogout } from "@tabler/icons-react"
import type { ReactNode } from "react"
import { end } from "../api/session.ts"
import { token } from "../api/token.ts"
import { useAsk } from "../api/useAsk.ts"
import { densities, setDensity, useDensity } from "../parts/density.ts"
import { showUtc, useZone, zoneName } from "../parts/zone.ts"
import { forgetDrafts } from "./useDraft.ts"
import { turnLetters, useLetters } from "./useLeaps.ts"

const signOut = async () => {
  await end()
  forgetDrafts()
}

const SCHEMES: ReadonlyArray<readonly [MantineColorScheme, string]> = [
  ["light", "Light"],
  ["dark", "Dark"],
  ["auto", "As the system"]
]

interface ChoiceProps {
  readonly isOn: boolean
  readonly choose: () => void
  readonly children: ReactNode
  readonly kind?: "menuitemradio" | "menuitemcheckbox"
}

const Choice = ({ children, choose, isOn, kind = "menuitemradio" }: ChoiceProps) => (
  <Menu.Item
    role={kind}
    aria-checked={isOn}
    closeMenuOnClick={false}
    leftSection={<IconCheck size={16} stroke={1.75} aria-hidden data-off={!isOn || undefined} />}
    onClick={choose}
  >
    {children}
  </Menu.Item>
)

/** The roles of the user, in the words of the site. */
const useRoles = (): string => {
  const { data } = useAsk("GET /auth/roles")
  const held = (data?.answer.data.roles ?? []).filter(({ is_held }) => is_held).map(({ name }) => name)
  return held.join(", ")
}

interface Props {
  readonly name: string
  readonly askKeys: () => void
}

export const Account = ({ askKeys, name }: Props) => {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const density = useDensity()
  const isUtc = useZone().timeZone === "UTC"
  const letters = useLetters()
  const roles = useRoles()
  return (
    <Menu position="top-start" width={220} shadow="xl" withinPortal>
      <Menu.Target>
        <button type="button" className="account" title="Your menu">
          <span className="account-letter" aria-hidden>
            {name.slice(0, 1).toUpperCase()}
          </span>
          <span className="account-words">
            <b>{name}</b>
            {roles !== "" && <span>{roles}</span>}
          </span>
          <IconDots size={16} stroke={1.75} aria-hidden className="account-dots" />
          <span className="unseen">, your menu</span>
        </button>
      </Menu.Target>
      <Menu.Dropdown className="account-menu">
        <Menu.Label>Colours</Menu.Label>
        {SCHEMES.map(([scheme, label]) => (
          <Choice key={scheme} isOn={colorScheme === scheme} choose={() => setColorScheme(scheme)}>
            {label}
          </Choice>
        ))}
        <Menu.Label>Rows</Menu.Label>
        {densities.map((one) => (
          <Choice key={one} isOn={density === one} choose={() => setDensity(one)}>
            {one === "compact" ? "Compact" : "Comfortable"}
          </Choice>
        ))}
        <Menu.Label>Times</Menu.Label>
        <Choice isOn={!isUtc} choose={() => showUtc(false)}>
          Of this place ({zoneName({})})
        </Choice>
        <Choice isOn={isUtc} choose={() => showUtc(true)}>
          UTC
        </Choice>
        <Menu.Label>Keys</Menu.Label>
        <Choice kind="menuitemcheckbox" isOn={letters} choose={() => turnLetters(!letters)}>
          Single letters
        </Choice>
        <Menu.Item leftSection={<IconKeyboard size={16} stroke={1.75} aria-hidden />} onClick={askKeys}>
          All keys
        </Menu.Item>
        {token() !== null && (
          <>
            <Menu.Divider />
            <Menu.Item leftSection={<IconLogout size={16} stroke={1.75} aria-hidden />} onClick={() => void signOut()}>
              Sign out
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
