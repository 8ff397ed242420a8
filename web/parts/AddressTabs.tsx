/** Tabs of a screen; the selected one is in the address. */
import { Tabs } from "@mantine/core"
import type { ComponentType } from "react"
import { useWords } from "../app/useAddress.ts"

export interface Part {
  readonly value: string
  readonly label: string
  readonly Panel: ComponentType
}

export const AddressTabs = ({ label, parts }: { readonly label: string; readonly parts: ReadonlyArray<Part> }) => {
  const [words, change] = useWords()
  const shown = parts.find(({ value }) => value === words["tab"]) ?? parts[0]
  if (shown === undefined) return null
  return (
    <Tabs
      value={shown.value}
      onChange={(tab) => change({ tab: tab ?? undefined })}
      keepMounted={false}
      activateTabWithKeyboard={false}
    >
      <Tabs.List aria-label={label} mb="sm">
        {parts.map((part) => (
          <Tabs.Tab key={part.value} value={part.value}>
            {part.label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {parts.map(({ Panel, value }) => (
        <Tabs.Panel key={value} value={value}>
          <Panel />
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
