/** Changes the selected ports: it first shows the effect on the configuration, then saves, or saves and opens the push. */
import { namesInOrder } from "../../../../src/domain/Natural.ts"
import { Button, Checkbox, Group, NativeSelect, Stack, Textarea, TextInput, Title } from "@mantine/core"
import { useRouter } from "@tanstack/react-router"
import { type FormEvent, useState } from "react"
import { ask, CallFailed, request } from "../../../api/call.ts"
import type { Data } from "../../../../src/api/Calls.ts"
import { useAsk } from "../../../api/useAsk.ts"
import { useHasRight, useMay } from "../../../app/useSession.ts"
import { DiffView } from "../../../parts/DiffView.tsx"
import { Empty } from "../../../parts/Empty.tsx"
import { Problem } from "../../../parts/Problem.tsx"
import { useAct } from "../../../parts/useAct.ts"
import {
  bodyOf,
  common,
  descriptionOf,
  type Edits,
  hasEdits,
  isEnabled,
  linesOf,
  NO_EDITS,
  type StoredPort,
  vlanOf
} from "./edits.ts"

interface Props {
  readonly hostname: string
  /** The version of the ports as they were read. */
  readonly version: string
  readonly ports: ReadonlyArray<StoredPort>
  readonly reread: () => Promise<unknown>
  readonly edits: Edits
  /** The version that the user saw when they began to type. */
  readonly pinned: string | null
  readonly type: (typed: Pick<Props, "edits" | "pinned">) => void
}

type Preview = Data<"POST /device/:hostname/interfaces/preview">

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** The names of the VLANs of the device. */
const useVlans = (hostname: string): ReadonlyArray<string> => {
  const may = useMay()
  const { data } = useAsk(
    "GET /settings",
    { query: { hostname } },
    { kinds: ["repository"], enabled: may("GET", "/settings") }
  )
  const settings: unknown = data?.answer.data.settings
  const vxlans = isRecord(settings) && isRecord(settings["vxlans"]) ? Object.values(settings["vxlans"]) : []
  const names = vxlans.flatMap((vxlan) =>
    isRecord(vxlan) && typeof vxlan["vlan_name"] === "string" ? [vxlan["vlan_name"]] : []
  )
  return namesInOrder(names)
}

const Preview = ({ preview: { diff, errors } }: { readonly preview: Preview }) => (
  <>
    {errors.length > 0 && <Problem error={errors.join(" ")} title="This would be refused" />}
    {diff === "" ? (
      <Empty>The configuration does not change.</Empty>
    ) : (
      <DiffView diff={diff} label="What changes in the configuration" />
    )}
  </>
)

export const PortForm = ({ edits, hostname, pinned, ports, reread, type, version }: Props) => {
  const router = useRouter()
  const vlans = useVlans(hostname)
  const names = ports.map(({ name }) => name)
  const [preview, setPreview] = useState<Preview | null>(null)
  const { busy, clear, error, run } = useAct()
  const vlan = edits.vlan ?? common(ports, vlanOf) ?? ""
  const edit = (changes: Partial<Edits>) => {
    type({ edits: { ...edits, ...changes }, pinned: pinned ?? version })
    setPreview(null)
  }
  const hasRight = useHasRight()
  const mayWriteLines = hasRight("free_lines", "PUT", `/device/${hostname}/interfaces`)
  const lines = edits.lines ?? common(ports, linesOf)
  const body = bodyOf(names, edits)
  const show = (event: FormEvent) => {
    event.preventDefault()
    void run(async () => {
      const { answer } = await ask("POST /device/:hostname/interfaces/preview", { params: { hostname }, body })
      setPreview(answer.data)
    })
  }
  const put = async () => {
    await request("PUT /device/:hostname/interfaces", {
      params: { hostname },
      body,
      headers: { "if-match": pinned ?? version }
    })
    type({ edits: NO_EDITS, pinned: null })
    setPreview(null)
    await reread()
  }
  const commit = async () => {
    await put()
    const { answer } = await ask("POST /device_syncto", { body: { hostname, dry_run: true } })
    router.history.push(`/ui/change/${answer.job_id}`)
  }
  const isStale = error instanceof CallFailed && error.status === 412
  const isOther = pinned !== null && pinned !== version && !isStale
  const takeOver = async () => {
    await reread()
    type({ edits, pinned: null })
    clear()
  }
  return (
    <form onSubmit={show} aria-label="Change ports">
      <Stack gap="xs" my="sm" className="group">
        <Title order={2}>{names.join(", ")}</Title>
        <Group align="end">
          <NativeSelect
            label="VLAN"
            value={vlan}
            data={[
              { value: "", label: "as the network decides" },
              ...new Set([...vlans, ...(vlan === "" ? [] : [vlan])])
            ]}
            onChange={(event) => edit({ vlan: event.currentTarget.value })}
          />
          <TextInput
            label="Description"
            maxLength={64}
            value={edits.description ?? common(ports, descriptionOf) ?? ""}
            onChange={(event) => edit({ description: event.currentTarget.value })}
          />
          <Checkbox
            label="Enabled"
            checked={edits.enabled ?? common(ports, isEnabled) ?? false}
            indeterminate={edits.enabled === null && common(ports, isEnabled) === null}
            onChange={(event) => edit({ enabled: event.currentTarget.checked })}
          />
          <Button type="submit" variant="default" disabled={!hasEdits(edits)} loading={busy}>
            Show what changes
          </Button>
        </Group>
        {(mayWriteLines || ports.some((port) => linesOf(port) !== "")) && (
          <Textarea
            label="Lines of its own"
            description={
              mayWriteLines
                ? "They stand at the end of the port's configuration."
                : "They stand at the end of the port's configuration. To change them needs the right free_lines."
            }
            autosize
            readOnly={!mayWriteLines}
            value={lines ?? (mayWriteLines ? "" : ports.map((port) => `! ${port.name}\n${linesOf(port)}`).join("\n"))}
            placeholder={lines === null ? "the ports have different ones" : ""}
            onChange={(event) => edit({ lines: event.currentTarget.value })}
          />
        )}
        {isOther && (
          <Problem
            error="Another user has changed ports of this switch meanwhile. The table below shows the stored values; review them before you save."
            title="These ports have changed"
          />
        )}
        {error !== null && (
          <Problem
            error={error}
            title={isStale ? "Another user saved first; nothing was saved" : "This was not saved"}
          />
        )}
        {(isStale || isOther) && (
          <Button variant="default" onClick={() => void takeOver()}>
            Reviewed: keep my edits
          </Button>
        )}
        {preview !== null && (
          <>
            <Preview preview={preview} />
            <Group>
              <Button disabled={preview.errors.length > 0} loading={busy} onClick={() => void run(put)}>
                Save
              </Button>
              <Button
                variant="default"
                disabled={preview.errors.length > 0}
                loading={busy}
                onClick={() => void run(commit)}
              >
                Save and go to the push
              </Button>
            </Group>
          </>
        )}
      </Stack>
    </form>
  )
}
