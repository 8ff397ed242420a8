/** The number of managed devices of each group that run each version. */
import { inNaturalOrder } from "../../../src/domain/Natural.ts"
import { useAsk } from "../../api/useAsk.ts"
import type { Data } from "../../../src/api/Calls.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Panel, PanelBody } from "../../parts/Panel.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { StackedBar } from "../../parts/StackedBar.tsx"
import type { ToneName } from "../../parts/tones.ts"

type VersionCounts = Data<"GET /firmware_versions">["all"]

/** The tones of versions, the most frequent first: what most of them run is normal. */
const TONES: ReadonlyArray<ToneName> = ["good", "warn", "wait", "info", "bad"]

const Counts = ({ label, versions }: { readonly label: string; readonly versions: VersionCounts }) => (
  <StackedBar
    label={label}
    parts={versions
      .toSorted((one, other) => other.count - one.count)
      .map(({ count, os_version }, place) => ({
        key: os_version ?? "",
        count,
        label: os_version ?? "not known",
        tone: os_version === null ? "quiet" : (TONES[place] ?? "quiet")
      }))}
  />
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
            <Panel title="All managed switches">
              <PanelBody>
                <Counts label="Versions of all managed switches" versions={all} />
              </PanelBody>
            </Panel>
            <SmallTable
              label="Versions by group"
              heads={["Group", "Devices", "Versions", "Upgrade"]}
              rows={groups
                .filter(({ devices }) => devices > 0)
                .toSorted((one, other) => inNaturalOrder(one.group, other.group))}
              keyOf={({ group }) => group}
              cells={({ devices, group, versions }) => [
                group,
                devices,
                <Counts label={`Versions of ${group}`} versions={versions} />,
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
