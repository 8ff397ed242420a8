/** The home of an operator: how the network is, what needs a person, what runs, and what was changed last. */
import { Button } from "@mantine/core"
import { IconGitPullRequest, IconSearch } from "@tabler/icons-react"
import { useRouter } from "@tanstack/react-router"
import { useMay } from "../../app/useSession.ts"
import { PageHead } from "../../parts/PageHead.tsx"
import { useZone } from "../../parts/zone.ts"
import { Locks } from "../jobs/Locks.tsx"
import { Checklist } from "../first-run/Checklist.tsx"
import { Attention } from "./Attention.tsx"
import { Fleet } from "./Fleet.tsx"
import { NotInForce } from "./NotInForce.tsx"
import { LastChanges, Running } from "./Running.tsx"
import { Source } from "./Source.tsx"
import "./overview.css"

/** `Thursday, 26 November`. */
const Today = () => {
  const { timeZone } = useZone()
  const day = new Intl.DateTimeFormat("en-GB", {
    weekday: "long",
    day: "numeric",
    month: "long",
    ...(timeZone === undefined ? {} : { timeZone })
  })
  return <span>{day.format(new Date())}</span>
}

export default function Overview() {
  const may = useMay()
  const router = useRouter()
  const to = (path: string) => () => router.history.push(`/ui${path}`)
  return (
    <>
      <PageHead
        title="Overview"
        facts={<Today />}
        actions={
          may("GET", "/find") && (
            <Button variant="default" leftSection={<IconSearch size={16} stroke={1.75} />} onClick={to("/find")}>
              Find a device or address
            </Button>
          )
        }
        main={
          may("POST", "/device_syncto") && (
            <Button leftSection={<IconGitPullRequest size={16} stroke={1.75} />} onClick={to("/change?new=1")}>
              New change
            </Button>
          )
        }
      />
      <Checklist />
      <NotInForce />
      <Locks />
      <div className="overview">
        <Fleet />
        <div className="overview-main">
          <Attention />
        </div>
        <div className="overview-side">
          <Running />
          <Source />
          <LastChanges />
        </div>
      </div>
    </>
  )
}
