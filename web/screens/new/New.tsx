/** New switches: what they are, where they hang, what is missing, the form that sets them up, and how far each is. */
import { Alert, Card, Tabs } from "@mantine/core"
import { IconPlugConnected } from "@tabler/icons-react"
import { useState } from "react"
import type { Data } from "../../../src/api/Calls.ts"
import { inNaturalOrder } from "../../../src/domain/Natural.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { PageHead } from "../../parts/PageHead.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { HostKeys } from "./HostKeys.tsx"
import { Leases } from "./Leases.tsx"
import { Several } from "./Several.tsx"
import { IgnoredEntry, SwitchCard, titleOf } from "./SwitchCard.tsx"
import "./new.css"

export type NewSwitch = Data<"GET /new_devices">["devices"][number]

/** The groups of the screen, the one that a person works on first. */
const groupOf = ({
  failed_job_id,
  ignored,
  job_id,
  state
}: NewSwitch): "failed" | "waiting" | "working" | "ignored" => {
  if (job_id !== null) return "working"
  if (ignored !== null) return "ignored"
  if (failed_job_id !== null) return "failed"
  return state === "DISCOVERED" ? "waiting" : "working"
}

const HEADS = { failed: "Failed", waiting: "Waiting to be set up", working: "Under way" } as const

const GROUPS = ["failed", "waiting", "working"] as const

const Nothing = () => {
  const may = useMay()
  return (
    <Card withBorder>
      <Empty icon={IconPlugConnected} title="No switches yet. They appear here when they start up.">
        A blank switch asks for an address by DHCP; the hook of the DHCP server reports it, and this server logs in to
        it. Nothing has asked lately.
        {may("GET", "/dhcp_leases") && (
          <>
            {" "}
            <PlainLink to="/new?tab=leases">What the DHCP servers reported</PlainLink>
          </>
        )}
      </Empty>
    </Card>
  )
}

/** Switches that were begun here and have left the list, because they are managed now. */
const Finished = ({ begun, devices }: { readonly begun: ReadonlyMap<number, string>; readonly devices: List }) => {
  const left = [...begun].filter(([id]) => !devices.some((device) => device.id === id))
  return left.length === 0 ? null : (
    <Alert variant="outline" color="green" role="status" my="xs" title="Set up">
      {left.map(([, name]) => name).join(", ")} left this list. <PlainLink to="/devices">Devices</PlainLink>
    </Alert>
  )
}

type List = ReadonlyArray<NewSwitch>

const Cards = () => {
  const asked = useAsk("GET /new_devices", {}, { kinds: ["device", "job", "linknet"] })
  const [begun, setBegun] = useState<ReadonlyMap<number, string>>(new Map())
  return (
    <Asked of={asked} what="the new switches">
      {({ data: { devices } }) => {
        const groups = Map.groupBy(
          devices.toSorted((one, other) => inNaturalOrder(titleOf(one), titleOf(other))),
          groupOf
        )
        const ignored = groups.get("ignored") ?? []
        return (
          <>
            <Finished begun={begun} devices={devices} />
            {devices.length === 0 && <Nothing />}
            {GROUPS.map((group) => {
              const here = groups.get(group) ?? []
              return here.length === 0 ? null : (
                <section key={group} aria-labelledby={`new-${group}`} className="new-group">
                  <h2 id={`new-${group}`}>
                    {HEADS[group]} <span className="panel-count">{here.length}</span>
                  </h2>
                  <div className="new-cards">
                    {here.map((device) => (
                      <SwitchCard
                        key={device.id}
                        device={device}
                        started={(id) => setBegun(new Map(begun).set(id, titleOf(device)))}
                      />
                    ))}
                  </div>
                </section>
              )
            })}
            {ignored.length > 0 && (
              <section aria-labelledby="new-ignored" className="new-group">
                <h2 id="new-ignored">
                  Ignored <span className="panel-count">{ignored.length}</span>
                </h2>
                <ul className="card ignored-list">
                  {ignored.map((device) => (
                    <IgnoredEntry key={device.id} device={device} />
                  ))}
                </ul>
              </section>
            )}
          </>
        )
      }}
    </Asked>
  )
}

/** Leases that were refused: such a switch never appears in the list, so its reason stands above it. */
const RefusedLeases = () => {
  const may = useMay()
  const asked = useAsk(
    "GET /dhcp_leases",
    {},
    { kinds: ["device"], every: 30_000, enabled: may("GET", "/dhcp_leases") }
  )
  const refused = (asked.data?.answer.data.leases ?? []).filter(({ outcome }) => outcome === "refused")
  const [first] = refused
  if (first === undefined) return null
  return (
    <Alert
      variant="outline"
      color="red"
      my="xs"
      role="status"
      className="problem"
      title={
        refused.length === 1
          ? "The lease of a switch was refused"
          : `The leases of ${refused.length} switches were refused`
      }
    >
      {first.ztp_mac}, {first.dhcp_ip}: {first.message} <PlainLink to="/new?tab=leases">All leases</PlainLink>
    </Alert>
  )
}

export default function New() {
  const may = useMay()
  const [{ tab = "one" }, change] = useWords()
  return (
    <>
      <PageHead title="New switches" />
      <Tabs value={tab} onChange={(to) => change({ tab: to ?? undefined })} keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="one">Switches</Tabs.Tab>
          {may("POST", "/new_devices") && <Tabs.Tab value="several">Add several</Tabs.Tab>}
          {may("GET", "/device_hostkeys") && <Tabs.Tab value="keys">Host keys</Tabs.Tab>}
          {may("GET", "/dhcp_leases") && <Tabs.Tab value="leases">Leases</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="one">
          <RefusedLeases />
          <Cards />
        </Tabs.Panel>
        <Tabs.Panel value="several" pt="sm">
          <Several />
        </Tabs.Panel>
        <Tabs.Panel value="keys" pt="sm">
          <HostKeys />
        </Tabs.Panel>
        <Tabs.Panel value="leases" pt="sm">
          <Leases />
        </Tabs.Panel>
      </Tabs>
    </>
  )
}
