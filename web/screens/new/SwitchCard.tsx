/** A new switch: what it is, where it hangs, what is missing, and what can be done with it now. */
import { Button, Group, Text, TextInput } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { ask, request } from "../../api/call.ts"
import { stateWords } from "../../../src/domain/words/DeviceWords.ts"
import { useMay } from "../../app/useSession.ts"
import { useWords } from "../../app/useAddress.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { KeyValues } from "../../parts/KeyValues.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { toast } from "../../parts/Toast.tsx"
import { useAct } from "../../parts/useAct.ts"
import { When } from "../../parts/When.tsx"
import { Initialise } from "./Initialise.tsx"
import { JobSteps } from "./JobSteps.tsx"
import type { NewSwitch } from "./New.tsx"
import { Where } from "./Where.tsx"

/** Lower case with colons, as design has it: `080027000006` is hard to read out. */
const macText = (mac: string): string => (mac.toLowerCase().match(/../g) ?? []).join(":")

/** What a person can read on the switch: its serial number, else its MAC address. */
export const titleOf = ({ hostname, serial, state, ztp_mac }: NewSwitch): string =>
  state === "INIT" ? hostname : (serial ?? (ztp_mac === null ? hostname : macText(ztp_mac)))

const SINCE: Readonly<Record<string, string>> = {
  DHCP_BOOT: "Asked",
  DISCOVERED: "Found",
  INIT: "Began"
}

const Facts = ({ device }: { readonly device: NewSwitch }) => {
  const { dhcp_ip, model, os_version, serial, since, state, ztp_mac } = device
  return (
    <KeyValues
      label={`What ${titleOf(device)} is`}
      items={[
        { key: "Model", value: model },
        { key: "Serial", value: serial, copy: serial ?? undefined },
        { key: "MAC", value: ztp_mac === null ? null : macText(ztp_mac), copy: ztp_mac ?? undefined },
        { key: "Address", value: dhcp_ip, copy: dhcp_ip ?? undefined },
        { key: "Version", value: os_version },
        { key: SINCE[state] ?? "Since", value: <When at={since} never="at an unknown time" /> }
      ]}
    />
  )
}

/** Keeps the switch out of the counts, until somebody undoes it. */
const Ignore = ({ device }: { readonly device: NewSwitch }) => {
  const client = useQueryClient()
  const [comment, setComment] = useState("")
  const act = async () => {
    const body = { ignored: true, ...(comment.trim() === "" ? {} : { comment: comment.trim() }) }
    await request("PUT /new_devices/:id", { params: { id: device.id }, body })
    await client.invalidateQueries({ queryKey: ["GET /new_devices"] })
    toast({ title: `${titleOf(device)} is ignored`, text: "It is at the end of this screen." })
  }
  return (
    <Confirm label="Ignore…" question={`Ignore ${titleOf(device)}?`} verb="Ignore it" act={act}>
      <Text>
        It stays on this screen under Ignored, for everybody, and is not counted any more. Nothing changes on the
        switch.
      </Text>
      <TextInput label="Why" value={comment} onChange={(event) => setComment(event.currentTarget.value)} />
    </Confirm>
  )
}

/** What helps after a failure, by how far the switch is. */
const Again = ({ device, open }: { readonly device: NewSwitch; readonly open: () => void }) => {
  const client = useQueryClient()
  const may = useMay()
  const { busy, error, run } = useAct()
  const { dhcp_ip, hostname, id, state, ztp_mac } = device
  const then = () => client.invalidateQueries({ queryKey: ["GET /new_devices"] })
  const discover = () =>
    run(async () => {
      await ask("POST /discover_device", { body: { ztp_mac, dhcp_ip } })
      await then()
    })
  /** Repeats the last step: the switch has its name and its address. */
  const finish = () =>
    run(async () => {
      const { answer } = await ask("GET /device/:id", { params: { id: hostname } })
      const [row] = answer.data.devices
      await ask("POST /device_init/:id", { params: { id }, body: { hostname, device_type: row?.device_type } })
      await then()
    })
  return (
    <>
      {error !== null && <Problem error={error} />}
      <Group>
        {state === "DISCOVERED" && may("POST", `/device_init/${id}`) && (
          <Button variant="default" onClick={open}>
            Try again…
          </Button>
        )}
        {state === "INIT" && may("POST", `/device_init/${id}`) && (
          <Button variant="default" loading={busy} onClick={() => void finish()}>
            Try the last step again
          </Button>
        )}
        {state === "DHCP_BOOT" && dhcp_ip !== null && ztp_mac !== null && may("POST", "/discover_device") && (
          <Button variant="default" loading={busy} onClick={() => void discover()}>
            Log in to it again
          </Button>
        )}
      </Group>
    </>
  )
}

const Guess = ({ device: { model, places, replaces } }: { readonly device: NewSwitch }) =>
  replaces === null ? null : (
    <Text size="sm">
      Looks like the replacement of <PlainLink to={`/device/${encodeURIComponent(replaces)}`}>{replaces}</PlainLink>:{" "}
      {places.length === 1 ? "same port" : "same ports"}
      {model === null ? "" : `, a ${model}`}.
    </Text>
  )

interface Props {
  readonly device: NewSwitch
  readonly started: (id: number) => void
}

const Progress = ({ device, open }: { readonly device: NewSwitch; readonly open: () => void }) => {
  const { failed_job_id, job_id } = device
  if (job_id !== null) return <JobSteps id={job_id} />
  return failed_job_id === null ? null : <JobSteps id={failed_job_id} again={<Again device={device} open={open} />} />
}

export const SwitchCard = ({ device, started }: Props) => {
  const may = useMay()
  const [{ set }, change] = useWords()
  const { failed_job_id, id, job_id, problems, replaces, state } = device
  const canBegin = state === "DISCOVERED" && job_id === null && may("POST", `/device_init/${id}`)
  const isOpen = canBegin && set === String(id)
  const open = () => change({ set: String(id) })
  return (
    <section className="card new-switch" aria-label={titleOf(device)} data-open={isOpen || undefined}>
      <header className="card-head">
        <h3>{titleOf(device)}</h3>
        {job_id !== null && state === "DISCOVERED" ? (
          <StatusBadge of={stateWords} value="INIT" />
        ) : (
          <StatusBadge of={stateWords} value={state} />
        )}
      </header>
      <div className="card-body">
        <Facts device={device} />
        <Where device={device} />
        <Guess device={device} />
        {problems.length > 0 && <Problem error={problems.join(" ")} title="What is missing" />}
        <Progress device={device} open={open} />
        {isOpen ? (
          <>
            <Initialise device={device} started={() => started(id)} />
            <Button variant="subtle" size="xs" onClick={() => change({ set: undefined })}>
              Close the form
            </Button>
          </>
        ) : (
          <Group>
            {canBegin && failed_job_id === null && (
              <Button variant="default" onClick={open}>
                {replaces === null ? "Set up…" : `Replace ${replaces}…`}
              </Button>
            )}
            {state !== "INIT" && job_id === null && may("PUT", `/new_devices/${id}`) && <Ignore device={device} />}
          </Group>
        )}
      </div>
    </section>
  )
}

/** A switch that somebody ignores: by whom, since when, why, and the way back. */
export const IgnoredEntry = ({ device }: { readonly device: NewSwitch }) => {
  const client = useQueryClient()
  const may = useMay()
  const { busy, error, run } = useAct()
  const { id, ignored, model } = device
  const wantAgain = () =>
    run(async () => {
      await request("PUT /new_devices/:id", { params: { id }, body: { ignored: false } })
      await client.invalidateQueries({ queryKey: ["GET /new_devices"] })
    })
  return (
    <li className="ignored">
      <span>
        <b>{titleOf(device)}</b>
        {model === null ? "" : `, ${model}`}: ignored by {ignored?.by} <When at={ignored?.at} />
        {ignored?.comment ? `: ${ignored.comment}` : ""}
      </span>
      {may("PUT", `/new_devices/${id}`) && (
        <Button size="xs" variant="default" loading={busy} onClick={() => void wantAgain()}>
          Stop ignoring {titleOf(device)}
        </Button>
      )}
      {error !== null && <Problem error={error} />}
    </li>
  )
}
