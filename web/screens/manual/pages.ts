/** The pages of the manual of this release, each a file of its own in the built page. */
import { useQuery } from "@tanstack/react-query"
import { anchorOf } from "./anchors.ts"
import { chapterOf, headingsOf, plainOf } from "./chapter.ts"

const files = import.meta.glob<string>("../../../docs/*.md", { query: "?raw", import: "default" })

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1, -".md".length)

const loaders: ReadonlyMap<string, () => Promise<string>> = new Map(
  Object.entries(files).map(([path, load]) => [nameOf(path), load])
)

/** The chapter that lists all others. */
export const CONTENTS = "README"

const read = async (name: string) => {
  const load = loaders.get(name)
  return load === undefined ? null : chapterOf(await load())
}

/** The blocks of a page; null if there is no such page. */
export const usePage = (name: string) =>
  useQuery({ queryKey: ["manual", name], queryFn: () => read(name), staleTime: Number.POSITIVE_INFINITY })

/** A place that a search can find. */
export interface Place {
  readonly page: string
  readonly title: string
  readonly heading: string
  readonly anchor: string
}

const placesOf = async (page: string): Promise<ReadonlyArray<Place>> => {
  const headings = headingsOf((await read(page)) ?? []).map(({ depth, tokens }) => ({ depth, text: plainOf(tokens) }))
  const title = headings[0]?.text ?? page
  return headings.map(({ depth, text }) => ({
    page,
    title,
    heading: text,
    anchor: depth === 1 ? "" : anchorOf(text)
  }))
}

/** The headings of all pages; loaded on the first search. */
export const usePlaces = (enabled: boolean) =>
  useQuery({
    queryKey: ["manual"],
    queryFn: async () =>
      (await Promise.all([...loaders.keys()].filter((name) => name !== CONTENTS).map(placesOf))).flat(),
    staleTime: Number.POSITIVE_INFINITY,
    enabled
  })

/** The places that contain all the words, titles first. */
export const found = (places: ReadonlyArray<Place>, text: string): ReadonlyArray<Place> => {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return places
    .filter(({ heading, page, title }) =>
      words.every((word) => `${page} ${title} ${heading}`.toLowerCase().includes(word))
    )
    .toSorted((a, b) => Number(a.anchor !== "") - Number(b.anchor !== ""))
}
