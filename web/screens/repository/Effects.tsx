/** The effects of a commit on devices, in plain words: those that must be confirmed first. */
import { Alert, List, Title } from "@mantine/core"
import type { CommitEffects } from "../../../src/domain/CommitEffects.ts"
import { effectSentences } from "../../../src/domain/words/EffectSentences.ts"

/** The most sentences that a user would read; the page is no help beyond them. */
const MOST = 100

interface Props {
  readonly effects: CommitEffects
  /** The cause of the effects, such as a commit. */
  readonly of: string
}

export const Effects = ({ effects, of }: Props) => {
  const sentences = effectSentences(effects)
  if (sentences.length === 0 && effects.confirm.length === 0) return null
  return (
    <section aria-label={`What ${of} means`}>
      <Title order={2}>What {of} means</Title>
      {effects.confirm.length > 0 && (
        <Alert variant="outline" color="orange" title="This must be confirmed" my="xs">
          <List size="sm">
            {effects.confirm.map((reason) => (
              <List.Item key={reason}>{reason}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      <List size="sm" spacing={2} my="xs">
        {sentences.slice(0, MOST).map((sentence) => (
          <List.Item key={sentence}>{sentence}</List.Item>
        ))}
        {sentences.length > MOST && <List.Item>and {sentences.length - MOST} more</List.Item>}
      </List>
    </section>
  )
}
