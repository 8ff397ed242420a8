/** The report of a change for auditors, as a file: the server notes in the audit who took it. */
import { Menu } from "@mantine/core"
import { IconFileCertificate } from "@tabler/icons-react"
import { request } from "../../api/call.ts"
import { saveFile } from "../../parts/saveFile.ts"
import { useAct } from "../../parts/useAct.ts"

type Format = "html" | "json"

const TYPES = { html: "text/html", json: "application/json" } as const satisfies Record<Format, string>

export const useReport = (change: number) => {
  const { error, run } = useAct()
  const keep = (format: Format) =>
    run(async () => {
      const response = await request("GET /changes/:id/report", { params: { id: change }, query: { format } })
      saveFile(`change-${change}.${format}`, await response.text(), TYPES[format])
    })
  return { error, keep }
}

export const ReportItems = ({ keep }: { readonly keep: (format: Format) => void }) => (
  <>
    <Menu.Item leftSection={<IconFileCertificate size={15} stroke={1.75} />} onClick={() => keep("html")}>
      Report for auditors
    </Menu.Item>
    <Menu.Item leftSection={<IconFileCertificate size={15} stroke={1.75} />} onClick={() => keep("json")}>
      Report for programs (JSON)
    </Menu.Item>
  </>
)
