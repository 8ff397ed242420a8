/** Remembers what was found out about a text: thousands of switches in one process are given nearly the same lines. */

/** More texts than this are not kept: then all are forgotten. */
const MOST = 20_000

/** The same function, which is asked once for each text that comes often. It must depend on nothing else. */
export const remembered = <A>(of: (text: string) => A): ((text: string) => A) => {
  const known = new Map<string, { readonly value: A }>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found.value
    if (known.size >= MOST) known.clear()
    const value = of(text)
    known.set(text, { value })
    return value
  }
}
