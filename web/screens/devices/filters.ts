/** The filters and the ready views of the list of devices. Each is a part of the address. */
import { causeWords, outOfSync, standingWords, stateWords, typeWords } from "../../../src/domain/words/DeviceWords.ts"
import { inSentence, textOf, type Words } from "../../../src/domain/words/Word.ts"
import type { Overview } from "../../../src/domain/Device.ts"
import type { FilterField } from "../../parts/FilterBar.tsx"
import type { ReadyView } from "../../parts/SavedViews.tsx"

const optionsOf = (words: Words<string>) => Object.entries(words).map(([value, { text }]) => ({ value, label: text }))

const standing = (name: "drifted" | "in_change" | "unreachable"): FilterField => ({
  name: `filter[${name}]`,
  label: textOf(standingWords, name),
  options: [
    { value: "true", label: "Yes" },
    { value: "false", label: "No" }
  ],
  said: (value) => `${value === "true" ? "" : "Not: "}${textOf(standingWords, name)}`
})

/** The fields of the menu; `groups` are the names of all groups, if they are known. */
export const fieldsWith = (groups: ReadonlyArray<string>): ReadonlyArray<FilterField> => [
  {
    name: "filter[group]",
    label: "Group",
    ...(groups.length === 0 ? {} : { options: groups.map((name) => ({ value: name, label: name })) })
  },
  { name: "filter[device_type]", label: "Type", options: optionsOf(typeWords) },
  { name: "filter[state]", label: "State", options: optionsOf(stateWords) },
  {
    name: "filter[synchronized]",
    label: "Sync",
    options: [
      { value: "true", label: standingWords.synchronized.text },
      { value: "false", label: standingWords.unsynchronized.text }
    ]
  },
  {
    name: "filter[unsynchronized_by]",
    label: "Why out of sync",
    options: Object.entries(causeWords).map(([value, { text }]) => ({ value, label: inSentence(text) })),
    said: outOfSync
  },
  standing("unreachable"),
  standing("drifted"),
  standing("in_change"),
  { name: "filter[model]", label: "Model" },
  { name: "filter[os_version]", label: "Version" }
]

/** The views that come with the page, with their numbers where the caller may read them. */
export const viewsWith = (counts: Overview["devices"] | undefined): ReadonlyArray<ReadyView> => [
  { name: "All", query: {}, count: counts?.total },
  {
    name: "Out of sync",
    query: { "filter[synchronized]": "false", "filter[state]": "MANAGED" },
    count: counts?.unsynchronized
  },
  { name: "Changed by hand", query: { "filter[drifted]": "true" }, count: counts?.drifted },
  { name: "Not answering", query: { "filter[unreachable]": "true" }, count: counts?.unreachable },
  { name: "Changing", query: { "filter[in_change]": "true" }, count: counts?.in_change },
  { name: "New", query: { "filter[state]": "DISCOVERED" }, count: counts?.by_state["DISCOVERED"] ?? (counts && 0) }
]
