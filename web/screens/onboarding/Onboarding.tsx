/**
 * Switches that exist already, from a list of them to MANAGED without a push: where each is on its way, how far it is from the templates, and
 * what brings it nearer. Nothing here changes a switch.
 */
import { IconServerCog } from "@tabler/icons-react"
import { Button, Card } from "@mantine/core"
import { useRouter } from "@tanstack/react-router"
import { number, switches } from "../../../src/domain/words/Units.ts"
import { useHasRight, useMay } from "../../app/useSession.ts"
import { AddressTabs } from "../../parts/AddressTabs.tsx"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { PageHead } from "../../parts/PageHead.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { AddList } from "./AddList.tsx"
import { Distance } from "./Distance.tsx"
import { Links } from "./Links.tsx"
import { Settings } from "./Settings.tsx"
import { Switches } from "./Switches.tsx"
import { percent, useOnboarding } from "./useOnboarding.ts"
import "./onboarding.css"

const useMayAdd = (): boolean => {
  const may = useMay()
  const hasRight = useHasRight()
  return may("POST", "/onboarding") && hasRight("trust", "POST", "/onboarding")
}

const Facts = () => {
  const { distance } = useOnboarding()
  const found = distance.data?.answer.data
  if (found === undefined || found.now.devices === 0)
    return "Switches that run already are read, compared with the templates, and managed when nothing differs."
  const { devices, distance: percentage, lines, reached } = found.now
  return (
    <>
      <b>{percent(percentage)}</b> of {number(lines)} lines differ · {number(reached)} of {switches(devices)} without a
      difference{found.is_measuring && " · being measured"}
    </>
  )
}

const Nothing = () => {
  const mayAdd = useMayAdd()
  return (
    <Card withBorder>
      <Empty icon={IconServerCog} title="No switch is onboarded yet">
        A list of switches that run already is added here; each is read, and nothing on it is changed.{" "}
        {mayAdd ? (
          <PlainLink to="/onboarding?tab=add">Add a list</PlainLink>
        ) : (
          <>
            A person with the right <code>trust</code> adds them.
          </>
        )}
      </Empty>
    </Card>
  )
}

const List = () => {
  const { list } = useOnboarding()
  return (
    <Asked of={list} what="onboarded switches">
      {({ data: { devices } }) => (devices.length === 0 ? <Nothing /> : <Switches devices={devices} />)}
    </Asked>
  )
}

export default function Onboarding() {
  const may = useMay()
  const mayAdd = useMayAdd()
  const router = useRouter()
  return (
    <>
      <PageHead
        title="Onboarding"
        facts={<Facts />}
        main={
          mayAdd ? <Button onClick={() => router.history.push("/ui/onboarding?tab=add")}>Add a list</Button> : undefined
        }
      />
      <AddressTabs
        label="Onboarding"
        parts={[
          { value: "switches", label: "Switches", Panel: List },
          ...(mayAdd ? [{ value: "add", label: "Add", Panel: AddList }] : []),
          ...(may("GET", "/onboarding/distance") ? [{ value: "distance", label: "Distance", Panel: Distance }] : []),
          ...(may("GET", "/onboarding/links") ? [{ value: "links", label: "Links", Panel: Links }] : []),
          ...(may("GET", "/onboarding/settings")
            ? [{ value: "settings", label: "Settings and ports", Panel: Settings }]
            : [])
        ]}
      />
    </>
  )
}
