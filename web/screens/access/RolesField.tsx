/** A field to choose roles. */
import { Checkbox, SimpleGrid } from "@mantine/core"
import { useAsk } from "../../api/useAsk.ts"

interface Props {
  readonly value: ReadonlyArray<string>
  readonly change: (roles: ReadonlyArray<string>) => void
  /** Only the caller's own roles. */
  readonly onlyHeld?: boolean
}

export const RolesField = ({ change, onlyHeld = false, value }: Props) => {
  const { data } = useAsk("GET /auth/roles")
  const known = (data?.answer.data.roles ?? []).filter(({ is_held }) => is_held || !onlyHeld).map(({ name }) => name)
  return (
    <Checkbox.Group label="Roles" value={[...value]} onChange={change}>
      <SimpleGrid cols={2} mt={4} spacing="xs" verticalSpacing={6}>
        {[...new Set([...known, ...value])].map((name) => (
          <Checkbox key={name} value={name} label={name} />
        ))}
      </SimpleGrid>
    </Checkbox.Group>
  )
}
