/** Fields that filter the audit. */
import { eventWords } from "../../../src/domain/words/ServerWords.ts"
import { Button, Group, NativeSelect, TextInput } from "@mantine/core"
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
      label={label}
      placeholder={placeholder}
      value={typed}
      w={170}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value)
        tell(value)
      }}
    />
  )
}

export const Filters = () => {
  const [words, change] = useWords()
  const [cleared, setCleared] = useState(0)
  const clear = () => {
    change(NOTHING)
    setCleared((count) => count + 1)
  }
  return (
    <Group key={cleared} align="end" gap="xs" mb="sm" role="search" aria-label="What is shown">
      <NativeSelect
        label="Kind"
        data={[{ value: "", label: "any" }, ...KINDS.map((kind) => ({ value: kind, label: eventWords[kind].text }))]}
        value={words["kind"] ?? ""}
        onChange={({ currentTarget: { value } }) => change({ kind: value, page: undefined })}
      />
      <Field name="actor" label="Who" />
      <Field name="hostname" label="Device" />
      <Field name="action" label="What" placeholder="updated" />
      <Field name="at" label="Day or hour, UTC" placeholder="2026-03-02T09" />
      {isFiltered(words) && (
        <Button variant="default" onClick={clear}>
          Show all
        </Button>
      )}
    </Group>
  )
}
