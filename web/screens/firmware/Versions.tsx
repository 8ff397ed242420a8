/** The number of managed devices of each group that run each version. */
import { Group, Text } from "@mantine/core"
import { useAsk } from "../../api/useAsk.ts"
import type { Data } from "../../../src/api/Calls.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"

type VersionCounts = Data<"GET /firmware_versions">["all"]

const Counts = ({ versions }: { readonly versions: VersionCounts }) => (
  <Group gap="md">
    {versions.map(({ count, os_version }) => (
      <span key={os_version}>
        <b>{count}</b> {os_version ?? "not known"}
      </span>
    ))}
  </Group>
)

export const Versions = () => {
  const asked = useAsk("GET /firmware_versions", {}, { kinds: ["device", "repository"] })
  return (
    <Asked of={asked} what="the versions">
      {({ data: { all, groups } }) =>
        all.length === 0 ? (
          <Empty>No device is managed yet. Initialise one; its version is read with its facts.</Empty>
        ) : (
          <>
            <Text mb="xs" component="div">
              All managed devices: <Counts versions={all} />
            </Text>
            <SmallTable
              label="Versions by group"
              heads={["Group", "Devices", "Versions", "Upgrade"]}
              rows={groups.filter(({ devices }) => devices > 0)}
              keyOf={({ group }) => group}
              cells={({ devices, group, versions }) => [
                group,
                devices,
                <Counts versions={versions} />,
                <PlainLink to={`/firmware?tab=upgrade&group=${encodeURIComponent(group)}`} label={`Upgrade ${group}`}>
                  upgrade
                </PlainLink>
              ]}
            />
          </>
        )
      }
    </Asked>
  )
}
