/** Words of a typed line. */

/** The first word; a line without a blank is one. */
export const firstWord = (text: string): string => {
  const end = text.indexOf(" ")
  return end < 0 ? text : text.slice(0, end)
}
