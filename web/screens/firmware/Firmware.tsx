/** Firmware: the versions in use, the images, and upgrades from their order to their end. */
import { Tabs } from "@mantine/core"
import { useWords } from "../../app/useAddress.ts"
import { useMay } from "../../app/useSession.ts"
import { PageHead } from "../../parts/PageHead.tsx"
import { Campaigns } from "./Campaigns.tsx"
import { Images } from "./Images.tsx"
import { Upgrade } from "./Upgrade.tsx"
import { Versions } from "./Versions.tsx"

const TABS = [
  { value: "versions", label: "Versions", Panel: Versions, call: ["GET", "/firmware_versions"] },
  { value: "images", label: "Images", Panel: Images, call: ["GET", "/firmware_images"] },
  { value: "upgrade", label: "Upgrade", Panel: Upgrade, call: ["POST", "/firmware/upgradecheck"] },
  { value: "campaigns", label: "Upgrades under way and done", Panel: Campaigns, call: ["GET", "/jobs"] }
] as const

export default function Firmware() {
  const [words, change] = useWords()
  const may = useMay()
  const offered = TABS.filter(({ call: [method, path] }) => may(method, path))
  const shown = offered.find(({ value }) => value === words["tab"]) ?? offered[0]
  return (
    <>
      <PageHead title="Firmware" />
      {shown !== undefined && (
        <Tabs
          value={shown.value}
          onChange={(tab) => change({ tab: tab ?? undefined })}
          keepMounted={false}
          activateTabWithKeyboard={false}
        >
          <Tabs.List aria-label="Firmware" mb="sm">
            {offered.map(({ label, value }) => (
              <Tabs.Tab key={value} value={value}>
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {offered.map(({ Panel, value }) => (
            <Tabs.Panel key={value} value={value}>
              <Panel />
            </Tabs.Panel>
          ))}
        </Tabs>
      )}
    </>
  )
}
