/** An error, in the server's own sentences. */
import { Alert, Button, List } from "@mantine/core"
import { AwaitsApproval, CallFailed } from "../api/call.ts"
import { PlainLink } from "./PlainLink.tsx"

interface Props {
  readonly error: unknown
  readonly title?: string
  readonly again?: () => void
}

/** The sentences of an error. */
export const sentencesOf = (error: unknown): ReadonlyArray<string> =>
  error instanceof CallFailed ? error.sentences : [error instanceof Error ? error.message : String(error)]

export const Problem = ({ again, error, title = "This did not succeed" }: Props) => {
  const sentences = sentencesOf(error)
  if (error instanceof AwaitsApproval)
    return (
      <Alert role="status" variant="outline" title="This waits for another person" my="sm" className="problem">
        {sentences[0]} <PlainLink to="/approvals?view=yours">What waits</PlainLink>
      </Alert>
    )
  return (
    <Alert role="alert" variant="outline" color="red" title={title} my="sm" className="problem">
      {sentences.length === 1 ? (
        sentences[0]
      ) : (
        <List size="sm">
          {sentences.map((sentence) => (
            <List.Item key={sentence}>{sentence}</List.Item>
          ))}
        </List>
      )}
      {again !== undefined && (
        <Button mt="xs" size="xs" variant="default" onClick={again} display="block">
          Try again
        </Button>
      )}
    </Alert>
  )
}
