/** A button that asks before it acts and says what will happen. The question closes on success and shows the reason of a failure. */
import { Button, Group, Modal, Stack } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import type { ReactNode } from "react"
import { AwaitsApproval } from "../api/call.ts"
import { Problem } from "./Problem.tsx"
import { useAct } from "./useAct.ts"

interface Props {
  /** The label of the button, and the heading of the question. */
  readonly label: string
  readonly children: ReactNode
  readonly act: () => Promise<unknown>
  readonly danger?: boolean
  readonly disabled?: boolean
  readonly size?: "xs" | "sm"
}

export const AskFirst = ({ act, children, danger = false, disabled = false, label, size = "sm" }: Props) => {
  const [isOpen, { close, open }] = useDisclosure(false)
  const { busy, clear, error, run } = useAct()
  const begin = () => {
    clear()
    open()
  }
  const go = async () => {
    if (await run(act)) close()
  }
  const isWaiting = error instanceof AwaitsApproval
  const color = danger ? "red" : "blue"
  return (
    <>
      <Button size={size} variant="default" onClick={begin} disabled={disabled}>
        {label}
      </Button>
      <Modal opened={isOpen} onClose={close} title={label} closeButtonProps={{ "aria-label": "Close" }}>
        <Stack gap="sm">
          {children}
          {error !== null && <Problem error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {isWaiting ? "Close the dialog" : "Leave it"}
            </Button>
            {!isWaiting && (
              <Button color={color} loading={busy} onClick={() => void go()}>
                {label}
              </Button>
            )}
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
