/** The filters of the list of devices. Every choice is in the address, which is a saved view. */
import { Button, Group, NativeSelect } from "@mantine/core"

type Words = Readonly<Record<string, string | undefined>>

interface Props {
  readonly words: Words
  readonly change: (changes: Words) => void
}

const STATES = ["MANAGED", "DHCP_BOOT", "DISCOVERED", "INIT", "PRE_CONFIGURED", "UNMANAGED", "UNKNOWN"]
const TYPES = ["ACCESS", "DIST", "CORE", "UNKNOWN"]

/** Predefined views: the filters that they set. */
const VIEWS: ReadonlyArray<readonly [label: string, filters: Words]> = [
  ["not synchronized", { "filter[synchronized]": "false", "filter[state]": "MANAGED" }],
  ["drifted", { "filter[drifted]": "true" }],
  ["unreachable", { "filter[unreachable]": "true" }],
  ["in change", { "filter[in_change]": "true" }],
  ["new", { "filter[state]": "DISCOVERED" }]
]

const isFilter = (name: string): boolean => name.startsWith("filter[")

/** Removes all filters. */
const noFilters = (words: Words): Words =>
  Object.fromEntries(
    Object.keys(words)
      .filter(isFilter)
      .map((name) => [name, undefined])
  )

export const Filters = ({ change, words }: Props) => {
  const active = Object.keys(words).filter((name) => isFilter(name) && words[name] !== undefined && words[name] !== "")
  const select = (label: string, field: string, values: ReadonlyArray<string>) => (
    <NativeSelect
      aria-label={label}
      value={words[field] ?? ""}
      data={[{ value: "", label: `${label}: all` }, ...values]}
      onChange={(event) => change({ [field]: event.currentTarget.value || undefined })}
    />
  )
  return (
    <Group gap="xs" mb="xs">
      {select("State", "filter[state]", STATES)}
      {select("Type", "filter[device_type]", TYPES)}
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
          show all ({active.map((name) => `${name.slice(7, -1)} ${words[name]}`).join(", ")})
        </Button>
      )}
    </Group>
  )
}
