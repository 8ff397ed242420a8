/** Tries what is typed a moment after the last key, and keeps what was found. */
import { useDebouncedValue } from "@mantine/hooks"
import { useQuery } from "@tanstack/react-query"
import { ask } from "../../api/call.ts"
import type { Found } from "./Findings.tsx"

/** Milliseconds after the last key. */
const QUIET = 700

export type Values = Readonly<Partial<Record<"settings" | "templates" | "networks", string>>>

/** The values without those that are empty. */
const givenIn = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values)
      .map(([name, value]) => [name, value.trim()] as const)
      .filter(([, value]) => value !== "")
  )

interface Tried {
  readonly found: ReadonlyArray<Found>
  readonly isBusy: boolean
  readonly error: unknown
  /** Everything that is typed was tried, and works. */
  readonly isGood: boolean
}

export const useTry = (values: Values): Tried => {
  const text = JSON.stringify(givenIn(values))
  const [asked] = useDebouncedValue(text, QUIET)
  const body: unknown = JSON.parse(asked)
  const { data, error, isFetching } = useQuery({
    queryKey: ["first-run", asked],
    queryFn: ({ signal }) => ask("POST /setup/try", { body, signal }),
    enabled: asked !== "{}",
    retry: false
  })
  const found = asked === "{}" ? [] : (data?.answer.data.findings ?? [])
  const isBusy = isFetching || asked !== text
  return { found, isBusy, error, isGood: !isBusy && found.length > 0 && found.every(({ is_good }) => is_good) }
}
