/** Addresses within the manual. Pure. */

/** The anchor that links of the manual use for a heading, of its words without signs. */
export const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")

/** The id of a heading in the page, which has ids of its own. */
export const idOf = (anchor: string): string => `at-${anchor}`

/** The target of a link of the manual: the manual itself, another site, or a file that is not in the page. */
export type Target =
  | { readonly type: "manual"; readonly to: string }
  | { readonly type: "world"; readonly to: string }
  | { readonly type: "file"; readonly path: string }

const PAGE = /^(?:\.\/)?([\w-]+)\.md(#[\w-]*)?$/

/** `page` is the page that contains the link. */
export const targetOf = (link: string, page: string): Target => {
  if (/^https?:/.test(link)) return { type: "world", to: link }
  if (link.startsWith("#")) return { type: "manual", to: `/manual/${page}${link}` }
  const [, name, anchor = ""] = PAGE.exec(link) ?? []
  if (name !== undefined) return { type: "manual", to: name === "README" ? "/manual" : `/manual/${name}${anchor}` }
  return { type: "file", path: link.replace(/^(\.\.\/)+/, "") }
}
