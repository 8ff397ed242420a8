/** The server itself, for its administrators. */
import { useMay } from "../../app/useSession.ts"
import { AddressTabs } from "../../parts/AddressTabs.tsx"
import { ScreenTitle } from "../../parts/ScreenTitle.tsx"
import { Health } from "./Health.tsx"
import { PluginsTab } from "./PluginsTab.tsx"
import { SettingsInForce } from "./SettingsInForce.tsx"

const PARTS = [
  { value: "health", label: "How it does", Panel: Health, reads: "/system/status" },
  { value: "settings", label: "Settings in force", Panel: SettingsInForce, reads: "/settings/server" },
  { value: "plugins", label: "Plugins", Panel: PluginsTab, reads: "/plugins" }
]

export default function Server() {
  const may = useMay()
  return (
    <>
      <ScreenTitle>Server</ScreenTitle>
      <AddressTabs label="Server" parts={PARTS.filter(({ reads }) => may("GET", reads))} />
    </>
  )
}
