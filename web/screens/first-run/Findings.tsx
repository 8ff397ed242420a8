/** What was found at the addresses and networks that are typed. */
import { Card, Text, Title } from "@mantine/core"
import { IconAlertTriangle, IconCircleCheck } from "@tabler/icons-react"
import type { Data } from "../../../src/api/Calls.ts"

export type Found = Data<"POST /setup/try">["findings"][number]

const NAMES = { settings: "Settings", templates: "Templates", networks: "Networks" } as const

export const Findings = ({ found, isBusy }: { readonly found: ReadonlyArray<Found>; readonly isBusy: boolean }) => (
  <Card withBorder component="section" aria-label="What we found" aria-live="polite">
    <Title order={2} mb="xs">
      What we found
    </Title>
    {found.length === 0 && <Text c="dimmed">{isBusy ? "Checking …" : "Nothing was checked yet."}</Text>}
    <ul className="found">
      {found.map(({ commit, is_good, message, of }) => (
        <li key={of} data-tone={is_good ? "good" : "bad"}>
          {is_good ? (
            <IconCircleCheck size={16} stroke={1.75} aria-hidden />
          ) : (
            <IconAlertTriangle size={16} stroke={1.75} aria-hidden />
          )}
          <div>
            <div>{is_good ? `${NAMES[of]} can be used` : `${NAMES[of]}: this does not work yet`}</div>
            <Text size="xs" c="dimmed">
              {message}
              {commit !== null && `, newest commit ${commit.slice(0, 7)}`}
            </Text>
          </div>
        </li>
      ))}
    </ul>
  </Card>
)
