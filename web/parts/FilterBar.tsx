/**
 * The filters of a list: a search (`/`), a chip for each filter that is on, a menu of the others, how many rows are shown, and the tools of the
 * table. Every choice is in the address.
 */
import { Button, CloseButton, NativeSelect, Popover, Stack, TextInput } from "@mantine/core"
import { useDebouncedCallback } from "@mantine/hooks"
import { IconFilter, IconSearch } from "@tabler/icons-react"
import { type ReactNode, useEffect, useRef, useState } from "react"
import { plainly } from "../../src/domain/words/Word.ts"
import { useWords } from "../app/useAddress.ts"
import { isTyping } from "../app/useLeaps.ts"

export interface FilterField {
  /** The parameter of the address. */
  readonly name: string
  /** `Group`. */
  readonly label: string
  /** The values to choose from; without them it is a text. */
  readonly options?: ReadonlyArray<{ readonly value: string; readonly label: string }>
  /** The whole filter in words, instead of "Group is South". */
  readonly said?: (value: string) => string
}

interface SearchProps {
  /** `Search devices`. */
  readonly label: string
  readonly placeholder: string
}

interface Props {
  readonly search?: SearchProps
  readonly fields: ReadonlyArray<FilterField>
  /** `18 of 206 shown`. */
  readonly count?: string
  /** The tools of the table. */
  readonly children?: ReactNode
}

/** Milliseconds after the last key until a text takes effect. */
const PAUSE = 250

const useTyped = (text: string, change: (text: string) => void) => {
  const [typed, setTyped] = useState(text)
  const [told, setTold] = useState(text)
  if (text !== told) {
    // the address was changed by somebody else: a view, or "Clear filters"
    setTold(text)
    setTyped(text)
  }
  const tell = useDebouncedCallback((value: string) => {
    setTold(value)
    change(value)
  }, PAUSE)
  return [
    typed,
    (value: string) => {
      setTyped(value)
      tell(value)
    }
  ] as const
}

const Search = ({ label, placeholder }: SearchProps) => {
  const [words, change] = useWords()
  const [typed, type] = useTyped(words["search"] ?? "", (search) => change({ search: search || undefined }))
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return
      event.preventDefault()
      field.current?.focus()
    }
    window.addEventListener("keydown", onKey)
    return () => window.removeEventListener("keydown", onKey)
  }, [])
  return (
    <TextInput
      ref={field}
      type="search"
      className="filter-search"
      aria-label={label}
      aria-keyshortcuts="/"
      placeholder={placeholder}
      leftSection={<IconSearch size={16} stroke={1.75} />}
      value={typed}
      onChange={({ currentTarget: { value } }) => type(value)}
    />
  )
}

const TextFilter = ({ field: { label, name } }: { readonly field: FilterField }) => {
  const [words, change] = useWords()
  const [typed, type] = useTyped(words[name] ?? "", (value) => change({ [name]: value || undefined }))
  return <TextInput label={label} value={typed} onChange={({ currentTarget: { value } }) => type(value)} />
}

const Menu = ({ fields }: Pick<Props, "fields">) => {
  const [words, change] = useWords()
  return (
    <Popover position="bottom-start" trapFocus withinPortal>
      <Popover.Target>
        <Button size="xs" variant="subtle" leftSection={<IconFilter size={16} stroke={1.75} />}>
          Filter
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs" role="group" aria-label="Filters">
          {fields.map((field) =>
            field.options === undefined ? (
              <TextFilter key={field.name} field={field} />
            ) : (
              <NativeSelect
                key={field.name}
                label={field.label}
                value={words[field.name] ?? ""}
                data={[{ value: "", label: "All" }, ...field.options]}
                onChange={(event) => change({ [field.name]: event.currentTarget.value || undefined })}
              />
            )
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

const labelOf = (field: FilterField, value: string): string =>
  field.options?.find((option) => option.value === value)?.label ?? value

const Chip = ({
  clear,
  field,
  value
}: {
  readonly field: FilterField
  readonly value: string
  readonly clear: () => void
}) => {
  const said = field.said?.(value)
  const words = said ?? `${field.label} is ${labelOf(field, value)}`
  return (
    <span className="filter-chip">
      {said ?? (
        <>
          {field.label} is <b>{labelOf(field, value)}</b>
        </>
      )}
      <CloseButton size={24} iconSize={14} aria-label={`Remove the filter: ${words}`} onClick={clear} />
    </span>
  )
}

type Address = Readonly<Record<string, string | undefined>>

/** The filters of the address that no field knows: links of other screens may have them. */
const otherFields = (fields: ReadonlyArray<FilterField>, words: Address): ReadonlyArray<FilterField> =>
  Object.keys(words).flatMap((name) => {
    const [, inner = ""] = /^filter\[(.*)\]$/.exec(name) ?? []
    return inner === "" || fields.some((field) => field.name === name)
      ? []
      : [{ name, label: plainly(inner).replaceAll("][", " ") }]
  })

/** The filters of the address. */
export const activeFilters = (fields: ReadonlyArray<FilterField>, words: Address) =>
  [...fields, ...otherFields(fields, words)].flatMap((field) => {
    const value = words[field.name] ?? ""
    return value === "" ? [] : [{ field, value }]
  })

/** What removes all filters and the search. */
export const withoutFilters = (
  fields: ReadonlyArray<FilterField>,
  words: Address
): Readonly<Record<string, undefined>> =>
  Object.fromEntries(
    [...fields, ...otherFields(fields, words), { name: "search" }].map(({ name }) => [name, undefined])
  )

export const FilterBar = ({ children, count, fields, search }: Props) => {
  const [words, change] = useWords()
  const active = activeFilters(fields, words)
  return (
    <div className="filter-bar">
      {search !== undefined && <Search {...search} />}
      {active.map(({ field, value }) => (
        <Chip key={field.name} field={field} value={value} clear={() => change({ [field.name]: undefined })} />
      ))}
      <Menu fields={fields} />
      {active.length > 1 && (
        <Button size="xs" variant="subtle" onClick={() => change(withoutFilters(fields, words))}>
          Clear filters
        </Button>
      )}
      <div className="filter-end">
        {count !== undefined && (
          <span role="status" className="filter-count">
            {count}
          </span>
        )}
        {children}
      </div>
    </div>
  )
}
