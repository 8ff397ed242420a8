/** Host keys that devices have shown and no user has approved: compared with the switches' own, and approved together. */
import { Checkbox, Group, Stack, Text } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { inNaturalOrder } from "../../../src/domain/Natural.ts"
import { ask } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import type { Data } from "../../../src/api/Calls.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { When } from "../../parts/When.tsx"

type Waiting = Omit<Data<"GET /device_hostkeys">["host_keys"][number], "state">

/** A pinned device has changed its key, and must be reviewed separately. */
const isNew = ({ fingerprint }: Waiting): boolean => fingerprint === null

interface Props {
  readonly keys: ReadonlyArray<Waiting>
  /** What follows when the keys of these switches were approved. */
  readonly approved?: (hostnames: ReadonlyArray<string>) => Promise<void>
}

/** Keys to compare and to approve together. */
export const KeyList = ({ approved, keys }: Props) => {
  const client = useQueryClient()
  const may = useMay()
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  const [refused, setRefused] = useState<ReadonlyArray<string>>([])
  const mark = (hostname: string) => {
    const others = [...marked].filter((name) => name !== hostname)
    setMarked(new Set(marked.has(hostname) ? others : [...others, hostname]))
  }
  const wanted = keys.filter((key) => isNew(key) && marked.has(key.hostname))
  const approve = async () => {
    const host_keys = wanted.map(({ hostname, refused_fingerprint }) => ({
      hostname,
      fingerprint: refused_fingerprint
    }))
    const { answer } = await ask("POST /device_hostkeys/approve", { body: { host_keys } })
    setRefused(
      answer.data.host_keys.flatMap(({ hostname, message }) => (message === null ? [] : [`${hostname}: ${message}`]))
    )
    setMarked(new Set())
    await client.invalidateQueries({ queryKey: ["GET /device_hostkeys"] })
    await approved?.(answer.data.host_keys.flatMap((key) => (key.approved ? [key.hostname] : [])))
  }
  const all = keys.filter(isNew)
  const isDated = keys.some(({ since }) => since !== null)
  return (
    <Stack gap="sm">
      <Text size="sm">
        No login is sent to these switches. Compare each key with the one that the switch shows on its console, mark it,
        and approve.
      </Text>
      {refused.length > 0 && <StatusWord tone="bad">{refused.join("; ")}</StatusWord>}
      {may("POST", "/device_hostkeys/approve") && (
        <Group>
          <Checkbox
            label={`Mark all ${all.length}`}
            checked={all.length > 0 && wanted.length === all.length}
            onChange={(event) =>
              setMarked(new Set(event.currentTarget.checked ? all.map(({ hostname }) => hostname) : []))
            }
          />
          <Confirm label={`Approve ${wanted.length} keys`} act={approve} disabled={wanted.length === 0}>
            The fleet&apos;s login is sent to {wanted.map(({ hostname }) => hostname).join(", ")} from then on.
          </Confirm>
        </Group>
      )}
      <SmallTable
        label="Host keys that wait for approval"
        heads={["Mark", "Switch", "Address", "Key", ...(isDated ? ["Since"] : [])]}
        rows={keys.toSorted((one, other) => inNaturalOrder(one.hostname, other.hostname))}
        keyOf={({ hostname }) => hostname}
        cells={(key) => [
          <Checkbox
            aria-label={`Mark ${key.hostname}`}
            disabled={!isNew(key)}
            checked={marked.has(key.hostname)}
            onChange={() => mark(key.hostname)}
          />,
          <PlainLink to={`/device/${encodeURIComponent(key.hostname)}`}>{key.hostname}</PlainLink>,
          key.address ?? "",
          <>
            <code>{key.refused_fingerprint}</code>
            {!isNew(key) && <Text size="sm">It is pinned to another key: decide at the device.</Text>}
          </>,
          ...(isDated ? [<When key="since" at={key.since} never="" />] : [])
        ]}
      />
    </Stack>
  )
}

export const HostKeys = () => {
  const asked = useAsk("GET /device_hostkeys", {}, { kinds: ["host_key", "device"], every: 30_000 })
  return (
    <Asked of={asked} what="host keys that wait">
      {({ data: { host_keys } }) =>
        host_keys.length === 0 ? (
          <Empty>No host keys wait for approval. A key appears here at the first login to a new switch.</Empty>
        ) : (
          <KeyList keys={host_keys} />
        )
      }
    </Asked>
  )
}
