/** The audit: user, action, time and client of each event; the newest first. */
import { plainly, textOf } from "../../../src/domain/words/Word.ts"
import { eventWords } from "../../../src/domain/words/ServerWords.ts"
import { Button } from "@mantine/core"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Pages } from "../../parts/Pages.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { ScreenTitle } from "../../parts/ScreenTitle.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { When } from "../../parts/When.tsx"
import { Chain } from "./Chain.tsx"
import { inShort } from "./changed.ts"
import { Details } from "./Details.tsx"
import { Export } from "./Export.tsx"
import { Filters } from "./Filters.tsx"
import { filtersOf, isFiltered, KINDS } from "./filters.ts"

const PAGE = 50
const HEADS = ["When", "Who", "What", "On", "In short", "Details"]

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
  return (
    <>
      <ScreenTitle aside={<Export filters={filters} />}>Audit</ScreenTitle>
      {may("GET", "/audit/chain") && <Chain />}
      <Filters />
      <Details id={words["event"] ?? ""} close={() => change({ event: undefined })} />
      <Asked of={asked} what="the audit">
        {({ data: { events } }, matching) => (
          <>
            {events.length === 0 ? (
              <Empty>
                {isFiltered(words)
                  ? "No audit entries match. “Show all” removes the filters."
                  : "No audit entries yet. Changes by users and their programs are listed here."}
              </Empty>
            ) : (
              <SmallTable
                label="Events of the audit"
                heads={HEADS}
                rows={events}
                keyOf={({ id }) => id}
                cells={({ action, actor, at, data, hostname, id, job_id, kind }) => [
                  <When at={at} exact />,
                  actor,
                  <span title={`${kind} ${action}`}>{`${textOf(eventWords, kind)} ${plainly(action)}`}</span>,
                  <>
                    {hostname !== null && (
                      <PlainLink to={`/device/${encodeURIComponent(hostname)}`}>{hostname}</PlainLink>
                    )}{" "}
                    {job_id !== null && <PlainLink to={`/job/${job_id}`}>job {job_id}</PlainLink>}
                  </>,
                  inShort(data),
                  <Button
                    size="compact-xs"
                    variant="default"
                    aria-label={`Details of event ${id}`}
                    onClick={() => change({ event: String(id) })}
                  >
                    Details
                  </Button>
                ]}
              />
            )}
            <Pages
              matching={matching}
              perPage={PAGE}
              page={page}
              go={(to) => change({ page: to === 1 ? undefined : String(to) })}
            />
          </>
        )}
      </Asked>
    </>
  )
}
