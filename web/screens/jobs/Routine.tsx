/** What the server does by itself and what went well, folded: `Read addresses, 96 times in the last 24 hours, all fine`. */
import { jobTitle } from "../../../src/domain/words/JobWords.ts"
import { momentOf } from "../../../src/domain/words/Units.ts"
import type { Data } from "../../../src/api/Calls.ts"
import { useAsk } from "../../api/useAsk.ts"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { When } from "../../parts/When.tsx"

type Job = Data<"GET /jobs">["jobs"][number]

/** So many of the newest are counted. */
const NEWEST = 200
const DAY = 86_400_000

const times = (count: number): string => (count === 1 ? "once" : `${count} times`)

interface Folded {
  readonly name: string
  readonly count: number
  readonly last: string | null
}

/** The jobs of the last day by what they do. */
const foldedOf = (jobs: ReadonlyArray<Job>): ReadonlyArray<Folded> => {
  const since = Date.now() - DAY
  const recent = jobs.filter(({ start_time }) => (momentOf(start_time)?.getTime() ?? 0) > since)
  return [...Map.groupBy(recent, ({ function_name }) => function_name)].map(([name, same]) => ({
    name,
    count: same.length,
    last: same[0]?.finish_time ?? null
  }))
}

export const Routine = () => {
  const query = { "filter[routine]": "true", sort: "-id", per_page: NEWEST, filter_jobresult: "config,diff" }
  const { data } = useAsk("GET /jobs", { query }, { kinds: ["job"], keep: true })
  const jobs = data?.answer.data.jobs ?? []
  const folded = foldedOf(jobs)
  if (folded.length === 0) return null
  const isMore = jobs.length === NEWEST
  return (
    <ul className="routine" aria-label="By the server itself">
      {folded.map(({ count, last, name }) => (
        <li key={name}>
          {jobTitle(name)}, {isMore && "at least "}
          {times(count)} in the last 24 hours, all fine. The last one <When at={last} />.
        </li>
      ))}
      <li>
        <PlainLink to="/jobs?show=routine">Show them</PlainLink>
      </li>
    </ul>
  )
}
