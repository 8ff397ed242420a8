/** A device at a glance: its life, what it does now, its health, its uplinks, what happened last, and its facts. */
import { Button, Card, Title } from "@mantine/core"
import type { ReactNode } from "react"
import { duration, light as lightOf, speed } from "../../../src/domain/words/Units.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { KeyValues } from "../../parts/KeyValues.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { When } from "../../parts/When.tsx"
import { Actor } from "./Actor.tsx"
import type { TabProps } from "./record.ts"
import { Happened } from "./Happened.tsx"
import { eventRows } from "./happened.ts"
import { Life } from "./Life.tsx"
import { usePlan } from "./Neighbours.tsx"

interface PartProps {
  readonly title: string
  readonly aside?: ReactNode
  readonly children: ReactNode
}

const Part = ({ aside, children, title }: PartProps) => (
  <Card component="section" aria-label={title} className="device-part" padding={0}>
    <div className="device-part-head">
      <Title order={2}>{title}</Title>
      {aside}
    </div>
    {children}
  </Card>
)

/** The newest reading of the ports: it is kept while the switch is busy or silent, with its age. */
const useReadings = (hostname: string, isRead: boolean) => {
  const params = { hostname }
  const ports = useAsk("GET /device/:hostname/interface_status", { params }, { once: true, enabled: isRead })
  const optics = useAsk(
    "GET /device/:hostname/optics",
    { params },
    { once: true, enabled: isRead && ports.data !== undefined }
  )
  return {
    ports: ports.data?.answer.data.interface_status,
    optics: optics.data?.answer.data.optics,
    readAt: ports.data === undefined ? null : ports.dataUpdatedAt / 1000,
    isReading: ports.isFetching || optics.isFetching,
    hasFailed: ports.error !== null,
    again: () => void Promise.all([ports.refetch(), optics.refetch()])
  }
}
type Readings = ReturnType<typeof useReadings>

/** Interfaces that are no ports. */
const VIRTUAL = /^(?:vlan|loopback|vxlan|tunnel|port-channel|lo|br)[\d-]/i

const Figure = ({
  children,
  name,
  words
}: {
  readonly name: string
  readonly children: ReactNode
  readonly words: ReactNode
}) => (
  <div className="health-figure">
    <span>{name}</span>
    <b>{children}</b>
    <span>{words}</span>
  </div>
)

const Health = ({
  hostname,
  isManaged,
  lastSeen,
  readings
}: {
  readonly hostname: string
  readonly isManaged: boolean
  readonly lastSeen: string | null
  readonly readings: Readings
}) => {
  const { again, hasFailed, isReading, optics, ports, readAt } = readings
  const all = Object.entries(ports ?? {}).flatMap(([name, status]) => (VIRTUAL.test(name) ? [] : [status]))
  const up = all.filter(({ is_up }) => is_up === true)
  const faulty = all.filter(({ errors }) => errors !== undefined && errors.in + errors.out > 0)
  const dropping = all.filter(({ errors }) => errors !== undefined && errors.in_discards + errors.out_discards > 0)
  const lit = Object.values(optics ?? {}).filter(({ rx_power }) => rx_power !== null)
  return (
    <Part
      title="Health"
      aside={
        isManaged && (
          <span className="device-part-aside">
            {readAt !== null && (
              <span>
                read <When at={readAt} />
              </span>
            )}
            <Button size="compact-xs" variant="subtle" loading={isReading} onClick={again}>
              Read again
            </Button>
          </span>
        )
      }
    >
      {hasFailed && (
        <p className="device-note" role="status">
          {ports === undefined
            ? `${hostname} could not be read now.`
            : "The switch is busy or does not answer; these are the last readings."}
        </p>
      )}
      <div className="health" {...(hasFailed ? { "data-old": true } : {})}>
        <Figure name="Answered" words="at the last sign-in or reading">
          <When at={lastSeen} never="never" />
        </Figure>
        <Figure name="Ports up" words={ports === undefined ? "not read yet" : `of ${all.length}`}>
          {ports === undefined ? "–" : up.length}
        </Figure>
        <Figure
          name="Ports with errors"
          words={
            ports === undefined
              ? "not read yet"
              : dropping.length === 0
                ? "nothing was dropped"
                : `${dropping.length} dropped packets`
          }
        >
          {ports === undefined ? "–" : faulty.length === 0 ? "0" : <StatusWord tone="warn">{faulty.length}</StatusWord>}
        </Figure>
        <Figure name="Optics" words={optics === undefined ? "not read yet" : "with light"}>
          {optics === undefined ? "–" : lit.length}
        </Figure>
      </div>
    </Part>
  )
}

const Uplinks = ({ device: { device_type, id }, readings }: TabProps & { readonly readings: Readings }) => {
  const links = usePlan(id).filter(({ type }) => type === "CORE" || type === "DIST")
  const shown = device_type === "CORE" ? [] : links.filter(({ type }) => type === "CORE" || device_type === "ACCESS")
  if (shown.length === 0) return null
  return (
    <Part title="Uplinks">
      <table className="device-rows">
        <tbody>
          {shown.map(({ hostname, peerPort, port }) => {
            const status = readings.ports?.[port]
            const rx = readings.optics?.[port]?.rx_power
            return (
              <tr key={port}>
                <th scope="row">{port}</th>
                <td>
                  {status === undefined ? (
                    <StatusWord tone="quiet">Not read</StatusWord>
                  ) : status.is_up === true ? (
                    <StatusWord tone="good">Up</StatusWord>
                  ) : (
                    <StatusWord tone="bad">Down</StatusWord>
                  )}
                </td>
                <td>{speed(status?.speed)}</td>
                <td>
                  <PlainLink to={`/device/${encodeURIComponent(hostname)}`}>{hostname}</PlainLink> {peerPort}
                </td>
                <td>{rx === null || rx === undefined ? "" : lightOf(rx)}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </Part>
  )
}

const SHOWN = 40
const LAST = 3

const Last = ({ hostname }: { readonly hostname: string }) => {
  const asked = useAsk(
    "GET /device/:hostname/audit",
    { params: { hostname }, query: { per_page: SHOWN, sort: "-id" } },
    { kinds: ["device", "change", "sync", "interface", "drift", "host_key"] }
  )
  return (
    <Part
      title="Last events"
      aside={<PlainLink to={`/device/${encodeURIComponent(hostname)}?tab=history`}>All of it</PlainLink>}
    >
      <div className="device-part-body">
        <Asked of={asked} what={`the history of ${hostname}`}>
          {({ data: { events } }) => {
            const rows = eventRows(events)
            return rows.length === 0 ? (
              <Empty>Nothing is noted yet. Changes of the switch and its ports will be listed here.</Empty>
            ) : (
              <Happened rows={rows} label="Last events" most={LAST} />
            )
          }}
        </Asked>
      </div>
    </Part>
  )
}

const untilOf = (at: string): string => {
  const seconds = (Date.parse(`${at.replace(" ", "T").replace(/Z?$/, "Z")}`) - Date.now()) / 1000
  return Number.isNaN(seconds) ? "" : seconds < 0 ? "ended" : `in ${duration(seconds)}`
}

const Facts = ({ device }: TabProps) => {
  const may = useMay()
  const { description, device_type, dhcp_ip, hostname, management_ip, model, primary_group, serial, ztp_mac } = device
  const key = useAsk(
    "GET /device/:hostname/host_key",
    { params: { hostname } },
    { kinds: ["host_key"], enabled: may("GET", `/device/${hostname}/host_key`) }
  )
  const certificates = useAsk(
    "GET /certificates",
    { query: { hostname } },
    { kinds: ["certificate"], enabled: may("GET", "/certificates") }
  )
  const certificate = certificates.data?.answer.data.certificates.find(({ revoked_at }) => revoked_at === null)
  const pinned = key.data?.answer.data.host_key
  return (
    <Part title="Facts">
      <div className="device-part-body">
        <KeyValues
          side
          label={`Facts of ${hostname}`}
          items={[
            { key: "Model", value: model },
            { key: "Serial", value: serial, copy: serial ?? "" },
            { key: "MAC", value: ztp_mac, copy: ztp_mac ?? "" },
            { key: "Address", value: management_ip ?? dhcp_ip, copy: management_ip ?? dhcp_ip ?? "" },
            { key: "Group", value: primary_group },
            ...(description === null || description === "" ? [] : [{ key: "Description", value: description }]),
            ...(certificates.data === undefined
              ? []
              : [
                  {
                    key: "Certificate ends",
                    value: certificate === undefined ? "none issued" : untilOf(certificate.not_after)
                  }
                ]),
            ...(pinned === undefined
              ? []
              : [
                  {
                    key: "Host key",
                    value:
                      pinned.refused_fingerprint === null ? (
                        pinned.fingerprint === null ? (
                          "none yet"
                        ) : (
                          "pinned"
                        )
                      ) : (
                        <StatusWord tone="bad">Another was refused</StatusWord>
                      )
                  }
                ])
          ]}
        />
        {device_type === "UNKNOWN" && <p className="device-note">Its type is not known yet.</p>}
      </div>
    </Part>
  )
}

export default function Summary({ device }: TabProps) {
  const { hostname, last_seen, state } = device
  const may = useMay()
  const isManaged = state === "MANAGED"
  const readings = useReadings(hostname, isManaged && may("GET", `/device/${hostname}/interface_status`))
  return (
    <div className="device-summary">
      <div className="device-column">
        <Part title="Life">
          <Life device={device} />
          <Actor hostname={hostname} />
        </Part>
        <Health hostname={hostname} isManaged={isManaged} lastSeen={last_seen} readings={readings} />
        <Uplinks device={device} readings={readings} />
      </div>
      {may("GET", `/device/${hostname}/audit`) && <Last hostname={hostname} />}
      <Facts device={device} />
    </div>
  )
}
