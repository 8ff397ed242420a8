/** Switches between the light and the dark scheme. */
import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from "@mantine/core"
import { IconMoon, IconSun } from "@tabler/icons-react"

export const SchemeButton = () => {
  const { setColorScheme } = useMantineColorScheme()
  const next = useComputedColorScheme("light") === "dark" ? "light" : "dark"
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={`Use the ${next} scheme`}
      onClick={() => setColorScheme(next)}
    >
      {next === "dark" ? <IconMoon size={16} stroke={1.75} /> : <IconSun size={16} stroke={1.75} />}
    </ActionIcon>
  )
}
