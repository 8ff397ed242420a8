/** The server itself, for its administrators. */
import { useMay } from "../../app/useSession.ts"
import { AddressTabs } from "../../parts/AddressTabs.tsx"
import { PageHead } from "../../parts/PageHead.tsx"
import { Health } from "./Health.tsx"
import { PluginsTab } from "./PluginsTab.tsx"
import { WindowsTab } from "./WindowsTab.tsx"
import { SettingsInForce } from "./SettingsInForce.tsx"

const PARTS = [
  { value: "health", label: "Health", Panel: Health, reads: "/system/status" },
  { value: "windows", label: "Windows", Panel: WindowsTab, reads: "/windows" },
  { value: "settings", label: "Settings in force", Panel: SettingsInForce, reads: "/settings/server" },
  { value: "plugins", label: "Plugins", Panel: PluginsTab, reads: "/plugins" }
]

export default function Server() {
  const may = useMay()
  return (
    <>
      <PageHead title="Server" facts="Is it well, and what is set" />
      <AddressTabs label="Server" parts={PARTS.filter(({ reads }) => may("GET", reads))} />
    </>
  )
}
