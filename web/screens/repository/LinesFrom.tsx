/** The lines on switches that come from one line of a settings file or a template, from what is in force. */
import { Button } from "@mantine/core"
import { useInfiniteQuery } from "@tanstack/react-query"
import { counted, switches } from "../../../src/domain/words/Units.ts"
import { ask } from "../../api/call.ts"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { Skeleton } from "../../parts/Skeleton.tsx"
import type { RepositoryName } from "./WhichRepository.tsx"

interface Props {
  readonly name: RepositoryName
  readonly path: string
  readonly line: number
}

/** A page of the answer renders some tens of switches. */
const usePages = ({ line, name, path }: Props) =>
  useInfiniteQuery({
    queryKey: ["GET /repository/:name/lines", name, path, line],
    queryFn: async ({ pageParam, signal }) => {
      const query = { path, line, ...(pageParam === "" ? {} : { after: pageParam }) }
      return (await ask("GET /repository/:name/lines", { params: { name }, query, signal })).answer.data
    },
    initialPageParam: "",
    getNextPageParam: ({ next }) => next ?? undefined,
    meta: { kinds: ["repository"] }
  })

export const LinesFrom = (props: Props) => {
  const { data, error, fetchNextPage, hasNextPage, isFetching, refetch } = usePages(props)
  const found = (data?.pages ?? []).flatMap(({ lines }) => lines)
  const searched = (data?.pages ?? []).reduce((sum, page) => sum + page.searched, 0)
  const names = new Set(found.map(({ hostname }) => hostname))
  return (
    <section className="review-card review-card-body" aria-label={`Lines from line ${props.line}`}>
      {error !== null && (
        <Problem error={error} title="The switches could not be rendered" again={() => void refetch()} />
      )}
      {data === undefined && error === null && <Skeleton what="the lines of switches" lines={3} />}
      {data !== undefined && (
        <>
          <p role="status">
            {found.length === 0
              ? `Nothing on ${switches(searched)} comes from line ${props.line}.`
              : `${counted(found.length, "line")} on ${switches(names.size)} of ${searched} come from line ${props.line}.`}
          </p>
          <ul className="lines-from">
            {found.map(({ hostname, line, text }) => (
              <li key={`${hostname} ${line}`}>
                <PlainLink to={`/device/${encodeURIComponent(hostname)}?tab=configuration&view=should`}>
                  {hostname}
                </PlainLink>
                , line {line}: <code>{text.trim()}</code>
              </li>
            ))}
          </ul>
          {hasNextPage && (
            <Button size="compact-sm" variant="default" loading={isFetching} onClick={() => void fetchNextPage()}>
              Look at further switches
            </Button>
          )}
        </>
      )}
    </section>
  )
}
