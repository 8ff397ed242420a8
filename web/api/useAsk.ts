/** Queries of screens: asked once, shown from the cache, and asked again when an event says that the answer has changed. */
import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query"
import type { Answer, CallName } from "../../src/api/Calls.ts"
import { type Answered, ask, CallFailed, type Sent } from "./call.ts"

/** The options of a query. */
export interface Asking {
  /** Kinds of events after which the answer may differ. */
  readonly kinds?: ReadonlyArray<string>
  /** False: not yet. */
  readonly enabled?: boolean
  /** Whether the previous answer is shown until the new one arrives. */
  readonly keep?: boolean
  /** Asked once and on request only, because the server must log in to a switch for it. */
  readonly once?: boolean
  /** Milliseconds after which it is asked again without an event. */
  readonly every?: number
}

/** Whether a retry may help: the server was unreachable or overloaded. */
const isPassing = (error: unknown) => error instanceof CallFailed && (error.status === 0 || error.status >= 502)

/** Retries three times if that may help. */
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
