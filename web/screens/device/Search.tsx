/** A search in stored configurations: of all devices, now or as it was at a time, or of this device over time. Secrets cannot be found. */
import { Group, SegmentedControl, Text, TextInput } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import type { Data } from "../../../src/api/Calls.ts"
import { counted } from "../../../src/domain/words/Units.ts"
import { ask } from "../../api/call.ts"
import { useWords } from "../../app/useAddress.ts"
import { Empty } from "../../parts/Empty.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { SearchField } from "../../parts/SearchField.tsx"
import { Skeleton } from "../../parts/Skeleton.tsx"
import { When } from "../../parts/When.tsx"

type Hit = Data<"GET /configs">["hits"][number]

/** The server searches 500 devices at a time: this many answers are asked for by one search. */
const ROUNDS = 40
const SHORTEST = 2

interface Found {
  readonly hits: ReadonlyArray<Hit>
  readonly searched: number
  readonly hasMore: boolean
}

const searchAll = async (query: Readonly<Record<string, string | undefined>>, signal: AbortSignal): Promise<Found> => {
  const hits: Array<Hit> = []
  let searched = 0
  let after: string | null = null
  for (let round = 0; round < ROUNDS; round++) {
    const asked: Readonly<Record<string, string | undefined>> = after === null ? query : { ...query, after }
    const { answer } = await ask("GET /configs", { query: asked, signal })
    hits.push(...answer.data.hits)
    searched += answer.data.searched
    after = answer.data.next
    if (after === null) break
  }
  return { hits, searched, hasMore: after !== null }
}

const addressOf = ({ hostname, job_id }: Hit): string =>
  `/device/${encodeURIComponent(hostname)}?tab=configuration&view=compare&from=${job_id ?? "running"}&to=running`

const HitRow = ({ hit, ofOne }: { readonly hit: Hit; readonly ofOne: boolean }) => (
  <li>
    <PlainLink to={addressOf(hit)}>{ofOne && hit.job_id !== null ? `Job ${hit.job_id}` : hit.hostname}</PlainLink>{" "}
    <span className="happened-when">
      {hit.finish_time !== null && <When at={hit.finish_time} />}
      {hit.count > hit.lines.length && ` · ${counted(hit.count, "line")}`}
    </span>
    <pre className="found-lines" tabIndex={0} aria-label={`Lines of ${hit.hostname}`}>
      {hit.lines
        .map(({ number, section, text }) => `${section === "" ? "" : `${section} › `}${text}  (${number})`)
        .join("\n")}
    </pre>
  </li>
)

export default function Search({ hostname }: { readonly hostname: string }) {
  const [{ before = "", of = "all", q = "" }, change] = useWords()
  const text = q.trim()
  const ofOne = of === "one"
  const query = { q: text, ...(ofOne ? { hostname } : before === "" ? {} : { before }) }
  const { data, error, isFetching } = useQuery({
    queryKey: ["GET /configs", query],
    queryFn: ({ signal }) => searchAll(query, signal),
    enabled: text.length >= SHORTEST
  })
  return (
    <>
      <Group align="end" mb="sm">
        <SearchField label="Part of a line" text={q} change={(value) => change({ q: value || undefined })} />
        <SegmentedControl
          aria-label="Where"
          data={[
            { value: "all", label: "All switches" },
            { value: "one", label: `${hostname} over time` }
          ]}
          value={of}
          onChange={(value) => change({ of: value === "all" ? undefined : value })}
        />
        {!ofOne && (
          <TextInput
            type="datetime-local"
            label="As it was before (UTC)"
            value={before}
            onChange={(event) => change({ before: event.currentTarget.value || undefined })}
          />
        )}
      </Group>
      {text.length < SHORTEST && (
        <Empty title="What are you looking for?">
          Type a part of a line, such as ntp server or an address. What each switch was last proved to run is searched;
          secrets cannot be found.
        </Empty>
      )}
      {error !== null && <Problem error={error} title="The search did not succeed" />}
      {isFetching && data === undefined && <Skeleton what="stored configurations" lines={6} />}
      {data !== undefined && (
        <>
          <Text size="sm" role="status">
            {ofOne
              ? `${data.hits.length} of ${counted(data.searched, "stored configuration")}`
              : `${data.hits.length} of ${counted(data.searched, "switch", "switches")}`}
            {data.hasMore && "; there are more switches than were searched. Say more exactly what you look for."}
          </Text>
          {data.hits.length === 0 ? (
            <Empty title="No line has this text" />
          ) : (
            <ol className="found" aria-label="Configurations with this text">
              {data.hits.map((hit) => (
                <HitRow key={`${hit.hostname} ${hit.job_id}`} hit={hit} ofOne={ofOne} />
              ))}
            </ol>
          )}
        </>
      )}
    </>
  )
}
