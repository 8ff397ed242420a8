/** A search field whose text takes effect a moment after the last key. */
import { TextInput } from "@mantine/core"
import { useDebouncedCallback } from "@mantine/hooks"
import { useState } from "react"

interface Props {
  readonly label: string
  readonly text: string
  readonly change: (text: string) => void
}

export const SearchField = ({ change, label, text }: Props) => {
  const [typed, setTyped] = useState(text)
  const tell = useDebouncedCallback(change, 250)
  return (
    <TextInput
      type="search"
      label={label}
      value={typed}
      maw={360}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value)
        tell(value)
      }}
    />
  )
}
