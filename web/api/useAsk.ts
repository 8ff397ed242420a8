/** Queries of screens: asked once, shown from the cache, and asked again when an event says that the answer has changed. */
import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query"
import type { Answer, CallName } from "../../src/api/Calls.ts"
import { isAboutCaller } from "../../src/domain/access/CallSubjects.ts"
import { addressOf, type Answered, ask, type Sent } from "./call.ts"
import { retry, useMay } from "./rights.ts"

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

const BASE = "/api/v1.0"

/** The answer of a call, as `useQuery` gives it. A call that the role does not permit is not made: then there is no answer and no error. */
export const useAsk = <Name extends CallName>(
  name: Name,
  sent: Sent<Name> = {},
  { enabled = true, every, keep = false, kinds = [], once = false }: Asking = {}
): UseQueryResult<Answered<Answer<Name>>> => {
  const may = useMay()
  const [method = "GET"] = name.split(" ", 1)
  const [path = ""] = addressOf(name, sent.params === undefined ? {} : { params: sent.params }).split("?", 1)
  const isPermitted = isAboutCaller(path.slice(BASE.length)) || may(method, path.slice(BASE.length))
  return useQuery({
    queryKey: [name, sent.params ?? null, sent.query ?? null, sent.body ?? null],
    queryFn: ({ signal }) => ask(name, { ...sent, signal }),
    enabled: enabled && isPermitted,
    meta: { kinds },
    retry,
    ...(once ? { staleTime: Number.POSITIVE_INFINITY } : {}),
    ...(every === undefined ? {} : { refetchInterval: every }),
    ...(keep ? { placeholderData: keepPreviousData } : {})
  })
}
