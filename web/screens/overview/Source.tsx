/** Where the configuration comes from: the commit in force of each repository, and whether a newer one was refused or waits. */
import { Button } from "@mantine/core"
import { IconRefresh } from "@tabler/icons-react"
import { useState } from "react"
import { Signer } from "../../parts/SignedBy.tsx"
import { commitWords } from "../../../src/domain/words/ServerWords.ts"
import { request } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { useAct } from "../../parts/useAct.ts"
import { useSetup } from "../first-run/useSetup.ts"
import { When } from "../../parts/When.tsx"

const SHOWN = 10
const NAMES = { settings: "Settings", templates: "Templates" } as const

type Name = keyof typeof NAMES

const Repository = ({ name }: { readonly name: Name }) => {
  const isMissing = useSetup()?.[name].address === null
  const asked = useAsk(
    "GET /repository/:name/commits",
    { params: { name }, query: { limit: SHOWN } },
    { kinds: ["repository"] }
  )
  return (
    <section className="source" aria-label={`Commit of the ${name}`}>
      <Asked of={asked} what={`the commits of the ${name}`}>
        {({ data: { commits } }) => {
          const [newest] = commits
          const inForce = commits.find(({ state }) => state === "in_force")
          return (
            <>
              <div className="running-line">
                <PlainLink to={`/repository?name=${name}`}>{NAMES[name]}</PlainLink>
                {newest !== undefined && <StatusWord of={commitWords} value={newest.state} />}
              </div>
              {inForce === undefined ? (
                <p>
                  {isMissing ? (
                    <>
                      No repository is configured. <PlainLink to="/first-run?step=2">Set it up</PlainLink>
                    </>
                  ) : newest === undefined ? (
                    "Nothing was fetched yet."
                  ) : (
                    "No commit is in force."
                  )}
                </p>
              ) : (
                <p>
                  <code title={inForce.commit}>{inForce.commit.slice(0, 7)}</code> {inForce.subject}
                  <br />
                  {inForce.author}, <When at={inForce.at} />
                  <Signer signature={inForce.signature} />
                </p>
              )}
            </>
          )
        }}
      </Asked>
    </section>
  )
}

export const Source = () => {
  const may = useMay()
  const { busy, error, run } = useAct()
  const [isFetched, setFetched] = useState(false)
  const setup = useSetup()
  const names = (["settings", "templates"] as const).filter((name) => may("GET", `/repository/${name}/commits`))
  if (names.length === 0) return null
  const fetchable = names.filter((name) => may("PUT", `/repository/${name}`) && setup?.[name].address !== null)
  const fetchAll = async () => {
    setFetched(false)
    const done = await run(async () => {
      for (const name of fetchable)
        await request("PUT /repository/:name", { params: { name }, body: { action: "REFRESH" } })
    })
    setFetched(done)
  }
  return (
    <section className="card" aria-labelledby="source-head">
      <header className="card-head">
        <h2 id="source-head">Configuration source</h2>
        {fetchable.length > 0 && (
          <Button
            size="xs"
            variant="default"
            loading={busy}
            leftSection={<IconRefresh size={14} stroke={1.75} />}
            onClick={() => void fetchAll()}
          >
            Fetch
          </Button>
        )}
      </header>
      <div className="card-body">
        {error !== null && <Problem error={error} title="The newest commit did not come into force" />}
        {isFetched && <p role="status">Fetched: the newest commits are in force.</p>}
        {names.map((name) => (
          <Repository key={name} name={name} />
        ))}
      </div>
    </section>
  )
}
