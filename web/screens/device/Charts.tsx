/** The statecharts of a device, with its present states: its life, its work, and the change that is under way. */
import { useAsk } from "../../api/useAsk.ts"
import type { Data } from "../../../src/api/Calls.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Statechart } from "./Statechart.tsx"

interface Props {
  readonly actor: Data<"GET /device/:hostname/actor">
}

export default function Charts({ actor: { activity, change, state } }: Props) {
  const asked = useAsk("GET /statecharts", {}, { once: true })
  // inner states are not drawn: `committed.observing` is drawn as `committed`
  const place = change === null ? undefined : (change.step?.split(".")[0] ?? change.phase)
  return (
    <Asked of={asked} what="the statecharts">
      {({ data }) => (
        <>
          <Statechart name="Its life" chart={data.life} present={state} />
          <Statechart name="What it does" chart={data.activity} present={activity} />
          {place !== undefined && <Statechart name="The change" chart={data.change} present={place} />}
        </>
      )}
    </Asked>
  )
}
