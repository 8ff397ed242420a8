/** Switches that wait for their place in the network: where they hang, initialised or put in the place of another, one by one or many. */
import { Accordion, Stack } from "@mantine/core"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { ScreenTitle } from "../../parts/ScreenTitle.tsx"
import { Begun } from "./Begun.tsx"
import { NewSwitch } from "./NewSwitch.tsx"
import { Several } from "./Several.tsx"

const jobsOf = (text: string | undefined): ReadonlyArray<number> =>
  `${text ?? ""}`.split("-").flatMap((part) => (/^\d+$/.test(part) ? [Number(part)] : []))

export default function NewSwitches() {
  const may = useMay()
  const [words, change] = useWords()
  const asked = useAsk("GET /new_devices", {}, { kinds: ["device", "job", "linknet"] })
  const jobs = jobsOf(words["begun"])
  const begun = (more: ReadonlyArray<number>) => change({ begun: `j-${[...jobs, ...more].join("-")}` })
  return (
    <>
      <ScreenTitle>New switches</ScreenTitle>
      <Stack gap="sm">
        {jobs.length > 0 && <Begun jobs={jobs} />}
        <Asked of={asked} what="the new switches">
          {({ data: { devices } }) =>
            devices.length === 0 ? (
              <Empty>
                No switch waits. Plug in a blank one: it asks for an address, is discovered, and appears here by itself.
              </Empty>
            ) : (
              devices.map((device) => (
                <NewSwitch key={device.id} device={device} begun={(job) => begun([job])} again={asked.refetch} />
              ))
            )
          }
        </Asked>
        {may("POST", "/new_devices") && (
          <Accordion variant="contained">
            <Accordion.Item value="several">
              <Accordion.Control>Several at once, from a list</Accordion.Control>
              <Accordion.Panel>
                <Several started={begun} />
              </Accordion.Panel>
            </Accordion.Item>
          </Accordion>
        )}
      </Stack>
    </>
  )
}
