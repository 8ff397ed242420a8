/** Questions of screens: asked once, shown from what is known, and asked again when an event says that they have changed. */
import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query"
import type { Answer, CallName } from "../../src/api/Calls.ts"
import { type Answered, ask, CallFailed, type Sent } from "./call.ts"

/** How a screen asks. */
export interface Asking {
  /** Kinds of events after which the answer may be another. */
  readonly kinds?: ReadonlyArray<string>
  /** False: not yet. */
  readonly enabled?: boolean
  /** Whether the answer to another question is shown until this one is there. */
  readonly keep?: boolean
  /** Asked once and when somebody wants it again, because a switch has to be logged in to. */
  readonly once?: boolean
  /** Milliseconds after which it is asked again without an event. */
  readonly every?: number
}

/** Whether another try may help: the server was away, or had too much to do. */
const isPassing = (error: unknown) => error instanceof CallFailed && (error.status === 0 || error.status >= 502)

/** Asks three times more where that may help. */
export const retry = (count: number, error: Error): boolean => isPassing(error) && count < 3

/** The answer of a call, as `useQuery` gives it. */
export const useAsk = <Name extends CallName>(
  name: Name,
  sent: Sent<Name> = {},
  { enabled = true, every, keep = false, kinds = [], once = false }: Asking = {}
): UseQueryResult<Answered<Answer<Name>>> =>
  useQuery({
    queryKey: [name, sent.params ?? null, sent.query ?? null, sent.body ?? null],
    queryFn: ({ signal }) => ask(name, { ...sent, signal }),
    enabled,
    meta: { kinds },
    retry,
    ...(once ? { staleTime: Number.POSITIVE_INFINITY } : {}),
    ...(every === undefined ? {} : { refetchInterval: every }),
    ...(keep ? { placeholderData: keepPreviousData } : {})
  })
