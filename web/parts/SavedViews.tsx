/**
 * The views of a list as tabs: those that come with the page, those that this person saved, and those that are shared. A view is the filters,
 * the columns and the order of the address. Own views are kept on the server, or in this browser for a person who may not save there.
 */
import { ActionIcon, Button, Checkbox, Group, Popover, Stack, TextInput } from "@mantine/core"
import { useDisclosure, useLocalStorage } from "@mantine/hooks"
import { IconBookmark, IconX } from "@tabler/icons-react"
import { useQueryClient } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { inNaturalOrder } from "../../src/domain/Natural.ts"
import { request } from "../api/call.ts"
import { useAsk } from "../api/useAsk.ts"
import { useWords } from "../app/useAddress.ts"
import { useIdentity, useMay } from "../app/useSession.ts"
import { Problem } from "./Problem.tsx"
import { toast } from "./Toast.tsx"
import { useAct } from "./useAct.ts"
import { isViewOf, type Query, queryOf, textOfQuery } from "./viewQuery.ts"

export interface ReadyView {
  readonly name: string
  readonly query: Query
  /** How many rows it has, if that is known. */
  readonly count?: number | undefined
}

interface Props {
  /** `devices`. */
  readonly list: string
  readonly ready: ReadonlyArray<ReadyView>
}

interface Shown extends ReadyView {
  readonly key: string
  readonly hint?: string
  readonly remove?: () => Promise<unknown>
}

interface Kept {
  readonly name: string
  readonly query: string
}

/** Views in this browser. */
const useKept = (list: string) =>
  useLocalStorage<ReadonlyArray<Kept>>({ key: `views.${list}`, defaultValue: [], getInitialValueInEffect: false })

const useSaved = (list: string) => {
  const may = useMay()
  const me = useIdentity().data
  const client = useQueryClient()
  const [kept, keep] = useKept(list)
  const asked = useAsk("GET /views", {}, { enabled: may("GET", "/views") })
  const again = () => client.invalidateQueries({ queryKey: ["GET /views"] })
  const stored: ReadonlyArray<Shown> = (asked.data?.answer.data.views ?? [])
    .filter((view) => view.list === list)
    .map(({ id, name, owner, query, shared }) => ({
      key: `stored ${id}`,
      name,
      query: queryOf(query),
      ...(owner === me ? {} : { hint: `Shared by ${owner}` }),
      ...((shared || owner === me) && may("DELETE", `/views/${id}`)
        ? {
            remove: async () => {
              await request("DELETE /views/:id", { params: { id } })
              await again()
            }
          }
        : {})
    }))
  const here: ReadonlyArray<Shown> = kept.map(({ name, query }) => ({
    key: `kept ${name}`,
    name,
    query: queryOf(query),
    hint: "In this browser only",
    remove: () => Promise.resolve(keep(kept.filter((view) => view.name !== name)))
  }))
  const maySave = may("POST", "/views")
  const save = async (name: string, query: string, shared: boolean) => {
    if (maySave) {
      await request("POST /views", { body: { list, name, query, shared } })
      await again()
    } else keep([...kept.filter((view) => view.name !== name), { name, query }])
    toast({ title: `The view ${name} is saved` })
  }
  const views = [...stored, ...here].toSorted((one, other) => inNaturalOrder(one.name, other.name))
  return { views, maySave, save }
}

const SaveForm = ({ list, close }: { readonly list: string; readonly close: () => void }) => {
  const [words] = useWords()
  const { maySave, save } = useSaved(list)
  const { busy, error, run } = useAct()
  const [name, setName] = useState("")
  const [isShared, share] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (await run(() => save(name.trim(), textOfQuery(words), isShared))) close()
  }
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="xs">
        <TextInput
          label="Name of the view"
          value={name}
          maxLength={60}
          data-autofocus
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {maySave && (
          <Checkbox label="For everybody" checked={isShared} onChange={(event) => share(event.currentTarget.checked)} />
        )}
        {error !== null && <Problem error={error} title="The view is not saved" />}
        <Button type="submit" loading={busy} disabled={name.trim() === ""}>
          Save view
        </Button>
      </Stack>
    </form>
  )
}

const Tab = ({ view: { count, hint, name, query, remove } }: { readonly view: Omit<Shown, "key"> }) => {
  const [words, change] = useWords()
  const isOn = isViewOf(query, words)
  const { run } = useAct()
  const go = () => {
    const others = Object.fromEntries(Object.keys(words).map((key) => [key, undefined]))
    change({ ...others, ...query })
  }
  return (
    <Group gap={0} wrap="nowrap" className="view" {...(isOn ? { "data-on": true } : {})}>
      <button type="button" aria-pressed={isOn} title={hint} onClick={go}>
        {name} {count !== undefined && <span>{count}</span>}
      </button>
      {isOn && remove !== undefined && (
        <ActionIcon size={24} variant="subtle" aria-label={`Remove the view ${name}`} onClick={() => void run(remove)}>
          <IconX size={14} stroke={1.75} />
        </ActionIcon>
      )}
    </Group>
  )
}

export const SavedViews = ({ list, ready }: Props) => {
  const { views } = useSaved(list)
  const [isOpen, { close, toggle }] = useDisclosure(false)
  return (
    <div className="views" role="group" aria-label="Views">
      {ready.map((view) => (
        <Tab key={view.name} view={view} />
      ))}
      {views.map((view) => (
        <Tab key={view.key} view={view} />
      ))}
      <Popover opened={isOpen} onChange={(opened) => !opened && close()} trapFocus withinPortal>
        <Popover.Target>
          <Button size="xs" variant="subtle" leftSection={<IconBookmark size={16} stroke={1.75} />} onClick={toggle}>
            Save view
          </Button>
        </Popover.Target>
        <Popover.Dropdown>
          <SaveForm list={list} close={close} />
        </Popover.Dropdown>
      </Popover>
    </div>
  )
}
