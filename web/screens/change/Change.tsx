/**
 * A change before the push: the commits that wait, the selected devices, the dry run and the options of the push. All of it is in the
 * address, so that it survives a reload and can be sent to a colleague. The push carries out exactly the dry run that was shown.
 */
import { Grid } from "@mantine/core"
import { useWords } from "../../app/useAddress.ts"
import { Empty } from "../../parts/Empty.tsx"
import { ScreenTitle } from "../../parts/ScreenTitle.tsx"
import { Commits } from "./Commits.tsx"
import { DryRun } from "./DryRun.tsx"
import { Selection } from "./Selection.tsx"

export default function Change() {
  const [words, change] = useWords()
  return (
    <>
      <ScreenTitle>Changes</ScreenTitle>
      <Grid>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Selection words={words} change={change} />
          <Commits />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 8 }}>
          {words["job"] === undefined ? (
            <Empty>
              Nothing is shown yet. Choose the devices, and ask what would change: a dry run touches no switch's
              configuration.
            </Empty>
          ) : (
            <DryRun key={words["job"]} id={words["job"]} words={words} change={change} />
          )}
        </Grid.Col>
      </Grid>
    </>
  )
}
