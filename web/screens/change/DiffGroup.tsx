/** Devices that change in the same way: their number, the risk with its reason, and the diff of one of them. */
import { Button, Checkbox, Collapse, Group, Text } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { useState } from "react"
import type { Data } from "../../../src/api/Calls.ts"
import { type RiskLevel, riskLevelOf } from "../../../src/domain/ChangeRisk.ts"
import { useAsk } from "../../api/useAsk.ts"
import { DiffView } from "../../parts/DiffView.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { saveFile } from "../../parts/saveFile.ts"
import { Tone } from "../../parts/Tone.tsx"
import type { ToneName } from "../../parts/tones.ts"

type Shown = Data<"GET /job/:id/diffs">["groups"][number]

interface Props {
  readonly job: string
  readonly group: Shown
  readonly search: string
  readonly isRead: boolean
  readonly mark: () => void
}

const NAMES = 8

const RISK_TONES: Readonly<Record<RiskLevel, ToneName>> = { low: "good", medium: "warn", high: "bad" }

const toneOfScore = (score: number | null): ToneName => (score === null ? "quiet" : RISK_TONES[riskLevelOf(score)])

const Names = ({ group, job }: { readonly group: Shown; readonly job: string }) => {
  const [isWhole, setWhole] = useState(false)
  const asked = useAsk(
    "GET /job/:id/diffs",
    { params: { id: job }, query: { group: group.key } },
    { enabled: isWhole && group.count > group.hostnames.length }
  )
  const known = asked.data?.answer.data.groups[0]?.hostnames ?? group.hostnames
  const names = isWhole ? known : group.hostnames.slice(0, NAMES)
  return (
    <Text size="sm" component="div">
      {names.map((name, index) => (
        <span key={name}>
          {index > 0 && ", "}
          <PlainLink to={`/device/${encodeURIComponent(name)}`}>{name}</PlainLink>
        </span>
      ))}{" "}
      {group.count > names.length && (
        <Button size="compact-xs" variant="default" onClick={() => setWhole(true)}>
          all {group.count}
        </Button>
      )}
    </Text>
  )
}

export const DiffGroup = ({ group, isRead, job, mark, search }: Props) => {
  const [isOpen, { toggle }] = useDisclosure(!isRead)
  const { added, count, diff, removed, risks, score } = group
  const title = `${count} ${count === 1 ? "device" : "devices"}: +${added} −${removed}`
  return (
    <section className="group" aria-label={title}>
      <Group justify="space-between" gap="xs">
        <Group gap="sm">
          <Button size="compact-sm" variant="default" aria-expanded={isOpen} onClick={toggle}>
            {isOpen ? "▾" : "▸"} {title}
          </Button>
          <Tone tone={toneOfScore(score)}>score {score === null ? "none" : Math.round(score)}</Tone>
        </Group>
        <Group gap="sm">
          <Button size="compact-xs" variant="default" onClick={() => saveFile(`job-${job}-${group.key}.patch`, diff)}>
            Save as a patch
          </Button>
          <Checkbox label="read" checked={isRead} onChange={mark} />
        </Group>
      </Group>
      <Names group={group} job={job} />
      {risks.length > 0 && (
        <Text size="sm">Risky: {risks.map(({ line, weight }) => `${line.trim()} (${weight})`).join(" · ")}</Text>
      )}
      <Collapse expanded={isOpen}>
        {isOpen && <DiffView diff={diff} find={search} label={`Difference of ${title}`} />}
      </Collapse>
    </section>
  )
}
