/**
 * The names of marked devices on their way to another screen. They are a part of its address, so that it can be sent to a colleague; names that
 * are too many for an address are kept in this tab, and the address says that they are.
 */

/** Characters of names in an address; servers refuse much longer ones. */
const MOST = 4000
/** In the place of names; no device has such a name. */
const KEPT = "@marked"
/** Forgotten with the drafts, when the user signs out. */
const KEY = "switchyard.draft marked devices"

/** Whether an address has room for all of them. */
export const fitAddress = (names: ReadonlyArray<string>): boolean => names.join(",").length <= MOST

/** What the address says of them. */
export const wordOf = (names: ReadonlyArray<string>): string => {
  if (fitAddress(names)) return names.join(",")
  sessionStorage.setItem(KEY, names.join(","))
  return KEPT
}

/** The names, with commas between them, that a part of the address stands for. */
export const namesBehind = (word: string): string => (word === KEPT ? (sessionStorage.getItem(KEY) ?? "") : word)
