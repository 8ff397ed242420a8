/** Renders a template with the variables of a device while it is being written. Nothing is stored. */
import { Button, Checkbox, Group, SegmentedControl, Select, Stack, Text, Textarea, Title } from "@mantine/core"
import { TextDiff } from "effect"
import { useEffect, useState } from "react"
import { ask } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { DiffView } from "../../parts/DiffView.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { Remarks, remarksOf } from "../../parts/Remarks.tsx"
import { DeviceField } from "./DeviceField.tsx"
import { useTrial } from "./useTrial.ts"

const START = "hostname {{ hostname }}\n"

interface Device {
  readonly device: string
  readonly platform: string
  readonly branch: string | null
}

/** The difference of a rendered configuration to the one that the switch runs, read from the switch once. */
const Difference = ({ device, text }: { readonly device: string; readonly text: string }) => {
  const asked = useAsk("GET /device/:hostname/running_config", { params: { hostname: device } }, { once: true })
  return (
    <Asked of={asked} what={`what ${device} runs`}>
      {({ data: { config } }) => {
        const diff = config === text ? "" : TextDiff.unified(TextDiff.lines(config, text)).trimEnd()
        return diff === "" ? (
          <Empty>The switch runs exactly this.</Empty>
        ) : (
          <DiffView diff={diff} label={`Difference to what ${device} runs`} />
        )
      }}
    </Asked>
  )
}

interface OutcomeProps {
  readonly trial: ReturnType<typeof useTrial>
  readonly device: string
  readonly isWhole: boolean
}

const Outcome = ({ device, isWhole, trial }: OutcomeProps) => {
  const { error, isWaiting, result } = trial
  const may = useMay()
  const [shown, setShown] = useState("text")
  const mayCompare = isWhole && may("GET", `/device/${device}/running_config`)
  return (
    <section aria-label="Rendered">
      <Group justify="space-between">
        <Title order={2}>Rendered</Title>
        {mayCompare && (
          <SegmentedControl
            size="xs"
            aria-label="What is shown"
            data={[
              { value: "text", label: "Text" },
              { value: "difference", label: "Difference to what runs" }
            ]}
            value={shown}
            onChange={setShown}
          />
        )}
      </Group>
      <Text size="sm" role="status">
        {isWaiting ? "Rendering …" : ""}
      </Text>
      {error !== null && <Problem error={error} title="It cannot be rendered" />}
      {error !== null && <Remarks label="Mistakes" remarks={remarksOf(error)} />}
      {result !== null && error === null && (
        <>
          {result.warnings.length > 0 && (
            <>
              <Text size="sm">Undefined, and printed as nothing:</Text>
              <Remarks label="Undefined variables" remarks={result.warnings} />
            </>
          )}
          {result.log.map(({ level, text }) => (
            <Text key={`${level} ${text}`} size="sm">
              {level}: {text}
            </Text>
          ))}
          {mayCompare && shown === "difference" ? (
            <Difference device={device} text={result.text} />
          ) : (
            <pre tabIndex={0} aria-label="Rendered text">
              {result.text}
            </pre>
          )}
        </>
      )}
    </section>
  )
}

const Editor = ({ branch, device, platform }: Device) => {
  const [{ template = "" }, change] = useWords()
  const [text, setText] = useState(START)
  const [isWhole, setWhole] = useState(false)
  const { run, error: unread } = useTemplateText()
  const files = useAsk("GET /repository/:name/files", {
    params: { name: "templates" },
    query: { branch: branch ?? undefined }
  })
  const trial = useTrial(device, {
    text,
    ...(template === "" ? {} : { template, whole: isWhole })
  })
  const names = (files.data?.answer.data.files ?? []).flatMap(({ path }) =>
    path.startsWith(`${platform}/`) && path.endsWith(".j2") ? [path.slice(platform.length + 1)] : []
  )
  const load = async (name: string) => {
    const loaded = await run(`${platform}/${name}`, branch)
    if (loaded !== undefined) setText(loaded)
  }
  useEffect(() => {
    if (template !== "") void load(template)
    // the text of a template is read once, when the device is known; later choices read it themselves
  }, [device])
  return (
    <div className="beside-even">
      <Stack gap="xs">
        <Group align="flex-end">
          <Select
            label="Template"
            description="In its place, or a separate text"
            data={names}
            value={template === "" ? null : template}
            searchable
            clearable
            clearButtonProps={{ "aria-label": "A separate text" }}
            onChange={(name) => {
              change({ template: name ?? undefined })
              if (name !== null) void load(name)
            }}
          />
          <Checkbox
            label="Render the whole configuration with it"
            disabled={template === ""}
            checked={isWhole}
            onChange={({ currentTarget: { checked } }) => setWhole(checked)}
          />
        </Group>
        {unread !== null && <Problem error={unread} title="The template could not be read" />}
        <Textarea
          label="Text"
          value={text}
          autosize
          minRows={14}
          maxRows={30}
          spellCheck={false}
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: 13 } }}
          onChange={({ currentTarget: { value } }) => setText(value)}
        />
        <Group>
          <Button variant="default" onClick={trial.again}>
            Render again
          </Button>
        </Group>
      </Stack>
      <Outcome trial={trial} device={device} isWhole={template !== "" && isWhole} />
    </div>
  )
}

/** Reads the text of a template in force. */
const useTemplateText = () => {
  const [error, setError] = useState<unknown>(null)
  const run = async (path: string, branch: string | null): Promise<string | undefined> => {
    try {
      const { answer } = await ask("GET /repository/:name/file", {
        params: { name: "templates" },
        query: { path, branch: branch ?? undefined }
      })
      setError(null)
      return answer.data.text
    } catch (cause) {
      setError(cause)
      return undefined
    }
  }
  return { run, error }
}

const ForDevice = ({ device }: { readonly device: string }) => {
  const asked = useAsk("GET /device/:hostname/variables", { params: { hostname: device } })
  return (
    <Asked of={asked} what={`the variables of ${device}`}>
      {({ data: { branch, platform } }) => (
        <Editor key={device} device={device} platform={platform ?? ""} branch={branch} />
      )}
    </Asked>
  )
}

export const Render = () => {
  const [{ device = "" }] = useWords()
  return (
    <Stack gap="sm">
      <DeviceField />
      {device === "" ? (
        <Empty>
          Name a device whose variables the template gets. Secrets are never shown: they are &lt;hidden&gt;.
        </Empty>
      ) : (
        <ForDevice device={device} />
      )}
    </Stack>
  )
}
