/** The audit: who did what and when, by the way they came, as sentences of each day; the newest first. */
import "./audit.css"
import { Card, Title } from "@mantine/core"
import { useState } from "react"
import { type AuditSentence, sentencesOf } from "../../../src/domain/words/AuditSentences.ts"
import { counted, dayName, momentOf } from "../../../src/domain/words/Units.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { PageHead } from "../../parts/PageHead.tsx"
import { Pages } from "../../parts/Pages.tsx"
import { useZone } from "../../parts/zone.ts"
import { Export } from "./Export.tsx"
import { Filters } from "./Filters.tsx"
import { filtersOf, isFiltered, KINDS } from "./filters.ts"
import { Seals } from "./Seals.tsx"
import { Sentence } from "./Sentence.tsx"

/** More than are shown, because neighbours that say the same become one sentence. */
const PAGE = 200

const keyOf = ({ events }: AuditSentence): string => String(events[0]?.id ?? "")

const Days = ({ sentences }: { readonly sentences: ReadonlyArray<AuditSentence> }) => {
  const [words, change] = useWords()
  const zone = useZone()
  const [now] = useState(() => new Date())
  const open = words["event"] ?? ""
  const dayOf = ({ events }: AuditSentence) => {
    const moment = momentOf(events[0]?.at)
    return moment === undefined ? "" : dayName(moment, now, zone)
  }
  return (
    <>
      {[...Map.groupBy(sentences, dayOf)].map(([day, told]) => (
        <section key={day} aria-label={day}>
          <Title order={2} className="audit-day">
            {day}
          </Title>
          <ul className="entries">
            {told.map((sentence) => {
              const isOpen = sentence.events.some(({ id }) => String(id) === open)
              return (
                <Sentence
                  key={keyOf(sentence)}
                  sentence={sentence}
                  isOpen={isOpen}
                  toggle={() => change({ event: isOpen ? undefined : keyOf(sentence) })}
                />
              )
            })}
          </ul>
        </section>
      ))}
    </>
  )
}

export default function Audit() {
  const [words, change] = useWords()
  const may = useMay()
  const page = Number(words["page"] ?? "1")
  const filters = filtersOf(words)
  const asked = useAsk(
    "GET /audit",
    { query: { ...filters, per_page: PAGE, page, sort: "-id" } },
    { kinds: KINDS, keep: true }
  )
  const matching = asked.data?.matching ?? null
  return (
    <>
      <PageHead title="Audit" facts="Who did what, when, and by which way" actions={<Export filters={filters} />} />
      {may("GET", "/audit/chain") && <Seals />}
      <Filters count={matching === null ? "" : counted(matching, "event")} />
      <Asked of={asked} what="the audit">
        {({ data: { events } }) =>
          events.length === 0 ? (
            <Card withBorder>
              <Empty title={isFiltered(words) ? "Nothing matches" : "Nothing happened yet"}>
                {isFiltered(words)
                  ? "“Clear filters” shows all events."
                  : "What people and their programs change is listed here."}
              </Empty>
            </Card>
          ) : (
            <Card withBorder padding={0}>
              <Days sentences={sentencesOf(events)} />
            </Card>
          )
        }
      </Asked>
      <Pages
        matching={matching}
        perPage={PAGE}
        page={page}
        go={(to) => change({ page: to === 1 ? undefined : String(to), event: undefined })}
      />
    </>
  )
}
