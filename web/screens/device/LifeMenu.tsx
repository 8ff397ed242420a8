/**
 * The life of a device behind "…": its record is changed, it is taken out of management and back, replaced, or deleted. The chosen dialog is
 * in the address, so that a link can open it.
 */
import { Checkbox, Menu, Stack, Text, TextInput } from "@mantine/core"
import {
  IconArrowsExchange,
  IconEdit,
  IconGitCompare,
  IconLock,
  IconLockOpen,
  IconSitemap,
  IconTrash
} from "@tabler/icons-react"
import { useRouter } from "@tanstack/react-router"
import { lazy, Suspense, useState } from "react"
import { ask, request } from "../../api/call.ts"
import { useWords } from "../../app/useAddress.ts"
import { useMay } from "../../app/useSession.ts"
import { ConfirmDialog } from "../../parts/Confirm.tsx"
import { toast } from "../../parts/Toast.tsx"
import type { TabProps } from "./record.ts"

const Replace = lazy(() => import("./Replace.tsx"))

const icon = { size: 16, stroke: 1.75 }

export const LifeMenu = ({ device: { device_type, hostname, id, state } }: TabProps) => {
  const may = useMay()
  const router = useRouter()
  const [{ chart }, change] = useWords()
  const mayChange = may("PUT", `/device/${id}`)
  const compare = async () => {
    const { answer } = await ask("POST /device_drift", { body: { hostname } })
    const open = () => router.history.push(`/ui/job/${answer.job_id}`)
    toast({ title: `${hostname} is being compared`, tone: "info", action: { label: "Open", act: open } })
  }
  const opens = (dialog: string) => () => change({ do: dialog })
  return (
    <>
      {state === "MANAGED" && may("POST", "/device_drift") && (
        <Menu.Item
          leftSection={<IconGitCompare {...icon} />}
          onClick={() => void compare().catch((error: unknown) => toast({ title: String(error), tone: "bad" }))}
        >
          Compare now
        </Menu.Item>
      )}
      {may("GET", "/statecharts") && (
        <Menu.Item
          leftSection={<IconSitemap {...icon} />}
          onClick={() => change({ tab: "summary", chart: chart === undefined ? "yes" : undefined })}
        >
          {chart === undefined ? "Show the machine" : "Hide the machine"}
        </Menu.Item>
      )}
      {mayChange && (
        <>
          <Menu.Divider />
          <Menu.Item leftSection={<IconEdit {...icon} />} onClick={opens("change")}>
            Change its record…
          </Menu.Item>
          {state === "MANAGED" && (
            <Menu.Item leftSection={<IconLockOpen {...icon} />} onClick={opens("unmanage")}>
              Take out of management…
            </Menu.Item>
          )}
          {state === "UNMANAGED" && (
            <Menu.Item leftSection={<IconLock {...icon} />} onClick={opens("manage")}>
              Manage again…
            </Menu.Item>
          )}
        </>
      )}
      {device_type === "ACCESS" && mayChange && may("POST", "/device_init/1") && may("GET", "/new_devices") && (
        <Menu.Item leftSection={<IconArrowsExchange {...icon} />} onClick={opens("replace")}>
          Replace this switch…
        </Menu.Item>
      )}
      {may("DELETE", `/device/${id}`) && (
        <Menu.Item color="red" leftSection={<IconTrash {...icon} />} onClick={opens("delete")}>
          Delete…
        </Menu.Item>
      )}
    </>
  )
}

interface DialogProps extends TabProps {
  readonly close: () => void
}

const Manage = ({ close, device: { hostname, id, state } }: DialogProps) => {
  const isManaged = state === "MANAGED"
  const set = (body: object) => () => request("PUT /device/:id", { params: { id }, body })
  return isManaged ? (
    <ConfirmDialog
      opened
      close={close}
      question={`Take ${hostname} out of management?`}
      verb="Take it out"
      act={set({ state: "UNMANAGED" })}
    >
      The switch keeps running as it is. No rollout reaches it, and changes by hand are not noticed, until it is managed
      again.
    </ConfirmDialog>
  ) : (
    <ConfirmDialog
      opened
      close={close}
      question={`Manage ${hostname} again?`}
      verb="Manage it"
      act={set({ state: "MANAGED", synchronized: false })}
    >
      Nothing changes on the switch yet. It is out of sync until a preview and a rollout have brought it what the
      settings say.
    </ConfirmDialog>
  )
}

const Delete = ({ close, device: { hostname, id } }: DialogProps) => {
  const router = useRouter()
  const [isErased, setErased] = useState(false)
  const act = async () => {
    const body = isErased ? { factory_default: true } : {}
    const { answer } = await ask("DELETE /device/:id", { params: { id }, body })
    const job = "job_id" in answer ? answer.job_id : undefined
    router.history.push(job === undefined ? "/ui/devices" : `/ui/job/${job}`)
    toast({ title: job === undefined ? `${hostname} is deleted` : `${hostname} is being erased` })
  }
  return (
    <ConfirmDialog
      opened
      close={close}
      danger
      question={`Delete ${hostname}?`}
      verb={isErased ? "Erase and delete" : "Delete"}
      keep="Keep it"
      typed={hostname}
      act={act}
    >
      <Stack gap="xs">
        <Text>
          Its record goes, with its ports, its links and its place in the drawing. What was done with it stays in the
          audit.{" "}
          {isErased
            ? "The switch loses its configuration and starts like a new one."
            : "The switch itself stays as it is."}
        </Text>
        <Checkbox
          label="Also erase the switch"
          checked={isErased}
          onChange={(event) => setErased(event.currentTarget.checked)}
        />
      </Stack>
    </ConfirmDialog>
  )
}

/** The fields that people write. */
const FIELDS = [
  ["hostname", "Name"],
  ["description", "Description"],
  ["management_ip", "Management address"],
  ["serial", "Serial number"]
] as const

const Change = ({ close, device }: DialogProps) => {
  const router = useRouter()
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(FIELDS.map(([field]) => [field, device[field] ?? ""]))
  )
  const changed = FIELDS.filter(([field]) => typed[field] !== (device[field] ?? ""))
  const act = async () => {
    const body = Object.fromEntries(changed.map(([field]) => [field, typed[field] === "" ? null : typed[field]]))
    await request("PUT /device/:id", { params: { id: device.id }, body })
    const name = typed["hostname"] ?? device.hostname
    if (name !== device.hostname) router.history.push(`/ui/device/${encodeURIComponent(name)}`)
  }
  return (
    <ConfirmDialog
      opened
      close={close}
      question={`Change the record of ${device.hostname}`}
      verb="Save"
      incomplete={changed.length === 0}
      act={act}
    >
      {FIELDS.map(([field, label]) => (
        <TextInput
          key={field}
          label={label}
          value={typed[field] ?? ""}
          onChange={(event) => setTyped({ ...typed, [field]: event.currentTarget.value })}
        />
      ))}
      <Text size="xs" c="dimmed">
        A new name or address of a managed switch is refused while its settings would change with it.
      </Text>
    </ConfirmDialog>
  )
}

export const LifeDialogs = ({ device }: TabProps) => {
  const [{ do: dialog }, change] = useWords()
  const close = () => change({ do: undefined })
  switch (dialog) {
    case "manage":
    case "unmanage":
      return <Manage device={device} close={close} />
    case "delete":
      return <Delete device={device} close={close} />
    case "change":
      return <Change device={device} close={close} />
    case "replace":
      return (
        <Suspense>
          <Replace device={device} close={close} />
        </Suspense>
      )
    default:
      return null
  }
}
