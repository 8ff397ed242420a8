/** Settings or templates; the choice is in the address. */
import { SegmentedControl } from "@mantine/core"
import { useWords } from "../../app/useAddress.ts"

export type RepositoryName = "settings" | "templates"

const LABELS = [
  { value: "settings", label: "Settings" },
  { value: "templates", label: "Templates" }
]

/** The repository that the address names. */
export const useRepository = (): RepositoryName => {
  const [{ name }] = useWords()
  return name === "templates" ? "templates" : "settings"
}

export const WhichRepository = () => {
  const [, change] = useWords()
  const name = useRepository()
  return (
    <SegmentedControl
      aria-label="Which repository"
      data={LABELS}
      value={name}
      onChange={(chosen) => change({ name: chosen, path: undefined, line: undefined })}
    />
  )
}
