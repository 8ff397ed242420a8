/** The checks of changes in force: each in a sentence, where it is written and for which switches; and what they say of a switch now. */
import { Button, Stack } from "@mantine/core"
import { IconRefresh } from "@tabler/icons-react"
import type { Data } from "../../../src/api/Calls.ts"
import { beforeWords, tryWords } from "../../../src/domain/words/CheckWords.ts"
import { counted, switches } from "../../../src/domain/words/Units.ts"
import { inSentence } from "../../../src/domain/words/Word.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Chips } from "../../parts/Chips.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { DeviceField } from "./DeviceField.tsx"

type InForce = Data<"GET /checks">["checks"][number]

/** The set that a check is from, or its line in the file. */
const Place = ({ branch, file, line, set }: Pick<InForce, "branch" | "file" | "line" | "set">) => {
  const at = line === null ? "" : `&line=${line}`
  return (
    <>
      {set !== null && `ready set ${set}`}
      {file !== null && (
        <PlainLink to={`/repository?tab=files&name=templates&path=${encodeURIComponent(file)}${at}`}>
          {line === null ? file : `${file}:${line}`}
        </PlainLink>
      )}
      {branch !== null && `, branch ${branch}`}
    </>
  )
}

const Entry = ({ check }: { readonly check: InForce }) => {
  const { before, description, devices, name, sentence, when_diff } = check
  const count = switches(devices.length)
  return (
    <section className="check" aria-label={`${name}: for ${count}`}>
      <div className="check-head">
        <h3>{name}</h3>
        <span>for {count}</span>
        <Place {...check} />
      </div>
      {description !== null && <p>{description}</p>}
      <p>It {sentence}.</p>
      {when_diff !== null && (
        <p>
          Only if a changed line matches <code>{when_diff}</code>.
        </p>
      )}
      {before === "refuse" && <p>If it fails before the change already, it {inSentence(beforeWords[before].text)}.</p>}
      {devices.length > 0 && <Chips names={devices} />}
    </section>
  )
}

const List = () => {
  const asked = useAsk("GET /checks", {}, { kinds: ["repository", "device"] })
  return (
    <Asked of={asked} what="the checks">
      {({ data: { checks } }) =>
        checks.length === 0 ? (
          <Empty title="No checks">
            The templates have no checks.yml. The manual says how a check is written, and which ready sets there are.{" "}
            <PlainLink to="/manual/checks">Checks in the manual</PlainLink>
          </Empty>
        ) : (
          <section className="review-card" aria-label="Checks in force">
            <header className="review-card-head">
              <h2>{counted(checks.length, "check")} in force</h2>
            </header>
            {checks.map((check) => (
              <Entry key={`${check.branch ?? ""} ${check.name}`} check={check} />
            ))}
          </section>
        )
      }
    </Asked>
  )
}

const OfDevice = ({ device }: { readonly device: string }) => {
  const asked = useAsk("GET /device/:hostname/checks", { params: { hostname: device } }, { once: true })
  return (
    <>
      <Asked of={asked} what={`the checks of ${device}`}>
        {({ data: { checks } }) =>
          checks.length === 0 ? (
            <Empty>No check is for {device}.</Empty>
          ) : (
            <SmallTable
              label={`What the checks say of ${device}`}
              heads={["Check", "Standing", "Now", "Why"]}
              rows={checks}
              keyOf={({ name, on }) => `${name} ${on ?? ""}`}
              cells={({ end, name, now, on, why }) => [
                on === undefined ? name : `${name} (on ${on})`,
                <StatusWord key="end" of={tryWords} value={end} />,
                now ?? "",
                why
              ]}
            />
          )
        }
      </Asked>
      <Button
        variant="default"
        w="fit-content"
        leftSection={<IconRefresh size={15} stroke={1.75} />}
        loading={asked.isFetching}
        onClick={() => void asked.refetch()}
      >
        Read it again
      </Button>
    </>
  )
}

const Try = () => {
  const [{ device = "" }] = useWords()
  const may = useMay()
  if (device !== "" && !may("GET", `/device/${device}/checks`)) return null
  return (
    <section className="review-card" aria-label="Try the checks of a switch">
      <header className="review-card-head">
        <h2>Try them on a switch</h2>
      </header>
      <Stack gap="sm" className="review-card-body">
        <p>It is read now, and nothing is changed.</p>
        <DeviceField />
        {device !== "" && <OfDevice device={device} />}
      </Stack>
    </section>
  )
}

export const Checks = () => (
  <Stack gap="md">
    <Try />
    <List />
  </Stack>
)
