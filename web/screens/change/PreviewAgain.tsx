/** Previews a change once more: the same switches, with the same wishes. */
import { Button } from "@mantine/core"
import { IconRefresh } from "@tabler/icons-react"
import { useRouter } from "@tanstack/react-router"
import type { Data } from "../../../src/api/Calls.ts"
import { ask } from "../../api/call.ts"
import { useMay } from "../../app/useSession.ts"
import { Problem } from "../../parts/Problem.tsx"
import { useAct } from "../../parts/useAct.ts"
import { chosenBy, selectorOf } from "./selection.ts"

interface Props {
  readonly job: Data<"GET /job/:id">["jobs"][number]
}

const alsoIn = (given: Readonly<Record<string, unknown>> | null) =>
  Object.fromEntries(["force", "resync"].filter((key) => given?.[key] === true).map((key) => [key, true]))

export const PreviewAgain = ({ job: { comment, start_arguments, ticket_ref } }: Props) => {
  const may = useMay()
  const router = useRouter()
  const { busy, error, run } = useAct()
  if (!may("POST", "/device_syncto")) return null
  const preview = async () => {
    const body = {
      ...selectorOf(chosenBy(start_arguments)),
      ...alsoIn(start_arguments),
      dry_run: true,
      ...(comment === null ? {} : { comment }),
      ...(ticket_ref === null ? {} : { ticket_ref })
    }
    const { answer } = await ask("POST /device_syncto", { body })
    router.history.push(`/ui/change/${answer.job_id}`)
  }
  return (
    <>
      <Button
        size="xs"
        variant="default"
        loading={busy}
        leftSection={<IconRefresh size={14} stroke={1.75} />}
        onClick={() => void run(preview)}
      >
        Preview again
      </Button>
      {error !== null && <Problem error={error} title="The preview was not started" />}
    </>
  )
}
