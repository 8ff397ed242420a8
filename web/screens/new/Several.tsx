/** Many switches from a pasted or comma-separated list: all lines are checked before anything is started. */
import { Button, FileInput, Group, Stack, Text, Textarea } from "@mantine/core"
import { useState } from "react"
import { typeWords } from "../../../src/domain/words/DeviceWords.ts"
import { ask } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { isText, useDraft } from "../../app/useDraft.ts"
import { useMay } from "../../app/useSession.ts"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { Problem, sentencesOf } from "../../parts/Problem.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { useAct } from "../../parts/useAct.ts"
import { findingsOf, isReady } from "./initChecks.ts"
import { JobSteps } from "./JobSteps.tsx"
import { type Line, linesIn } from "./list.ts"

interface Standing {
  readonly ready: boolean
  readonly said: string
  readonly job?: number
}

/** So many lines are checked at once: each check logs in to its switch. */
const AT_ONCE = 4

const checkLine = async ({ hostname, id, problem, type }: Line): Promise<Standing> => {
  if (id === undefined || type === undefined) return { ready: false, said: problem ?? "" }
  try {
    const { answer } = await ask("POST /device_initcheck/:id", {
      params: { id },
      body: { hostname, device_type: type }
    })
    const wrong = findingsOf(answer.data, hostname, false).filter(({ isGood }) => !isGood)
    return isReady(answer.data)
      ? { ready: true, said: "can be set up" }
      : { ready: false, said: wrong.map(({ text }) => text).join(" ") }
  } catch (error) {
    return { ready: false, said: sentencesOf(error).join(" ") }
  }
}

export const Several = () => {
  const may = useMay()
  const [text, setText] = useDraft("several switches", "", isText)
  const [standings, setStandings] = useState<ReadonlyMap<number, Standing>>(new Map())
  const devices = useAsk(
    "GET /devices",
    { query: { "filter[state]": "DISCOVERED", per_page: 1000 } },
    { kinds: ["device"] }
  )
  const { busy, error, run } = useAct()
  const known = devices.data?.answer.data.devices ?? []
  const lines = linesIn(text, known)
  const write = (sent: string) => {
    setText(sent)
    setStandings(new Map())
  }
  const check = () =>
    run(async () => {
      const found = new Map<number, Standing>()
      const open = [...lines]
      const work = async () => {
        for (let line = open.shift(); line !== undefined; line = open.shift()) {
          found.set(line.line, await checkLine(line))
          setStandings(new Map(found))
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, work))
    })
  // one request for all: a line that the server refuses does not affect the others
  const start = () =>
    run(async () => {
      const body = {
        devices: lines.map(({ hostname, id, type }) => {
          const device = known.find((each) => each.id === id)
          const mac = device?.ztp_mac
          return {
            hostname,
            device_type: type,
            ...(mac === null || mac === undefined ? { serial: device?.serial ?? "" } : { mac })
          }
        })
      }
      const { answer } = await ask("POST /new_devices", { body })
      const jobOf = new Map(answer.data.started.map(({ hostname, job_id }) => [hostname, job_id]))
      setStandings(
        new Map(
          lines.map(({ hostname, line }) => {
            const job = jobOf.get(hostname)
            return [line, { ready: false, said: "", ...(job === undefined ? {} : { job }) }] as const
          })
        )
      )
    })
  const mayStart = lines.length > 0 && lines.every(({ line }) => standings.get(line)?.ready === true)
  if (!may("POST", "/new_devices")) return <Text>You may look, not set up.</Text>
  return (
    <Stack gap="xs">
      <Text size="sm">
        One line a switch: MAC address, serial number or present name; its name from now on; access, distribution or
        core (access when left out). A first line with headings, such as “name, serial, type”, may put them into any
        order.
      </Text>
      <Textarea
        label="List"
        autosize
        minRows={4}
        value={text}
        onChange={(event) => write(event.currentTarget.value)}
        placeholder="WTW22190555, lhv-acc1, access"
      />
      <FileInput label="Or a file" accept=".csv,.txt" onChange={(file) => void file?.text().then(write)} w={280} />
      <Group>
        <Button variant="default" disabled={lines.length === 0} loading={busy} onClick={() => void check()}>
          Check all
        </Button>
        <Button disabled={!mayStart} loading={busy} onClick={() => void start()}>
          Set up all
        </Button>
      </Group>
      {error !== null && <Problem error={error} title="None was set up" />}
      {lines.length > 0 && (
        <SmallTable
          label="Switches of the list"
          heads={["Line", "Switch", "Name", "Type", "Standing"]}
          rows={lines}
          keyOf={({ line }) => line}
          cells={({ hostname, line, problem, type, word }) => {
            const standing = standings.get(line)
            const typeWord = type === undefined ? "" : typeWords[type].text
            if (standing?.job !== undefined) return [line, word, hostname, typeWord, <JobSteps id={standing.job} />]
            const said = standing?.said ?? problem ?? "not checked"
            return [
              line,
              word,
              hostname,
              typeWord,
              <StatusWord tone={standing?.ready === true ? "good" : said === "not checked" ? "quiet" : "bad"}>
                {said}
              </StatusWord>
            ]
          }}
        />
      )}
    </Stack>
  )
}
