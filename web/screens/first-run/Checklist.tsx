/** The card on the overview that leads to what a new installation still lacks, until a first push was confirmed. */
import { Card, Group, Text, Title } from "@mantine/core"
import { IconCircleCheck, IconCircleDashed } from "@tabler/icons-react"
import { useMay } from "../../app/useSession.ts"
import { PlainLink } from "../../parts/PlainLink.tsx"
import "./first-run.css"
import { steps } from "./steps.ts"
import { useSetup } from "./useSetup.ts"

export const Checklist = () => {
  const may = useMay()
  const setup = useSetup()
  if (setup === undefined || setup.pushed || !may("PUT", "/setup")) return null
  const all = [
    ...steps.map(({ isDone, title }, index) => ({
      title,
      isDone: isDone(setup),
      to: `/first-run?step=${index + 1}`
    })),
    { title: "First rollout", isDone: false, to: "/change" }
  ]
  const done = all.filter(({ isDone }) => isDone).length
  return (
    <Card withBorder component="section" aria-label="Set up Switchyard" mb="md">
      <Group justify="space-between">
        <Title order={2}>Set up Switchyard</Title>
        <Text c="dimmed" size="xs">
          {done} of {all.length} done
        </Text>
      </Group>
      <ul className="checklist">
        {all.map(({ isDone, title, to }) => (
          <li key={title} data-tone={isDone ? "good" : "quiet"}>
            {isDone ? (
              <IconCircleCheck size={16} stroke={1.75} aria-hidden />
            ) : (
              <IconCircleDashed size={16} stroke={1.75} aria-hidden />
            )}
            {isDone ? <span>{title}, done</span> : <PlainLink to={to}>{title}</PlainLink>}
          </li>
        ))}
      </ul>
    </Card>
  )
}
