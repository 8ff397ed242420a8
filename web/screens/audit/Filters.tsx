/** Fields that filter the audit. */
import { eventWords } from "../../../src/domain/words/ServerWords.ts"
import { textOf } from "../../../src/domain/words/Word.ts"
import { Button, NativeSelect, TextInput } from "@mantine/core"
import { IconX } from "@tabler/icons-react"
import { useWords } from "../../app/useAddress.ts"
import { useDebouncedCallback } from "@mantine/hooks"
import { useState } from "react"
import { isFiltered, KINDS, NOTHING } from "./filters.ts"

interface FieldProps {
  readonly name: string
  readonly label: string
  readonly placeholder?: string
}

/** A text that takes effect a moment after the last key. */
const Field = ({ label, name, placeholder = "" }: FieldProps) => {
  const [words, change] = useWords()
  const [typed, setTyped] = useState(words[name] ?? "")
  const tell = useDebouncedCallback((text: string) => change({ [name]: text, page: undefined }), 300)
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={placeholder === "" ? label : placeholder}
      value={typed}
      w={name === "at" ? 180 : 140}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value)
        tell(value)
      }}
    />
  )
}

const LABELS: Readonly<Record<string, string>> = {
  kind: "Kind",
  actor: "Who",
  hostname: "Switch",
  action: "What",
  at: "When"
}

/** What is filtered, each with a button that takes it away. */
const Chips = ({ clear }: { readonly clear: (name: string) => void }) => {
  const [words] = useWords()
  return Object.entries(LABELS).flatMap(([name, label]) => {
    const value = words[name]?.trim() ?? ""
    if (value === "") return []
    const said = name === "kind" ? textOf(eventWords, value) : value
    return [
      <Button
        key={name}
        size="compact-sm"
        variant="light"
        rightSection={<IconX size={13} stroke={1.75} aria-hidden />}
        aria-label={`${label} is ${said}, take this filter away`}
        onClick={() => clear(name)}
      >
        {label} is {said}
      </Button>
    ]
  })
}

export const Filters = ({ count }: { readonly count: string }) => {
  const [words, change] = useWords()
  const [cleared, setCleared] = useState(0)
  const clear = (filters: Readonly<Record<string, undefined>>) => {
    change({ ...filters, page: undefined, event: undefined })
    setCleared((times) => times + 1)
  }
  return (
    <div key={cleared} className="audit-filters" role="search" aria-label="What is shown">
      <NativeSelect
        aria-label="Kind"
        data={[
          { value: "", label: "Everything" },
          ...KINDS.map((kind) => ({ value: kind, label: eventWords[kind].text }))
        ]}
        value={words["kind"] ?? ""}
        onChange={({ currentTarget: { value } }) => change({ kind: value, page: undefined })}
      />
      <Field name="actor" label="Who" />
      <Field name="hostname" label="Switch" />
      <Field name="action" label="What" placeholder="What: updated" />
      <Field name="at" label="Day or hour, UTC" placeholder="Day: 2026-03-02T09" />
      <Chips clear={(name) => clear({ [name]: undefined })} />
      {isFiltered(words) && (
        <Button variant="subtle" size="compact-sm" onClick={() => clear(NOTHING)}>
          Clear filters
        </Button>
      )}
      <span className="audit-count" role="status">
        {count}
      </span>
    </div>
  )
}
