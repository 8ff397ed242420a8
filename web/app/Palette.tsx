/** The command palette: screens, and devices that match the typed text. */
import { inSentence, textOf } from "../../src/domain/words/Word.ts"
import { stateWords, typeWords } from "../../src/domain/words/DeviceWords.ts"
import "@mantine/spotlight/styles.css"
import { Spotlight, spotlight, type SpotlightActionData } from "@mantine/spotlight"
import { useDebouncedValue } from "@mantine/hooks"
import { useRouter } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { useAsk } from "../api/useAsk.ts"
import { screens } from "./screens.ts"
import { useMay } from "./useSession.ts"

const FOUND = 8

export default function Palette({ asked }: { readonly asked: number }) {
  const router = useRouter()
  const may = useMay()
  const [text, setText] = useState("")
  const [word] = useDebouncedValue(text.trim(), 200)
  const found = useAsk(
    "GET /devices",
    { query: { "filter[hostname][contains]": word, per_page: FOUND, sort: "hostname" } },
    { enabled: word.length > 1, keep: true }
  )
  useEffect(() => spotlight.open(), [asked])
  const go = (to: string) => () => router.history.push(`/ui${to}`)
  const places = screens
    .filter(
      ({ label, leap, reads }) =>
        leap !== undefined &&
        (reads === undefined || may("GET", reads)) &&
        label.toLowerCase().includes(text.trim().toLowerCase())
    )
    .map(({ label, leap, path }): SpotlightActionData => ({
      id: path,
      label,
      description: `g ${leap}`,
      onClick: go(path)
    }))
  const devices = (word.length > 1 ? (found.data?.answer.data.devices ?? []) : []).map(
    ({ device_type, hostname, state }): SpotlightActionData => ({
      id: `device ${hostname}`,
      label: hostname,
      description: `${textOf(typeWords, device_type)}, ${inSentence(textOf(stateWords, state))}`,
      onClick: go(`/device/${encodeURIComponent(hostname)}`)
    })
  )
  const elsewhere: ReadonlyArray<SpotlightActionData> =
    word.length > 1 && may("GET", "/find")
      ? [
          {
            id: "find",
            label: `Find ${word}`,
            description: "MAC and IP addresses, serial numbers, descriptions, VLANs",
            onClick: go(`/find?q=${encodeURIComponent(word)}`)
          }
        ]
      : []
  return (
    <Spotlight
      actions={[...places, ...devices, ...elsewhere]}
      query={text}
      onQueryChange={setText}
      filter={(_, actions) => actions}
      shortcut={null}
      nothingFound="No screen or device has this name."
      searchProps={{ placeholder: "A screen or a device", "aria-label": "A screen or a device" }}
      limit={20}
      scrollable
    />
  )
}
