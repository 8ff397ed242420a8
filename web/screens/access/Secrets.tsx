/** Secrets by name: whether each is set and needed, where it comes from, and which lines and switches use it. Values are never shown. */
import { Code } from "@mantine/core"
import { IconKey } from "@tabler/icons-react"
import type { Data } from "../../../src/api/Calls.ts"
import { typeWords, stateWords } from "../../../src/domain/words/DeviceWords.ts"
import {
  secretKindWords,
  secretPlaceWords,
  secretSourceWords,
  secretStandingWords
} from "../../../src/domain/words/ServerWords.ts"
import { counted, switches } from "../../../src/domain/words/Units.ts"
import { inSentence, textOf } from "../../../src/domain/words/Word.ts"
import { useAsk } from "../../api/useAsk.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { When } from "../../parts/When.tsx"

type Secret = Data<"GET /secrets">["secrets"][number]
type Use = Secret["uses"][number]

/** The switches of a use, as an end of a sentence. */
const scopeText = ({ scope }: Use): string => {
  if (scope === null) return ""
  switch (scope.by) {
    case "all":
      return "all switches"
    case "type":
      return `type ${inSentence(textOf(typeWords, scope.name))}`
    case "state":
      return `state ${inSentence(textOf(stateWords, scope.name))}`
    case "group":
      return `group ${scope.name}`
    case "platform":
      return `platform ${scope.name}`
    case "device":
      return scope.name
  }
}

const addressOf = ({ file, line, of }: Use): string =>
  `/repository?tab=files&name=${of}&path=${encodeURIComponent(file ?? "")}${line === null ? "" : `&line=${line}`}`

const Place = ({ use }: { readonly use: Use }) => {
  const { file, line, of } = use
  const where = file === null ? null : `${file}${line === null ? "" : `:${line}`}`
  const scope = scopeText(use)
  return (
    <>
      {where === null ? (
        textOf(secretPlaceWords, of)
      ) : of === "templates" || of === "settings" ? (
        <PlainLink to={addressOf(use)}>{where}</PlainLink>
      ) : (
        where
      )}
      {scope !== "" && <span className="access-place"> · {scope}</span>}
    </>
  )
}

const keyOf = ({ file, line, of, scope }: Use): string => [of, file, line, scope?.by, scope?.name].join("\0")

const SHOWN = 4

const Places = ({ uses }: { readonly uses: Secret["uses"] }) => (
  <ul className="secret-uses">
    {uses.map((use) => (
      <li key={keyOf(use)}>
        <Place use={use} />
      </li>
    ))}
  </ul>
)

const Uses = ({ uses }: { readonly uses: Secret["uses"] }) =>
  uses.length === 0 ? (
    "Nothing names it"
  ) : (
    <>
      <Places uses={uses.slice(0, SHOWN)} />
      {uses.length > SHOWN && (
        <details>
          <summary>and {uses.length - SHOWN} more</summary>
          <Places uses={uses.slice(SHOWN)} />
        </details>
      )}
    </>
  )

const Source = ({ secret: { set_at, set_by, source } }: { readonly secret: Secret }) => {
  if (source === null) return "–"
  return (
    <>
      {textOf(secretSourceWords, source)}
      {set_at !== null && (
        <>
          , set <When at={set_at} />
          {set_by !== null && ` by ${set_by}`}
        </>
      )}
    </>
  )
}

/** The standings that are worth a word, the worst first. */
const TOLD = [
  ["missing", "needed and not set"],
  ["waiting", "read at the next start"],
  ["unused", "set and not used"]
] as const satisfies ReadonlyArray<readonly [Secret["standing"], string]>

const summary = (secrets: ReadonlyArray<Secret>): string => {
  const said = TOLD.flatMap(([standing, words]) => {
    const count = secrets.filter((one) => one.standing === standing).length
    return count === 0 ? [] : [`${counted(count, "is", "are")} ${words}`]
  })
  return said.length === 0 ? "Everything that is needed is set." : `${said.join(", ")}.`
}

const HowToSet = () => (
  <p>
    Values are set on the machine of the server, never here: in its environment, in a file, or with{" "}
    <Code>switchyard secret set NAME &lt; file</Code>; servers read them at their next start.{" "}
    <PlainLink to="/manual/security#where-secrets-come-from">Where secrets come from</PlainLink>
  </p>
)

export const Secrets = () => {
  const asked = useAsk("GET /secrets", {}, { kinds: ["repository", "device"] })
  return (
    <Asked of={asked} what="the secrets">
      {({ data: { computed, secrets } }) => (
        <>
          <p role="status">
            <b>{summary(secrets)}</b> No value is shown to anybody.
          </p>
          <HowToSet />
          {computed.length > 0 && (
            <p>
              {counted(computed.length, "line")} of the templates {computed.length === 1 ? "computes" : "compute"} the
              name of a secret ({computed.map(({ file, line }) => `${file}:${line}`).join(", ")}), so any secret for
              templates may be used.
            </p>
          )}
          {secrets.length === 0 ? (
            <Empty icon={IconKey} title="No secrets">
              None is set, and nothing needs one.
            </Empty>
          ) : (
            <SmallTable
              label="Secrets"
              heads={["Name", "Standing", "Comes from", "Used in", "Switches"]}
              rows={secrets}
              keyOf={({ name }) => name}
              cells={(secret) => [
                <span>
                  <code className="secret-name">{secret.name}</code>
                  <br />
                  <span className="access-place">{textOf(secretKindWords, secret.kind)}</span>
                </span>,
                <StatusWord of={secretStandingWords} value={secret.standing} />,
                <Source secret={secret} />,
                <Uses uses={secret.uses} />,
                <span title={secret.hostnames.join(", ")}>{secret.devices === 0 ? "–" : switches(secret.devices)}</span>
              ]}
            />
          )}
        </>
      )}
    </Asked>
  )
}
