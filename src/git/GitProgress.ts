/** What git tells on its standard error about how far it is, apart from what else it says there. */

const PROGRESS = /^(?:remote: )?(?:Enumerating|Counting|Compressing|Receiving|Unpacking|Resolving|Updating) [a-z]+: .*/

const partsOf = (text: string): ReadonlyArray<string> => text.split(/[\r\n]/)

/** The newest line of progress in a piece of output; undefined when it has none. */
export const newestProgress = (text: string): string | undefined =>
  partsOf(text)
    .findLast((part) => PROGRESS.test(part))
    ?.trimEnd()

/** The output without its lines of progress. */
export const withoutProgress = (text: string): string =>
  partsOf(text)
    .filter((part) => !PROGRESS.test(part))
    .join("\n")
