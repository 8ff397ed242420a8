/** How a table is shown: its density, its columns and their order, and what is shown as a file. */
import { ActionIcon, Button, Checkbox, Group, Popover, Stack } from "@mantine/core"
import { IconAdjustmentsHorizontal, IconArrowDown, IconArrowUp, IconColumns3, IconDownload } from "@tabler/icons-react"
import { setDensity, useDensity } from "./density.ts"
import type { TableChoice } from "./useTableChoice.ts"

interface Props<Row> {
  readonly choice: TableChoice<Row>
  /** Saves what is shown as comma-separated values. */
  readonly save?: () => void
  readonly isSaving?: boolean
}

const Columns = <Row,>({ choice: { all, choose, reset, shown } }: Pick<Props<Row>, "choice">) => {
  const keys = shown.map(({ key }) => key)
  const move = (key: string, step: 1 | -1) => {
    const at = keys.indexOf(key)
    const others = keys.filter((other) => other !== key)
    choose(others.toSpliced(Math.max(0, at + step), 0, key))
  }
  return (
    <Popover position="bottom-end" trapFocus withinPortal>
      <Popover.Target>
        <Button size="xs" variant="subtle" leftSection={<IconColumns3 size={16} stroke={1.75} />}>
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap={4} role="group" aria-label="Columns">
          {all.map(({ column: { head, key }, isShown }) => (
            <Group key={key} justify="space-between" wrap="nowrap" gap="lg">
              <Checkbox
                label={head}
                checked={isShown}
                // the last column stays
                disabled={isShown && keys.length === 1}
                onChange={() => choose(isShown ? keys.filter((other) => other !== key) : [...keys, key])}
              />
              {isShown && (
                <Group gap={2} wrap="nowrap">
                  <ActionIcon size={24} variant="subtle" aria-label={`${head}: earlier`} onClick={() => move(key, -1)}>
                    <IconArrowUp size={14} stroke={1.75} />
                  </ActionIcon>
                  <ActionIcon size={24} variant="subtle" aria-label={`${head}: later`} onClick={() => move(key, 1)}>
                    <IconArrowDown size={14} stroke={1.75} />
                  </ActionIcon>
                </Group>
              )}
            </Group>
          ))}
          <Button size="xs" variant="subtle" onClick={reset}>
            As usual
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

export const TableTools = <Row,>({ choice, isSaving = false, save }: Props<Row>) => {
  const density = useDensity()
  return (
    <Group gap={2} className="table-tools">
      <Button
        size="xs"
        variant="subtle"
        aria-pressed={density === "compact"}
        leftSection={<IconAdjustmentsHorizontal size={16} stroke={1.75} />}
        onClick={() => setDensity(density === "compact" ? "comfortable" : "compact")}
      >
        Compact
      </Button>
      <Columns choice={choice} />
      {save !== undefined && (
        <Button
          size="xs"
          variant="subtle"
          loading={isSaving}
          leftSection={<IconDownload size={16} stroke={1.75} />}
          onClick={save}
        >
          CSV
        </Button>
      )}
    </Group>
  )
}
