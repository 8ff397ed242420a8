/** The second step: where settings and templates are. */
import { Button, Group, Text } from "@mantine/core"
import { request } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { useAct } from "../../parts/useAct.ts"
import { Choices } from "./Choices.tsx"
import { type Field, SettingsStep } from "./SettingsStep.tsx"
import { StepFrame } from "./StepFrame.tsx"
import type { Setup } from "./steps.ts"

const WAYS = [
  { value: "have", title: "I have a repository", about: "https or ssh" },
  { value: "make", title: "Make me one", about: "a small example to grow" },
  { value: "look", title: "Just look around", about: "a campus of made-up switches" }
] as const

const FIELDS: ReadonlyArray<Field> = [
  {
    name: "settings",
    label: "Settings",
    hint: "Such as git@git.example.org:net/settings.git#main; the branch stands after the #"
  },
  { name: "templates", label: "Templates", hint: "Such as git@git.example.org:net/templates.git#main" }
]

interface Props {
  readonly setup: Setup
  readonly back: () => void
  readonly next: () => void
}

const NAMES = ["settings", "templates"] as const

/** A repository that is set: its commit in force, or why there is none. */
const Present = ({ name, setup }: Pick<Props, "setup"> & { readonly name: (typeof NAMES)[number] }) => {
  const { busy, error, run } = useAct()
  const { data } = useAsk("GET /system/status", {}, { kinds: ["repository"], every: 5000 })
  const why = data?.answer.data.checks.find((check) => check.name === name)?.message
  const { address, commit } = setup[name]
  return (
    <div className="present">
      <div>
        <b>{name === "settings" ? "Settings" : "Templates"}</b>{" "}
        {commit === null ? (
          <StatusBadge tone="warn">Not in force</StatusBadge>
        ) : (
          <StatusBadge tone="good">In force</StatusBadge>
        )}
      </div>
      <Text size="xs" c="dimmed" className="mono">
        {address} {commit?.slice(0, 7)}
      </Text>
      {commit === null && (
        <Group mt="xs">
          <Text size="sm">{why ?? "Nothing was fetched yet."}</Text>
          <Button
            size="xs"
            variant="default"
            loading={busy}
            aria-label={`Fetch ${name}`}
            onClick={() =>
              void run(() => request("PUT /repository/:name", { params: { name }, body: { action: "REFRESH" } }))
            }
          >
            Fetch
          </Button>
        </Group>
      )}
      {error !== null && <Problem error={error} title="The newest commit did not come into force" />}
    </div>
  )
}

export const Repositories = ({ back, next, setup }: Props) => {
  const [{ way = "have" }, change] = useWords()
  const missing = FIELDS.filter(({ name }) => name !== "networks" && setup[name].address === null)
  const present = NAMES.filter((name) => setup[name].address !== null)
  const choices = <Choices label="What you have" all={WAYS} value={way} choose={(value) => change({ way: value })} />
  if (missing.length > 0 && way === "have")
    return (
      <SettingsStep
        title="Where are your settings and templates?"
        about="Switchyard reads both from git. Each address is asked for its branch and newest commit while you type."
        fields={missing}
        above={choices}
        back={back}
        next={next}
      >
        {present.map((name) => (
          <Present key={name} name={name} setup={setup} />
        ))}
        <Text size="xs" c="dimmed">
          For ssh the user of the server needs a key that may read both: its public part is added at your git server as
          a key that may only read. A refused key is shown at the side in git's own words.
        </Text>
      </SettingsStep>
    )
  return (
    <StepFrame
      title={missing.length > 0 ? "Where are your settings and templates?" : "Your settings and templates"}
      foot={
        <>
          <Button variant="subtle" color="gray" onClick={back}>
            Back
          </Button>
          <Button onClick={next}>Continue</Button>
        </>
      }
    >
      {missing.length > 0 && choices}
      {missing.length > 0 && way === "make" && (
        <Text>
          The folders <code>examples/settings</code> and <code>examples/templates</code> of the release are a small
          working network. Copy each into a repository at your git server, then choose <em>I have a repository</em>.
          What stands in them is told in <PlainLink to="/manual/settings-repository">Settings repository</PlainLink> and{" "}
          <PlainLink to="/manual/templates">Templates</PlainLink>.
        </Text>
      )}
      {missing.length > 0 && way === "look" && (
        <Text>
          <code>switchyard demo --port 5050</code> on any machine runs a second server with a simulated campus: it
          brings in blank switches, changes them and proves it. Nothing of it touches this server.
        </Text>
      )}
      {present.map((name) => (
        <Present key={name} name={name} setup={setup} />
      ))}
    </StepFrame>
  )
}
