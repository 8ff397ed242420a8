/** Proposes a branch in one click, and leads to its proposal, which keeps the check and is renewed when the branch moves. */
import { Button } from "@mantine/core"
import { IconGitPullRequest } from "@tabler/icons-react"
import { useRouter } from "@tanstack/react-router"
import { ask } from "../../api/call.ts"
import { useMay } from "../../app/useSession.ts"
import { Problem } from "../../parts/Problem.tsx"
import { useAct } from "../../parts/useAct.ts"
import type { RepositoryName } from "./WhichRepository.tsx"

interface Props {
  readonly name: RepositoryName
  readonly branch: string
}

export const ProposeButton = ({ branch, name }: Props) => {
  const may = useMay()
  const router = useRouter()
  const { busy, error, run } = useAct()
  if (!may("POST", "/proposals")) return null
  const propose = () =>
    run(async () => {
      const { answer } = await ask("POST /proposals", { body: { repository: name, branch } })
      router.history.push(`/ui/proposal/${answer.data.proposal.id}`)
    })
  return (
    <>
      <Button
        size="xs"
        variant="default"
        loading={busy}
        disabled={branch.trim() === ""}
        leftSection={<IconGitPullRequest size={15} stroke={1.75} />}
        onClick={() => void propose()}
      >
        Propose
      </Button>
      {error !== null && <Problem error={error} title="The branch was not proposed" />}
    </>
  )
}
