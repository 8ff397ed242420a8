/** For authors of settings and templates: the commit in force, refusals with their reasons, and trials before committing. */
import { Button, Tabs } from "@mantine/core"
import { IconGitBranch } from "@tabler/icons-react"
import "../change/change.css"
import "./repository.css"
import { useMay } from "../../app/useSession.ts"
import { useWords } from "../../app/useAddress.ts"
import { PageHead } from "../../parts/PageHead.tsx"
import { Checks } from "./Checks.tsx"
import { CheckTab } from "./CheckTab.tsx"
import { Commits } from "./Commits.tsx"
import { FetchButton, Fetched, useFetch } from "./FetchNow.tsx"
import { Files } from "./Files.tsx"
import { Model } from "./Model.tsx"
import { ProposalsTab } from "./ProposalsTab.tsx"
import { Render } from "./Render.tsx"
import { Variables } from "./Variables.tsx"
import { useRepository } from "./WhichRepository.tsx"

const TABS = [
  { value: "commits", label: "Commits", Panel: Commits, call: ["GET", "/repository/settings/commits"] },
  { value: "proposals", label: "Proposals", Panel: ProposalsTab, call: ["GET", "/proposals"] },
  { value: "files", label: "Files", Panel: Files, call: ["GET", "/repository/settings/files"] },
  { value: "model", label: "All keys", Panel: Model, call: ["GET", "/settings/model"] },
  { value: "variables", label: "Variables of a switch", Panel: Variables, call: ["GET", "/device/a/variables"] },
  { value: "render", label: "Try a template", Panel: Render, call: ["POST", "/device/a/render"] },
  { value: "checks", label: "Checks of changes", Panel: Checks, call: ["GET", "/checks"] },
  { value: "check", label: "Check a branch", Panel: CheckTab, call: ["POST", "/repository/settings/check"] }
] as const

export default function Repository() {
  const [words, change] = useWords()
  const may = useMay()
  const name = useRepository()
  const fetching = useFetch(name)
  const offered = TABS.filter(({ call: [method, path] }) => may(method, path))
  const shown = offered.find(({ value }) => value === words["tab"]) ?? offered[0]
  const open = (tab: string | null) => change({ tab: tab ?? undefined, search: undefined })
  const mayCheck = offered.some(({ value }) => value === "check") && shown?.value !== "check"
  return (
    <>
      <PageHead
        title="Repository"
        facts="Settings and templates, as they are in git"
        actions={may("PUT", `/repository/${name}`) ? <FetchButton fetching={fetching} /> : undefined}
        main={
          mayCheck ? (
            <Button leftSection={<IconGitBranch size={15} stroke={1.75} />} onClick={() => open("check")}>
              Check a branch
            </Button>
          ) : undefined
        }
      />
      <Fetched fetching={fetching} name={name} />
      {shown !== undefined && (
        <Tabs value={shown.value} onChange={open} keepMounted={false} activateTabWithKeyboard={false}>
          <Tabs.List aria-label="Repository" mb="md">
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
