/** The newest commits with their results, the mistakes of the one in force, and the button that brings the newest one into force. */
import { Worded } from "../../parts/Worded.tsx"
import { commitWords } from "../../../src/domain/words/ServerWords.ts"
import { Button, Checkbox, Group, Stack, Text, Title } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { ask, CallFailed } from "../../api/call.ts"
import type { Answer, Data } from "../../../src/api/Calls.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { Remarks, remarksOf } from "../../parts/Remarks.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { useAct } from "../../parts/useAct.ts"
import { When } from "../../parts/When.tsx"
import { Effects } from "./Effects.tsx"
import { useSetup } from "../first-run/useSetup.ts"
import { type RepositoryName, useRepository, WhichRepository } from "./WhichRepository.tsx"

type Refreshed = Answer<"PUT /repository/:name">
type Commit = Data<"GET /repository/:name/commits">["commits"][number]

const HEADS = ["Commit", "State", "What", "By", "When"]

const Refusals = ({ commits }: { readonly commits: ReadonlyArray<Commit> }) =>
  commits.map(({ commit, refusal, subject }) =>
    refusal === null ? null : (
      <section key={commit} aria-label={`Why ${commit.slice(0, 10)} was refused`}>
        <Title order={2}>
          Refused: {commit.slice(0, 10)} {subject}
        </Title>
        <Text size="sm">
          Looked at for {refusal.by ?? "the server"} in{" "}
          <PlainLink to={`/job/${refusal.job_id}`}>job {refusal.job_id}</PlainLink>, <When at={refusal.at} />. The
          commit before it stays in force.
        </Text>
        <Remarks label={`Problems of ${commit.slice(0, 10)}`} remarks={refusal.problems} />
      </section>
    )
  )

/** A commit that removes too much: its effects, and the button that brings it into force in spite of them. */
const Waiting = ({ name }: { readonly name: RepositoryName }) => {
  const client = useQueryClient()
  const may = useMay()
  const { busy, error, run } = useAct()
  const [renamePorts, setRenamePorts] = useState(false)
  const asked = useAsk("GET /repository/:name", { params: { name } }, { kinds: ["repository"] })
  const waiting = asked.data?.answer.waiting ?? null
  if (waiting === null) return null
  const { at, by, commit, effects } = waiting
  const isRename = effects.vlans.some(({ change, ports }) => change === "renamed" && ports > 0)
  const confirm = async () => {
    const wishes = isRename && renamePorts ? { rename_ports: true } : {}
    await run(() =>
      ask("PUT /repository/:name", { params: { name }, body: { action: "REFRESH", confirm: commit, ...wishes } })
    )
    await client.invalidateQueries()
  }
  return (
    <section aria-label="Commit that waits for a confirmation">
      <Title order={2}>Waits for a confirmation: {commit.slice(0, 10)}</Title>
      <Text size="sm">
        Looked at for {by}, <When at={at} />. It removes so much that it must be confirmed. The commit before it stays
        in force.
      </Text>
      <Effects effects={effects} of={`commit ${commit.slice(0, 10)}`} />
      {may("PUT", `/repository/${name}`) && (
        <Group>
          {isRename && (
            <Checkbox
              label="Give ports that name a renamed VLAN its new name"
              checked={renamePorts}
              onChange={({ currentTarget: { checked } }) => setRenamePorts(checked)}
            />
          )}
          <Button color="red" onClick={() => void confirm()} loading={busy}>
            Bring {commit.slice(0, 10)} into force all the same
          </Button>
        </Group>
      )}
      {error !== null && <Problem error={error} title="The commit was not brought into force" />}
    </section>
  )
}

const isConflict = (error: unknown): boolean => error instanceof CallFailed && error.status === 409

const Refresh = ({ name }: { readonly name: RepositoryName }) => {
  const client = useQueryClient()
  const { busy, error, run } = useAct()
  const [effects, setEffects] = useState<Refreshed["effects"] | null>(null)
  const refresh = async () => {
    setEffects(null)
    await run(async () => {
      const { answer } = await ask("PUT /repository/:name", { params: { name }, body: { action: "REFRESH" } })
      setEffects(answer.effects)
    })
    await client.invalidateQueries()
  }
  return (
    <Stack gap={0} align="flex-end">
      <Button onClick={() => void refresh()} loading={busy}>
        Fetch and bring into force
      </Button>
      <Text size="sm" role="status">
        {busy ? `Fetching and checking the ${name} …` : ""}
      </Text>
      {effects !== null && <Effects effects={effects} of="the newest commit" />}
      {isConflict(error) && (
        <Text role="alert">
          The newest commit removes so much that it must be confirmed: confirm it below, or correct it and fetch again.
        </Text>
      )}
      {error !== null && !isConflict(error) && remarksOf(error).length === 0 && (
        <Problem error={error} title="The newest commit was not brought into force" />
      )}
      {remarksOf(error).length > 0 && (
        <Text role="alert">The newest commit was refused: correct what is named below, commit, and fetch again.</Text>
      )}
    </Stack>
  )
}

const Problems = ({ name }: { readonly name: RepositoryName }) => {
  const asked = useAsk("GET /repository/:name/problems", { params: { name } }, { kinds: ["repository"] })
  return (
    <Asked of={asked} what="the problems">
      {({ data: { problems, warnings } }) => (
        <>
          <Title order={2}>Problems</Title>
          {problems.length === 0 ? (
            <Empty>Nothing is wrong with the {name} in force, and the last refresh was not refused.</Empty>
          ) : (
            <Remarks label="Problems" remarks={problems} />
          )}
          <Title order={2}>Doubtful</Title>
          {warnings.length === 0 ? (
            <Empty>Nothing is doubtful: every key, file and group is known, and every variable is defined.</Empty>
          ) : (
            <Remarks label="Warnings" remarks={warnings} inForce={name} />
          )}
        </>
      )}
    </Asked>
  )
}

export const Commits = () => {
  const name = useRepository()
  const may = useMay()
  const isMissing = useSetup()?.[name].address === null
  const asked = useAsk(
    "GET /repository/:name/commits",
    { params: { name }, query: { limit: 20 } },
    { kinds: ["repository"] }
  )
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-start">
        <WhichRepository />
        {!isMissing && may("PUT", `/repository/${name}`) && <Refresh name={name} />}
      </Group>
      <Waiting key={name} name={name} />
      <Asked of={asked} what="the commits">
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
            <>
              <Refusals commits={commits} />
              <SmallTable
                label="Commits"
                heads={HEADS}
                rows={commits}
                keyOf={({ commit }) => commit}
                cells={({ at, author, commit, state, subject }) => [
                  <Text span ff="monospace" size="sm" title={commit}>
                    {commit.slice(0, 10)}
                  </Text>,
                  <Worded of={commitWords} value={state} />,
                  subject,
                  author,
                  <When at={at} />
                ]}
              />
            </>
          )
        }
      </Asked>
      <Problems name={name} />
    </Stack>
  )
}
