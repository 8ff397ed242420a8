/** The bar below the head of a device: why it is not as it should be, in a sentence with who and when, and what to do about it. */
import { Button, Group } from "@mantine/core"
import { useRouter } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { causeText, causeWords } from "../../../src/domain/words/DeviceWords.ts"
import { counted } from "../../../src/domain/words/Units.ts"
import { wordOf } from "../../../src/domain/words/Word.ts"
import { ask } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"
import { useMay } from "../../app/useSession.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { ToneIcon } from "../../parts/StatusWord.tsx"
import type { ToneName } from "../../parts/tones.ts"
import { When } from "../../parts/When.tsx"
import { Adopt } from "./Adopt.tsx"
import { useCauses, useDrifted, useHandMade, useWanted } from "./differences.ts"
import { type TabProps, useAnswers } from "./record.ts"
import { keyIn } from "./happened.ts"
import { changedLines, portsChanged } from "./reasons.ts"

interface BarProps {
  readonly tone: ToneName
  readonly label: string
  readonly children: ReactNode
  readonly aside?: ReactNode
}

const Bar = ({ aside, children, label, tone }: BarProps) => (
  <section className="standing" data-tone={tone} aria-label={label}>
    <ToneIcon tone={tone} size={16} />
    <div>{children}</div>
    {aside}
  </section>
)

const tabOf = (hostname: string, rest: string): string => `/device/${encodeURIComponent(hostname)}?tab=${rest}`

/** How many lines differ, of changes by hand or else of what the settings want. */
const LinesDiffer = ({ hostname, isDrifted }: { readonly hostname: string; readonly isDrifted: boolean }) => {
  const may = useMay()
  const wanted = useWanted(hostname, !isDrifted)
  const handMade = useHandMade(hostname, isDrifted)
  if (!may("GET", `/device/${hostname}/config_diff`)) return null
  const { diff } = isDrifted ? handMade : wanted
  const count = diff === undefined ? 0 : changedLines(diff)
  const words = count === 0 ? "Show the difference" : count === 1 ? "1 line differs" : `${count} lines differ`
  return <PlainLink to={tabOf(hostname, "configuration&view=difference")}>{words}</PlainLink>
}

/** What to do about changes by hand; offered only while there are some. */
const HandMade = ({ device: { hostname } }: TabProps) => {
  const may = useMay()
  const router = useRouter()
  const [{ keep }, change] = useWords()
  const putBack = async () => {
    const { answer } = await ask("POST /device_syncto", {
      body: { hostname, dry_run: true, force: true, resync: true }
    })
    router.history.push(`/ui/change/${answer.job_id}`)
  }
  return (
    <Group gap="xs">
      {may("POST", "/device_syncto") && (
        <Confirm
          label="Put back…"
          size="xs"
          act={putBack}
          question="Put back what was changed by hand?"
          verb="Preview it"
        >
          A preview shows what would be put back. Nothing changes until you roll it out.
        </Confirm>
      )}
      {may("GET", `/device/${hostname}/config_diff`) && (
        <Button
          size="xs"
          variant="default"
          aria-expanded={keep !== undefined}
          onClick={() => change({ keep: keep === undefined ? "yes" : undefined })}
        >
          Keep (write to git)
        </Button>
      )}
    </Group>
  )
}

type Cause = Parameters<typeof causeText>[0] & {
  readonly timestamp: number | null
  readonly job_id?: number | null
}

interface SentenceProps {
  readonly cause: Cause
  readonly hostname: string
  /** Since when its ports are changed, in epoch seconds. */
  readonly since: number
}

/** `Carl changed Ethernet22 and Ethernet31 9 min ago. Saved, not rolled out yet.` */
const Sentence = ({ cause, hostname, since }: SentenceProps) => {
  const may = useMay()
  const isPorts = cause.cause === "interface_updated" && cause.made_by !== null
  const { data } = useAsk(
    "GET /device/:hostname/audit",
    { params: { hostname }, query: { "filter[kind]": "interface", per_page: 50, sort: "-id" } },
    { kinds: ["interface"], enabled: isPorts && may("GET", `/device/${hostname}/audit`) }
  )
  const events = (data?.answer.data.events ?? []).map((event) => ({ ...event, key: keyIn(event) }))
  const ports = isPorts ? portsChanged(events, cause.made_by ?? "", since) : ""
  return (
    <>
      {ports === "" ? `${causeText(cause)}, ` : `${cause.made_by} changed ${ports} `}
      <When at={cause.timestamp} />
      {typeof cause.job_id === "number" && (
        <>
          {" "}
          in <PlainLink to={`/job/${cause.job_id}`}>job {cause.job_id}</PlainLink>
        </>
      )}
      .{ports !== "" && " Saved, not rolled out yet."}
    </>
  )
}

const OutOfSync = ({ device }: TabProps) => {
  const { hostname } = device
  const isDrifted = useDrifted(hostname)
  const causes: ReadonlyArray<Cause> = useCauses(hostname)
  const newest = causes.at(-1)
  const since = causes.find(({ cause }) => cause === "interface_updated")?.timestamp ?? 0
  const tone = isDrifted ? "wait" : newest === undefined ? "warn" : wordOf(causeWords, newest.cause).tone
  return (
    <Bar
      tone={tone}
      label="Why it is out of sync"
      aside={
        <Group gap="xs">
          {isDrifted && <HandMade device={device} />}
          <LinesDiffer hostname={hostname} isDrifted={isDrifted} />
        </Group>
      }
    >
      <b>Out of sync:</b>{" "}
      {newest === undefined ? (
        "the reason is not known."
      ) : (
        <Sentence cause={newest} hostname={hostname} since={since} />
      )}
      {causes.length > 1 && (
        <>
          {" "}
          <PlainLink to={tabOf(hostname, "history")}>{counted(causes.length - 1, "more reason")}</PlainLink>
        </>
      )}
    </Bar>
  )
}

export const Standing = ({ device }: TabProps) => {
  const { hostname, last_seen, state, synchronized } = device
  const answers = useAnswers(hostname)
  const [{ keep }, change] = useWords()
  return (
    <>
      {answers === false && (
        <Bar tone="bad" label="Not answering">
          <b>Not answering.</b> It was seen <When at={last_seen} never="never" />; what is shown here was read before.
        </Bar>
      )}
      {state === "UNMANAGED" && (
        <Bar tone="quiet" label="Not managed">
          <b>Not managed.</b> It stays as it is: no rollout reaches it.
        </Bar>
      )}
      {state === "MANAGED" && !synchronized && <OutOfSync device={device} />}
      {keep !== undefined && <Adopt hostname={hostname} close={() => change({ keep: undefined })} />}
    </>
  )
}
