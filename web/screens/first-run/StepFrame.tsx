/** One step: its card with what is done at its foot, and at the side what was found and what can happen. */
import { Card, Text, Title } from "@mantine/core"
import { IconBook } from "@tabler/icons-react"
import type { ReactNode } from "react"
import { PlainLink } from "../../parts/PlainLink.tsx"

interface Props {
  readonly title: string
  readonly children: ReactNode
  readonly side?: ReactNode
  readonly foot: ReactNode
}

export const StepFrame = ({ children, foot, side, title }: Props) => (
  <div className="step">
    <Card withBorder component="section" aria-label={title}>
      <div className="step-body">
        <Title order={2}>{title}</Title>
        {children}
      </div>
      <div className="step-foot">{foot}</div>
    </Card>
    <div className="step-side">
      {side}
      <Card withBorder component="section" aria-label="Nothing can go wrong here">
        <Title order={2} mb="xs">
          Nothing can go wrong here
        </Title>
        <Text c="dimmed">
          No switch is contacted before step 4, and none is changed before you have seen the difference and said so.
        </Text>
        <Text c="dimmed" mt="xs">
          What you enter stays in this server; secrets never come back to the page.
        </Text>
      </Card>
      <Card withBorder>
        <div className="aside-line">
          <IconBook size={16} stroke={1.75} aria-hidden />
          <span>
            Rather with files and variables? The manual says how, under{" "}
            <PlainLink to="/manual/installing">Installing</PlainLink>.
          </span>
        </div>
      </Card>
    </div>
  </div>
)
