/** The images that switches can fetch, downloads with their progress, and the form to begin one. */
import { inNaturalOrder } from "../../../src/domain/Natural.ts"
import { size } from "../../../src/domain/words/Units.ts"
import { Alert, Button, Checkbox, Group, Progress, Stack, Text, TextInput, Title } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { ask } from "../../api/call.ts"
import type { Data } from "../../../src/api/Calls.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { useAct } from "../../parts/useAct.ts"

/** The whole percents that have arrived; undefined while the size is unknown. */
const percentOf = (bytes: number | null, total: number | null): number | undefined =>
  bytes === null || total === null || total === 0 ? undefined : Math.floor((100 * bytes) / total)

type Answer = Data<"GET /firmware_images">
type Download = Answer["downloads"][number]
type Image = Answer["images"][number]

const Coming = ({ download: { bytes, by, file, job_id, total } }: { readonly download: Download }) => {
  const percent = percentOf(bytes, total)
  const name = file ?? `download ${job_id}`
  return (
    <div>
      <Text size="sm">
        {name}, <PlainLink to={`/job/${job_id}`}>job {job_id}</PlainLink> of {by ?? "the server"}:{" "}
        {bytes === null ? "waits, or has just begun" : size(bytes)}
        {total !== null && ` of ${size(total)}`}
        {percent !== undefined && ` (${percent} %)`}
      </Text>
      <Progress.Root>
        <Progress.Section
          value={percent ?? 0}
          aria-label={`Download of ${name}`}
          {...(percent === undefined ? { "aria-valuetext": "not known yet" } : {})}
        />
      </Progress.Root>
    </div>
  )
}

interface EndProps {
  readonly id: number
  readonly begun: string
  readonly good: string
  /** The title of a failure. */
  readonly bad: string
}

/** How a job that was begun here goes, and how it ended: a failure is said where the action was begun. */
const JobEnd = ({ bad, begun, good, id }: EndProps) => {
  const asked = useAsk("GET /job/:id", { params: { id } }, { kinds: ["job"], every: 5000 })
  const job = asked.data?.answer.data.jobs[0]
  const link = <PlainLink to={`/job/${id}`}>Job {id}</PlainLink>
  if (job === undefined || job.finish_time === null)
    return (
      <Text role="status" py="xs">
        {begun} {link}
      </Text>
    )
  if (job.status === "FINISHED" && job.outcome === "success")
    return (
      <Text role="status" py="xs">
        <StatusWord tone="good">{good}</StatusWord> {link}
      </Text>
    )
  return (
    <Alert role="alert" variant="outline" color="red" my="sm" className="problem" title={bad}>
      {job.exception?.message ?? saidIn(job.result) ?? "The job ended without it."} {link}
    </Alert>
  )
}

/** The sentence in the result of a job that failed. */
const saidIn = (result: unknown): string | undefined => {
  if (typeof result === "string") return result
  const said: unknown = typeof result === "object" && result !== null ? Reflect.get(result, "message") : undefined
  return typeof said === "string" ? said : undefined
}

const Begin = () => {
  const [begun, setBegun] = useState<number | null>(null)
  const client = useQueryClient()
  const [url, setUrl] = useState("")
  const [sha1, setSha1] = useState("")
  const [verify_tls, setVerify] = useState(true)
  const { busy, error, run } = useAct()
  const begin = async (event: FormEvent) => {
    event.preventDefault()
    const isBegun = await run(async () => {
      const { answer } = await ask("POST /firmware", { body: { url, sha1, verify_tls } })
      setBegun(answer.job_id)
    })
    if (!isBegun) return
    setUrl("")
    setSha1("")
    await client.invalidateQueries({ queryKey: ["GET /firmware_images"] })
  }
  return (
    <form onSubmit={(event) => void begin(event)} aria-label="Download an image">
      <Group align="flex-end">
        <TextInput
          label="URL of the image"
          type="url"
          required
          withAsterisk={false}
          w={380}
          value={url}
          onChange={({ currentTarget: { value } }) => setUrl(value)}
        />
        <TextInput
          label="SHA-1"
          required
          withAsterisk={false}
          pattern="\s*[0-9a-fA-F]{40}\s*"
          title="40 hexadecimal digits"
          w={340}
          value={sha1}
          onChange={({ currentTarget: { value } }) => setSha1(value)}
        />
        <Checkbox
          label="Verify TLS"
          checked={verify_tls}
          onChange={({ currentTarget: { checked } }) => setVerify(checked)}
        />
        <Button type="submit" loading={busy}>
          Download
        </Button>
      </Group>
      {error !== null && <Problem error={error} title="The download did not begin" />}
      {begun !== null && (
        <JobEnd
          key={begun}
          id={begun}
          begun="The download has begun."
          good="The image is here, and its checksum is right."
          bad="The image is not here"
        />
      )}
    </form>
  )
}

/** Begins the job that computes it, and says how it ended. */
const Checksum = ({ file }: { readonly file: string }) => {
  const { busy, error, run } = useAct()
  const [begun, setBegun] = useState<number | null>(null)
  const compute = () =>
    run(async () => {
      const { answer } = await ask("GET /firmware/:filename", { params: { filename: file } })
      setBegun(answer.job_id)
    })
  return (
    <>
      <Button size="xs" variant="default" loading={busy} onClick={() => void compute()}>
        Compute SHA-1
      </Button>
      {error !== null && <Problem error={error} />}
      {begun !== null && (
        <JobEnd
          key={begun}
          id={begun}
          begun="It is computed."
          good="It is computed."
          bad={`The checksum of ${file} could not be computed`}
        />
      )}
    </>
  )
}

const Actions = ({ image: { defaults, file, sha1 } }: { readonly image: Image }) => {
  const [removal, setRemoval] = useState<number | null>(null)
  const client = useQueryClient()
  const may = useMay()
  const again = () => client.invalidateQueries({ queryKey: ["GET /firmware_images"] })
  const params = { filename: file }
  const remove = async () => {
    const { answer } = await ask("DELETE /firmware/:filename", { params })
    setRemoval(answer.job_id)
    await again()
  }
  return (
    <Group gap="xs">
      {sha1 === null && may("GET", `/firmware/${file}`) && <Checksum file={file} />}
      {may("POST", `/firmware/${file}/set-default`) && defaults.length === 0 && (
        <Confirm
          label="Make default"
          size="xs"
          act={() => ask("POST /firmware/:filename/set-default", { params }).then(again)}
        >
          <Text>Switches that ask for the default image of this family get {file}.</Text>
        </Confirm>
      )}
      {may("DELETE", `/firmware/${file}`) && (
        <Confirm label="Remove" size="xs" danger act={remove}>
          <Text>
            {file} is removed from the server
            {defaults.length > 0 ? `, and so is the default ${defaults.join(", ")} that leads to it` : ""}. Switches
            that have it keep it.
          </Text>
        </Confirm>
      )}
      {removal !== null && (
        <JobEnd
          key={removal}
          id={removal}
          begun="It is removed."
          good="It is removed."
          bad={`${file} could not be removed`}
        />
      )}
    </Group>
  )
}

export const Images = () => {
  const may = useMay()
  const asked = useAsk("GET /firmware_images", {}, { kinds: ["job"] })
  const isComing = (asked.data?.answer.data.downloads.length ?? 0) > 0
  // the progress is written every two seconds, without an event
  useAsk("GET /firmware_images", {}, { enabled: isComing, every: 2000 })
  return (
    <Stack gap="sm">
      {may("POST", "/firmware") && <Begin />}
      <Asked of={asked} what="the images">
        {({ data: { downloads, images } }) => (
          <>
            {downloads.length > 0 && (
              <section aria-label="Downloads under way">
                <Title order={2}>Coming in</Title>
                {downloads.map((download) => (
                  <Coming key={download.job_id} download={download} />
                ))}
              </section>
            )}
            {images.length === 0 ? (
              <Empty>There is no image. Download one by its URL and checksum.</Empty>
            ) : (
              <SmallTable
                label="Images"
                heads={["Image", "Size", "SHA-1", "Default as", "Actions"]}
                rows={images.toSorted((one, other) => inNaturalOrder(one.file, other.file))}
                keyOf={({ file }) => file}
                cells={(image) => [
                  image.file,
                  image.size === null ? "" : size(image.size),
                  <Text span ff="monospace" size="sm">
                    {image.sha1 ?? "not computed yet"}
                  </Text>,
                  image.defaults.join(", "),
                  <Actions image={image} />
                ]}
              />
            )}
          </>
        )}
      </Asked>
    </Stack>
  )
}
