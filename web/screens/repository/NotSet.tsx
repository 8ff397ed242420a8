/** A repository that was never fetched: why, and the next step. Where the page leads through a first run, it goes on there. */
import { IconGitBranch } from "@tabler/icons-react"
import { screens } from "../../app/screens.ts"
import { useMay } from "../../app/useSession.ts"
import { Empty } from "../../parts/Empty.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import type { RepositoryName } from "./WhichRepository.tsx"

const SETTING = { settings: "GITREPO_SETTINGS", templates: "GITREPO_TEMPLATES" } as const
const FIRST_RUN = "/first-run"

export const NotSet = ({ name }: { readonly name: RepositoryName }) => {
  const may = useMay()
  const guide = screens.find(({ path, reads }) => path === FIRST_RUN && (reads === undefined || may("GET", reads)))
  return (
    <Empty
      icon={IconGitBranch}
      title="Nothing was fetched yet"
      action={
        guide === undefined ? (
          <PlainLink to="/manual/settings-repository">How repositories work</PlainLink>
        ) : (
          <PlainLink to={`${FIRST_RUN}?step=2`}>Set up the repositories</PlainLink>
        )
      }
    >
      The {name} come from git. An administrator sets the address as {SETTING[name]}; then Fetch now checks the newest
      commit and brings it into force.
    </Empty>
  )
}
