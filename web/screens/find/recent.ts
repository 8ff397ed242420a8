/** What was asked last in this browser, the newest first. */
const KEY = "switchyard.found"
const MOST = 3

const isTexts = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((one) => typeof one === "string")

export const recent = (): ReadonlyArray<string> => {
  const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]")
  return isTexts(kept) ? kept.slice(0, MOST) : []
}

/** Keeps a question; the beginnings of it that were asked while it was typed are replaced. */
export const remember = (text: string): void => {
  if (text === "") return
  const others = recent().filter((other) => !text.startsWith(other))
  localStorage.setItem(KEY, JSON.stringify([text, ...others].slice(0, MOST)))
}
