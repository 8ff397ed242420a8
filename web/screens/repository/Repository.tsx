/** For authors of settings and templates: the commit in force, refusals with their reasons, and trials before committing. */
import { Tabs } from "@mantine/core"
import "./repository.css"
import { useMay } from "../../app/useSession.ts"
import { useWords } from "../../app/useAddress.ts"
import { ScreenTitle } from "../../parts/ScreenTitle.tsx"
import { CheckTab } from "./CheckTab.tsx"
import { Commits } from "./Commits.tsx"
import { Files } from "./Files.tsx"
import { Model } from "./Model.tsx"
import { Render } from "./Render.tsx"
import { Variables } from "./Variables.tsx"

const TABS = [
  { value: "commits", label: "Commits and problems", Panel: Commits, call: ["GET", "/repository/settings/commits"] },
  { value: "files", label: "Files", Panel: Files, call: ["GET", "/repository/settings/files"] },
  { value: "model", label: "Model of the settings", Panel: Model, call: ["GET", "/settings/model"] },
  { value: "variables", label: "Variables of a device", Panel: Variables, call: ["GET", "/device/a/variables"] },
  { value: "render", label: "Try a template", Panel: Render, call: ["POST", "/device/a/render"] },
  { value: "check", label: "Check a branch", Panel: CheckTab, call: ["POST", "/repository/settings/check"] }
] as const

export default function Repository() {
  const [words, change] = useWords()
  const may = useMay()
  const offered = TABS.filter(({ call: [method, path] }) => may(method, path))
  const shown = offered.find(({ value }) => value === words["tab"]) ?? offered[0]
  return (
    <>
      <ScreenTitle>Repository</ScreenTitle>
      {shown !== undefined && (
        <Tabs
          value={shown.value}
          onChange={(tab) => change({ tab: tab ?? undefined, search: undefined })}
          keepMounted={false}
          activateTabWithKeyboard={false}
        >
          <Tabs.List aria-label="Repository" mb="sm">
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
