/** The actions for the chosen devices. */
import { Button } from "@mantine/core"
import { IconCpu, IconFileSpreadsheet, IconGitCompare, IconRefresh } from "@tabler/icons-react"
import { useRouter } from "@tanstack/react-router"
import { switches } from "../../../src/domain/words/Units.ts"
import { ask } from "../../api/call.ts"
import { fitAddress, wordOf } from "../../app/markedNames.ts"
import { useMay } from "../../app/useSession.ts"
import { MarkedBar } from "../../parts/DataTable.tsx"
import { toast } from "../../parts/Toast.tsx"

interface Props {
  readonly names: ReadonlyArray<string>
  readonly clear: () => void
}

const ICON = { size: 16, stroke: 1.75 } as const

export const MarkedActions = ({ clear, names }: Props) => {
  const may = useMay()
  const router = useRouter()
  // lists of ports and upgrades of more devices than fit an address are made by group
  const isFew = fitAddress(names)
  const list = () => encodeURIComponent(wordOf(names))
  const go = (path: string) => router.history.push(`/ui${path}`)
  const readFacts = async () => {
    try {
      for (const hostname of names) await ask("POST /device_update_facts", { body: { hostname } })
      toast({
        title: `The facts of ${switches(names.length)} are being read`,
        action: { label: "Open", act: () => go("/jobs") }
      })
    } catch (error) {
      toast({
        title: "The facts are not read",
        text: error instanceof Error ? error.message : String(error),
        tone: "bad"
      })
    }
  }
  return (
    <MarkedBar label="Chosen switches" count={names.length} clear={clear}>
      {may("POST", "/device_syncto") && (
        <Button
          size="xs"
          variant="default"
          leftSection={<IconGitCompare {...ICON} />}
          onClick={() => go(`/change?hostnames=${list()}`)}
        >
          Preview changes
        </Button>
      )}
      {isFew && may("POST", "/interfaces/bulk") && (
        <Button
          size="xs"
          variant="default"
          leftSection={<IconFileSpreadsheet {...ICON} />}
          onClick={() => go(`/ports?switches=${list()}`)}
        >
          Ports by a list
        </Button>
      )}
      {may("POST", "/device_update_facts") && (
        <Button size="xs" variant="default" leftSection={<IconRefresh {...ICON} />} onClick={() => void readFacts()}>
          Read facts
        </Button>
      )}
      {isFew && may("POST", "/firmware/upgrade") && (
        <Button
          size="xs"
          variant="default"
          leftSection={<IconCpu {...ICON} />}
          onClick={() => go(`/firmware?hostnames=${list()}`)}
        >
          Upgrade
        </Button>
      )}
    </MarkedBar>
  )
}
