/** The actions for the marked devices. */
import { Button, Group } from "@mantine/core"
import { useRouter } from "@tanstack/react-router"
import { ask } from "../../api/call.ts"
import { useMay } from "../../app/useSession.ts"
import { Problem } from "../../parts/Problem.tsx"
import { useAct } from "../../parts/useAct.ts"

interface Props {
  readonly names: ReadonlyArray<string>
  readonly clear: () => void
}

export const MarkedActions = ({ clear, names }: Props) => {
  const may = useMay()
  const router = useRouter()
  const { busy, error, run } = useAct()
  const list = encodeURIComponent(names.join(","))
  const facts = () =>
    run(async () => {
      for (const hostname of names) await ask("POST /device_update_facts", { body: { hostname } })
      router.history.push("/ui/jobs")
    })
  return (
    <>
      <Group gap="xs" mb="xs" role="group" aria-label="Marked devices">
        <b>{names.length} marked</b>
        {may("POST", "/device_syncto") && (
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => router.history.push(`/ui/change?hostnames=${list}`)}
          >
            Dry run and sync
          </Button>
        )}
        {may("POST", "/device_update_facts") && (
          <Button size="compact-sm" variant="default" loading={busy} onClick={() => void facts()}>
            Update facts
          </Button>
        )}
        {may("POST", "/firmware/upgrade") && (
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => router.history.push(`/ui/firmware?hostnames=${list}`)}
          >
            Firmware
          </Button>
        )}
        <Button size="compact-sm" variant="default" onClick={clear}>
          Mark none
        </Button>
      </Group>
      {error !== null && <Problem error={error} title="The facts are not updated" />}
    </>
  )
}
