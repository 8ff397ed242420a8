/** Fetches the newest commit of a repository, checks it, and brings it into force; what came of it is said where it was asked for. */
import { Button } from "@mantine/core"
import { IconRefresh } from "@tabler/icons-react"
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import type { Answer } from "../../../src/api/Calls.ts"
import { ask, CallFailed } from "../../api/call.ts"
import { Problem } from "../../parts/Problem.tsx"
import { remarksOf } from "../../parts/Remarks.tsx"
import { toast } from "../../parts/Toast.tsx"
import { useAct } from "../../parts/useAct.ts"
import { Effects } from "./Effects.tsx"
import type { RepositoryName } from "./WhichRepository.tsx"

type Refreshed = Answer<"PUT /repository/:name">

const isConflict = (error: unknown): boolean => error instanceof CallFailed && error.status === 409

export const useFetch = (name: RepositoryName) => {
  const client = useQueryClient()
  const { busy, error, run } = useAct()
  const [effects, setEffects] = useState<Refreshed["effects"] | null>(null)
  const fetchNow = async () => {
    setEffects(null)
    const went = await run(async () => {
      const { answer } = await ask("PUT /repository/:name", { params: { name }, body: { action: "REFRESH" } })
      setEffects(answer.effects)
    })
    if (went) toast({ title: `The newest commit of the ${name} is in force` })
    await client.invalidateQueries()
  }
  return { busy, effects, error, fetchNow }
}

type Fetching = ReturnType<typeof useFetch>

export const FetchButton = ({ fetching: { busy, fetchNow } }: { readonly fetching: Fetching }) => (
  <Button
    variant="default"
    loading={busy}
    leftSection={<IconRefresh size={15} stroke={1.75} />}
    onClick={() => void fetchNow()}
  >
    Fetch now
  </Button>
)

/** What became of the last fetch of this tab. */
export const Fetched = ({
  fetching: { busy, effects, error },
  name
}: {
  readonly fetching: Fetching
  readonly name: RepositoryName
}) => (
  <>
    {busy && <p role="status">Fetching and checking the {name} …</p>}
    {effects !== null && <Effects effects={effects} of="the newest commit" />}
    {isConflict(error) && (
      <p role="alert">
        The newest commit removes so much that it must be confirmed: confirm it below, or correct it and fetch again.
      </p>
    )}
    {error !== null && !isConflict(error) && remarksOf(error).length === 0 && (
      <Problem error={error} title="The newest commit was not brought into force" />
    )}
  </>
)
