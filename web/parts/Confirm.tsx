/**
 * A question before an action: its title asks, its body says what happens, what goes back and what stays, and its buttons are verbs. The
 * focus is on the harmless one. To erase, or for many switches, a name or number must be typed. The question closes on success and shows the
 * reason of a failure.
 */
import { Button, Group, Modal, Stack, TextInput } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { type ReactNode, useState } from "react"
import { AwaitsApproval } from "../api/call.ts"
import { useLetter } from "../app/useLeaps.ts"
import { Problem } from "./Problem.tsx"
import { useAct } from "./useAct.ts"

interface QuestionProps {
  /** The question, with its number: `Undo 58 switches?` */
  readonly question: string
  /** What the button that acts does: `Undo 58 switches`. */
  readonly verb: string
  /** The harmless button. */
  readonly keep?: string | undefined
  readonly danger?: boolean
  /** The name or number that must be typed. */
  readonly typed?: string | undefined
  /** Whether what the body asks for is missing. */
  readonly incomplete?: boolean
  readonly act: () => Promise<unknown>
  readonly children: ReactNode
}

interface DialogProps extends QuestionProps {
  readonly opened: boolean
  readonly close: () => void
}

/** The question alone, for a menu or a key that opens it. */
export const ConfirmDialog = ({ close, opened, ...question }: DialogProps) => (
  <Modal
    opened={opened}
    onClose={close}
    title={question.question}
    closeButtonProps={{ "aria-label": "Close" }}
    keepMounted={false}
  >
    <Question {...question} close={close} />
  </Modal>
)

const Question = (props: QuestionProps & { readonly close: () => void }) => {
  const { act, children, close, danger = false, incomplete = false, keep = "Cancel", typed, verb } = props
  const { busy, error, run } = useAct()
  const [text, setText] = useState("")
  const isWaiting = error instanceof AwaitsApproval
  const go = async () => {
    if (await run(act)) close()
  }
  return (
    <Stack gap="sm">
      {children}
      {typed !== undefined && (
        <TextInput
          label={`Type ${typed} to go on`}
          value={text}
          autoComplete="off"
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      {error !== null && <Problem error={error} />}
      <Group justify="flex-end" className="confirm-buttons">
        <Button variant="default" onClick={close} data-autofocus>
          {isWaiting ? "Close the dialog" : keep}
        </Button>
        {!isWaiting && (
          <Button
            color={danger ? "red" : "blue"}
            loading={busy}
            disabled={incomplete || (typed !== undefined && text.trim() !== typed)}
            onClick={() => void go()}
          >
            {verb}
          </Button>
        )}
      </Group>
    </Stack>
  )
}

interface Props extends Omit<QuestionProps, "question" | "verb"> {
  /** The label of the button that opens the question; it ends in an ellipsis. */
  readonly label: string
  /** By default the label as a question. */
  readonly question?: string
  /** By default the label. */
  readonly verb?: string
  readonly disabled?: boolean
  readonly size?: "xs" | "sm"
  readonly variant?: "default" | "filled" | "subtle"
  readonly icon?: ReactNode
  /** A letter that opens the question too. */
  readonly letter?: string
}

/** A button that asks before it acts. */
export const Confirm = (props: Props) => {
  const { disabled = false, icon, label, letter, question, size = "sm", variant = "default", verb, ...asked } = props
  const [isOpen, { close, open }] = useDisclosure(false)
  const plain = label.replace(/…$/, "")
  useLetter(letter ?? "", open, letter !== undefined && !disabled)
  return (
    <>
      <Button
        size={size}
        variant={variant}
        onClick={open}
        disabled={disabled}
        className={asked.danger === true ? "dangerous" : undefined}
        leftSection={icon}
        {...(letter === undefined ? {} : { "aria-keyshortcuts": letter })}
      >
        {label}
      </Button>
      <ConfirmDialog {...asked} opened={isOpen} close={close} question={question ?? `${plain}?`} verb={verb ?? plain} />
    </>
  )
}
