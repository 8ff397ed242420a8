/** The files in force; a line that a link names is marked. */
import { Group, NavLink, Stack, Text } from "@mantine/core"
import { useEffect, useRef } from "react"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { type RepositoryName, useRepository, WhichRepository } from "./WhichRepository.tsx"

const Lines = ({ marked, path, text }: { readonly text: string; readonly path: string; readonly marked: number }) => {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // newer browsers return a promise, which needs no cleanup
    void place.current?.scrollIntoView({ block: "center" })
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
            <span className="source-number">{index + 1}</span>
            {line}
          </div>
        ))}
    </div>
  )
}

const Shown = ({ name, path }: { readonly name: RepositoryName; readonly path: string }) => {
  const [{ line = "0" }] = useWords()
  const asked = useAsk("GET /repository/:name/file", { params: { name }, query: { path } }, { kinds: ["repository"] })
  return (
    <Asked of={asked} what={path}>
      {({ data: { text } }) => <Lines text={text} path={path} marked={Number(line)} />}
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
