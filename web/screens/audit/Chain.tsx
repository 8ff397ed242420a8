/** Verifies the audit on request: compares every event with its seal. */
import { Button, Group } from "@mantine/core"
import { ask } from "../../api/call.ts"
import type { Data } from "../../../src/api/Calls.ts"
import { Problem } from "../../parts/Problem.tsx"
import { Tone } from "../../parts/Tone.tsx"
import { useAct } from "../../parts/useAct.ts"
import { When } from "../../parts/When.tsx"
import { useState } from "react"

type Verdict = Data<"GET /audit/chain">

const Told = ({ verdict: { checked, checked_at, problem } }: { readonly verdict: Verdict }) => (
  <span>
    {problem === null ? (
      <>
        <Tone tone="good">The audit is whole:</Tone> {checked} events fit their seals
      </>
    ) : (
      <>
        <Tone tone="bad">The audit was tampered with:</Tone> {problem}; {checked} events before it fit their seals
      </>
    )}{" "}
    (<When at={checked_at} />)
  </span>
)

export const Chain = () => {
  const [verdict, setVerdict] = useState<Verdict | null>(null)
  const { busy, error, run } = useAct()
  const check = () => run(async () => setVerdict((await ask("GET /audit/chain")).answer.data))
  return (
    <>
      <Group gap="sm" mb="xs">
        <Button variant="default" size="xs" loading={busy} onClick={() => void check()}>
          Compare with the seals
        </Button>
        <span role="status">{verdict !== null && <Told verdict={verdict} />}</span>
      </Group>
      {error !== null && <Problem error={error} title="The seals could not be compared" />}
    </>
  )
}
