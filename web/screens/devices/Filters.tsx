/** The filters of the list of devices. Every choice is in the address, which is a saved view. */
import { inSentence, plainly, textOf, type Words } from "../../../src/domain/words/Word.ts"
import { outOfSync, standingWords, stateWords, typeWords } from "../../../src/domain/words/DeviceWords.ts"
import { Button, Group, NativeSelect } from "@mantine/core"

type Address = Readonly<Record<string, string | undefined>>

interface Props {
  readonly words: Address
  readonly change: (changes: Address) => void
}

const optionsOf = (words: Words<string>) => Object.entries(words).map(([value, { text }]) => ({ value, label: text }))

/** Predefined views: the filters that they set. */
const VIEWS: ReadonlyArray<readonly [label: string, filters: Address]> = [
  ["Out of sync", { "filter[synchronized]": "false", "filter[state]": "MANAGED" }],
  ["Changed by hand", { "filter[drifted]": "true" }],
  ["Not answering", { "filter[unreachable]": "true" }],
  ["Changing", { "filter[in_change]": "true" }],
  ["New", { "filter[state]": "DISCOVERED" }]
]

const isFilter = (name: string): boolean => name.startsWith("filter[")

/** A filter in words: `state managed`, `out of sync: a link was added`, `changed by hand`. */
const saidOf = (field: string, value: string): string => {
  if (field === "state") return `state ${inSentence(textOf(stateWords, value))}`
  if (field === "device_type") return `type ${inSentence(textOf(typeWords, value))}`
  if (field === "unsynchronized_by") return inSentence(outOfSync(value))
  if (field === "synchronized") return value === "true" ? "in sync" : "out of sync"
  return value === "true" ? inSentence(textOf(standingWords, field)) : `${plainly(field)} ${value}`
}

/** Removes all filters. */
const noFilters = (words: Address): Address =>
  Object.fromEntries(
    Object.keys(words)
      .filter(isFilter)
      .map((name) => [name, undefined])
  )

export const Filters = ({ change, words }: Props) => {
  const active = Object.keys(words).filter((name) => isFilter(name) && words[name] !== undefined && words[name] !== "")
  const select = (label: string, field: string, values: Words<string>) => (
    <NativeSelect
      aria-label={label}
      value={words[field] ?? ""}
      data={[{ value: "", label: `${label}: all` }, ...optionsOf(values)]}
      onChange={(event) => change({ [field]: event.currentTarget.value || undefined })}
    />
  )
  return (
    <Group gap="xs" mb="xs">
      {select("State", "filter[state]", stateWords)}
      {select("Type", "filter[device_type]", typeWords)}
      {VIEWS.map(([label, filters]) => (
        <Button
          key={label}
          size="compact-sm"
          variant="default"
          onClick={() => change({ ...noFilters(words), ...filters })}
        >
          {label}
        </Button>
      ))}
      {active.length > 0 && (
        <Button size="compact-sm" variant="default" onClick={() => change(noFilters(words))}>
          Show all (now: {active.map((name) => saidOf(name.slice(7, -1), words[name] ?? "")).join(", ")})
        </Button>
      )}
    </Group>
  )
}
