/** The newest commits of both repositories, and which are in force, refused or not checked yet. */
import { Signer } from "../../parts/SignedBy.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { commitWords } from "../../../src/domain/words/ServerWords.ts"
import { Button, Group, Stack, Title } from "@mantine/core"
import { request } from "../../api/call.ts"
import type { Data } from "../../../src/api/Calls.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { useSetup } from "../first-run/useSetup.ts"
import { useAct } from "../../parts/useAct.ts"
import { When } from "../../parts/When.tsx"

type Commit = Data<"GET /repository/:name/commits">["commits"][number]

const SHOWN = 6

const OneCommit = ({ commit }: { readonly commit: Commit }) => {
  return (
    <li>
      <StatusWord of={commitWords} value={commit.state} /> <b>{commit.subject}</b> by {commit.author},{" "}
      <When at={commit.at} />
      <Signer signature={commit.signature} />
      {(commit.refusal?.problems ?? []).slice(0, 3).map(({ file, line, message }) => (
        <div key={`${file}:${line}:${message}`}>
          {file}
          {line === null ? "" : `:${line}`}: {message}
        </div>
      ))}
    </li>
  )
}

const Repository = ({ name }: { readonly name: "settings" | "templates" }) => {
  const may = useMay()
  const asked = useAsk(
    "GET /repository/:name/commits",
    { params: { name }, query: { limit: SHOWN } },
    { kinds: ["repository"] }
  )
  const { busy, error, run } = useAct()
  const isMissing = useSetup()?.[name].address === null
  const refresh = () => run(() => request("PUT /repository/:name", { params: { name }, body: { action: "REFRESH" } }))
  if (!may("GET", `/repository/${name}/commits`)) return null
  return (
    <section aria-label={`Commits of ${name}`}>
      <Group justify="space-between">
        <Title order={2}>{name}</Title>
        {!isMissing && may("PUT", `/repository/${name}`) && (
          <Button
            size="compact-sm"
            variant="default"
            loading={busy}
            onClick={() => void refresh()}
            aria-label={`Fetch ${name}`}
          >
            Fetch
          </Button>
        )}
      </Group>
      {error !== null && <Problem error={error} title="The newest commit did not come into force" />}
      <Asked of={asked} what={`the commits of ${name}`}>
        {({ data: { commits } }) =>
          commits.length === 0 ? (
            <Empty>
              {isMissing ? (
                <>
                  No repository is configured. <PlainLink to="/first-run?step=2">Set it up</PlainLink>
                </>
              ) : (
                "Nothing was fetched yet."
              )}
            </Empty>
          ) : (
            <ul className="commits">
              {commits.map((commit) => (
                <OneCommit key={commit.commit} commit={commit} />
              ))}
            </ul>
          )
        }
      </Asked>
    </section>
  )
}

export const Commits = () => (
  <Stack gap="sm">
    <Repository name="settings" />
    <Repository name="templates" />
  </Stack>
)
