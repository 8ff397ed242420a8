/** Plugins: which are loaded, their hooks and functions for checks, and their errors. */
import { Button } from "@mantine/core"
import { useState } from "react"
import { ask } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { useAct } from "../../parts/useAct.ts"
import { When } from "../../parts/When.tsx"

const Selftest = () => {
  const [told, setTold] = useState("")
  const { busy, error, run } = useAct()
  const test = () =>
    run(async () => {
      const { answer } = await ask("PUT /plugins", { body: { action: "selftest" } })
      const good = answer.data.result.filter(Boolean).length
      setTold(`${good} of ${answer.data.result.length} plugins report that they work.`)
    })
  return (
    <>
      <Button size="xs" variant="default" mb="xs" loading={busy} onClick={() => void test()}>
        Test the plugins
      </Button>{" "}
      <span role="status">{told}</span>
      {error !== null && <Problem error={error} title="Not tested" />}
    </>
  )
}

export const PluginsTab = () => {
  const may = useMay()
  const asked = useAsk("GET /plugins")
  return (
    <Asked of={asked} what="the plugins">
      {({ data: { plugin_states } }) =>
        plugin_states.length === 0 ? (
          <Empty>
            No plugin is configured. <PlainLink to="/manual/plugins">Plugins</PlainLink> says what they can do.
          </Empty>
        ) : (
          <>
            {may("PUT", "/plugins") && <Selftest />}
            <SmallTable
              label="Plugins"
              heads={["Plugin", "Standing", "Listens to", "Checks", "Failed calls", "Last error"]}
              rows={plugin_states}
              keyOf={({ filename }) => filename}
              cells={({ checks, failed_calls, filename, hooks, last_error, last_error_at, loaded, problem }) => [
                filename,
                loaded ? (
                  <StatusWord tone="good">loaded</StatusWord>
                ) : (
                  <StatusWord tone="bad">{problem ?? "not loaded"}</StatusWord>
                ),
                hooks.join(", "),
                checks.join(", "),
                failed_calls,
                last_error === null ? (
                  ""
                ) : (
                  <>
                    {last_error} (<When at={last_error_at} />)
                  </>
                )
              ]}
            />
          </>
        )
      }
    </Asked>
  )
}
