/** Says which repository has no commit in force, and why: without one no switch can be provisioned or changed. */
import { Alert } from "@mantine/core"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { PlainLink } from "../../parts/PlainLink.tsx"

const EVERY = 10_000
const REPOSITORIES: ReadonlySet<string> = new Set(["settings", "templates"])

export const NotInForce = () => {
  const may = useMay()
  const { data } = useAsk(
    "GET /system/status",
    {},
    { kinds: ["repository"], enabled: may("GET", "/system/status"), every: EVERY }
  )
  const lacking = (data?.answer.data.checks ?? []).filter(
    ({ name, status }) => REPOSITORIES.has(name) && status === "DOWN"
  )
  return lacking.map(({ message, name }) => (
    <Alert key={name} variant="outline" color="red" mb="xs" role="status" title={`The ${name} are not in force`}>
      {message} <PlainLink to={`/repository?name=${name}`}>Commits and problems</PlainLink>
    </Alert>
  ))
}
