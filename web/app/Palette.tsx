/** The jump field: screens, devices, addresses, jobs and actions that match the typed text, the last places first. Its first hit is selected. */
import { Modal } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { IconSearch } from "@tabler/icons-react"
import { useRouter } from "@tanstack/react-router"
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react"
import { stateWords, typeWords } from "../../src/domain/words/DeviceWords.ts"
import { jobTitle } from "../../src/domain/words/JobWords.ts"
import { inSentence, textOf } from "../../src/domain/words/Word.ts"
import { useAsk } from "../api/useAsk.ts"
import { recentPlaces } from "./recent.ts"
import { entries } from "./screens.ts"
import { useMay } from "./useSession.ts"

const FOUND = 8
const JOBS = 4
/** Milliseconds after the last key until the server is asked. */
const QUIET = 200
/** Letters after which the server is asked. */
const ENOUGH = 2

interface Hit {
  readonly to: string
  readonly label: string
  readonly says: string
  readonly group: string
}

const useDeviceHits = (word: string): ReadonlyArray<Hit> => {
  const may = useMay()
  const { data } = useAsk(
    "GET /devices",
    { query: { "filter[hostname][contains]": word, per_page: FOUND, sort: "hostname" } },
    { enabled: word.length >= ENOUGH && may("GET", "/devices"), keep: true }
  )
  if (word.length < ENOUGH) return []
  return (data?.answer.data.devices ?? []).map(({ device_type, hostname, state }) => ({
    to: `/device/${encodeURIComponent(hostname)}`,
    label: hostname,
    says: `${textOf(typeWords, device_type)}, ${inSentence(textOf(stateWords, state))}`,
    group: "Devices"
  }))
}

/** Jobs by their number, or by a part of their comment. */
const useJobHits = (word: string): ReadonlyArray<Hit> => {
  const may = useMay()
  const isNumber = /^#?\d+$/.test(word)
  const filter = isNumber ? { "filter[id]": word.replace("#", "") } : { "filter[comment][contains]": word }
  const { data } = useAsk(
    "GET /jobs",
    { query: { ...filter, per_page: JOBS, sort: "-id", filter_jobresult: "config,diff" } },
    { enabled: (isNumber || word.length >= ENOUGH) && may("GET", "/jobs"), keep: true }
  )
  if (!isNumber && word.length < ENOUGH) return []
  return (data?.answer.data.jobs ?? []).map(({ comment, function_name, id }) => ({
    to: `/job/${id}`,
    label: `Job ${id}`,
    says: [jobTitle(function_name), comment].filter(Boolean).join(": "),
    group: "Changes and jobs"
  }))
}

/** What a person may begin from anywhere, with the call that it needs. */
const ACTIONS = [
  { label: "New change", says: "A preview changes no switch", to: "/change?new=1", needs: ["POST", "/device_syncto"] },
  {
    label: "Check a branch",
    says: "What it would change, before it is merged",
    to: "/repository?tab=check",
    needs: ["POST", "/repository/settings/check"]
  },
  {
    label: "Change several ports by a list",
    says: "All saved or none",
    to: "/ports",
    needs: ["GET", "/interfaces.csv"]
  },
  { label: "Silence alerts", says: "For work that was announced", to: "/alerts", needs: ["POST", "/alerts/mutes"] }
] as const

const useHits = (text: string): ReadonlyArray<Hit> => {
  const may = useMay()
  const typed = text.trim()
  const [word] = useDebouncedValue(typed, QUIET)
  const devices = useDeviceHits(word)
  const jobs = useJobHits(word)
  const recent = typed === "" ? recentPlaces().map((place) => ({ ...place, says: "", group: "Recent" })) : []
  const places = entries
    .filter(
      ({ label, reads }) =>
        (reads === undefined || may("GET", reads)) && label.toLowerCase().includes(typed.toLowerCase())
    )
    .map(({ entry, label, path }) => ({ to: path, label, says: `g ${entry.leaps[0] ?? ""}`, group: "Screens" }))
  const actions = ACTIONS.filter(
    ({ label, needs: [method, path] }) => may(method, path) && label.toLowerCase().includes(typed.toLowerCase())
  ).map(({ label, says, to }) => ({ label, says, to, group: "Actions" }))
  const find: ReadonlyArray<Hit> =
    typed.length >= ENOUGH && may("GET", "/find")
      ? [
          {
            to: `/find?q=${encodeURIComponent(typed)}`,
            label: `Find ${typed}`,
            says: "MAC and IP addresses, serial numbers, descriptions, VLANs",
            group: "Everywhere"
          }
        ]
      : []
  return [...recent, ...places, ...devices, ...jobs, ...(typed === "" ? [] : actions), ...find]
}

interface OptionProps {
  readonly hit: Hit
  readonly id: string
  readonly isSelected: boolean
  readonly open: () => void
}

const Option = ({ hit, id, isSelected, open }: OptionProps) => {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isSelected) place.current?.scrollIntoView({ block: "nearest" })
  }, [isSelected])
  return (
    <div ref={place} id={id} role="option" tabIndex={-1} aria-selected={isSelected} className="hit" onClick={open}>
      <span>{hit.label}</span>
      <span>{hit.says}</span>
    </div>
  )
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

const Field = ({ close }: { readonly close: () => void }) => {
  const router = useRouter()
  const id = useId()
  const [text, setText] = useState("")
  const [selected, select] = useState(0)
  const hits = useHits(text)
  // an answer that arrives late may be shorter
  const at = Math.min(selected, hits.length - 1)
  const open = ({ to }: Hit) => {
    close()
    router.history.push(`/ui${to}`)
  }
  const onKey = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    const hit = hits[at]
    if (step !== undefined && hits.length > 0) select((at + step + hits.length) % hits.length)
    else if (event.key === "Enter" && hit !== undefined) open(hit)
    else return
    event.preventDefault()
  }
  const optionId = (index: number) => `${id}-${index}`
  const groups = [...new Set(hits.map(({ group }) => group))]
  return (
    <>
      <div className="hits-field">
        <IconSearch size={16} stroke={1.75} aria-hidden />
        <input
          data-autofocus
          role="combobox"
          aria-label="Search or jump to"
          placeholder="A screen, a device, an address, a change"
          autoComplete="off"
          spellCheck={false}
          aria-expanded
          aria-controls={id}
          aria-autocomplete="list"
          {...(hits.length > 0 ? { "aria-activedescendant": optionId(at) } : {})}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value)
            select(0)
          }}
          onKeyDown={onKey}
        />
      </div>
      <div id={id} role="listbox" aria-label="What was found" className="hits">
        {groups.map((group) => (
          <div key={group} role="group" aria-label={group}>
            <div className="nav-head" aria-hidden>
              {group}
            </div>
            {hits.map(
              (hit, index) =>
                hit.group === group && (
                  <Option
                    key={`${hit.group} ${hit.to}`}
                    hit={hit}
                    id={optionId(index)}
                    isSelected={index === at}
                    open={() => open(hit)}
                  />
                )
            )}
          </div>
        ))}
      </div>
      <div role="status" className="hits-none">
        {hits.length === 0 && "Nothing has this name."}
      </div>
    </>
  )
}

export default function Palette({ close }: { readonly close: () => void }) {
  return (
    <Modal
      opened
      onClose={close}
      withCloseButton={false}
      title="Search or jump to"
      size={600}
      yOffset={80}
      padding={0}
      classNames={{ header: "unseen" }}
      transitionProps={{ duration: 0 }}
    >
      <Field close={close} />
    </Modal>
  )
}
