/** The result of a dry run: its status, its diffs in groups, and the button that pushes exactly these. */
import { Alert, Group, Text, TextInput } from "@mantine/core"
import { useDebouncedCallback } from "@mantine/hooks"
import { type ComponentProps, useState } from "react"
import { useAsk } from "../../api/useAsk.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { JobStatus } from "../../parts/JobStatus.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { Waiting } from "../../parts/Waiting.tsx"
import { When } from "../../parts/When.tsx"
import { DiffGroup } from "./DiffGroup.tsx"
import { Push } from "./Push.tsx"
import { mayBePushed, Pushes, usePushes } from "./Pushes.tsx"
import { chosenBy, sentenceOf } from "./selection.ts"

type Words = Readonly<Record<string, string | undefined>>

interface Props {
  readonly id: string
  readonly words: Words
  readonly change: (changes: Words) => void
}

const Search = ({ change, text }: { readonly text: string; readonly change: (text: string) => void }) => {
  const [typed, setTyped] = useState(text)
  const tell = useDebouncedCallback(change, 250)
  return (
    <TextInput
      type="search"
      label="Search in the differences"
      value={typed}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value)
        tell(value)
      }}
    />
  )
}

/** The keys in the address of groups that were read. */
const readIn = (words: Words): ReadonlySet<string> =>
  new Set((words["read"] ?? "").split(",").filter((key) => key !== ""))

const Groups = ({ change, id, words }: Props) => {
  const search = words["search"] ?? ""
  const asked = useAsk("GET /job/:id/diffs", { params: { id }, query: { search } }, { keep: true })
  const read = readIn(words)
  const mark = (key: string) => {
    const next = read.symmetricDifference(new Set([key]))
    change({ read: [...next].join(",") })
  }
  return (
    <Asked of={asked} what="the differences">
      {({ data: { changed, failed, groups, left_out, unchanged } }) => (
        <>
          <Group justify="space-between" align="end" mb="xs">
            <Text role="status">
              {changed} {changed === 1 ? "device changes" : "devices change"} in {groups.length}{" "}
              {groups.length === 1 ? "way" : "ways"}; {unchanged} stay as they are; {failed} failed
              {left_out > 0 ? `; ${left_out} are too long to be shown here` : ""}.{" "}
              {groups.filter(({ key }) => read.has(key)).length} of {groups.length} read.
            </Text>
            <Search text={search} change={(text) => change({ search: text })} />
          </Group>
          {failed > 0 && (
            <Text mb="xs">
              What failed, and why, is at <PlainLink to={`/job/${id}`}>job {id}</PlainLink>.
            </Text>
          )}
          {groups.length === 0 && (
            <Empty>
              {search === ""
                ? "Nothing would change: the devices run what the settings say. Refresh the settings when a commit is missing here."
                : "No difference contains these words."}
            </Empty>
          )}
          {groups.map((group) => (
            <DiffGroup
              key={group.key}
              job={id}
              group={group}
              search={search}
              isRead={read.has(group.key)}
              mark={() => mark(group.key)}
            />
          ))}
        </>
      )}
    </Asked>
  )
}

/** Notes on the dry run as a whole. */
const remarksOf = (result: unknown): ReadonlyArray<string> => {
  const remarks: unknown = typeof result === "object" && result !== null && "remarks" in result ? result.remarks : []
  return Array.isArray(remarks) ? remarks.filter((remark) => typeof remark === "string") : []
}

const Pushing = (props: ComponentProps<typeof Push>) => {
  const pushes = usePushes(props.job.id)
  if (pushes === undefined) return <Waiting what="whether it is being pushed" />
  return (
    <>
      <Pushes pushes={pushes} />
      {mayBePushed(pushes) && <Push {...props} />}
    </>
  )
}

export const DryRun = ({ change, id, words }: Props) => {
  const asked = useAsk(
    "GET /job/:id",
    { params: { id }, query: { filter_jobresult: "config,diff" } },
    { kinds: ["job"] }
  )
  return (
    <Asked of={asked} what="the dry run">
      {({ data: { jobs } }) =>
        jobs.map((job) => {
          const chosen = chosenBy(job.start_arguments)
          return (
            <div key={job.id}>
              <Group gap="md" mb="xs">
                <JobStatus job={job} />
                <span>
                  Dry run <PlainLink to={`/job/${job.id}`}>{job.id}</PlainLink> for {sentenceOf(chosen)} by{" "}
                  {job.scheduled_by ?? "the server"}, <When at={job.start_time} never="not begun" />
                </span>
              </Group>
              {job.exception !== null && (
                <Problem error={job.exception.message} title="The dry run ended in an exception" />
              )}
              {job.finish_time === null ? (
                <Waiting what={`the dry run: ${job.finished_devices?.length ?? 0} devices looked at`} />
              ) : (
                <>
                  {remarksOf(job.result).map((remark) => (
                    <Alert key={remark} color="yellow" variant="outline" my="sm">
                      {remark}
                    </Alert>
                  ))}
                  <Groups id={id} words={words} change={change} />
                  {job.status === "FINISHED" && <Pushing job={job} chosen={chosen} />}
                </>
              )}
            </div>
          )
        })
      }
    </Asked>
  )
}
