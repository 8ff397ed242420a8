/** What needs a person now, the most urgent first: grouped by cause, each with its age and one action. */
import {
  type Icon,
  IconBell,
  IconCertificate,
  IconCircleX,
  IconGitCommit,
  IconGitCompare,
  IconPlugConnected,
  IconPlugConnectedX,
  IconUserCheck
} from "@tabler/icons-react"
import type { Data } from "../../../src/api/Calls.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import type { ToneName } from "../../parts/tones.ts"
import { When } from "../../parts/When.tsx"
import { foldNames } from "../../../src/domain/NameRanges.ts"
import { FreshRows } from "../../parts/FreshRows.tsx"
import { useCalm } from "../../parts/useCalm.ts"
import { pathOf } from "./places.ts"

type Item = Data<"GET /attention">["items"][number]

const KINDS: Readonly<Record<Item["kind"], { readonly tone: ToneName; readonly shape: Icon }>> = {
  silent: { tone: "bad", shape: IconPlugConnectedX },
  rollout: { tone: "bad", shape: IconCircleX },
  approval: { tone: "wait", shape: IconUserCheck },
  commit: { tone: "warn", shape: IconGitCommit },
  changed_by_hand: { tone: "wait", shape: IconGitCompare },
  alert: { tone: "warn", shape: IconBell },
  new_device: { tone: "info", shape: IconPlugConnected },
  certificate: { tone: "warn", shape: IconCertificate }
}

/** The words of the button. */
const ACTIONS: Readonly<Record<Item["action"], (count: number) => string>> = {
  show_devices: (count) => (count === 1 ? "Show it" : count === 2 ? "Show both" : `Show ${count}`),
  open_job: () => "Open rollout",
  decide: () => "Review",
  show_commit: () => "Show line",
  confirm_commit: () => "Review commit",
  compare: () => "Compare",
  show_alerts: () => "Show alerts",
  set_up: () => "Set up",
  renew: () => "Show devices"
}

const Entry = ({ item }: { readonly item: Item }) => {
  const { action, count, detail, devices, kind, sentence, since, until } = item
  const { shape: Shape, tone } = KINDS[kind]
  // names tell more than a sentence about them
  const named = devices.length === 0 ? null : foldNames(devices, 6)
  return (
    <li className="attention" aria-label={sentence}>
      <span className="attention-icon" data-tone={tone}>
        <Shape size={18} stroke={1.75} aria-hidden />
      </span>
      <div>
        <h3>{sentence}</h3>
        {named !== null && <p className="attention-names">{named}</p>}
        {detail !== null && <p>{detail}</p>}
      </div>
      <span className="attention-age">
        {since !== null && <When at={since} />}
        {until !== null && (
          <>
            until <When at={until} />
          </>
        )}
      </span>
      <PlainLink to={pathOf(item.place)} className="attention-action" label={`${ACTIONS[action](count)}: ${sentence}`}>
        {ACTIONS[action](count)}
      </PlainLink>
    </li>
  )
}

const Entries = ({ items }: { readonly items: ReadonlyArray<Item> }) => {
  const { fresh, handlers, showAll, shown } = useCalm(items, ({ key }) => key)
  return (
    <div {...handlers}>
      {fresh > 0 && <FreshRows count={fresh} show={showAll} />}
      <ul className="attentions">
        {shown.map((item) => (
          <Entry key={item.key} item={item} />
        ))}
      </ul>
    </div>
  )
}

export const Attention = () => {
  const may = useMay()
  const asked = useAsk(
    "GET /attention",
    {},
    {
      kinds: ["device", "reachability", "job", "change", "approval", "repository", "drift", "alert", "certificate"],
      enabled: may("GET", "/attention")
    }
  )
  if (!may("GET", "/attention")) return null
  const count = asked.data?.answer.data.items.length ?? 0
  return (
    <section className="card" aria-labelledby="attention-head">
      <header className="card-head">
        <h2 id="attention-head">Needs attention</h2>
        {count > 0 && <span>{count}</span>}
        {count > 1 && <span className="card-note">most urgent first</span>}
      </header>
      <Asked of={asked} what="what needs attention">
        {({ data: { items } }) =>
          items.length === 0 ? (
            <p className="card-body calm" role="status">
              All is well. Nothing needs you.
            </p>
          ) : (
            <Entries items={items} />
          )
        }
      </Asked>
    </section>
  )
}
