/** Access: people, tokens of programs, roles, who may do what and why, and where secrets are used. */
import { useMay } from "../../api/rights.ts"
import { AddressTabs } from "../../parts/AddressTabs.tsx"
import { PageHead } from "../../parts/PageHead.tsx"
import { Skeleton } from "../../parts/Skeleton.tsx"
import { Explain } from "./Explain.tsx"
import { People } from "./People.tsx"
import { Roles } from "./Roles.tsx"
import { Secrets } from "./Secrets.tsx"
import { Tokens } from "./Tokens.tsx"
import { useSeesEverybody } from "./useAdministrator.ts"
import "./access.css"

const PEOPLE = { value: "people", label: "People", Panel: People }
const SECRETS = { value: "secrets", label: "Secrets", Panel: Secrets }
const REST = [
  { value: "tokens", label: "Tokens", Panel: Tokens },
  { value: "roles", label: "Roles", Panel: Roles },
  { value: "explain", label: "Explain", Panel: Explain }
]

export default function Access() {
  const seesEverybody = useSeesEverybody()
  const may = useMay()
  return (
    <>
      <PageHead title="Access" />
      {seesEverybody === undefined ? (
        <Skeleton what="what you may do" />
      ) : (
        <AddressTabs
          label="Access"
          parts={[...(seesEverybody ? [PEOPLE] : []), ...REST, ...(may("GET", "/secrets") ? [SECRETS] : [])]}
        />
      )}
    </>
  )
}
