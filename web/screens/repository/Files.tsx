/** The files in force; a line that a link names, or that is chosen, is marked, with the lines on switches that come from it. */
import { Group, NavLink, Stack, Text } from "@mantine/core"
import { type KeyboardEvent, useEffect, useRef } from "react"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { LinesFrom } from "./LinesFrom.tsx"
import { type RepositoryName, useRepository, WhichRepository } from "./WhichRepository.tsx"

const toNeighbour = (event: KeyboardEvent<HTMLButtonElement>) => {
  const line = event.currentTarget.closest(".source-line")
  const next =
    event.key === "ArrowDown" ? line?.nextElementSibling : event.key === "ArrowUp" ? line?.previousElementSibling : null
  const button = next?.querySelector<HTMLButtonElement>("button.source-number")
  if (button == null) return
  event.preventDefault()
  button.focus()
}

interface LinesProps {
  readonly text: string
  readonly path: string
  readonly marked: number
  /** Absent where the lines on switches may not be asked for. */
  readonly choose: ((line: number) => void) | undefined
}

const Lines = ({ choose, marked, path, text }: LinesProps) => {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // newer browsers return a promise, which needs no cleanup
    void place.current?.scrollIntoView({ block: "nearest" })
  }, [marked, text])
  return (
    <div className="source" role="region" aria-label={path} tabIndex={0}>
      {text
        .replace(/\n$/, "")
        .split("\n")
        .map((line, index) => (
          <div
            key={`${index}:${line}`}
            className="source-line"
            {...(index + 1 === marked ? { "data-found": true, ref: place } : {})}
          >
            {choose === undefined ? (
              <span className="source-number">{index + 1}</span>
            ) : (
              <button
                type="button"
                // one stop of the tab key; the arrows lead from line to line
                tabIndex={index + 1 === Math.max(marked, 1) ? 0 : -1}
                onKeyDown={toNeighbour}
                className="source-number"
                aria-label={`Lines on switches from line ${index + 1}`}
                aria-pressed={index + 1 === marked}
                onClick={() => choose(index + 1)}
              >
                {index + 1}
              </button>
            )}
            {line}
          </div>
        ))}
    </div>
  )
}

const CHOOSE = "Choose the number of a line to see which lines on switches come from it."

const Shown = ({ name, path }: { readonly name: RepositoryName; readonly path: string }) => {
  const [{ line = "0" }, change] = useWords()
  const may = useMay()
  const marked = Number(line)
  const isAsked = may("GET", `/repository/${name}/lines`)
  const asked = useAsk("GET /repository/:name/file", { params: { name }, query: { path } }, { kinds: ["repository"] })
  return (
    <Asked of={asked} what={path}>
      {({ data: { text } }) => (
        <div>
          {isAsked &&
            (marked > 0 ? <LinesFrom name={name} path={path} line={marked} /> : <Text mb="xs">{CHOOSE}</Text>)}
          <Lines
            text={text}
            path={path}
            marked={marked}
            choose={isAsked ? (chosen) => change({ line: String(chosen) }) : undefined}
          />
        </div>
      )}
    </Asked>
  )
}

export const Files = () => {
  const [{ path = "" }, change] = useWords()
  const name = useRepository()
  const asked = useAsk("GET /repository/:name/files", { params: { name } }, { kinds: ["repository"] })
  return (
    <Stack gap="sm">
      <Group>
        <WhichRepository />
      </Group>
      <Asked of={asked} what="the files">
        {({ data: { files } }) =>
          files.length === 0 ? (
            <Empty>No {name} are in force. Fetch the repository under Commits and problems.</Empty>
          ) : (
            <div className="beside">
              <nav aria-label="Files">
                {files.map((file) => (
                  <NavLink
                    key={file.path}
                    component="button"
                    label={file.path}
                    active={file.path === path}
                    onClick={() => change({ path: file.path, line: undefined })}
                  />
                ))}
              </nav>
              {path === "" ? <Text>Choose a file to read it.</Text> : <Shown name={name} path={path} />}
            </div>
          )
        }
      </Asked>
    </Stack>
  )
}
