/** Many switches from a pasted or comma-separated list: all lines are checked before anything is started. */
import { Button, FileInput, Group, Stack, Text, Textarea } from "@mantine/core"
import { useState } from "react"
import { ask } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { isText, useDraft } from "../../app/useDraft.ts"
import { useMay } from "../../app/useSession.ts"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { Problem, sentencesOf } from "../../parts/Problem.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { useAct } from "../../parts/useAct.ts"
import { JobSteps } from "./JobSteps.tsx"
import { type Line, linesIn } from "./list.ts"

interface Standing {
  readonly ready: boolean
  readonly said: string
  readonly job?: number
}

const checkLine = async ({ hostname, id, problem, type }: Line): Promise<Standing> => {
  if (id === undefined) return { ready: false, said: problem ?? "" }
  try {
    const { answer } = await ask("POST /device_initcheck/:id", {
      params: { id },
      body: { hostname, device_type: type }
    })
    const reasons = Object.entries(answer.data).flatMap(([key, value]) =>
      key.endsWith("_error") && typeof value === "string" ? [value] : []
    )
    return answer.data["compatible"] === true
      ? { ready: true, said: "can be initialised" }
      : { ready: false, said: reasons.join(" ") }
  } catch (error) {
    return { ready: false, said: sentencesOf(error).join(" ") }
  }
}

export const Several = () => {
  const may = useMay()
  const [text, setText] = useDraft("several switches", "", isText)
  const [standings, setStandings] = useState<ReadonlyArray<Standing>>([])
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
    setStandings([])
  }
  const each = (act: (line: Line) => Promise<Standing>) =>
    run(async () => {
      const found: Array<Standing> = []
      for (const line of lines) {
        found.push(await act(line))
        setStandings([...found])
      }
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
        lines.map(({ hostname }) => {
          const job = jobOf.get(hostname)
          return { ready: false, said: "", ...(job === undefined ? {} : { job }) }
        })
      )
    })
  const isReady = standings.length === lines.length && lines.length > 0 && standings.every(({ ready }) => ready)
  if (!may("POST", "/device_init/1")) return <Text>You may look, not set up.</Text>
  return (
    <Stack gap="xs">
      <Text size="sm">
        One line a switch: MAC address, serial number or present name; its name from now on; ACCESS, DIST or CORE
        (ACCESS when left out). A first line with headings, such as “name, serial, type”, may put them into any order.
      </Text>
      <Textarea
        label="List"
        autosize
        minRows={4}
        value={text}
        onChange={(event) => write(event.currentTarget.value)}
        placeholder="WTW22190555, lhv-acc1, ACCESS"
      />
      <FileInput label="Or a file" accept=".csv,.txt" onChange={(file) => void file?.text().then(write)} w={280} />
      <Group>
        <Button variant="default" disabled={lines.length === 0} loading={busy} onClick={() => void each(checkLine)}>
          Check all
        </Button>
        <Button disabled={!isReady} loading={busy} onClick={() => void start()}>
          Initialise all
        </Button>
      </Group>
      {error !== null && <Problem error={error} title="None was initialised" />}
      {lines.length > 0 && (
        <SmallTable
          label="Switches of the list"
          heads={["Line", "Switch", "Name", "Type", "Standing"]}
          rows={lines}
          keyOf={({ line }) => line}
          cells={({ hostname, line, problem, type, word }) => {
            const standing = standings[line - 1]
            if (standing?.job !== undefined) return [line, word, hostname, type, <JobSteps id={standing.job} />]
            const said = standing?.said ?? problem ?? "not checked"
            return [
              line,
              word,
              hostname,
              type,
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
