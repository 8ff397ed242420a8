/** The parameters of the address: of the path, and of the query as texts that a screen reads and writes. */
import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useCallback } from "react"

type Texts = Readonly<Record<string, string | undefined>>

/** A parameter of the path, `""` if there is none. */
export const usePart = (name: string): string => {
  const parts: Texts = useParams({ strict: false })
  return parts[name] ?? ""
}

/** The query, and a function that changes a part of it. A change replaces the entry of the history, so that "back" leaves the screen. */
export const useWords = (): readonly [Texts, (changes: Texts) => void] => {
  const words: Texts = useSearch({ strict: false })
  const navigate = useNavigate()
  const change = useCallback(
    (changes: Texts) => {
      void navigate({
        to: ".",
        search: (before: Texts) => ({ ...before, ...changes }),
        replace: true,
        resetScroll: false
      })
    },
    [navigate]
  )
  return [words, change]
}
