/** The newest commits with what became of them, what is wrong with the one in force, and the way to bring the newest one into force. */
import { Button, Group, Stack, Text, Title } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { ask } from "../../api/call.ts"
import type { Data } from "../../../src/api/CallTypes.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { Remarks, remarksOf } from "../../parts/Remarks.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { Tone } from "../../parts/Tone.tsx"
import type { ToneName } from "../../parts/tones.ts"
import { useAct } from "../../parts/useAct.ts"
import { When } from "../../parts/When.tsx"
import { type RepositoryName, useRepository, WhichRepository } from "./WhichRepository.tsx"

type Commit = Data<"GET /repository/:name/commits">["commits"][number]

const STATES: Readonly<Record<Commit["state"], { readonly tone: ToneName; readonly label: string }>> = {
  in_force: { tone: "good", label: "in force" },
  refused: { tone: "bad", label: "refused" },
  not_applied: { tone: "warn", label: "not applied" },
  replaced: { tone: "quiet", label: "replaced" },
  waiting: { tone: "warn", label: "waits for a confirmation" }
}

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

const Refresh = ({ name }: { readonly name: RepositoryName }) => {
  const client = useQueryClient()
  const { busy, error, run } = useAct()
  const refresh = async () => {
    await run(() => ask("PUT /repository/:name", { params: { name }, body: { action: "REFRESH" } }))
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
      {error !== null && remarksOf(error).length === 0 && (
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
  const asked = useAsk(
    "GET /repository/:name/commits",
    { params: { name }, query: { limit: 20 } },
    { kinds: ["repository"] }
  )
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-start">
        <WhichRepository />
        {may("PUT", `/repository/${name}`) && <Refresh name={name} />}
      </Group>
      <Asked of={asked} what="the commits">
        {({ data: { commits } }) =>
          commits.length === 0 ? (
            <Empty>No commit is known here. Fetch the repository, or look whether its address is set.</Empty>
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
                  <Tone tone={STATES[state].tone}>{STATES[state].label}</Tone>,
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
