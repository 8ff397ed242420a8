/**
 * A notice at the lower right of what an action has done. It goes after six seconds, which stop while the pointer is on it; a failure stays
 * until it is closed.
 */
import { Anchor, Group, Text } from "@mantine/core"
import { notifications } from "@mantine/notifications"
import { ToneIcon } from "./StatusWord.tsx"
import type { ToneName } from "./tones.ts"

/** Milliseconds. */
const SHOWN = 6000

interface Toast {
  /** `Ethernet3 is now PRINTER`. */
  readonly title: string
  readonly tone?: ToneName
  /** A second line. */
  readonly text?: string
  /** "Undo", "Open", or another verb. */
  readonly action?: { readonly label: string; readonly act: () => void }
}

const Content = ({ action, hide, text, title }: Toast & { readonly hide: () => void }) => (
  <Group justify="space-between" wrap="nowrap" gap="sm">
    <div>
      <Text fw={600}>{title}</Text>
      {text !== undefined && (
        <Text size="xs" c="dimmed">
          {text}
        </Text>
      )}
    </div>
    {action !== undefined && (
      <Anchor
        component="button"
        type="button"
        fw={500}
        onClick={() => {
          hide()
          action.act()
        }}
      >
        {action.label}
      </Anchor>
    )}
  </Group>
)

/** Shows a notice, and returns its identifier. */
export const toast = (said: Toast): string => {
  const { tone = "good" } = said
  const id = notifications.show({
    message: <Content {...said} hide={() => notifications.hide(id)} />,
    icon: <ToneIcon tone={tone} size={18} />,
    autoClose: tone === "bad" ? false : SHOWN,
    role: tone === "bad" ? "alert" : "status",
    withBorder: true,
    className: "toast",
    closeButtonProps: { "aria-label": "Close this notice" }
  })
  return id
}
