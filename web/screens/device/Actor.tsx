/** What the device does now, in words: its work with the time that it takes so far, and what waits behind it. Its machine can be drawn. */
import { phaseWords } from "../../../src/domain/words/ChangeWords.ts"
import { activityWords, callsText, callWords } from "../../../src/domain/words/DeviceWords.ts"
import { inSentence, textOf } from "../../../src/domain/words/Word.ts"
import { lazy, Suspense } from "react"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"
import { useMay } from "../../app/useSession.ts"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Skeleton } from "../../parts/Skeleton.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { When } from "../../parts/When.tsx"

const Charts = lazy(() => import("./Charts.tsx"))

export const Actor = ({ hostname }: { readonly hostname: string }) => {
  const { data } = useAsk(
    "GET /device/:hostname/actor",
    { params: { hostname } },
    { kinds: ["device", "change", "step", "job"], every: 5000 }
  )
  const [{ chart }] = useWords()
  const may = useMay()
  const actor = data?.answer.data
  if (actor === undefined) return null
  const { activity, call, change, job_id, since, waiting } = actor
  return (
    <section aria-label="What it is doing" className="doing">
      <div>
        <StatusWord of={activityWords} value={activity} />
        <p>
          {call === null ? (
            "Nothing is being done with it now."
          ) : (
            <span title={call}>
              {textOf(callWords, call)}
              {job_id !== null && (
                <>
                  {" "}
                  for <PlainLink to={`/job/${job_id}`}>job {job_id}</PlainLink>
                </>
              )}
              , since <When at={since} />.
            </span>
          )}{" "}
          {change !== null && (
            <span title={change.step ?? change.phase}>Change: {inSentence(textOf(phaseWords, change.phase))}. </span>
          )}
          {waiting.length > 0 && <span>Then: {callsText(waiting.map((one) => one.call))}.</span>}
        </p>
      </div>
      {chart !== undefined && may("GET", "/statecharts") && (
        <Suspense fallback={<Skeleton what="the machine" />}>
          <Charts actor={actor} />
        </Suspense>
      )}
    </section>
  )
}
