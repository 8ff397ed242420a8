/** A repository that was never fetched: why, and the next step. */
import { IconGitBranch } from "@tabler/icons-react"
import { Empty } from "../../parts/Empty.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import type { RepositoryName } from "./WhichRepository.tsx"

const SETTING = { settings: "GITREPO_SETTINGS", templates: "GITREPO_TEMPLATES" } as const

export const NotSet = ({ name }: { readonly name: RepositoryName }) => (
  <Empty
    icon={IconGitBranch}
    title="Nothing was fetched yet"
    action={<PlainLink to="/manual/settings-repository">How repositories work</PlainLink>}
  >
    The {name} come from git. An administrator sets the address as {SETTING[name]}; then Fetch now checks the newest
    commit and brings it into force.
  </Empty>
)
