/**
 * What a user has typed and not yet sent: kept in this tab over a reload, an update of the page, another screen or another sign-in, for the
 * same user only. Passwords and tokens are never kept.
 */
import { useState } from "react"
import { useIdentity } from "./useSession.ts"

const PREFIX = "switchyard.draft "

export const isText = (value: unknown): value is string => typeof value === "string"
export const isFlag = (value: unknown): value is boolean => typeof value === "boolean"
export const isTexts = (value: unknown): value is ReadonlyArray<string> => Array.isArray(value) && value.every(isText)

const stored = (key: string): unknown => {
  const text = sessionStorage.getItem(key)
  return text === null ? undefined : JSON.parse(text)
}

/**
 * A state like that of `useState`, which outlasts the screen at this address. `is` recognises a kept value, and a value without
 * `isWorthKeeping` ends with the screen. The last function forgets it and goes back to the first value, as after the form was sent.
 */
export const useDraft = <A>(
  name: string,
  first: A,
  is: (value: unknown) => value is A,
  isWorthKeeping: (value: A) => boolean = () => true
): readonly [A, (value: A) => void, () => void] => {
  const user = useIdentity().data ?? ""
  const [key] = useState(() => `${PREFIX}${user} ${location.pathname} ${name}`)
  const [value, setValue] = useState(() => {
    const kept = stored(key)
    return is(kept) ? kept : first
  })
  const change = (next: A) => {
    if (isWorthKeeping(next)) sessionStorage.setItem(key, JSON.stringify(next))
    else sessionStorage.removeItem(key)
    setValue(next)
  }
  const forget = () => {
    sessionStorage.removeItem(key)
    setValue(first)
  }
  return [value, change, forget]
}

/** Forgets every draft of this tab, as when the user signs out. */
export const forgetDrafts = (): void => {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key)
}
