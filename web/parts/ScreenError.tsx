/** What a screen or a card shows when it stops working: the rest of the page goes on. The router's own message is never seen. */
import { Button, Card, Code, Group, Stack, Text, Title } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { CatchBoundary, type ErrorComponentProps } from "@tanstack/react-router"
import { type ReactNode, useState } from "react"
import { version } from "../../package.json"

/** For a report: no answer of the server and nothing typed is in it. */
const detailsOf = (error: unknown): string =>
  [
    `Switchyard ${version}`,
    `${location.pathname}`,
    error instanceof Error ? `${error.name}: ${error.message}` : "unknown error"
  ].join("\n")

const CopyDetails = ({ error }: { readonly error: unknown }) => {
  const [shown, setShown] = useState<string | null>(null)
  const copy = async () => {
    const details = detailsOf(error)
    // browsers give the clipboard to encrypted pages and to localhost; elsewhere the user copies the text
    if ("clipboard" in navigator) await navigator.clipboard.writeText(details).catch(() => undefined)
    setShown(details)
  }
  return shown === null ? (
    <Button variant="subtle" onClick={() => void copy()}>
      Copy details
    </Button>
  ) : (
    <Code block aria-label="Details">
      {shown}
    </Code>
  )
}

interface Props {
  readonly title: string
  readonly error: unknown
  readonly again: () => void
  readonly children: ReactNode
}

/** A whole screen that does not work. */
export const ScreenError = ({ again, children, error, title }: Props) => (
  <Card role="alert" withBorder padding="xl" className="screen-error">
    <Stack align="center" gap="xs">
      <Title order={1} size="h3">
        {title}
      </Title>
      <Text ta="center">{children}</Text>
      <Group mt="xs" justify="center">
        <Button onClick={again}>Load it again</Button>
        <CopyDetails error={error} />
      </Group>
    </Stack>
  </Card>
)

/** The boundary of a screen, for the router, which closes it when the user goes to another address. */
export const ScreenStopped = ({ error, reset }: ErrorComponentProps) => {
  const client = useQueryClient()
  const again = () => {
    // a faulty answer must not be shown again from memory
    client.clear()
    reset()
  }
  return (
    <ScreenError title="This screen stopped working" error={error} again={again}>
      The rest of the page still works. What you typed is kept.
    </ScreenError>
  )
}

interface CardProps {
  /** As in "Could not show the running jobs". */
  readonly what: string
  /** The boundary tries again when this changes. */
  readonly of: string | number
  readonly again: () => void
  readonly children: ReactNode
}

/** The boundary of a card: what it contains may stop working without its screen. */
export const CardBoundary = ({ again, children, of, what }: CardProps) => (
  <CatchBoundary
    getResetKey={() => of}
    errorComponent={({ error, reset }) => (
      <Card role="alert" withBorder my="sm" className="screen-error">
        <Group justify="space-between">
          <Text fw={600}>Could not show {what}</Text>
          <Group>
            <Button
              size="xs"
              variant="default"
              onClick={() => {
                again()
                reset()
              }}
            >
              Try again
            </Button>
            <CopyDetails error={error} />
          </Group>
        </Group>
      </Card>
    )}
  >
    {children}
  </CatchBoundary>
)
