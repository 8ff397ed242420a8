/** The first run: what a new installation lacks, step by step, each tried at once; it can be left and taken up again. */
import { Button, Text, Title } from "@mantine/core"
import { IconCheck } from "@tabler/icons-react"
import { type ReactNode, useEffect } from "react"
import { useRouter } from "@tanstack/react-router"
import { switches } from "../../../src/domain/words/Units.ts"
import { Mark } from "../../app/Mark.tsx"
import { useWords } from "../../app/useAddress.ts"
import { useIdentity, useMay } from "../../app/useSession.ts"
import { Empty } from "../../parts/Empty.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Skeleton } from "../../parts/Skeleton.tsx"
import "./first-run.css"
import { Repositories } from "./Repositories.tsx"
import { SettingsStep } from "./SettingsStep.tsx"
import { StepFrame } from "./StepFrame.tsx"
import { nextStep, type Setup, steps } from "./steps.ts"
import { useSetup } from "./useSetup.ts"

/** Milliseconds between two looks at what other screens have done. */
const EVERY = 5000

interface StepProps {
  readonly setup: Setup
  readonly back: () => void
  readonly next: () => void
}

interface PlainProps extends Pick<StepProps, "next"> {
  readonly title: string
  readonly back?: () => void
  readonly nextLabel?: string
  readonly children: ReactNode
}

const Plain = ({ back, children, next, nextLabel = "Continue", title }: PlainProps) => (
  <StepFrame
    title={title}
    foot={
      <>
        {back === undefined ? (
          <span />
        ) : (
          <Button variant="subtle" color="gray" onClick={back}>
            Back
          </Button>
        )}
        <Button onClick={next}>{nextLabel}</Button>
      </>
    }
  >
    {children}
  </StepFrame>
)

const Administrator = ({ next }: StepProps) => (
  <Plain title="You are the administrator" next={next}>
    <Text>
      You are signed in as <b>{useIdentity().data}</b> and may do everything. Add the others under{" "}
      <PlainLink to="/access">Access</PlainLink>, now or later, each with the role that they need.
    </Text>
  </Plain>
)

const Networks = ({ back, next, setup }: StepProps) =>
  setup.networks === null ? (
    <SettingsStep
      title="Where are your switches?"
      about="The server gives the account of the switches to addresses in these networks only."
      fields={[{ name: "networks", label: "Networks of the switches", hint: "Such as 10.0.0.0/8, 2001:db8::/48" }]}
      back={back}
      next={next}
    >
      <Accounts />
    </SettingsStep>
  ) : (
    <Plain title="Where your switches are" back={back} next={next}>
      <Text>
        Switches are logged in to in <code>{setup.networks}</code> only.
      </Text>
      <Accounts />
    </Plain>
  )

const Accounts = () => (
  <Text size="xs" c="dimmed">
    The account on the switches is a secret and is set on the machine of the server, as <code>USERNAME_MANAGED</code>{" "}
    and <code>PASSWORD_MANAGED</code> or <code>SSH_KEY_MANAGED</code>: see{" "}
    <PlainLink to="/manual/installing">Installing</PlainLink>.
  </Text>
)

const SWITCHES = [
  { to: "/new", title: "Let one ask", about: "A blank switch that asks for an address by DHCP appears by itself." },
  { to: "/new?tab=several", title: "Paste a list", about: "A CSV of switches, checked line by line." },
  {
    to: "/onboarding?tab=add",
    title: "Bring a network that exists",
    about: "Running switches from a CSV, containerlab, Ansible, NetBox or a folder of configurations; none is changed."
  },
  { to: "/manual/plugins", title: "From NetBox", about: "A plugin fetches names, places and addresses." }
] as const

const FirstSwitch = ({ back, next, setup }: StepProps) => (
  <Plain title="Which switch comes first?" back={back} next={next}>
    <Text>
      {setup.devices === 0
        ? "There is no switch yet."
        : `There ${setup.devices === 1 ? "is" : "are"} ${switches(setup.devices)}.`}
    </Text>
    <ul className="ways-in">
      {SWITCHES.map(({ about, title, to }) => (
        <li key={to}>
          <PlainLink to={to}>{title}</PlainLink>
          <Text size="xs" c="dimmed">
            {about}
          </Text>
        </li>
      ))}
    </ul>
  </Plain>
)

const FirstPreview = ({ back, setup }: StepProps) => {
  const router = useRouter()
  return (
    <Plain
      title={setup.previewed ? "You have seen a first preview" : "See what would change"}
      back={back}
      nextLabel={setup.previewed ? "To the overview" : "Open Changes"}
      next={() => router.history.push(setup.previewed ? "/ui/" : "/ui/change")}
    >
      <Text>
        A preview logs in to the switches and compares what they run with what they should run. It changes nothing. A
        rollout does exactly what its preview showed, behind a safety timer.
      </Text>
    </Plain>
  )
}

const SCREENS = [Administrator, Repositories, Networks, FirstSwitch, FirstPreview]

export default function FirstRun() {
  const may = useMay()
  const setup = useSetup(EVERY)
  const [{ step }, change] = useWords()
  useEffect(() => {
    document.title = "Set up Switchyard · Switchyard"
  }, [])
  if (setup === undefined)
    return may("GET", "/setup") ? (
      <Skeleton what="the installation" />
    ) : (
      <Empty>An administrator sets the server up.</Empty>
    )
  if (!may("PUT", "/setup")) return <Empty>An administrator sets the server up.</Empty>
  const asked = Number(step) - 1
  const at = steps[asked] === undefined ? nextStep(setup) : asked
  const go = (to: number) => change({ step: String(Math.min(Math.max(to, 0), steps.length - 1) + 1) })
  const Shown = SCREENS[at] ?? Administrator
  return (
    <div className="first-run">
      <div className="first-run-head">
        <Mark size={40} />
        <div>
          <Title order={1}>Set up Switchyard</Title>
          <Text c="dimmed">About 10 minutes. You can leave and come back; what is done stays.</Text>
        </div>
        <Text c="dimmed" className="first-run-at">
          Step {at + 1} of {steps.length}
        </Text>
      </div>
      <ol className="stepper">
        {steps.map(({ about, isDone, title }, index) => {
          const done = isDone(setup)
          return (
            <li key={title} data-done={done} {...(index === at ? { "aria-current": "step" as const } : {})}>
              <button type="button" onClick={() => go(index)}>
                <span className="stepper-number" aria-hidden>
                  {done ? <IconCheck size={14} stroke={2} /> : index + 1}
                </span>
                <span>
                  {title}
                  {done && <span className="unseen">, done</span>}
                  <small>{about}</small>
                </span>
              </button>
            </li>
          )
        })}
      </ol>
      <Shown key={at} setup={setup} back={() => go(at - 1)} next={() => go(at + 1)} />
    </div>
  )
}
