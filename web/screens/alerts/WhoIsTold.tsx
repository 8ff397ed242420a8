/** Who is told of what: the rules as sentences, their receivers, and an example where there are none. */
import { Button } from "@mantine/core"
import type { Data } from "../../../src/api/Calls.ts"
import { alertWords } from "../../../src/domain/words/ServerWords.ts"
import { wordOf } from "../../../src/domain/words/Word.ts"
import { ask } from "../../api/call.ts"
import { useMay } from "../../app/useSession.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Entries, Entry, Panel, PanelBody } from "../../parts/Panel.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { toast } from "../../parts/Toast.tsx"

type AlertList = Data<"GET /alerts">

const EXAMPLE = `receivers:
  noc: { type: slack, url_secret: SLACK_URL }
ready:
  device_unreachable: noc
  job_not_success: noc
  drift: noc
  refused_commit: noc
  disk_low: noc
`

const test = async (name: string) => {
  const { answer } = await ask("POST /alerts/receivers/:name/test", { params: { name } })
  if (!answer.data.is_taken) throw new Error(`${name} did not accept it: ${answer.data.answer}`)
  toast({ title: `${name} has taken the test message`, text: answer.data.answer })
}

const copyExample = () =>
  navigator.clipboard.writeText(EXAMPLE).then(
    () => toast({ title: "The example is copied" }),
    () => toast({ title: "The browser did not copy it", tone: "warn" })
  )

const Nobody = () => (
  <>
    <Empty
      title="Nobody is told yet"
      // browsers give the clipboard to encrypted pages and to localhost only
      action={
        "clipboard" in navigator && (
          <Button size="xs" variant="default" onClick={() => void copyExample()}>
            Copy the example
          </Button>
        )
      }
    >
      Write rules into <code>alerts.yml</code> of the settings repository, or of the server’s folder, such as these.{" "}
      <PlainLink to="/manual/alerts">All kinds of receivers and rules</PlainLink>
    </Empty>
    <PanelBody>
      <pre className="code-example" tabIndex={0} role="region" aria-label="An example of alerts.yml">
        {EXAMPLE}
      </pre>
    </PanelBody>
  </>
)

export const WhoIsTold = ({ receivers, rules }: Pick<AlertList, "receivers" | "rules">) => {
  const may = useMay()
  if (rules.length === 0)
    return (
      <Panel title="Who is told">
        <Nobody />
      </Panel>
    )
  return (
    <Panel
      title="Who is told"
      count={rules.length}
      aside={<PlainLink to="/manual/alerts">How to write rules</PlainLink>}
    >
      <Entries label="Rules">
        {rules.map(({ level, name, sentence }) => (
          <Entry
            key={name}
            tone={wordOf(alertWords, level).tone}
            title={<span className="entry-plain">{sentence}</span>}
            time={<code>{name}</code>}
          />
        ))}
      </Entries>
      <Entries label="Receivers">
        {receivers.map(({ name, problem, type }) => (
          <Entry
            key={name}
            tone={problem === null ? "good" : "bad"}
            title={name}
            actions={
              may("POST", `/alerts/receivers/${name}/test`) && (
                <Confirm label={`Test ${name}…`} verb={`Test ${name}`} size="xs" act={() => test(name)}>
                  One message goes to {name} now.
                </Confirm>
              )
            }
          >
            {problem ?? `by ${type}`}
          </Entry>
        ))}
      </Entries>
    </Panel>
  )
}
