/** The menu of what each person chooses for themselves, and the sign-out. */
import { type MantineColorScheme, Menu, useMantineColorScheme } from "@mantine/core"
import { IconCheck, IconKeyboard, IconLogout } from "@tabler/icons-react"
import type { ReactElement, ReactNode } from "react"
import { end } from "../api/session.ts"
import { token } from "../api/token.ts"
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

interface Props {
  /** The button that opens it. */
  readonly children: ReactElement
  readonly askKeys: () => void
}

export default function AccountMenu({ askKeys, children }: Props) {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const density = useDensity()
  const isUtc = useZone().timeZone === "UTC"
  const letters = useLetters()
  return (
    <Menu defaultOpened position="top-start" width={220} shadow="xl" transitionProps={{ duration: 0 }}>
      <Menu.Target>{children}</Menu.Target>
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
