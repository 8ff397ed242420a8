/** The actor of a device, live: its state, its present work with the start time, and the calls that wait. */
import { Worded } from "../../parts/Worded.tsx"
import { inSentence, textOf } from "../../../src/domain/words/Word.ts"
import { phaseWords } from "../../../src/domain/words/ChangeWords.ts"
import { activityWords, callsText, callWords, stateWords } from "../../../src/domain/words/DeviceWords.ts"
import { Button, Group, Text } from "@mantine/core"
import { useAsk } from "../../api/useAsk.ts"
import { lazy, Suspense } from "react"
import { useWords } from "../../app/useAddress.ts"
import { useMay } from "../../app/useSession.ts"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Waiting } from "../../parts/Waiting.tsx"
import { When } from "../../parts/When.tsx"

const Charts = lazy(() => import("./Charts.tsx"))

/** The usual course of a switch, in order; other states are drawn next to it. */
const WAY = ["DHCP_BOOT", "DISCOVERED", "INIT", "MANAGED"] as const

export const Actor = ({ hostname }: { readonly hostname: string }) => {
  const { data } = useAsk(
    "GET /device/:hostname/actor",
    { params: { hostname } },
    { kinds: ["device", "change", "step", "job"], every: 5000 }
  )
  const [{ chart }, turn] = useWords()
  const may = useMay()
  const isDrawn = chart !== undefined && may("GET", "/statecharts")
  const actor = data?.answer.data
  if (actor === undefined) return null
  const { activity, call, change, job_id, since, state, waiting } = actor
  const states = WAY.some((one) => one === state) ? WAY : [...WAY, state]
  return (
    <section aria-label="What it is doing">
      <ol className="way" aria-label="Its states">
        {states.map((one) => (
          <li key={one} {...(one === state ? { "aria-current": "step" as const } : {})}>
            {textOf(stateWords, one)}
          </li>
        ))}
      </ol>
      <Group gap="md">
        <Worded of={activityWords} value={activity} />
        {call !== null && (
          <Text size="sm" title={call}>
            {textOf(callWords, call)} since <When at={since} />
          </Text>
        )}
        {job_id !== null && <PlainLink to={`/job/${job_id}`}>job {job_id}</PlainLink>}
        {change !== null && (
          <Text size="sm" title={change.step ?? change.phase}>
            Change: {inSentence(textOf(phaseWords, change.phase))}
          </Text>
        )}
        {waiting.length > 0 && <Text size="sm">Then: {callsText(waiting.map((one) => one.call))}</Text>}
        {may("GET", "/statecharts") && (
          <Button
            size="compact-xs"
            variant="default"
            aria-expanded={isDrawn}
            onClick={() => turn({ chart: isDrawn ? undefined : "yes" })}
          >
            {isDrawn ? "Hide the machine" : "Show the machine"}
          </Button>
        )}
      </Group>
      {isDrawn && (
        <Suspense fallback={<Waiting what="the machine" />}>
          <Charts actor={actor} />
        </Suspense>
      )}
    </section>
  )
}
