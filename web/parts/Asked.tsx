/** Shows the answer of a query: a note while it is loading, the reason if it fails, and nothing if the role does not permit the call. */
import type { ReactNode } from "react"
import type { Answered } from "../api/call.ts"
import { CardBoundary } from "./ScreenError.tsx"
import { Problem } from "./Problem.tsx"
import { Skeleton } from "./Skeleton.tsx"

interface Question<A> {
  readonly data: Answered<A> | undefined
  readonly error: unknown
  readonly dataUpdatedAt: number
  readonly fetchStatus: "fetching" | "idle" | "paused"
  readonly refetch: () => unknown
}

interface Props<A> {
  readonly of: Question<A>
  /** The object of the query, as in "Waiting for the devices". */
  readonly what: string
  readonly children: (answer: A, matching: number | null) => ReactNode
}

/** Drawn as a component of its own, so that the boundary around it catches what breaks. */
const Drawn = ({ draw }: { readonly draw: () => ReactNode }) => draw()

export const Asked = <A,>({ children, of: { data, dataUpdatedAt, error, fetchStatus, refetch }, what }: Props<A>) => (
  <>
    {error !== null && <Problem error={error} title={`${what} could not be read`} again={() => void refetch()} />}
    {data === undefined ? (
      error === null && fetchStatus !== "idle" && <Skeleton what={what} />
    ) : (
      <CardBoundary what={what} of={dataUpdatedAt} again={() => void refetch()}>
        <Drawn draw={() => children(data.answer, data.matching)} />
      </CardBoundary>
    )}
  </>
)
