/** Regular expressions that come from outside. */

/** A pattern that does not compile is taken literally. */
export const expression = (pattern: string): RegExp => {
  try {
    return new RegExp(pattern)
  } catch {
    return new RegExp(pattern.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  }
}
