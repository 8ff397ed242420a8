/** The heading of a screen, which is also the title of the browser's tab; next to it the actions of the whole screen. */
import { Group, Title } from "@mantine/core"
import { type ReactNode, useEffect } from "react"

interface Props {
  readonly children: string
  readonly aside?: ReactNode
}

export const ScreenTitle = ({ aside, children }: Props) => {
  useEffect(() => {
    document.title = `${children} · Switchyard`
  }, [children])
  return (
    <Group justify="space-between" mb="sm" gap="sm">
      <Title order={1}>{children}</Title>
      {aside}
    </Group>
  )
}
